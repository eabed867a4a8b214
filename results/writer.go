package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const syncInterval = time.Second

// A Writer appends records to a segment of its own. Its methods may be called from several goroutines.
type Writer struct {
	dir     string
	mu      sync.Mutex
	file    *os.File // nil until the first record
	size    int64    // of the whole lines
	dirty   bool     // written since the last sync
	err     error    // the first failure, which all later calls return
	stop    chan struct{}
	syncing sync.WaitGroup
}

// NewWriter prepares a segment in dir, which is made when the first record comes.
func NewWriter(dir string) *Writer { return &Writer{dir: dir, stop: make(chan struct{})} }

// Append writes one record. When it returns the record outlives the process; within a second it outlives the machine.
// After an error, a full disk say, the segment still ends in a whole line. A folder or segment that somebody removes, renames
// or changes is noticed within a second: then this, Err and Close return an error.
func (w *Writer) Append(r *Record) error {
	line, err := r.line()
	if err != nil {
		return fmt.Errorf("record of %s %s fold %d: %w", r.Dataset, r.Method, r.Fold, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if w.file == nil {
		if w.file, w.err = createSegment(w.dir); w.err != nil {
			return w.err
		}
		w.syncing.Go(w.syncLoop)
	}
	if _, err := w.file.Write(line); err != nil {
		w.err = fmt.Errorf("records cannot be written: %w", err)
		w.file.Truncate(w.size)
		return w.err
	}
	w.size += int64(len(line))
	w.dirty = true
	return nil
}

// createSegment makes a new, empty segment and makes sure that its name outlives a crash.
func createSegment(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("the folder of records cannot be made: %w", err)
	}
	host, _ := os.Hostname()
	name := fmt.Sprintf("%s-%s-%d%s", time.Now().UTC().Format("20060102T150405.000000000"), host, os.Getpid(), segmentSuffix)
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("no segment for records can be made: %w", err)
	}
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
	return f, nil
}

func (w *Writer) syncLoop() {
	tick := time.NewTicker(syncInterval)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
			w.sync()
		}
	}
}

// sync makes what was written outlive the machine, and notices when the segment is no longer where it was made.
func (w *Writer) sync() {
	w.mu.Lock()
	file, dirty := w.file, w.dirty
	w.dirty = false
	if file != nil && w.err == nil {
		w.err = w.inPlace()
	}
	w.mu.Unlock()
	if !dirty {
		return
	}
	if err := file.Sync(); err != nil {
		w.mu.Lock()
		if w.err == nil {
			w.err = fmt.Errorf("records cannot be synced to disk: %w", err)
		}
		w.mu.Unlock()
	}
}

// inPlace returns an error unless the segment's path leads to the file that was made there, with what was written to it.
func (w *Writer) inPlace() error {
	path := w.file.Name()
	made, err := w.file.Stat()
	if err != nil {
		return fmt.Errorf("records cannot be written: %w", err)
	}
	there, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(made, there):
		return fmt.Errorf("records are lost: somebody removed or renamed %s, or the folder %s", path, w.dir)
	case err != nil:
		return fmt.Errorf("records cannot be found again: %w", err)
	case there.Size() != w.size:
		return fmt.Errorf("records are lost: somebody changed %s in the folder %s, which has %d bytes instead of %d", path, w.dir, there.Size(), w.size)
	}
	return nil
}

// Err returns the first error that the writer met, nil as long as it may be given records. It does not wait for a disk.
func (w *Writer) Err() error {
	if !w.mu.TryLock() {
		return nil
	}
	defer w.mu.Unlock()
	return w.err
}

// Close syncs the segment and returns the first error that the writer met.
func (w *Writer) Close() error {
	close(w.stop)
	w.syncing.Wait()
	w.sync()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file != nil {
		if err := w.file.Close(); err != nil && w.err == nil {
			w.err = err
		}
	}
	return w.err
}
