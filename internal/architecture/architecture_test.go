// Package architecture tests that packages import each other as ARCHITECTURE.md says.
package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const module = "nptbench/"

// A layer is a line of the table in ARCHITECTURE.md.
type layer struct {
	line   int
	butNot string // packages in backquotes
}

// layers reads that table, by package.
func layers(t *testing.T) map[string]layer {
	t.Helper()
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Who may import whom")
	section, _, _ = strings.Cut(section, "\n## ")
	out := map[string]layer{}
	for n, line := range strings.Split(section, "\n") {
		columns := strings.Split(line, "|")
		if len(columns) != 5 {
			continue
		}
		for _, name := range regexp.MustCompile("`([a-z0-9/]+)`").FindAllStringSubmatch(columns[2], -1) {
			out[name[1]] = layer{n, columns[3]}
		}
	}
	return out
}

// named returns the package, or the folder that it is in, that the table names; "." for none.
func named(layers map[string]layer, pkg string) string {
	for pkg != "." && layers[pkg] == (layer{}) {
		pkg = filepath.Dir(pkg)
	}
	return pkg
}

func TestImports(t *testing.T) {
	layers := layers(t)
	if len(layers) < 15 {
		t.Fatalf("ARCHITECTURE.md names %d packages", len(layers))
	}
	files := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(name, ".") && name != ".." || name == "out" || name == "testdata" || name == "architecture"):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files++
		relative, _ := filepath.Rel("../..", path)
		pkg := filepath.ToSlash(filepath.Dir(relative))
		at := named(layers, pkg)
		if at == "." {
			t.Errorf("%s: ARCHITECTURE.md does not name %s", relative, pkg)
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			imported, _ := strconv.Unquote(i.Path.Value)
			imported, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			to := named(layers, imported)
			if layers[to].line == 0 || layers[to].line > layers[at].line || strings.Contains(layers[at].butNot, "`"+to+"`") {
				t.Errorf("%s may not import %s: see ARCHITECTURE.md", relative, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
}

// Files that documents link to, or name in backquotes with their folder, are there.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	link, name := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`), regexp.MustCompile("`([a-z0-9_/.-]+/[a-z0-9_.-]+\\.(?:go|yaml|md|sh|py|gz))`")
	documents, named := 0, 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && d.Name() != "." || d.Name() == "out" || d.Name() == "testdata" || d.Name() == "data") {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" || strings.Contains(path, "results/published") {
			return err
		}
		documents++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range append(link.FindAllStringSubmatch(string(text), -1), name.FindAllStringSubmatch(string(text), -1)...) {
			if strings.HasPrefix(found[1], "out/") || strings.HasPrefix(found[1], "data/") {
				continue // what a run makes, or a user
			}
			named++
			_, inFolder := os.Stat(filepath.Join(filepath.Dir(path), found[1]))
			if _, inRoot := os.Stat(filepath.Join("../..", found[1])); inFolder != nil && inRoot != nil {
				t.Errorf("%s names %s, which is not there", path, found[1])
			}
		}
		return nil
	})
	if err != nil || documents < 6 || named < 50 {
		t.Errorf("%v; %d documents name %d files", err, documents, named)
	}
}
