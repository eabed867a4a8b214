package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
)

const header = "dataset,protocol,method,metric,mean,stderr,verdict,missing,paper_printed\n"

func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	published := write("cells.csv", header+
		"yacht,published,knn,rmse,12.018,0.69,reproduced,0,12.02 ± 0.65\n"+
		"yacht,corrected,knn,rmse,13.377,1.07,within 2 s.e.,0,12.02 ± 0.65\n"+
		"protein,published,knn,rmse,3.7702,,reproduced,0,3.77\n"+
		"boston-housing,published,mlp,rmse,3.1,0.2,partial,4,3.32 ± 0.39\n"+
		"boston-housing,published,npt,rmse,3.376,0.43,within 2 s.e.,0,2.92 ± 0.15\n")
	block := func(name, table string) string { return "<!-- table " + name + " -->\n" + table + "<!-- end -->\n" }
	before := "# Title\n" + block("quick", "stays\n") + "text\n" + block("small", "old\nlines\n") + block("breast-cancer", "old\n") +
		block("large", "") + block("protocols", "old\n") + "end\n"
	file := write("README.md", before)
	if exit, _, stderr := programtest.Run(t, run, "-file", file, "-quick", filepath.Join(dir, "none.csv"), "-published", published); exit != program.ExitOK {
		t.Fatal(exit, stderr)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	four := "| Method | Yacht RMSE | Boston RMSE | Concrete RMSE | Breast Cancer AUROC |\n|---|---|---|---|---|\n"
	want := "# Title\n" + block("quick", "stays\n") + "text\n" +
		block("small", four+"| k-NN | **12.02 ± 0.69 (12.02 ± 0.65)** |  |  |  |\n| NPT (tiny) |  | 3.38 ± 0.43 (2.92 ± 0.15) |  |  |\n") +
		block("breast-cancer", "| Method | Breast Cancer accuracy | Breast Cancer NLL | Breast Cancer AUROC |\n|---|---|---|---|\n") +
		block("large", "| Method | Protein RMSE | Kick AUROC | Income AUROC | Poker Hand accuracy | Forest Cover accuracy |\n|---|---|---|---|---|---|\n| k-NN | **3.77 (3.77)** |  |  |  |  |\n") +
		block("protocols", four+"| k-NN | 12.02 → 13.38 ± 1.07 |  |  |  |\n") + "end\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := update(write("other.md", "no places"), "", published); err == nil || !strings.Contains(err.Error(), "has no place") {
		t.Errorf("a file without places: %v", err)
	}
	if err := update(file, "", write("broken.csv", "")); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("an empty file of cells: %v", err)
	}
}

// Every `make TARGET` that a document or a comment names is a target of the Makefile, and of all things in its help.
func TestTargetsExist(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile(`(?m)(?:` + "`" + `|^    )(?:[A-Z_]+=\S+ )*make\s+([a-z][a-z0-9-]*)`)
	named := 0
	err = filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && path != "../.." && (strings.HasPrefix(name, ".") || name == "out" || name == "data") {
			return filepath.SkipDir
		}
		switch filepath.Ext(path) {
		case ".md", ".go", ".py", ".yaml":
		default:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range target.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\n// ", "\n"), -1) {
			named++
			if !regexp.MustCompile(`(?m)^` + found[1] + `:.*## `).Match(makefile) {
				t.Errorf("%s: there is no target %s", path, found[1])
			}
		}
		return nil
	})
	if err != nil || named < 20 {
		t.Errorf("%d targets are named, error %v", named, err)
	}
}
