package forest

import (
	"math"
	"math/bits"
)

// fixedPoint returns targets, in ascending order, as integers: distances from the middle of their range, on a scale, a
// power of two, on which sums over all rows cannot overflow. Their resolution is 2^-41 of the range for a million rows,
// 2^-52 for a few hundred; targets that are closer are equal.
func fixedPoint(y []float64) []int64 {
	low, high := y[0], y[len(y)-1]
	middle := low/2 + high/2
	_, exponent := math.Frexp(max(high-middle, middle-low))
	shift := 61 - bits.Len(uint(len(y))) - exponent
	fixed := make([]int64, len(y))
	for i, v := range y {
		fixed[i] = int64(math.Round(math.Ldexp(v-middle, shift)))
	}
	return fixed
}

// numbers is what the criteria of regression have in common.
type numbers struct {
	y       []float64 // by row
	fixed   []int64   // the same in fixed point
	weights []uint16  // by row

	weight int64       // of the current node
	sum    int64       // of the current node, weighted
	cells  []numberSum // tallies, by cell of the bundles
}

type numberSum struct{ sum, weight int64 }

func newNumbers(y []float64, fixed []int64, cells int) numbers {
	return numbers{y: y, fixed: fixed, cells: make([]numberSum, cells)}
}

func (c *numbers) pure(rows []int32) bool { return c.fixed[rows[0]] == c.fixed[rows[len(rows)-1]] }

func (c *numbers) tally(b *bundle, rows []int32) {
	cells := c.cells[b.first : b.first+b.cells()]
	for _, row := range rows {
		cell, w := &cells[b.codes[row]], int64(c.weights[row])
		cell.weight += w
		cell.sum += w * c.fixed[row]
	}
}

func (c *numbers) untally(b *bundle, rows []int32) {
	cells := c.cells[b.first : b.first+b.cells()]
	if len(rows) >= len(cells) {
		clear(cells)
		return
	}
	for _, row := range rows {
		cells[b.codes[row]] = numberSum{}
	}
}

func (c *numbers) varies(b *bundle, code uint16) bool {
	weight := c.cells[b.first+int(code)].weight
	return weight != 0 && weight != c.weight
}

// mse is the mean squared deviation from the mean. The score of a split is what it takes off the node's sum of squared
// deviations, divided by the node's weight.
type mse struct {
	numbers
	members []numberSum // by row, in the current tree: weighted target and weight
}

func newMSE(y []float64, fixed []int64, cells int) *mse {
	return &mse{numbers: newNumbers(y, fixed, cells), members: make([]numberSum, len(y))}
}

func (c *mse) begin(weights []uint16) {
	c.weights = weights
	for row, w := range weights {
		c.members[row] = numberSum{int64(w) * c.fixed[row], int64(w)}
	}
}

func (c *mse) enter(rows []int32) bool {
	if c.pure(rows) {
		return true
	}
	c.weight, c.sum = 0, 0
	for _, row := range rows {
		c.weight += c.members[row].weight
		c.sum += c.members[row].sum
	}
	return false
}

func (c *mse) cut(keys []key) (best float64, at int) {
	best = -1
	mean, weight := float64(c.sum)/float64(c.weight), float64(c.weight)
	left := numberSum{}
	k := keys[0]
	for i, next := range keys[1:] {
		m := &c.members[k.index()]
		left.sum += m.sum
		left.weight += m.weight
		if k.code() != next.code() {
			if s := reduction(left, mean, weight); s > best {
				best, at = s, i+1
			}
		}
		k = next
	}
	return best, at
}

// reduction is the score of a split whose one part is given, in a node of the given mean and weight.
func reduction(part numberSum, mean, weight float64) float64 {
	w := float64(part.weight)
	d := float64(part.sum) - float64(w*mean) // the conversion keeps compilers from fusing, so that all machines agree
	return d * d / (w * (weight - w))
}

func (c *mse) pick(b *bundle, code uint16, _ []int32) float64 {
	return reduction(c.cells[b.first+int(code)], float64(c.sum)/float64(c.weight), float64(c.weight))
}

func (c *mse) leaf(rows []int32, values *[]float64) int {
	sum, weight := 0.0, 0.0
	for _, row := range rows {
		w := float64(c.weights[row])
		sum += float64(w * c.y[row]) // not fused either
		weight += w
	}
	*values = append(*values, sum/weight)
	return len(*values) - 1
}
