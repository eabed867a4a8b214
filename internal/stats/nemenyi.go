package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// NemenyiQ is the critical value q of Nemenyi's test, the quantile of the studentised range over sqrt(2): 1.960 for two methods
// and alpha 0.05 (Demšar, JMLR 7, 2006, Table 5).
func NemenyiQ(alpha float64, k int) float64 { return StudentizedRangeQuantile(alpha, k) / math.Sqrt2 }

// NemenyiDifference is the critical difference: mean ranks of two of k methods over n data sets that are farther apart differ at
// level alpha, all pairs taken together (Nemenyi, thesis, Princeton 1963).
func NemenyiDifference(alpha float64, k, n int) float64 {
	return NemenyiQ(alpha, k) * rankDeviation(k, n)
}

// NemenyiP is the probability, over all pairs, of a difference of mean ranks as large.
func NemenyiP(difference float64, k, n int) float64 {
	return StudentizedRangeTail(math.Sqrt2*math.Abs(difference)/rankDeviation(k, n), k)
}

// BonferroniDunnDifference is the critical difference from one method, the control, to each of the k-1 others (Dunn, JASA 56,
// 1961).
func BonferroniDunnDifference(alpha float64, k, n int) float64 {
	return distuv.UnitNormal.Quantile(1-alpha/2/float64(k-1)) * rankDeviation(k, n)
}

// rankDeviation is the standard deviation of the difference of two mean ranks under the null hypothesis.
func rankDeviation(k, n int) float64 { return math.Sqrt(float64(k*(k+1)) / (6 * float64(n))) }
