package results

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
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
// files. Damaged records are an error, those of the segment too unless it is replaced, and so are a merge of nothing and the end of ctx:
// then the segment is as it was.
//
// The conflict says which cells have records that differ in their metrics, as of a Store; nil: none.
//
// It takes what a Store does, and about runBytes of memory: the chosen records are sorted in runs, which wait in temporary files, and the
// runs are merged.
func Merge(ctx context.Context, path string, replace bool, from ...string) (n int, conflict *Conflict, err error) {
	chosen := newChooser()
	read := func(paths []string, torn bool) error {
		for l, err := range cellLines(paths...) {
			if d := (*Damage)(nil); errors.As(err, &d) && d.Torn && torn {
				continue
			}
			if err := cmp.Or(err, ctx.Err()); err != nil {
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
	dir, err := os.MkdirTemp("", "merge-")
	if err != nil {
		return 0, nil, err
	}
	defer os.RemoveAll(dir)
	runs, err := sortRuns(ctx, dir, inOrder(chosen.lines(), readCell))
	if err != nil {
		return 0, nil, err
	}
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return 0, nil, err
	}
	defer f.Cleanup()
	z, _ := gzip.NewWriterLevel(f, gzip.BestCompression)
	for line, err := range merged(runs) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return 0, nil, err
		}
		if _, err := z.Write(append(line.text, '\n')); err != nil {
			return 0, nil, err
		}
		n++
	}
	if err := z.Close(); err != nil {
		return 0, nil, err
	}
	return n, chosen.found(), f.CloseAtomicallyReplace()
}

// runBytes is about how much memory the lines of a run take.
var runBytes = 64 << 20

// compare orders lines by cells.
func (l *cellLine) compare(other *cellLine) int {
	a, b := &l.cell, &other.cell
	return cmp.Or(
		cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Protocol, b.Protocol),
		cmp.Compare(a.Fold, b.Fold), cmp.Compare(a.Config, b.Config),
		cmp.Compare(a.Measure, b.Measure), cmp.Compare(a.With, b.With), bytes.Compare(l.id[:], other.id[:]))
}

// sortRuns writes lines into sorted segments of about runBytes in a folder.
func sortRuns(ctx context.Context, dir string, lines iter.Seq2[*cellLine, error]) (runs []string, err error) {
	var run []*cellLine
	size := 0
	flush := func() error {
		slices.SortFunc(run, (*cellLine).compare)
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
	for l, err := range lines {
		if err := cmp.Or(err, ctx.Err()); err != nil {
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

// merged yields the lines of sorted runs, of different cells, in their order.
func merged(runs []string) iter.Seq2[*cellLine, error] {
	return func(yield func(*cellLine, error) bool) {
		var left []*sortedRun
		for _, path := range runs {
			next, stop := iter.Pull2(cellLines(path))
			defer stop()
			run := &sortedRun{next: next}
			if _, err := run.advance(); err != nil {
				yield(nil, err)
				return
			}
			left = append(left, run)
		}
		for len(left) > 0 {
			first := slices.MinFunc(left, func(a, b *sortedRun) int { return a.compare(b.cellLine) }) // there are few
			if !yield(first.cellLine, nil) {
				return
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
