package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
)

func TestUpdate(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("out/report.md", "# Report\n\nCaption.\n\n<!-- table small -->\n| a | $1 |\n\n<sup>1</sup> note\n<!-- end -->\n"+
		"<!-- table smaller -->\n| b |\n<!-- end -->\n")
	document := func(first, second, third string) string {
		return "# Title\n<!-- table out/report.md small -->\n" + first + "<!-- end -->\ntext\n<!-- table out/report.md smaller -->\n" + second +
			"<!-- end -->\n\n    cd out && grep Caption *\n\n<!-- output -->\n" + third + "<!-- end -->\nend\n"
	}
	write("npt/PAPER.md", document("old\nlines\n", "", "4\n"))
	if err := update(t.Context(), "npt/PAPER.md", true); err == nil || err.Error() != "not what reports and commands give; make readme writes it" {
		t.Error(err)
	}
	if err := update(t.Context(), "npt/PAPER.md", false); err != nil {
		t.Error(err)
	}
	got, err := os.ReadFile("npt/PAPER.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := document("| a | $1 |\n\n<sup>1</sup> note\n", "| b |\n", "Caption.\n"); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := update(t.Context(), "npt/PAPER.md", true); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"<!-- table out/report.md big -->\nstays\n<!-- end -->\n":                                            "out/report.md has no table big",
		"<!-- table out/none.md small -->\nstays\n<!-- end -->\n":                                            "make reports-published",
		"    ls none\n\n<!-- output -->\nstays\n<!-- end -->\n":                                              "ls none: exit status",
		"no command\n\n<!-- output -->\nstays\n<!-- end -->\n":                                               "1 lines <!-- end -->, but 0 places",
		"<!-- table out/report.md small -->\nstays\n<!-- table out/report.md small -->\ntoo\n<!-- end -->\n": "2 lines <!-- table or <!-- output, but 1 lines",
		"<!-- table out/report.md -->\nstays\n<!-- end -->\ntext":                                            "1 lines <!-- end -->, but 0 places",
	} {
		write("wrong.md", text)
		if err := update(t.Context(), "wrong.md", false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := os.ReadFile("wrong.md"); err != nil || string(got) != text {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
	if exit, _, stderr := programtest.Run(t, run, "-check"); exit != program.ExitFailed || !strings.Contains(stderr, "wrong.md: ") {
		t.Errorf("exit %d, %s", exit, stderr)
	}
	if files, err := documents("."); err != nil || !slices.Equal(files, []string{"npt/PAPER.md", "wrong.md"}) {
		t.Error(files, err)
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

// Every link from one document to another, or to a part of one, leads somewhere.
func TestLinks(t *testing.T) {
	t.Chdir("../..")
	files, err := documents(".")
	if err != nil {
		t.Fatal(err)
	}
	heading, unsaid := regexp.MustCompile(`(?m)^#+ (.+)$`), regexp.MustCompile("[^a-z0-9 _-]")
	anchors := func(file string) (all []string) {
		for _, title := range heading.FindAllStringSubmatch(read(t, file), -1) {
			all = append(all, strings.ReplaceAll(unsaid.ReplaceAllString(strings.ToLower(title[1]), ""), " ", "-"))
		}
		return all
	}
	links := 0
	link := regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]*))?\)`)
	for _, file := range files {
		for _, found := range link.FindAllStringSubmatch(read(t, file), -1) {
			links++
			target := file
			if found[1] != "" {
				target = filepath.Join(filepath.Dir(file), found[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", file, err)
			} else if found[2] != "" && !slices.Contains(anchors(target), found[2]) {
				t.Errorf("%s: %s has no part #%s", file, target, found[2])
			}
		}
	}
	if links < 50 {
		t.Errorf("%d links", links)
	}
}

func read(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
