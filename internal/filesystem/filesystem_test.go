package filesystem

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/renameio/v2"
)

func nothing(io.Writer) error { return nil }

// names lists the files of a folder.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A process that is killed while it writes leaves nothing but in the folder of the file. What fails leaves the file as it was.
func TestWrittenInItsFolder(t *testing.T) {
	dir, temporary := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	path := filepath.Join(dir, "weights")
	var fails error
	for _, text := range []string{"sound", "half of"} {
		before := names(t, dir)
		err := WriteFile(path, func(w io.Writer) error {
			if in, elsewhere := names(t, dir), names(t, temporary); len(in) != len(before)+1 || len(elsewhere) > 0 {
				t.Errorf("while it is written, its folder has %q, that for temporary files %q", in, elsewhere)
			}
			io.WriteString(w, text)
			return fails
		})
		if !errors.Is(err, fails) || fails != nil && err.Error() != path+": no numbers" {
			t.Errorf("error %v, want %v", err, fails)
		}
		fails = errors.New("no numbers")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "sound" || len(names(t, dir)) != 1 {
		t.Errorf("%q, %v, in a folder of %q", text, err, names(t, dir))
	}
}

// A file that only its owner may read stays so.
func TestPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weights")
	for _, want := range []os.FileMode{0o644, 0o600} {
		if err := WriteFile(path, nothing); err != nil {
			t.Fatal(err)
		}
		os.Chmod(path, want)
		if err := WriteFile(path, nothing); err != nil {
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
	pending := func() string {
		file, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir))
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Base(file.Name())
	}
	left, now := pending(), pending()
	others := []string{".other1", ".weights", ".weights1", ".weightsrc"}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * time.Hour)
	for _, name := range append(others, left) {
		if err := os.Chtimes(filepath.Join(dir, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteFile(path, nothing); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, func(io.Writer) error { return &os.PathError{Op: "open", Path: "rows.csv", Err: os.ErrNotExist} }); err == nil ||
		err.Error() != path+": open rows.csv: file does not exist" {
		t.Errorf("an error about another file: %v", err)
	}
	if got, want := names(t, dir), slices.Sorted(slices.Values(append(others, now, "weights"))); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What is no name of a file is said, and the file that is written in its place is not.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "new", "file")
	for path, want := range map[string]string{
		dir:     dir + ": a folder, want the name of a file",
		"":      ": no name of a file to write to",
		missing: missing + ": no such file or directory",
	} {
		if err := WriteFile(path, nothing); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
}

// A link stays one, and what it points to is written, whether or not that is there, with its permissions.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"shared", "shared/deep", "own"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "shared", "old")
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{ // "folder/.." is the folder above shared/deep
		"own/old": file, "own/new": "../shared/new", "own/folder": "../shared/deep", "own/again": "old", "own/up": "folder/../up", "shared/deep/side": "../side",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for path, want := range map[string]string{ // and where it is written
		"own/old": "old", filepath.Join(dir, "own/again"): "old", "own/new": "new", "own/up": "up", "own/folder/side": "side", "own/folder/../plain": "plain",
	} {
		before := names(t, "own")
		if err := WriteFile(path, func(w io.Writer) error { _, err := io.WriteString(w, path); return err }); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(filepath.Join("shared", want)); err != nil || string(text) != path {
			t.Errorf("%s: shared/%s has %q, error %v", path, want, text, err)
		}
		if info, err := os.Lstat(path); want != "plain" && (err != nil || info.Mode().Type() != os.ModeSymlink) || !slices.Equal(names(t, "own"), before) {
			t.Errorf("%s: %v, error %v, beside %q", path, info, err, names(t, "own"))
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, error %v", info, err)
	}
}

// What is no regular file, or a link to it, is refused, and so are circles of links and open files: all stay.
func TestNotRegular(t *testing.T) {
	dir := t.TempDir()
	pipe, open := filepath.Join(dir, "pipe"), filepath.Join(dir, "open")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(open)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const special = "a device, a pipe or a socket, want the name of a file"
	want := map[string]string{"pipe": special}
	for _, l := range []struct{ name, to, want string }{
		{"to pipe", "pipe", special},
		{"circle", "circle", syscall.ELOOP.Error()},
		{"descriptor", fmt.Sprintf("/proc/self/fd/%d", file.Fd()), "an open file of a process, want the name of a file"},
	} {
		if _, err := os.Stat(l.to); filepath.IsAbs(l.to) && err != nil {
			continue // not Linux
		}
		if err := os.Symlink(l.to, filepath.Join(dir, l.name)); err != nil {
			t.Fatal(err)
		}
		want[l.name] = l.want
	}
	before, err := os.Stat(open)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range want {
		path := filepath.Join(dir, name)
		is, _ := os.Lstat(path)
		if err := WriteFile(path, nothing); err == nil || err.Error() != path+": "+want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		if now, err := os.Lstat(path); err != nil || !os.SameFile(is, now) {
			t.Errorf("%s is now %v, error %v", name, now, err)
		}
	}
	if now, err := os.Stat(open); err != nil || !os.SameFile(before, now) {
		t.Errorf("the open file is now %v, error %v", now, err)
	}
}
