package stats

import "math"

// Kendall is the rank correlation of pairs of numbers, from -1 to 1: how many more pairs of them are in the same order than in the
// opposite one, over the geometric mean of the pairs that x and that y order at all. Equal values have no order (tau-b: Kendall,
// Biometrika 33, 1945; gonum's stat.Kendall takes them for ordered). It is NaN where all values of x or of y are equal.
func Kendall(x, y []float64) float64 {
	sign := func(d float64) float64 {
		switch {
		case d > 0:
			return 1
		case d < 0:
			return -1
		}
		return 0
	}
	var agree, orderedX, orderedY float64
	for i := range x {
		for j := range i {
			dx, dy := sign(x[i]-x[j]), sign(y[i]-y[j])
			agree, orderedX, orderedY = agree+dx*dy, orderedX+dx*dx, orderedY+dy*dy
		}
	}
	return agree / math.Sqrt(orderedX*orderedY)
}
