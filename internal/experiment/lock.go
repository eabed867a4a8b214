package experiment

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"nptbench/internal/filesystem"
)

// Lock keeps a second run from doing the same cells: one at a time has the lock of a folder for records and reports, which is made if it
// is not there. The kernel gives the lock back when the process ends, in whatever way. A file system without locks is said on stderr.
func Lock(dir string, stderr io.Writer) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("-out: %w", err)
	}
	file := filepath.Join(dir, ".lock") // which says who has it
	l := flock.New(file, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	free, err := l.TryLock()
	if filesystem.HasNoLocks(err) {
		fmt.Fprintf(stderr, "%s cannot be locked (%v): start no second run with this -out\n", dir, err)
		return func() error { return nil }, nil
	}
	if err == nil && !free {
		owner, _ := os.ReadFile(file)
		return nil, fmt.Errorf("-out %s: another run is writing there (%s); wait for it, or give another folder", dir, owner)
	}
	if err == nil {
		host, _ := os.Hostname()
		err = os.WriteFile(file, fmt.Appendf(nil, "process %d on %s", os.Getpid(), host), 0o666)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("-out: %w", err)
	}
	return l.Close, nil
}
