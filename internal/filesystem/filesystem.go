// Package filesystem writes files as a whole or not at all, finds them in folders above, and knows file systems without locks.
package filesystem

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
)

// WriteFile writes a file as a whole or not at all; one that is there keeps its permissions. A symbolic link stays, and the file that it
// points to is written. Devices, pipes and sockets are refused. An error names the file, and none that was written in its place.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := replace(path, write); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func replace(path string, write func(io.Writer) error) error {
	if path == "" {
		return errors.New("no name of a file to write to")
	}
	switch info, err := os.Stat(path); {
	case err != nil: // a new one
	case info.IsDir():
		return errors.New("a folder, want the name of a file")
	case !info.Mode().IsRegular():
		return errors.New("a device, a pipe or a socket, want the name of a file")
	}
	path, err := follow(path)
	if err != nil {
		return err
	}
	// What is left of a file when the process is killed while it writes shall go with its folder, and not stay in the system's for
	// temporary files.
	dir := filepath.Dir(path)
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o666), renameio.WithExistingPermissions(), renameio.WithTempDir(dir))
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		return of.Err
	} else if err != nil {
		return err
	}
	defer file.Cleanup()
	removeLeft(file.File, filepath.Base(path))
	w := bufio.NewWriter(file)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = file.CloseAtomicallyReplace()
	}
	var of *fs.PathError
	var to *os.LinkError
	switch { // of those that name the file in its place
	case errors.As(err, &of) && of.Path == file.Name():
		return of.Err
	case errors.As(err, &to) && to.Old == file.Name():
		return to.Err
	}
	return err
}

// follow returns where a path leads, without symbolic links, be there a file or not. Links in /proc, as /dev/stdout leads to one, are of
// open files, which would not see what replaces them.
func follow(path string) (string, error) {
	for range 40 { // links in a row, as many as Linux follows
		dir, name := filepath.Split(path)
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "", cmp.Or(errors.Unwrap(err), err) // WriteFile names the path
		}
		path = filepath.Join(dir, name)
		to, err := os.Readlink(path)
		switch {
		case err != nil: // no link
			return path, nil
		case strings.HasPrefix(dir, "/proc/"):
			return "", errors.New("an open file of a process, want the name of a file")
		case filepath.IsAbs(to):
			path = to
		default:
			path = dir + "/" + to
		}
	}
	return "", syscall.ELOOP
}

// removeLeft removes what processes that were killed while they wrote the file have left: as large as the file, and an hour older than the
// pending one.
func removeLeft(pending *os.File, name string) {
	own, err := pending.Stat()
	files, _ := os.ReadDir(filepath.Dir(pending.Name()))
	for _, f := range files {
		number, left := strings.CutPrefix(f.Name(), "."+name) // as renameio calls them, by a number below 2^63
		if err != nil || !left || len(number) < 15 || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if info, err := f.Info(); err == nil && own.ModTime().Sub(info.ModTime()) > time.Hour {
			os.Remove(filepath.Join(filepath.Dir(pending.Name()), f.Name()))
		}
	}
}

// IsFull reports whether an error says that a disk is full, or a quota used up.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// HasNoLocks reports whether an error of a lock says that its file system has none.
func HasNoLocks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}
