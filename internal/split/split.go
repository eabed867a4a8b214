// Package split cuts a table's rows into training, validation and test rows, bit for bit as scikit-learn does with
// NumPy's legacy generator and seed 42, under two protocols: the folds that the paper's code really made, and true
// cross-validation.
package split

// A Split holds the row numbers of the three parts of one fold, in the order in which a task holds its rows.
type Split struct {
	Train, Val, Test []int32
}
