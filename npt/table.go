package npt

import (
	"errors"
	"fmt"
	"slices"

	"nptbench/internal/weights"
)

// A Column describes one attribute of a table.
type Column struct {
	Name       string
	Categories int // number of classes of a categorical attribute; 0 for a continuous one

	// Target says that it is to be predicted: hidden in test rows always, in validation rows except in test passes with a TargetMask below
	// 1, in training rows as Config.TargetMask says.
	Target bool
}

// width returns the number of channels that encode the column, e_j in the paper.
func (c Column) width() int { return max(c.Categories, 1) }

// A Table is encoded data, targets included: continuous attributes standardised, categorical ones as one-hot vectors.
// Rows are ordered training, validation, test. What stands in the targets of test rows is never looked at.
type Table struct {
	Columns          []Column
	Values           []float32 // rows x channels, row-major, columns side by side; any where missing, but see Flagged
	Missing          []bool    // rows x columns, row-major; nil when nothing is missing
	Train, Val, Test int       // numbers of rows

	// Copies says that Values and Missing have a second half: for each row another one, like it in some way, whose target is
	// always in sight. It takes part in a pass exactly where the row does, in the same batch, and is never predicted. This is how
	// the paper asks whether an NPT can look up a target in another row (section 4.2). Passes then have the rows of their
	// own part alone.
	Copies bool

	// Flagged says that what is missing in a copy has a value all the same, which is in sight with M = 1: so the official code has random
	// features.
	Flagged bool

	// RowTargets has, for each of Rows() rows, the one column that is a target in that row, where this is not the same column in
	// all of them (appendix B.1.2): all such columns are marked Target. nil: columns marked so are targets in all rows.
	RowTargets []int

	classes []int // of the training rows, for ClassBalancing
}

// Rows returns the number of rows, without copies.
func (t *Table) Rows() int { return t.Train + t.Val + t.Test }

// stored returns the number of rows of Values.
func (t *Table) stored() int {
	if t.Copies {
		return 2 * t.Rows()
	}
	return t.Rows()
}

// target reports whether an entry of a row that is no copy is a target.
func (t *Table) target(row, column int) bool {
	if t.RowTargets != nil {
		return t.RowTargets[row] == column
	}
	return t.Columns[column].Target
}

// unseen reports whether an entry of a stored row is never looked at: a target of a test row.
func (t *Table) unseen(row, column int) bool {
	return row >= t.Train+t.Val && row < t.Rows() && t.target(row, column)
}

// Channels returns the width of a row of Values.
func (t *Table) Channels() int { return channels(t.Columns) }

// check reports what is wrong with a table: its dimensions, values that are NaN or infinite, categories that are not one-hot.
func (t *Table) check() error {
	if t == nil {
		return errors.New("npt: there is no table")
	}
	if err := checkColumns(t.Columns); err != nil {
		return fmt.Errorf("npt: table: %w", err)
	}
	switch rows := t.stored(); {
	case t.Train < 1 || t.Val < 0 || t.Test < 0:
		return fmt.Errorf("npt: table: %d training, %d validation and %d test rows, want at least one for training and none below 0",
			t.Train, t.Val, t.Test)
	case len(t.Values) != rows*t.Channels():
		return fmt.Errorf("npt: table: %d values, want %d (%d rows of %d channels)",
			len(t.Values), rows*t.Channels(), rows, t.Channels())
	case t.Missing != nil && len(t.Missing) != rows*len(t.Columns):
		return fmt.Errorf("npt: table: %d missing flags, want %d (%d rows of %d columns)",
			len(t.Missing), rows*len(t.Columns), rows, len(t.Columns))
	case t.RowTargets != nil && len(t.RowTargets) != t.Rows():
		return fmt.Errorf("npt: table: %d row targets, want %d, one for each row", len(t.RowTargets), t.Rows())
	}
	for i, j := range t.RowTargets {
		if j < 0 || j >= len(t.Columns) || !t.Columns[j].Target {
			return fmt.Errorf("npt: table: the target of row %d is column %d, want one that is marked as a target", i, j)
		}
	}
	return t.checkValues()
}

