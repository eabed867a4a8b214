package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
)

// Kendall is the rank correlation of pairs of numbers, from -1 to 1: how many more pairs of them are in the same order than in the
// opposite one, over the geometric mean of the pairs that x and that y order at all. Equal values have no order (tau-b: Kendall,
// Biometrika 33, 1945; gonum's stat.Kendall takes them for ordered). It is NaN where all values of x or of y are equal.
func Kendall(x, y []float64) float64 {
	var agree, orderedX, orderedY float64
	for i := range x {
		for j := range i {
			dx, dy := float64(cmp.Compare(x[i], x[j])), float64(cmp.Compare(y[i], y[j]))
			agree, orderedX, orderedY = agree+dx*dy, orderedX+dx*dx, orderedY+dy*dy
		}
	}
	return agree / math.Sqrt(orderedX*orderedY)
}

// KendallP is the probability of a correlation as far from 0 when every order of y is as likely, by permutations.
func KendallP(x, y []float64) float64 {
	rng := rand.New(rand.NewPCG(uint64(len(x)), 0))
	order := append([]float64(nil), y...)
	own, asFar := math.Abs(Kendall(x, y)), 1 // the order that there is, so that no p is 0
	const draws = 20_000
	for range draws {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		if math.Abs(Kendall(x, order)) >= own-1e-9 {
			asFar++
		}
	}
	return float64(asFar) / (draws + 1)
}
