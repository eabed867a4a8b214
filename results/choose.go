package results

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// A Conflict says that there are cells with successful records whose metrics differ.
type Conflict struct {
	Cells       int    // how many
	Cell        Cell   // the first of them
	Kept, Other string // two of its records, as FILE:LINE; Kept is the one that stands for the cell
}

func (c *Conflict) Error() string {
	cells := "cells have"
	if c.Cells == 1 {
		cells = "cell has"
	}
	return fmt.Sprintf("%d %s records with different metrics, such as %s on %s, %s fold %d: %s, which is used, and %s",
		c.Cells, cells, c.Cell.Method, c.Cell.Dataset, c.Cell.Protocol, c.Cell.Fold, c.Kept, c.Other)
}

// A standing decides which of several records of a cell stands for it.
type standing struct {
	finished int64 // nanoseconds since 1970
	ok       bool
}

// compare is negative where a record comes before another: a success before a failure, then the one that was finished last. Equal
// ones come in the order of paths, file names and lines.
func (s standing) compare(other standing) int {
	switch {
	case s.ok == other.ok:
		return cmp.Compare(other.finished, s.finished)
	case s.ok:
		return -1
	}
	return 1
}

// A candidate is the best record that has been seen of a cell.
type candidate struct {
	standing
	file    int32 // in chooser.files
	line    int32
	text    uint32 // checksum of the line
	metrics uint32 // checksum
}

// A chooser finds the record that stands for each cell.
type chooser struct {
	best     map[ID]candidate
	files    []string     // in the order in which they are read
	differ   map[ID]bool  // cells with records whose metrics do
	conflict *Conflict    // nil: none
	between  [2]candidate // the first two records of conflict.Cell that differ
}

func newChooser() *chooser { return &chooser{best: map[ID]candidate{}, differ: map[ID]bool{}} }

func (c *chooser) place(b candidate) string { return fmt.Sprintf("%s:%d", c.files[b.file], b.line) }

// found is the conflict among all records that were added; nil: none.
func (c *chooser) found() *Conflict {
	if c.conflict != nil {
		kept, other := c.best[c.conflict.Cell.ID()], c.between[0]
		if other.metrics == kept.metrics {
			other = c.between[1]
		}
		c.conflict.Cells = len(c.differ)
		c.conflict.Kept, c.conflict.Other = c.place(kept), c.place(other)
	}
	return c.conflict
}

func (c *chooser) add(l *cellLine) {
	if n := len(c.files); n == 0 || c.files[n-1] != l.file {
		c.files = append(c.files, l.file)
	}
	now := candidate{standing: l.standing, file: int32(len(c.files) - 1), line: int32(l.line), text: l.checksum(), metrics: l.metrics}
	before, known := c.best[l.id]
	if !known {
		c.best[l.id] = now
		return
	}
	winner, loser := before, now
	if now.compare(before.standing) < 0 {
		winner, loser = now, before
	}
	if now.ok && before.ok && now.metrics != before.metrics {
		c.differ[l.id] = true
		if c.conflict == nil {
			c.conflict, c.between = &Conflict{Cell: l.cell}, [2]candidate{loser, winner}
		}
	}
	c.best[l.id] = winner
}

// lines yields the lines that were chosen, in the order in which they were read. Where one is gone or has another text now, a *Damage stands
// for it and what follows in its segment: somebody has replaced that, as Merge does.
func (c *chooser) lines() iter.Seq2[segmentLine, error] {
	return func(yield func(segmentLine, error) bool) {
		type place struct {
			line int32
			text uint32
		}
		chosen := make([][]place, len(c.files))
		for _, b := range c.best {
			chosen[b.file] = append(chosen[b.file], place{b.line, b.text})
		}
		for i, file := range c.files {
			left := chosen[i]
			slices.SortFunc(left, func(a, b place) int { return cmp.Compare(a.line, b.line) })
			why := "has changed since it was first read"
			for line, err := range segmentLines(file) {
				if len(left) == 0 {
					break
				}
				if d := (*Damage)(nil); err != nil && !errors.As(err, &d) { // the file is gone, or cannot be read
					why = err.Error()
				}
				if int(left[0].line) != line.line {
					continue
				}
				if left[0].text != line.checksum() {
					break
				}
				left = left[1:]
				if !yield(line, nil) {
					return
				}
			}
			if len(left) > 0 && !yield(segmentLine{}, &Damage{File: file, Line: int(left[0].line), Lines: len(left), Why: why}) {
				return
			}
		}
	}
}
