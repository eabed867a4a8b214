package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Ranks ranks values from 1 for the best, which is the smallest or the largest. Values that are equal, but for rounding, share the mean of
// their ranks, and so do missing ones (NaN), which come last.
func Ranks(values []float64, larger bool) []float64 { return ranks(Unround(values), larger) }

// ranks shares ranks between values that are equal to the last bit.
func ranks(values []float64, larger bool) []float64 {
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

// rounding is how much of a number's size it may be off by rounding alone.
const rounding = 1e-12

// Unround returns values of which those that differ by rounding alone are the same: what two programs that do the same compute should tie.
func Unround(values []float64) []float64 { return unround(values, values) }

// isRounding reports whether numbers of a size differ by rounding alone.
func isRounding(difference, size float64) bool {
	return math.Abs(difference) <= rounding*size && !math.IsInf(difference, 0)
}

// unround does so with values that come from numbers of other sizes.
func unround(values, sizes []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := slices.Clone(values)
	for k := 1; k < len(order); k++ {
		i, last := order[k], order[k-1]
		if isRounding(out[i]-out[last], max(math.Abs(sizes[i]), math.Abs(sizes[last]))) {
			out[i] = out[last]
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
