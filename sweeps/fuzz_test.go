package sweeps

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"nptbench/internal/document"
)

// FuzzParse: whatever the content, Parse comes back with a sweep or with mistakes at places that exist.
func FuzzParse(f *testing.F) {
	f.Add(everything)
	for _, name := range []string{"table1-quick.yaml", "table1-paper.yaml"} {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(content))
	}
	for _, s := range []string{
		"", "\ufeffname: x", "a: &a [*a]", "&a a: *a", "? [a]: b", "<<: {<<: {a: b}}", "methods: [{method: trees, grid: {count: [1]}}]\ndatasets: [boat]",
		"--- !!map {? a : b}", "a: |2\n  x", "\"\\u0000\": 1", "%TAG ! x\n---\na", "a: [1e400, .nan, -.inf, 0x1, 1_0, 1:2]", "budget: {memory: B, time: ''}",
		"folds: [0, 99999999999999999999]", "*a : b", "- - - -", "!a &b c: d", "[{]}", "'", "\"\\x", "a:\n- b\n -c",
	} {
		f.Add(s)
	}
	c := catalogue()
	f.Fuzz(func(t *testing.T, content string) {
		s, err := Parse("f.yaml", []byte(content), c)
		if err == nil {
			for _, name := range s.Datasets {
				if len(s.Settings(name)) == 0 {
					t.Errorf("nothing to run on %s", name)
				}
			}
			return
		}
		var errs document.Errors
		if !errors.As(err, &errs) || len(errs) == 0 || s != nil {
			t.Fatalf("sweep %v, error %v", s, err)
		}
		lines := strings.Split(content, "\n")
		for _, e := range errs {
			if e.At.Line < 1 || e.At.Column < 1 || e.At.Line > len(lines) || e.At.Column > utf8.RuneCountInString(lines[e.At.Line-1])+2 {
				t.Errorf("no such place: %v", e)
			}
			if strings.ContainsAny(e.Text, "\n\r") || e.Text == "" {
				t.Errorf("not one line: %q", e.Text)
			}
		}
	})
}
