package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// An Index has the status of every cell with a record: OK if it has one that is a success, else Failed.
type Index map[ID]string

// A Store is the records that folders or single segments had when it was opened: of every cell, which of its records stands for
// it, and where. The records themselves are read when they are asked for.
type Store struct {
	Damages  []*Damage // what is not a whole record
	Imports  []Import  // in the order of their names
	Conflict *Conflict // nil: no records of one cell differ in their metrics

	chosen *chooser
}

// Open reads which records there are in folders or single segments. It checks the sum of each and what says which cell it is of; what is
// held in memory is some 100 bytes for each cell. A folder that does not exist has no records. It is an error if a segment cannot be opened, if one method was
// imported under two titles, or if ctx ends.
func Open(ctx context.Context, paths ...string) (*Store, error) {
	s := &Store{chosen: newChooser()}
	imports := imports{}
	for l, err := range cellLines(paths...) {
		if d := (*Damage)(nil); errors.As(err, &d) {
			s.Damages = append(s.Damages, d)
			continue
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		s.chosen.add(l)
		if err := imports.add(&l.cell); err != nil {
			return nil, err
		}
	}
	s.Imports, s.Conflict = imports.sorted(), s.chosen.found()
	return s, nil
}

// Index returns which cells have records.
func (s *Store) Index() Index {
	index := make(Index, len(s.chosen.best))
	for id, c := range s.chosen.best {
		if index[id] = Failed; c.ok {
			index[id] = OK
		}
	}
	return index
}

// Records yields the one record that stands for every cell that has any, in the order of paths, file names and lines: a success
// rather than a failure, then the one that was finished last, then the first. Errors come before the records: the damages, the
// conflict; and a *Damage where a line cannot be read any more.
func (s *Store) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for _, d := range s.Damages {
			if !yield(nil, d) {
				return
			}
		}
		if s.Conflict != nil && !yield(nil, s.Conflict) {
			return
		}
		inOrder(s.chosen.lines(), decodeAs[Record])(yield)
	}
}

// Read yields the records of a store that is opened for it, or the error that it cannot be.
func Read(ctx context.Context, paths ...string) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		s, err := Open(ctx, paths...)
		if err != nil {
			yield(nil, err)
			return
		}
		s.Records()(yield)
	}
}

// A cellLine is a line of a segment that is a record, and what its place among others depends on.
type cellLine struct {
	cell Cell
	id   ID
	standing
	metrics uint32 // checksum
	segmentLine
}

// readCell reads a line, whose checksum must be right.
func readCell(line segmentLine) (*cellLine, error) {
	if why := verify(line.text); why != "" {
		return nil, line.damage(why)
	}
	r, err := decodeAs[head](line)
	if err != nil {
		return nil, err
	}
	switch id := r.Cell.ID(); {
	case r.ID != id:
		return nil, line.damage(fmt.Sprintf("the id %s is not that of the cell, %s", r.ID, id))
	case r.Status != OK && r.Status != Failed:
		return nil, line.damage(fmt.Sprintf("the status %q is neither %s nor %s", r.Status, OK, Failed))
	}
	standing := standing{r.Provenance.Finished.UnixNano(), r.Status == OK}
	return &cellLine{r.Cell, r.ID, standing, r.metrics(), line}, nil
}

// cellLines yields the lines of all records, and a *Damage for what is not a record: for each of the first few lines of a segment, and
// one for all further ones.
func cellLines(paths ...string) iter.Seq2[*cellLine, error] {
	return func(yield func(*cellLine, error) bool) {
		files, err := Segments(paths...)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, file := range files {
			var more *Damage
			damages := 0
			for l, err := range inOrder(segmentLines(file), readCell) {
				if d, ok := err.(*Damage); ok && d.Lines == 1 && !d.Torn {
					if damages++; damages > shownDamages {
						if more == nil {
							more = d
						} else {
							more.Lines++
						}
						continue
					}
				}
				if !yield(l, err) {
					return
				}
			}
			if more != nil {
				if more.Lines > 1 {
					more.Why = fmt.Sprintf("%d more damaged lines from here on", more.Lines)
				}
				if !yield(nil, more) {
					return
				}
			}
		}
	}
}

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
	file     int32 // in chooser.files
	line     int32
	metrics  uint32 // checksum
	conflict bool
}

// A chooser finds the record that stands for each cell.
type chooser struct {
	best     map[ID]candidate // by id
	files    []string         // in the order in which they are read
	conflict *Conflict        // nil: none
	differ   [2]candidate     // the first two records of conflict.Cell that differ
}

func newChooser() *chooser { return &chooser{best: map[ID]candidate{}} }

func (c *chooser) place(b candidate) string { return fmt.Sprintf("%s:%d", c.files[b.file], b.line) }

// found is the conflict among all records that were added; nil: none.
func (c *chooser) found() *Conflict {
	if c.conflict != nil {
		kept, other := c.best[c.conflict.Cell.ID()], c.differ[0]
		if other.metrics == kept.metrics {
			other = c.differ[1]
		}
		c.conflict.Kept, c.conflict.Other = c.place(kept), c.place(other)
	}
	return c.conflict
}

func (c *chooser) add(l *cellLine) {
	if n := len(c.files); n == 0 || c.files[n-1] != l.file {
		c.files = append(c.files, l.file)
	}
	now := candidate{standing: l.standing, file: int32(len(c.files) - 1), line: int32(l.line), metrics: l.metrics}
	before, known := c.best[l.id]
	if !known {
		c.best[l.id] = now
		return
	}
	winner, loser := before, now
	if now.compare(before.standing) < 0 {
		winner, loser = now, before
	}
	winner.conflict = before.conflict
	if now.ok && before.ok && now.metrics != before.metrics && !winner.conflict {
		winner.conflict = true
		if c.conflict == nil {
			c.conflict, c.differ = &Conflict{Cell: l.cell}, [2]candidate{loser, winner}
		}
		c.conflict.Cells++
	}
	c.best[l.id] = winner
}

// lines yields the lines that were chosen, in the order in which they were read, and a *Damage for those of a segment that are gone.
func (c *chooser) lines() iter.Seq2[segmentLine, error] {
	return func(yield func(segmentLine, error) bool) {
		chosen := make([][]int32, len(c.files))
		for _, b := range c.best {
			chosen[b.file] = append(chosen[b.file], b.line)
		}
		for i, file := range c.files {
			left := chosen[i]
			slices.Sort(left)
			for line := range segmentLines(file) {
				if len(left) == 0 {
					break
				}
				if int(left[0]) != line.line {
					continue
				}
				left = left[1:]
				if !yield(line, nil) {
					return
				}
			}
			if len(left) > 0 && !yield(segmentLine{}, &Damage{File: file, Line: int(left[0]), Lines: len(left), Why: "cannot be read any more"}) {
				return
			}
		}
	}
}
