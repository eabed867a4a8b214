package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
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
// held in memory is some 100 bytes for each cell. A folder that does not exist has no records. It is an error if a segment cannot be
// opened, if one method was imported under two titles, or if ctx ends.
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

// Records yields one record per cell, in the order of paths, file names and lines: of several a success, then the one that was finished last,
// then the first. Errors come before the records: the damages, the conflict; and a *Damage where a segment has changed since it was opened.
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

// Read opens a store and yields its Records, or the error of Open.
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
