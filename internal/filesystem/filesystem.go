// Package filesystem writes files as a whole or not at all, and knows file systems without locks.
package filesystem

import (
	"bufio"
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

// WriteFile writes a file as a whole or not at all; one that is there keeps its permissions. An error names the file, and none that was
// written in its place.
func WriteFile(path string, write func(io.Writer) error) error {
	err := replace(path, write)
	var of *fs.PathError
	var to *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &of): // which names the file that was written in its place
		err = of.Err
	case errors.As(err, &to):
		err = to.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func replace(path string, write func(io.Writer) error) error {
	if path == "" {
		return errors.New("no name of a file to write to")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return errors.New("a folder, want the name of a file")
	}
	// What is left of a file when the process is killed while it writes shall go with its folder, and not stay in the system's for
	// temporary files.
	dir := filepath.Dir(path)
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o666), renameio.WithExistingPermissions(), renameio.WithTempDir(dir))
	if err != nil {
		return err
	}
	defer file.Cleanup()
	removeLeft(dir, filepath.Base(path))
	w := bufio.NewWriter(file)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// removeLeft removes what processes that were killed while they wrote the file have left: as large as the file, and untouched for a minute.
func removeLeft(dir, name string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		number, pending := strings.CutPrefix(f.Name(), "."+name) // as renameio calls them, by a number below 2^63
		if !pending || len(number) < 15 || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > time.Minute {
			os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}

// HasNoLocks reports whether an error of a lock says that its file system has none.
func HasNoLocks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}
