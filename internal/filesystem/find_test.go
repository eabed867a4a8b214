package filesystem

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestHereOrAbove(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(below, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	want := ""
	for _, dir := range []string{"", root, below} { // where there is one more of them
		if dir != "" {
			want = filepath.Join(dir, "bin", "some-program")
			if err := os.MkdirAll(want, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if got := HereOrAbove("bin/some-program"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestGlob(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run[1]")
	for _, name := range []string{"b/rows", "a/rows", "a/other"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string][]string{"*/rows": {"a/rows", "b/rows"}, "[a": nil} {
		if got := Glob(dir, pattern); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	if got := Glob(filepath.Join(dir, "c"), "*"); len(got) > 0 {
		t.Errorf("%q in a folder that is not there", got)
	}
}
