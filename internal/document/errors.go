package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An Error is one mistake in a file.
type Error struct {
	File string
	At   Position
	Text string // what is wrong and what would be right, in one line
}

func (e Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.At.Line, e.At.Column, e.Text)
}

// Errors are all mistakes of a file.
type Errors []Error

// Error returns one line per mistake.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i := range e {
		lines[i] = e[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Errorf notes a mistake.
func (d *Document) Errorf(at Position, format string, args ...any) {
	text := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	d.Errors = append(d.Errors, Error{File: d.File, At: at, Text: text})
}

// Err returns the mistakes as Errors in the order of the file, each once, though what is used twice is read twice. It is nil if there are
// none.
func (d *Document) Err() error {
	if len(d.Errors) == 0 {
		return nil
	}
	slices.SortStableFunc(d.Errors, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Column, b.At.Column))
	})
	return slices.Compact(d.Errors)
}

// A Position is a place in a file. Lines and columns count from 1, columns in characters.
type Position struct{ Line, Column int }

func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }
