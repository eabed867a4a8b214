package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/renameio/v2"
)

// A header looks where a file is while it is written.
type header func()

func (h header) MarshalJSON() ([]byte, error) {
	h()
	return []byte("{}"), nil
}

// A process that is killed while it writes leaves nothing but in the folder of the file, which it makes.
func TestWrittenInItsFolder(t *testing.T) {
	dir, temporary := filepath.Join(t.TempDir(), "new"), t.TempDir()
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

// The first error is kept and told, and what is written goes on.
func TestPeriodicError(t *testing.T) {
	var warned []error
	first, written := errors.New("disk full"), 0
	p := Periodic{Path: "file", Every: time.Nanosecond, Warn: func(err error) { warned = append(warned, err) }}
	p.Start()
	for _, err := range []error{nil, first, errors.New("no folder"), nil} {
		time.Sleep(time.Microsecond)
		p.Write(func(string) error { written++; return err })
	}
	if written != 4 || p.Err != first || !slices.Equal(warned, []error{first}) {
		t.Errorf("written %d times, error %v, told %v", written, p.Err, warned)
	}
}

// A file that only its owner may read stays so.
func TestPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weights")
	for _, want := range []os.FileMode{0o644, 0o600} {
		if err := Write(path, "test", struct{}{}, nil); err != nil {
			t.Fatal(err)
		}
		os.Chmod(path, want)
		if err := Write(path, "test", struct{}{}, nil); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%v, want %v", info, want)
		}
	}
}

// What a killed process has left of a file goes when the file is written again; what somebody writes at this moment, or is no such file,
// stays.
func TestLeftByKilled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "weights")
	left, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir)) // as of a process that was killed
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".weights17", ".weights1", ".weightsrc", ".weights", ".other1"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * time.Minute)
	for _, name := range []string{filepath.Base(left.Name()), ".weights1", ".weightsrc", ".weights", ".other1"} {
		if err := os.Chtimes(filepath.Join(dir, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(path, "test", struct{}{}, nil); err != nil {
		t.Fatal(err)
	}
	var names []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{".other1", ".weights", ".weights1", ".weights17", ".weightsrc", "weights"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v, want %v", names, err, want)
	}
}

// What is no name of a file is said.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{dir: dir + ": a folder, want the name of a file", "": ": no name of a file to write to"} {
		if err := Write(path, "test", struct{}{}, nil); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
}

// A file is written once it is due, and the first error is kept; without a name nothing is.
func TestPeriodic(t *testing.T) {
	var written []string
	var fails error
	write := func(path string) error { written = append(written, path); return fails }
	p := Periodic{Path: "a", Every: time.Hour}
	p.Start()
	p.Write(write)
	p.Every = time.Nanosecond
	p.Start()
	time.Sleep(time.Microsecond)
	fails = os.ErrPermission
	p.Write(write)
	fails = os.ErrExist
	time.Sleep(time.Microsecond)
	p.Write(write)
	if p.Err != os.ErrPermission || !slices.Equal(written, []string{"a", "a"}) {
		t.Errorf("%q, %v", written, p.Err)
	}
	p.Path = ""
	p.Write(write)
	if len(written) != 2 {
		t.Error("a file without a name is written")
	}
	slow := Periodic{Path: "a"}
	slow.wait(time.Hour)
	if in := time.Until(slow.due); !(in > 18*time.Hour && in < 20*time.Hour) { // a twentieth of the time
		t.Errorf("a file that takes an hour is due in %v", in)
	}
}
