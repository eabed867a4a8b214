package checkpoint

import (
	"os"
	"path/filepath"
	"testing"
)

// A header looks where a file is while it is written.
type header func()

func (h header) MarshalJSON() ([]byte, error) {
	h()
	return []byte("{}"), nil
}

// A process that is killed while it writes leaves nothing but in the folder of the file.
func TestWrittenInItsFolder(t *testing.T) {
	dir, temporary := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	count := func(dir string) int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	looked := false
	err := Write(filepath.Join(dir, "weights"), "test", header(func() {
		looked = true
		if in, elsewhere := count(dir), count(temporary); in != 1 || elsewhere != 0 {
			t.Errorf("while it is written, %d files are in its folder and %d elsewhere", in, elsewhere)
		}
	}), nil)
	if err != nil || !looked || count(dir) != 1 || count(temporary) != 0 {
		t.Errorf("%v; looked %v; %d files in the end, %d elsewhere", err, looked, count(dir), count(temporary))
	}
}
