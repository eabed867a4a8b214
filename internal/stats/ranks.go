package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Ranks ranks values from 1 for the best, which is the smallest or the largest. Values that are equal, but for rounding, share the mean of
// their ranks. What is missing is an infinity, the worst value.
func Ranks(values []float64, larger bool) []float64 {
	numbers(values)
	tied := TieRounded(values)
	if larger {
		floats.Scale(-1, tied)
	}
	return midranks(tied)
}

// midranks ranks values from the smallest; those that are equal to the last bit share the mean of their ranks.
func midranks(values []float64) []float64 {
	sorted, order := slices.Clone(values), make([]int, len(values))
	floats.ArgsortStable(sorted, order)
	ranks := make([]float64, len(values))
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && sorted[end] == sorted[first] {
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

// isRounding reports whether numbers of a size differ by rounding alone.
func isRounding(difference, size float64) bool {
	return math.Abs(difference) <= rounding*size && !math.IsInf(difference, 0)
}

// TieRounded returns values of which those that differ by rounding alone are the same: what two programs that do the same compute should tie.
func TieRounded(values []float64) []float64 { return tieRounded(values, values) }

// tieRounded does so with values that come from numbers of other sizes.
func tieRounded(values, sizes []float64) []float64 {
	sorted, order := slices.Clone(values), make([]int, len(values))
	floats.ArgsortStable(sorted, order)
	out := slices.Clone(values)
	for k := 1; k < len(order); k++ {
		i, last := order[k], order[k-1]
		if isRounding(out[i]-out[last], max(math.Abs(sizes[i]), math.Abs(sizes[last]))) {
			out[i] = out[last]
		}
	}
	return out
}

// tieSamples does so with the values of two samples together.
func tieSamples(x, y []float64) (tiedX, tiedY []float64) {
	both := TieRounded(slices.Concat(x, y))
	return both[:len(x)], both[len(x):]
}

// Differences are those of pairs, x minus y. Those that are rounding alone are 0, and those that differ in size by rounding alone have the
// same size: 0.86 - 0.85 is 0.72 - 0.71. Two equal infinities differ by 0.
func Differences(x, y []float64) []float64 { return differences(x, y, 0) }

// differences takes values below a size for as large as that where it asks what rounding can be.
func differences(x, y []float64, least float64) []float64 {
	pairs(x, y)
	out, absolute, sizes := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		if x[i] == y[i] { // both may be infinite
			continue
		}
		d, size := x[i]-y[i], max(math.Abs(x[i]), math.Abs(y[i]), least)
		if !isRounding(d, size) {
			out[i], absolute[i], sizes[i] = d, math.Abs(d), size
		}
	}
	for i, size := range tieRounded(absolute, sizes) {
		out[i] = math.Copysign(size, out[i])
	}
	return out
}

// hasTies reports whether some ranks are equal.
func hasTies[T cmp.Ordered](ranks []T) bool {
	sorted := slices.Sorted(slices.Values(ranks))
	return len(slices.Compact(sorted)) < len(ranks)
}

// MeanStdErr is the mean of values and its standard error, sd(ddof 1)/sqrt(n): NaN for a single one.
func MeanStdErr(values []float64) (mean, stdErr float64) {
	mean, sd := stat.MeanStdDev(values, nil)
	return mean, stat.StdErr(sd, float64(len(values)))
}
