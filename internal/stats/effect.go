package stats

import (
	"cmp"
	"math"
	"slices"
)

// WinRate is the share of pairs in which the first is better, the smaller or the larger; equal ones count half.
func WinRate(x, y []float64, larger bool) float64 {
	pairs(x, y)
	if len(x) == 0 {
		panic("stats: a win rate needs pairs")
	}
	wins := 0.0
	for i := range x {
		switch {
		case x[i] == y[i]:
			wins += 0.5
		case x[i] > y[i] == larger:
			wins++
		}
	}
	return wins / float64(len(x))
}

// Median is the middle value, or the mean of the two in the middle; NaN without values.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	numbers(values)
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// CliffsDelta is how much more often a value of x is larger than one of y, over all pairs of both, than smaller: 1 when all are
// larger, 0 for the same distribution; what differs by rounding alone is equal (Cliff, Psychological Bulletin 114, 1993). By convention 0.147, 0.33 and 0.474 are where
// small, medium and large effects begin (Romano and others, 2006).
func CliffsDelta(x, y []float64) float64 {
	if len(x) == 0 || len(y) == 0 {
		panic("stats: Cliff's delta needs a value of both at least")
	}
	numbers(x, y)
	x, y = tieSamples(x, y)
	balance := 0
	for _, v := range x {
		for _, w := range y {
			balance += cmp.Compare(v, w)
		}
	}
	return float64(balance) / float64(len(x)) / float64(len(y))
}
