package stats

import (
	"cmp"
	"math"
)

// Kendall is the rank correlation of pairs of numbers, from -1 to 1: how many more pairs of them are in the same order than in the
// opposite one, over the geometric mean of the pairs that x and that y order at all. Equal values have no order (tau-b: Kendall,
// Biometrika 33, 1945; gonum's stat.Kendall takes them for ordered). It is NaN where all values of x or of y are equal.
func Kendall(x, y []float64) float64 {
	pairs(x, y)
	var agree, orderedX, orderedY float64
	for i := range x {
		for j := range i {
			dx, dy := float64(cmp.Compare(x[i], x[j])), float64(cmp.Compare(y[i], y[j]))
			agree, orderedX, orderedY = agree+dx*dy, orderedX+dx*dx, orderedY+dy*dy
		}
	}
	return agree / math.Sqrt(orderedX*orderedY)
}

// KendallP is the probability of a correlation as far from 0 when every order of y is as likely: exact for up to nine pairs, else of
// random orders.
func KendallP(x, y []float64) float64 {
	own, asFar := math.Abs(Kendall(x, y)), 0
	tail := nullRankSums([][]float64{make([]float64, len(y)), y}, 1, func(order []float64) { // zeros and y in some order
		if !(math.Abs(Kendall(x, order)) < own-1e-9) {
			asFar++
		}
	})
	return tail(asFar)
}
