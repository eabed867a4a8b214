package results

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"nptbench/internal/filesystem"
)

// Lock keeps others from merging into a segment: one at a time has the lock of the folder that it is in, until unlock, or until its process
// ends. It waits for another, which is said on log, as is a file system without locks. On one that a network shares the lock may be
// of this machine alone. The error names the folder, or is that of ctx.
func Lock(ctx context.Context, path string, log io.Writer) (unlock func() error, err error) {
	dir := filepath.Dir(path)
	lock := flock.New(dir, flock.SetFlag(os.O_RDONLY)) // itself, so that no file is left there
	free, err := lock.TryLock()
	if filesystem.HasNoLocks(err) {
		fmt.Fprintf(log, "%s cannot be locked (%v): let nobody else merge into it\n", dir, err)
		return func() error { return nil }, nil
	}
	if err == nil && !free {
		fmt.Fprintf(log, "%s: somebody else merges into this folder; waiting\n", dir)
		_, err = lock.TryLockContext(ctx, 100*time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return lock.Unlock, nil
}

// Merge adds the records of several folders or segments to a compressed segment, or with replace writes it anew from them alone: one
// record per cell, chosen as by Read, in the order of data set, method, protocol, fold and configuration. Equal records give equal
// files. Damaged records are an error, but for a last line of from that a killed run left cut off; so are a merge of nothing, an imported
// method under two titles and the end of ctx. Then the segment is as it was. n is how many records it has now. Of two merges at the same time without Lock, what one
// adds is lost.
//
// The conflict says which cells have records that differ in their metrics, as of a Store; nil: none.
//
// It takes what a Store does, and the memory of the chosen records as text, together about 3 kB for each.
func Merge(ctx context.Context, path string, replace bool, from ...string) (n int, conflict *Conflict, err error) {
	chosen, imports := newChooser(), imports{}
	read := func(paths []string, torn bool) error {
		for l, err := range cellLines(paths...) {
			if d := (*Damage)(nil); errors.As(err, &d) && d.Torn && torn {
				continue
			}
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			if err := imports.add(&l.cell); err != nil { // no store would open
				return err
			}
			chosen.add(l)
		}
		return nil
	}
	if err := read(from, true); err != nil { // torn by a run that was killed
		return 0, nil, err
	}
	if len(chosen.best) == 0 {
		return 0, nil, fmt.Errorf("no records in %s", strings.Join(from, ", "))
	}
	if !replace {
		if err := read([]string{path}, false); err != nil {
			return 0, nil, err
		}
	}
	var lines []*cellLine
	whole := func(line segmentLine) (*cellLine, error) { // of which a store would say only later that it is no record
		if _, err := decodeAs[Record](line); err != nil {
			return nil, err
		}
		return readCell(line)
	}
	for l, err := range inOrder(chosen.lines(), whole) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return 0, nil, err
		}
		lines = append(lines, l)
	}
	slices.SortFunc(lines, (*cellLine).compare)
	return len(lines), chosen.found(), filesystem.WriteFile(path, func(w io.Writer) error {
		z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
		for _, line := range lines {
			_, err := z.Write(append(line.text, '\n'))
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// compare orders lines by cells.
func (l *cellLine) compare(other *cellLine) int {
	a, b := &l.cell, &other.cell
	return cmp.Or(
		cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Protocol, b.Protocol),
		cmp.Compare(a.Fold, b.Fold), cmp.Compare(a.Config, b.Config),
		cmp.Compare(a.Measure, b.Measure), cmp.Compare(a.With, b.With), bytes.Compare(l.id[:], other.id[:]))
}
