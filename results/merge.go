package results

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// Merge adds the records of several folders or segments to a compressed segment, or with replace writes it anew from them alone: one
// record per cell, chosen as by Read, in the order of data set, method, protocol, fold and configuration. Equal records give equal
// files. Damaged records are an error, those of the segment too unless it is replaced, and so is a merge of nothing.
//
// The conflict says which cells have records that differ in their metrics, as of a Store; nil: none.
//
// However many records there are, it takes about runBytes of memory: they are sorted in runs, which wait in temporary files, and the
// runs are merged.
func Merge(path string, replace bool, from ...string) (n int, conflict *Conflict, err error) {
	dir, err := os.MkdirTemp("", "merge-")
	if err != nil {
		return 0, nil, err
	}
	defer os.RemoveAll(dir)
	runs, err := sortRuns(filepath.Join(dir, "new"), from, func(d *Damage) bool { return d.Torn }) // by a run that was killed
	if err != nil {
		return 0, nil, err
	}
	if len(runs) == 0 {
		return 0, nil, fmt.Errorf("no records in %s", strings.Join(from, ", "))
	}
	if _, err := os.Stat(path); err == nil && !replace {
		before, err := sortRuns(filepath.Join(dir, "before"), []string{path}, func(*Damage) bool { return false })
		if err != nil {
			return 0, nil, err
		}
		runs, from = append(runs, before...), append(slices.Clip(from), path)
	}
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return 0, nil, err
	}
	defer f.Cleanup()
	z, _ := gzip.NewWriterLevel(f, gzip.BestCompression)
	for line, err := range bestLines(runs, func(cell Cell) {
		if conflict == nil {
			conflict = &Conflict{Cell: cell}
		}
		conflict.Cells++
	}) {
		if err != nil {
			return 0, nil, err
		}
		if _, err := z.Write(line.text); err != nil {
			return 0, nil, err
		}
		if _, err := z.Write([]byte("\n")); err != nil {
			return 0, nil, err
		}
		n++
	}
	if err := z.Close(); err != nil {
		return 0, nil, err
	}
	if conflict != nil {
		if err := conflict.find(from); err != nil {
			return 0, nil, err
		}
	}
	return n, conflict, f.CloseAtomicallyReplace()
}

// find looks up where two records of the cell are that differ.
func (c *Conflict) find(from []string) error {
	chosen, id := newChooser(), c.Cell.ID()
	for l, err := range cellLines(from...) {
		if d := (*Damage)(nil); err != nil && !errors.As(err, &d) {
			return err
		} else if err == nil && l.id == id {
			chosen.add(l)
		}
	}
	if chosen.conflict == nil {
		return fmt.Errorf("records of %s on %s, %s fold %d changed meanwhile", c.Cell.Method, c.Cell.Dataset, c.Cell.Protocol, c.Cell.Fold)
	}
	c.Kept, c.Other = chosen.place(chosen.best[id]), chosen.conflict.Other
	return nil
}

// runBytes is about how much memory the lines of a run take.
var runBytes = 64 << 20

// compare orders lines by cells, and those of a cell by what stands for it, the first of them; equal ones keep their order.
func (l *cellLine) compare(other *cellLine) int {
	a, b := &l.cell, &other.cell
	return cmp.Or(
		cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Protocol, b.Protocol),
		cmp.Compare(a.Fold, b.Fold), cmp.Compare(a.Config, b.Config),
		cmp.Compare(a.Measure, b.Measure), cmp.Compare(a.With, b.With), bytes.Compare(l.id[:], other.id[:]),
		l.standing.compare(other.standing))
}

// sortRuns writes the lines of folders or segments into sorted segments of about runBytes, in a folder that it makes. The lines of
// earlier ones come first where they are equal.
func sortRuns(dir string, from []string, tolerable func(*Damage) bool) (runs []string, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	var run []*cellLine
	size := 0
	flush := func() error {
		slices.SortStableFunc(run, (*cellLine).compare)
		path := filepath.Join(dir, fmt.Sprint(len(runs), segmentSuffix))
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		out := bufio.NewWriter(f)
		for _, l := range run {
			out.Write(l.text)
			out.WriteByte('\n')
		}
		runs, run, size = append(runs, path), run[:0], 0
		return errors.Join(out.Flush(), f.Close())
	}
	for l, err := range cellLines(from...) {
		if d := (*Damage)(nil); errors.As(err, &d) && tolerable(d) {
			continue
		} else if err != nil {
			return nil, err
		}
		run = append(run, l)
		if size += len(l.text) + len(l.cell.Config) + len(l.cell.With); size > runBytes {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if len(run) > 0 {
		err = flush()
	}
	return runs, err
}

// A sortedRun is a run that is being merged: its first line that is not yet.
type sortedRun struct {
	*cellLine
	next func() (*cellLine, error, bool)
}

// advance goes on to the next line; false at the end.
func (r *sortedRun) advance() (more bool, err error) {
	r.cellLine, err, more = r.next()
	return more, err
}

// bestLines merges sorted runs: it yields one line for each cell, that which stands for it, and after that calls conflict once if
// there are successes of the cell with other metrics. Equal lines come in the order of the runs.
func bestLines(runs []string, conflict func(Cell)) iter.Seq2[*cellLine, error] {
	return func(yield func(*cellLine, error) bool) {
		var left []*sortedRun
		for _, path := range runs {
			next, stop := iter.Pull2(cellLines(path))
			defer stop()
			run := &sortedRun{next: next}
			if more, err := run.advance(); err != nil {
				yield(nil, err)
				return
			} else if more {
				left = append(left, run)
			}
		}
		var best *cellLine
		said := false
		for len(left) > 0 {
			first := slices.MinFunc(left, func(a, b *sortedRun) int { return a.compare(b.cellLine) }) // there are few
			if best == nil || first.id != best.id {
				if best, said = first.cellLine, false; !yield(best, nil) {
					return
				}
			} else if first.ok && first.metrics != best.metrics && !said {
				said = true
				conflict(best.cell)
			}
			if more, err := first.advance(); err != nil {
				yield(nil, err)
				return
			} else if !more {
				left = slices.DeleteFunc(left, func(r *sortedRun) bool { return r == first })
			}
		}
	}
}