// mostCategories is how many a column may have: its encoding takes as many numbers in every row.
const mostCategories = 1_000_000

func checkColumns(columns []Column) error {
	for j, c := range columns {
		if c.Categories < 0 || c.Categories > mostCategories {
			return fmt.Errorf("column %d (%s): %d categories, want 0, for numbers, to %d", j, c.Name, c.Categories, mostCategories)
		}
	}
	if !slices.ContainsFunc(columns, func(c Column) bool { return c.Target }) {
		return fmt.Errorf("no column is a target")
	}
	return nil
}

// checkValues looks at all values but those that are never looked at.
func (t *Table) checkValues() error {
	at := 0
	for i := range t.stored() {
		for j, c := range t.Columns {
			entry := t.Values[at : at+c.width()]
			at += c.width()
			if t.unread(i, j) {
				continue
			}
			ones := 0
			for _, v := range entry {
				switch {
				case c.Categories > 0 && v != 0 && v != 1:
					return fmt.Errorf("npt: table: row %d, column %d (%s): %v among the %d channels of a categorical column, want 0 or 1", i, j, c.Name, v, c.Categories)
				case !finite(float64(v)):
					return fmt.Errorf("npt: table: row %d, column %d (%s): %v, want a number, or a flag in Missing", i, j, c.Name, v)
				case v == 1:
					ones++
				}
			}
			if c.Categories > 0 && ones != 1 {
				return fmt.Errorf("npt: table: row %d, column %d (%s): %d categories, want one, or a flag in Missing", i, j, c.Name, ones)
			}
		}
	}
	return nil
}

func (t *Table) missing(row, column int) bool {
	return t.Missing != nil && t.Missing[row*len(t.Columns)+column]
}

// flagged reports whether an entry counts as missing and has a value that is in sight.
func (t *Table) flagged(row, column int) bool {
	return t.Flagged && row >= t.Rows() && t.missing(row, column)
}

// unread reports whether nobody looks at the value of an entry of a stored row.
func (t *Table) unread(row, column int) bool {
	return t.missing(row, column) && !t.flagged(row, column) || t.unseen(row, column)
}

// labelled reports whether a pass of this mode is asked for any target.
func (t *Table) labelled(m mode) bool {
	from, to := m.part(t)
	for i := from; i < to; i++ {
		for j := range t.Columns {
			if t.target(i, j) && !t.missing(i, j) {
				return true
			}
		}
	}
	return false
}

// blank sets to zero what may not be looked at in a copy of the values: missing entries, and the targets of test rows. A
// product with zero does not hide a NaN.
func (t *Table) blank(values []float32) {
	width := t.Channels()
	for i := range t.stored() {
		at := i * width
		for j, c := range t.Columns {
			if t.unread(i, j) {
				clear(values[at : at+c.width()])
			}
			at += c.width()
		}
	}
}

// sameColumns reports whether columns are alike but for their names.
func sameColumns(a, b []Column) bool {
	return slices.EqualFunc(a, b, func(a, b Column) bool { return a.Categories == b.Categories && a.Target == b.Target })
}

func channels(columns []Column) int {
	sum := 0
	for _, c := range columns {
		sum += c.width()
	}
	return sum
}

// channelColumns returns the column of every channel.
func channelColumns(columns []Column) []int {
	var index []int
	for j, c := range columns {
		for range c.width() {
			index = append(index, j)
		}
	}
	return index
}

// inputColumns returns the column of every input of the network: all channels, then the mask of every column.
func inputColumns(columns []Column) []int {
	return append(channelColumns(columns), weights.Indices(len(columns))...)
}

// columnKinds returns 0 for every continuous and 1 for every categorical column.
func columnKinds(columns []Column) []int {
	kinds := make([]int, len(columns))
	for j, c := range columns {
		if c.Categories > 0 {
			kinds[j] = 1
		}
	}
	return kinds
}

// mixedTypes reports whether there are continuous and categorical columns. Otherwise there is no type embedding.
func mixedTypes(columns []Column) bool {
	kinds := columnKinds(columns)
	return slices.Contains(kinds, 0) && slices.Contains(kinds, 1)
}
