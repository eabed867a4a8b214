package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Ranks ranks values from 1 for the best, which is the smallest or the largest. Equal values share the mean of their ranks, and
// so do missing ones (NaN), which come last.
func Ranks(values []float64, larger bool) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	compare := func(a, b int) int {
		x, y := values[a], values[b]
		if math.IsNaN(x) || math.IsNaN(y) {
			return -cmp.Compare(x, y) // which has NaN first
		}
		if larger {
			x, y = y, x
		}
		return cmp.Compare(x, y)
	}
	slices.SortFunc(order, compare)
	ranks := make([]float64, len(values))
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && compare(order[first], order[end]) == 0 {
			end++
		}
		for _, i := range order[first:end] {
			ranks[i] = float64(first+1+end) / 2
		}
		first = end
	}
	return ranks
}

// Unround returns values of which those that differ by rounding alone, by at most 1e-12 of their size, are the same: what two programs that
// do the same compute should tie.
func Unround(values []float64) []float64 {
	out := slices.Clone(values)
	for i, x := range out {
		for _, earlier := range out[:i] {
			if math.Abs(x-earlier) <= 1e-12*math.Abs(earlier) {
				out[i] = earlier
				break
			}
		}
	}
	return out
}

// shared reports whether some ranks are equal.
func shared[T cmp.Ordered](ranks []T) bool {
	sorted := slices.Sorted(slices.Values(ranks))
	return len(slices.Compact(sorted)) < len(ranks)
}

// MeanStdErr is the mean of values and its standard error, sd(ddof 1)/sqrt(n): NaN for a single one.
func MeanStdErr(values []float64) (mean, stdErr float64) {
	mean, sd := stat.MeanStdDev(values, nil)
	return mean, stat.StdErr(sd, float64(len(values)))
}
