package stats

import "math"

// NemenyiDifference is the critical difference: mean ranks of two of k methods over n data sets that are farther apart differ at
// level alpha, all pairs taken together (Nemenyi, thesis, Princeton 1963). Demšar (JMLR 7, 2006) writes q for the quantile over √2.
func NemenyiDifference(alpha float64, k, n int) float64 {
	return studentizedRangeQuantile(alpha, k) / math.Sqrt2 * rankDeviation(k, n)
}

// NemenyiP is the probability, over all pairs, of a difference of mean ranks as large.
func NemenyiP(difference float64, k, n int) float64 {
	return studentizedRangeTail(math.Sqrt2*math.Abs(difference)/rankDeviation(k, n), k)
}

// rankDeviation is the standard deviation of the difference of two mean ranks under the null hypothesis.
func rankDeviation(k, n int) float64 { return math.Sqrt(float64(k*(k+1)) / (6 * float64(n))) }
