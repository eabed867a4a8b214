package filesystem

import (
	"os"
	"path/filepath"
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
