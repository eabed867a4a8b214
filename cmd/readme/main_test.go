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

func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	report := write("table1.md", "# Report\n\nCaption.\n\n<!-- table small -->\n| a | $1 |\n\n<sup>1</sup> note\n<!-- end -->\n"+
		"<!-- table smaller -->\n| b |\n<!-- end -->\n")
	document := func(first, second string) string {
		return "# Title\n<!-- table " + dir + "/none.md small -->\nstays\n<!-- end -->\ntext\n<!-- table " + report + " small -->\n" + first +
			"<!-- end -->\n<!-- table " + report + " smaller -->\n" + second + "<!-- end -->\nend\n"
	}
	file := write("README.md", document("old\nlines\n", ""))
	if exit, _, stderr := programtest.Run(t, run, "-file", file); exit != program.ExitOK {
		t.Fatal(exit, stderr)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := document("| a | $1 |\n\n<sup>1</sup> note\n", "| b |\n"); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := update(write("other.md", "no places")); err == nil || !strings.Contains(err.Error(), "has no place") {
		t.Errorf("a file without places: %v", err)
	}
	unknown := write("unknown.md", "<!-- table "+report+" big -->\nstays\n<!-- end -->\n")
	if exit, _, stderr := programtest.Run(t, run, "-file", unknown); exit != program.ExitFailed || !strings.Contains(stderr, "has no table big") {
		t.Errorf("an unknown table: exit %d, %s", exit, stderr)
	}
}

// Every `make TARGET` that a document or a comment names is a target of the Makefile and in its help, or bin/ and a program.
func TestTargetsExist(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile(`(?m)(?:` + "`" + `|^    )(?:[A-Z_]+=\S+ )*make\s+([a-z][a-z0-9/-]*)`)
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
			program, isProgram := strings.CutPrefix(found[1], "bin/")
			sources, _ := filepath.Glob("../../*/" + program + "/main.go")
			if isProgram && len(sources) == 0 || !isProgram && !regexp.MustCompile(`(?m)^`+found[1]+`:.*## `).Match(makefile) {
				t.Errorf("%s: there is no target %s", path, found[1])
			}
		}
		return nil
	})
	if err != nil || named < 20 {
		t.Errorf("%d targets are named, error %v", named, err)
	}
}
