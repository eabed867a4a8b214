package results

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Whether a segment is still there is looked at every second, while records come and when none do, and can be asked for.
func TestLooksEverySecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "records")
		w := NewWriter(dir)
		if err := errors.Join(w.Append(record(1)), os.RemoveAll(dir)); err != nil {
			t.Fatal(err)
		}
		if err := w.Err(); err != nil {
			t.Errorf("before anybody looked: %v", err)
		}
		time.Sleep(syncInterval)
		synctest.Wait()
		if w.Err() == nil || w.Append(record(2)) == nil {
			t.Error("a second later nobody has noticed that the folder was removed")
		}
		w.Close()
	})
}

// A record that could not be read again is not written, and those after it are.
func TestAppendTooLong(t *testing.T) {
	most := maxLine
	maxLine = 2000
	t.Cleanup(func() { maxLine = most })
	dir := t.TempDir()
	w := NewWriter(dir)
	long := &Record{Status: OK, Cell: Cell{Config: "{}"}, Details: map[string]any{"text": strings.Repeat("x", 2000)}}
	long.ID = long.Cell.ID()
	if err := w.Append(long); !errors.Is(err, ErrTooLong) {
		t.Errorf("%v", err)
	}
	if long.Fail(&Failure{Kind: "error", Message: "too long"}); w.Append(long) != nil {
		t.Error("its failure cannot be written")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for r, err := range Read(t.Context(), dir) {
		if n++; err != nil || r.Failure == nil {
			t.Errorf("%v, %v", r, err)
		}
	}
	if n != 1 {
		t.Errorf("%d records", n)
	}
}
