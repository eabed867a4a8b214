package program

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/google/renameio/v2"
)

// WriteFile writes a file as a whole or not at all. An error names the file, and none that was written in its place.
func WriteFile(path string, write func(io.Writer) error) error {
	err := writePending(path, write)
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

// HasNoLocks reports whether an error of a lock says that its file system has none.
func HasNoLocks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}

func writePending(path string, write func(io.Writer) error) error {
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o666))
	if err != nil {
		return err
	}
	defer file.Cleanup()
	w := bufio.NewWriter(file)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}
