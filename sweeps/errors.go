package sweeps

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An Error is one mistake in a sweep file.
type Error struct {
	File string
	At   Position
	Text string // what is wrong and what would be right, in one line
}

func (e Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.At.Line, e.At.Column, e.Text)
}

// Errors are all mistakes of a sweep file, each once, in the order of the file.
type Errors []Error

// Error returns one line per mistake.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i := range e {
		lines[i] = e[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As and errors.Is every single mistake.
func (e Errors) Unwrap() []error {
	errs := make([]error, len(e))
	for i := range e {
		errs[i] = e[i]
	}
	return errs
}

func (e *Errors) add(file string, at Position, format string, args ...any) {
	text := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	*e = append(*e, Error{File: file, At: at, Text: text})
}

// tidy puts the mistakes in the order of the file and drops repetitions, such as those of a grid used twice.
func (e Errors) tidy() Errors {
	slices.SortStableFunc(e, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Column, b.At.Column))
	})
	return slices.Compact(e)
}

// A Position is a place in a sweep file. Lines and columns count from 1, columns in characters.
type Position struct{ Line, Column int }

func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }
