package results

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"
	"time"

	"github.com/segmentio/encoding/json"
)

// An Index says of every cell that has a record whether one of them is a success.
type Index map[ID]bool

// A Store is the records that folders or single segments had when it was opened: of every cell, which of its records stands for
// it, and where. The records themselves are read when they are asked for.
type Store struct {
	Damages  []*Damage // what is not a whole record
	Imports  []Import  // in the order of their names
	Conflict *Conflict // nil: no records of one cell differ in their metrics

	chosen *chooser
}

// Open reads which records there are in folders or single segments. Of every line it checks the sum and that it can be read as a
// record, in about half of the time of reading it; what is held in memory is some 100 bytes for each cell. A folder that does not
// exist has no records. It is an error if a segment cannot be opened, if one method was imported under two titles, or if ctx ends.
func Open(ctx context.Context, paths ...string) (*Store, error) {
	s := &Store{chosen: newChooser()}
	imports := imports{}
	for h, err := range heads(paths) {
		if d := (*Damage)(nil); errors.As(err, &d) {
			s.Damages = append(s.Damages, d)
			continue
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		s.chosen.add(h)
		if err := imports.add(&h.Cell); err != nil {
			return nil, err
		}
	}
	s.Imports, s.Conflict = imports.sorted(), s.chosen.conflict
	if s.Conflict != nil {
		s.Conflict.Kept = s.chosen.place(s.chosen.best[s.Conflict.Cell.ID()])
	}
	return s, nil
}

// Index returns which cells have records.
func (s *Store) Index() Index {
	index := make(Index, len(s.chosen.best))
	for id, c := range s.chosen.best {
		index[id] = c.ok
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
		inOrder(s.chosen.lines(), decode)(yield)
	}
}

// Read yields the records of a store that is opened for it, or the error that it cannot be.
func Read(paths ...string) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		s, err := Open(context.Background(), paths...)
		if err != nil {
			yield(nil, err)
			return
		}
		s.Records()(yield)
	}
}

// A head is a record that is read to find out which cell it is of and how it compares with other records of the cell. Whatever
// decode refuses, it refuses as well; but what it has no use for it only checks.
type head struct {
	ID     ID     `json:"id"`
	Status string `json:"status"`
	Cell
	Variant string     `json:"variant"`
	Failure *Failure   `json:"failure"`
	Val     metricText `json:"val"`
	Test    metricText `json:"test"`

	Rows            [3]int     `json:"rows"`
	SplitDigest     string     `json:"split_digest"`
	Subset          string     `json:"subset"`
	FitSeconds      float64    `json:"fit_seconds"`
	FitCells        int        `json:"fit_cells"`
	PredictSeconds  float64    `json:"predict_seconds"`
	PeakMemoryBytes int64      `json:"peak_memory_bytes"`
	Details         objectText `json:"details"`
	Table           *Table     `json:"table"`
	Sweep           string     `json:"sweep"`

	Provenance struct {
		Code      string          `json:"code"`
		Go        string          `json:"go"`
		Libraries json.RawMessage `json:"libraries"`
		OS        string          `json:"os"`
		CPU       string          `json:"cpu"`
		Cores     int             `json:"cores"`
		Threads   int             `json:"threads"`
		Networks  int             `json:"networks"`
		GPU       string          `json:"gpu"`
		Backend   string          `json:"backend"`
		Finished  time.Time       `json:"finished"`
	} `json:"provenance"`

	segmentLine
}

// metricText is JSON that can be decoded as Metrics.
type metricText []byte

func (t *metricText) UnmarshalJSON(b []byte) error {
	if *t = b; b[0] == '{' && plainNumbers(b) {
		return nil
	}
	return json.Unmarshal(b, new(Metrics))
}

// plainNumbers reports whether every colon of a JSON object has a number behind it that is not out of a float64's range for sure.
func plainNumbers(b []byte) bool {
	for {
		colon := bytes.IndexByte(b, ':')
		if colon < 0 {
			return true
		}
		b = b[colon+1:]
		n := 0
		for '0' <= b[n] && b[n] <= '9' || b[n] == '.' || b[n] == '-' || b[n] == 'e' && b[n+1] == '-' {
			n++
		}
		if n == 0 || n > longNumber || b[n] != ',' && b[n] != '}' {
			return false
		}
	}
}

