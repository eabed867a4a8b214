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

// check reports too few rows: batch normalisation takes two, and validation one.
func (t *table) check() error {
	if t.Train < 2 || t.Val < 1 {
		return fmt.Errorf("tabnet: %d training and %d validation rows, want at least 2 and 1", t.Train, t.Val)
	}
	return nil
}
