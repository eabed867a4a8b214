package tabnet

import "fmt"

// A table is encoded data, ordered training, validation, test.
type table struct {
	columns
	Numbers []float32 // rows x Numeric, row-major: numeric features, finite, standardised, 0 where missing
	Codes   []int32   // rows x len(Categories), row-major: categories from 0 on

	// Of the training and validation rows; one of the two is set.
	Targets []float64 // standardised numbers
	Labels  []uint16  // classes

	Train, Val, Test int // numbers of rows

	digests [2]string // of the data set and of the split
}

// rows returns the number of all rows.
func (t *table) rows() int { return t.Train + t.Val + t.Test }

// check reports what is wrong with a table.
func (t *table) check() error {
	targets := len(t.Targets)
	if t.Classes > 0 {
		targets = len(t.Labels)
	}
	switch rows := t.rows(); {
	case t.Train < 2 || t.Val < 1 || t.Test < 0:
		return fmt.Errorf("tabnet: table: %d training, %d validation and %d test rows, want at least 2 and 1", t.Train, t.Val, t.Test)
	case len(t.Numbers) != rows*t.Numeric:
		return fmt.Errorf("tabnet: table: %d numbers, want %d (%d rows of %d)", len(t.Numbers), rows*t.Numeric, rows, t.Numeric)
	case len(t.Codes) != rows*len(t.Categories):
		return fmt.Errorf("tabnet: table: %d codes, want %d (%d rows of %d)", len(t.Codes), rows*len(t.Categories), rows, len(t.Categories))
	case targets != t.Train+t.Val:
		return fmt.Errorf("tabnet: table: %d targets, want %d, of the training and validation rows", targets, t.Train+t.Val)
	}
	for i, code := range t.Codes {
		if column := i % len(t.Categories); code < 0 || int(code) >= t.Categories[column] {
			return fmt.Errorf("tabnet: table: row %d, categorical column %d: %d, want 0 to %d", i/len(t.Categories), column, code, t.Categories[column]-1)
		}
	}
	for i, class := range t.Labels {
		if int(class) >= t.Classes {
			return fmt.Errorf("tabnet: table: row %d: class %d, want 0 to %d", i, class, t.Classes-1)
		}
	}
	return nil
}
