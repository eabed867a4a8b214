package results

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// Merge writes the records of several folders or segments into one compressed segment: one record per cell, chosen as by Read,
// in the order of data set, method, protocol, fold and configuration. Equal records give equal files. Damaged records are an
// error, and so is a file that would lose records by it, unless replace is set, and in any case a merge of nothing.
//
// The lines wait in a temporary file; what is held in memory is their order.
func Merge(path string, replace bool, from ...string) (n int, err error) {
	c := newChooser()
	for h, err := range heads(from) {
		if d := (*Damage)(nil); errors.As(err, &d) && d.Torn {
			continue // a run that was killed
		} else if err != nil {
			return 0, err
		}
		c.add(h)
	}
	if len(c.best) == 0 {
		return 0, fmt.Errorf("no records in %s", strings.Join(from, ", "))
	}
	if !replace {
		if err := c.covers(path); err != nil {
			return 0, err
		}
	}
	spool, err := os.CreateTemp("", "merge-")
	if err != nil {
		return 0, err
	}
	defer os.Remove(spool.Name())
	defer spool.Close()
	order, err := c.spool(spool)
	if err != nil {
		return 0, err
	}
	return len(order), compress(path, spool, order)
}

// covers returns an error when a segment has records that would be lost: of cells that were not seen, or successful ones of
// cells that were only seen to fail.
func (c *chooser) covers(path string) error {
	before := newChooser()
	for h, err := range heads([]string{path}) {
		if err == nil {
			before.add(h)
		} else if d := (*Damage)(nil); !errors.As(err, &d) {
			return err
		}
	}
	lost := 0
	for id, kept := range before.best {
		if now, ok := c.best[id]; !ok || kept.ok && !now.ok {
			lost++
		}
	}
	if lost > 0 {
		return fmt.Errorf("it has %d records that the folders do not have; name its folder too, or give -replace", lost)
	}
	return nil
}

// A spooled line is one of a file that holds lines in another order.
type spooled struct {
	cell   Cell
	id     ID
	offset int64
	length int
}

func (s *spooled) compare(other *spooled) int {
	a, b := &s.cell, &other.cell
	return cmp.Or(
		cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Protocol, b.Protocol),
		cmp.Compare(a.Fold, b.Fold), cmp.Compare(a.Config, b.Config),
		cmp.Compare(a.Measure, b.Measure), cmp.Compare(a.With, b.With), bytes.Compare(s.id[:], other.id[:]))
}

// spool writes the chosen lines to a file, as they come, and returns them in the order of their cells.
func (c *chooser) spool(w io.Writer) (order []spooled, err error) {
	out := bufio.NewWriter(w)
	var offset int64
	h := new(head)
	for line := range c.lines() {
		if why := h.read(line); why != "" {
			return nil, &Damage{File: line.file, Line: line.line, Lines: 1, Why: why}
		}
		out.Write(line.text)
		out.WriteByte('\n')
		order = append(order, spooled{h.Cell, h.ID, offset, len(line.text) + 1})
		offset += int64(len(line.text)) + 1
	}
	slices.SortFunc(order, func(a, b spooled) int { return a.compare(&b) })
	return order, out.Flush()
}

// compress writes spooled lines in the given order to a compressed segment.
func compress(path string, spool io.ReaderAt, order []spooled) error {
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	z, _ := gzip.NewWriterLevel(f, gzip.BestCompression)
	var line []byte
	for _, l := range order {
		line = slices.Grow(line[:0], l.length)[:l.length]
		if _, err := spool.ReadAt(line, l.offset); err != nil {
			return err
		}
		if _, err := z.Write(line); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
