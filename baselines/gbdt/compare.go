package gbdt

import (
	"fmt"
	"math"

	"nptbench/internal/method"
)

// A tolerance is the largest difference allowed between two sums of the leaf values of n trees.
type tolerance func(n int, sum float64) float64

// sameSum is for libraries that add float64 leaf values in the order in which we do.
func sameSum(_ int, sum float64) float64 { return 1e-12 * max(1, math.Abs(sum)) }

// otherOrder is for libraries that add float64 leaf values in an order of their own.
func otherOrder(n int, sum float64) float64 { return float64(n) * 0x1p-52 * max(1, math.Abs(sum)) }

// float32Sum is for libraries that add in float32: each addition rounds by half a unit in the last place of the sum so far.
func float32Sum(n int, sum float64) float64 { return float64(n+8) * 0x1p-24 * max(1, math.Abs(sum)) }

// compare checks what leaves predicts against what the library predicts: the raw scores for every number of trees, and
// the final predictions for the largest. It returns the largest difference of raw scores, and an error beyond tolerance.
func (f *fit) compare(model *Model, raw []method.Prediction, answer *fitAnswer) (largest float64, err error) {
	rows := f.checkedRows()
	theirs := answer.float64s("raw")
	if want := len(rows) * model.Outputs * len(raw); len(theirs) != want {
		return 0, fmt.Errorf("%s returned %d raw scores to compare with, want %d", f.lib.pkg, len(theirs), want)
	}
	for i, ours := range raw {
		part := theirs[i*len(rows)*model.Outputs:][:len(rows)*model.Outputs]
		d, err := f.difference(ours, part, rows, model.Outputs, f.counts[i])
		if err != nil {
			return 0, fmt.Errorf("raw scores of %d trees: %w", f.counts[i], err)
		}
		largest = max(largest, d)
	}
	return largest, f.compareFinal(model, raw, answer.float64s("final"), rows[:min(len(rows), maxFinalRows)])
}

func (f *fit) compareFinal(model *Model, raw []method.Prediction, theirs []float64, rows []int) error {
	for i, n := range f.counts {
		if n != f.origin.Iterations {
			continue
		}
		if len(theirs) != len(rows)*model.Predictions() {
			return fmt.Errorf("%s returned %d predictions to compare with, want %d", f.lib.pkg, len(theirs), len(rows)*model.Predictions())
		}
		if _, err := f.difference(model.predictions(raw[i]), theirs, rows, model.Predictions(), n); err != nil {
			return fmt.Errorf("predictions of %d trees: %w", n, err)
		}
	}
	return nil
}

// difference returns the largest difference between rows of ours and all of theirs, each row of the given width.
func (f *fit) difference(ours, theirs []float64, rows []int, width, trees int) (largest float64, err error) {
	for i, row := range rows {
		for k := range width {
			a, b := ours[row*width+k], theirs[i*width+k]
			d := math.Abs(a - b)
			if !(d <= f.lib.tolerance(trees, b)) {
				return 0, fmt.Errorf("leaves gives %v for row %d, %s itself %v", a, row, f.lib.pkg, b)
			}
			largest = max(largest, d)
		}
	}
	return largest, nil
}
