package stats

import (
	"fmt"
	"math"
	"slices"
)

// exactLimit is the number of differences up to which p is exact, as in SciPy.
const exactLimit = 50

// A WilcoxonTest is the result of a signed-rank test.
type WilcoxonTest struct {
	N         int     // pairs that are not equal, which the test is of
	Statistic float64 // sum of the ranks of positive differences; when two-sided, that of negative ones if it is smaller
	P         float64
	LogP      float64 // natural logarithm of P, also where P is too small for a float64
	Warnings  []string
}

// WilcoxonLess is the one-sided signed-rank test of pairs: is x-y symmetric around zero, or are the values of x smaller? (Wilcoxon,
// Biometrics Bulletin 1, 1945.) Pairs of equal values are dropped before ranking; what differs by rounding alone is equal. P is exact,
// given the ranks, for up to 50 others; for more the sum of ranks is taken for normally distributed, with the variance that shared ranks
// have. SciPy's P is, with ties or zero differences, exact only for up to 13 pairs (1.16; 1.10 has that of ranks without ties), and
// rounding makes values differ there. Differences that are all zero have P 1 and a warning.
func WilcoxonLess(x, y []float64) *WilcoxonTest { return wilcoxon(x, y, true, 0) }

// wilcoxon is the test whether values of x are smaller, or two-sided; it takes values below a size for as large as that where it asks what
// rounding can be.
func wilcoxon(x, y []float64, less bool, least float64) *WilcoxonTest {
	if len(x) == 0 {
		panic("stats: the signed-rank test needs a pair of values at least")
	}
	s := rankSigned(slices.DeleteFunc(differences(x, y, least), func(d float64) bool { return d == 0 }))
	t := &WilcoxonTest{N: len(s.doubled), Statistic: s.plus}
	if !less {
		t.Statistic = min(s.plus, s.minus)
	}
	switch {
	case t.N == 0:
		t.P = 1
	case t.N <= exactLimit:
		t.P, t.LogP = s.exact(less)
	default:
		t.P, t.LogP = s.normal(less)
	}
	if t.N < len(x) {
		t.Warnings = append(t.Warnings, fmt.Sprintf("Zero differences dropped: %d of %d.", len(x)-t.N, len(x)))
	}
	if hasTies(s.doubled) {
		t.Warnings = append(t.Warnings, "Tied absolute differences have midranks.")
	}
	return t
}

// ByRatios reports whether means (of errors, all above 0) are compared by their ratios.
func ByRatios(means [][]float64, larger bool) bool {
	return !larger && !slices.ContainsFunc(slices.Concat(means...), func(x float64) bool { return !(x > 0) })
}

// WilcoxonPairs is the two-sided signed-rank test of all pairs of methods, and its P after Holm's correction for all of them: means[i][j] is
// the mean of method j on data set i, as for Friedman. A method and itself have no test and a P of 1. Errors (smaller is better, all above
// 0) are compared by their ratios: each data set may have a unit of its own, which must not decide how differences rank across data sets.
func WilcoxonPairs(means [][]float64, larger bool) (tests [][]*WilcoxonTest, adjusted [][]float64) {
	least, byRatios := 0.0, ByRatios(means, larger)
	if byRatios {
		least = 1 // rounding is a share of a number, so of its logarithm a share of 1
	}
	columns := make([][]float64, len(means[0])) // by method
	for _, row := range means {
		for j, x := range row {
			if byRatios {
				x = math.Log(x)
			}
			columns[j] = append(columns[j], x)
		}
	}
	var p []float64
	for i := range columns {
		tests, adjusted = append(tests, make([]*WilcoxonTest, len(columns))), append(adjusted, make([]float64, len(columns)))
		adjusted[i][i] = 1
		for j := range i {
			test := wilcoxon(columns[i], columns[j], false, least)
			tests[i][j], tests[j][i] = test, test
			p = append(p, test.P)
		}
	}
	p = Holm(p)
	for i := range columns {
		for j := range i {
			adjusted[i][j], adjusted[j][i], p = p[0], p[0], p[1:]
		}
	}
	return tests, adjusted
}

// EqualPairs has a sentence for every two methods that are equal on some of the data sets, which their test of WilcoxonPairs drops.
func EqualPairs(tests [][]*WilcoxonTest, methods []string, datasets int) (notes []string) {
	for i := range tests {
		for j := range i {
			if n := tests[i][j].N; n < datasets {
				notes = append(notes, fmt.Sprintf("The signed-rank test of %s and %s is over the %d of %d data sets on which they differ: it gives no p below %.3g.",
					methods[j], methods[i], n, datasets, WilcoxonSmallestP(n)))
			}
		}
	}
	return notes
}

// signedRanks are the ranks of differences by their absolute values, doubled to make them integers, their sums for either sign, and the
// moments of such a sum under the null hypothesis.
type signedRanks struct {
	doubled        []int
	plus, minus    float64
	mean, variance float64
}

// rankSigned ranks differences other than zero.
func rankSigned(differences []float64) (s signedRanks) {
	absolute := make([]float64, len(differences))
	for i, d := range differences {
		absolute[i] = math.Abs(d)
	}
	for i, r := range midranks(absolute) {
		if differences[i] > 0 {
			s.plus += r
		} else {
			s.minus += r
		}
		s.mean += r / 2
		s.variance += r * r / 4
		s.doubled = append(s.doubled, int(2*r))
	}
	return s
}

// exact counts the signs under which the sum of positive ranks is as extreme.
func (s signedRanks) exact(less bool) (p, logP float64) {
	count := 0.0 // of 2^n
	if less {
		count = s.atMost(int(2 * s.plus))
	} else { // the distribution is symmetric
		count = min(2*s.atMost(int(2*min(s.plus, s.minus))), math.Ldexp(1, len(s.doubled)))
	}
	return math.Ldexp(count, -len(s.doubled)), min(math.Log(count)-float64(len(s.doubled))*math.Ln2, 0)
}

// atMost is the number of signs of the ranks for which those of one sign sum to sum at most.
func (s signedRanks) atMost(sum int) (all float64) {
	counts := make([]float64, sum+1)
	counts[0] = 1
	reached := 0
	for _, r := range s.doubled {
		reached = min(reached+r, sum)
		for k := reached; k >= r; k-- {
			counts[k] += counts[k-r]
		}
	}
	for _, c := range counts {
		all += c
	}
	return all
}

// normal takes the sum of positive ranks for normally distributed.
func (s signedRanks) normal(less bool) (p, logP float64) {
	z := (s.plus - s.mean) / math.Sqrt(s.variance)
	if less {
		return upperTail(-z)
	}
	p, logP = upperTail(math.Abs(z))
	return min(2*p, 1), min(logP+math.Ln2, 0)
}

// WilcoxonSmallestP is the smallest p that the exact two-sided signed-rank test can give for n differences other than zero: that of all
// having one sign, 2^-n doubled.
func WilcoxonSmallestP(n int) float64 { return math.Ldexp(1, -max(n-1, 0)) }

// WilcoxonPairsSmallestP is the smallest p that WilcoxonPairs can give for k methods on n data sets, after Holm's correction.
func WilcoxonPairsSmallestP(k, n int) float64 {
	return min(1, WilcoxonSmallestP(n)*float64(k*(k-1)/2))
}
