package gbdt

import (
	"fmt"
	"math"
	"slices"

	"nptbench/internal/method"
)

// A tolerance is the largest difference allowed between two sums of the leaf values of n trees, none of which is larger than
// size, nor is the sum. What is rounded are the sums on the way, which may be larger than the last one: a practical bound, no proof.
type tolerance func(n int, size float64) float64

// exact is for libraries that add float64 leaf values in the order in which we do.
func exact(int, float64) float64 { return 0 }

// otherOrder is for libraries that add float64 leaf values in an order of their own, or where compilers fuse products with the addition,
// as in scikit-learn's loop on arm64.
func otherOrder(n int, size float64) float64 { return float64(n) * 0x1p-52 * max(1, size) }

// float32Sum is for libraries that add in float32: each addition rounds by half a unit in the last place of the sum so far.
func float32Sum(n int, size float64) float64 { return float64(n+8) * 0x1p-24 * max(1, size) }

// linkRounding is what probabilities of equal scores may differ by, since exponentials are rounded in several ways.
const linkRounding = 1e-12

// In every fit our predictions are compared with the library's: raw scores of all trees for a tenth as many rows as it was
// fitted on, up to maxCheckedRows, and for some of these rows raw scores of the other numbers of trees, and final predictions.
// More rows would take up to a tenth of the time of a small fit.
const (
	minCheckedRows = 32
	maxCheckedRows = 1024
	stagedRows     = 8
)

// checkedRows spreads rows evenly over the validation and test rows.
func (f *fit) checkedRows() []int {
	all := f.task.Val + f.task.Test
	rows := make([]int, min(all, max(f.task.Train/10, minCheckedRows), maxCheckedRows))
	for i := range rows {
		rows[i] = i * all / len(rows)
	}
	return rows
}

// stride is the distance in the checked rows of those with staged scores and final predictions.
func stride(checked int) int { return max((checked+stagedRows-1)/stagedRows, 1) }

// compare returns the largest difference of raw scores, and an error beyond tolerance.
func (f *fit) compare(model *Model, raw []method.Prediction, answer *fitAnswer) (largest float64, err error) {
	rows := f.checkedRows()
	var few []int
	for i := 0; i < len(rows); i += stride(len(rows)) {
		few = append(few, rows[i])
	}
	c := comparison{fit: f, outputs: model.Outputs, largestLeaf: model.largestLeaf()}
	staged := answer.float64s("staged")
	for i, n := range f.counts {
		if n < f.origin.Iterations {
			c.compare(fmt.Sprintf("raw scores of %d trees", n), raw[i], staged, few, n)
			staged = staged[min(len(few)*c.outputs, len(staged)):]
		}
	}
	all := slices.Index(f.counts, f.origin.Iterations)
	c.compare("raw scores of all trees", raw[all], answer.float64s("raw"), rows, f.origin.Iterations)
	largest = c.largest
	c.outputs, c.rounding = model.Predictions(), linkRounding
	c.compare("predictions", model.predictions(raw[all]), answer.float64s("final"), few, f.origin.Iterations)
	return largest, c.err
}

// A comparison goes on until the first difference beyond tolerance.
type comparison struct {
	*fit
	outputs     int
	largestLeaf float64
	rounding    float64 // what numbers that are not sums alone may differ by
	largest     float64 // difference
	err         error
}

// compare checks our scores of the given rows against the library's, which stand at the front of theirs in the same order.
func (c *comparison) compare(what string, ours, theirs []float64, rows []int, trees int) {
	if len(theirs) < len(rows)*c.outputs && c.err == nil {
		c.err = fmt.Errorf("%s returned %d %s to compare with, want %d", c.lib.pkg, len(theirs), what, len(rows)*c.outputs)
	}
	for i, row := range rows {
		for k := range c.outputs {
			if c.err != nil {
				return
			}
			a, b := ours[row*c.outputs+k], theirs[i*c.outputs+k]
			d := math.Abs(a - b)
			if !(d <= c.lib.tolerance(trees, max(math.Abs(b), c.largestLeaf))+c.rounding) {
				c.err = fmt.Errorf("%s: %v for row %d, by %s itself %v", what, a, row, c.lib.pkg, b)
			}
			c.largest = max(c.largest, d)
		}
	}
}