// objectText is JSON that can be decoded as a map of any values: of those only numbers can be out of range.
type objectText struct{}

func (objectText) UnmarshalJSON(b []byte) error {
	plain, digits := b[0] == '{', 0
	for i, c := range b {
		if c >= '0' && c <= '9' {
			digits++
			plain = plain && digits <= longNumber
			continue
		}
		plain = plain && (digits == 0 || c|0x20 != 'e' || b[i+1] == '-')
		digits = 0
	}
	if plain {
		return nil
	}
	return json.Unmarshal(b, new(map[string]any))
}

// longNumber is how many characters of a number without a positive exponent are in range, whatever they are.
const longNumber = 300

// inPlace has strings point into the line, and names of fields match only as they are written: the report of a million records
// takes 11 s instead of 14 by it, on two processors.
const inPlace = json.DontCopyString | json.DontCopyRawMessage | json.DontMatchCaseInsensitiveStructFields

// readHead reads the head of a line, whose checksum must be right.
func readHead(line segmentLine) (*head, error) {
	why := verify(line.text)
	if why != "" {
		return nil, line.damage(why)
	}
	h := &head{segmentLine: line}
	rest, err := json.Parse(line.text, h, inPlace)
	switch id := h.Cell.ID(); {
	case err != nil || len(rest) > 0:
		return nil, line.damage("not a record")
	case h.ID != id:
		return nil, line.damage(fmt.Sprintf("the id %s is not that of the cell, %s", h.ID, id))
	case h.Status != OK && h.Status != Failed:
		return nil, line.damage(fmt.Sprintf("the status %q is neither %s nor %s", h.Status, OK, Failed))
	}
	return h, nil
}

// heads yields the heads of all records, and a *Damage for what is not a record: for each of the first few lines of a segment, and
// one for all further ones.
func heads(paths []string) iter.Seq2[*head, error] {
	return func(yield func(*head, error) bool) {
		files, err := segments(paths)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, file := range files {
			var more *Damage
			damages := 0
			for h, err := range inOrder(segmentLines(file), readHead) {
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
				if !yield(h, err) {
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

func (h *head) standing() standing {
	return standing{h.Provenance.Finished.UnixNano(), h.Status == OK}
}

// metrics is a checksum of the metrics.
func (h *head) metrics() uint32 {
	return crc32.Update(crc32.Checksum(h.Val, castagnoli), castagnoli, h.Test)
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
}

func newChooser() *chooser { return &chooser{best: map[ID]candidate{}} }

func (c *chooser) place(b candidate) string { return fmt.Sprintf("%s:%d", c.files[b.file], b.line) }

func (c *chooser) add(h *head) {
	if n := len(c.files); n == 0 || c.files[n-1] != h.file {
		c.files = append(c.files, h.file)
	}
	now := candidate{standing: h.standing(), file: int32(len(c.files) - 1), line: int32(h.line), metrics: h.metrics()}
	before, known := c.best[h.ID]
	if !known {
		c.best[h.ID] = now
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
			c.conflict = &Conflict{Cell: h.Cell, Other: c.place(loser)}
		}
		c.conflict.Cells++
	}
	c.best[h.ID] = winner
}

// decode reads a record. The maps are made here because the decoder would make them for 64 entries, which takes a third of
// the time.
func decode(line segmentLine) (*Record, error) {
	r := &Record{Val: Metrics{}, Test: Metrics{}, Details: map[string]any{}}
	if rest, err := json.Parse(line.text, r, inPlace); err != nil || len(rest) > 0 {
		return nil, line.damage("not a record any more")
	}
	if len(r.Val) == 0 {
		r.Val = nil
	}
	if len(r.Test) == 0 {
		r.Test = nil
	}
	if len(r.Details) == 0 {
		r.Details = nil
	}
	return r, nil
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
