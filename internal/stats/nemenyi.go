package stats

import "math"

// NemenyiDifference is the critical difference at level alpha: mean ranks of two of k methods over n data sets that are as far apart, or
// farther (Reaches), differ, all pairs taken together (Nemenyi, thesis, Princeton 1963). With few methods and data sets it is the least
// difference that is so unlikely by chance, from 200,000 random orders, +Inf if none is; else Demšar's (JMLR 7, 2006), who writes q for the
// quantile of the studentized range over √2.
func NemenyiDifference(alpha float64, k, n int) float64 {
	if !fewRanks(k, n) {
		return nemenyiNormal(alpha, k, n)
	}
	for d, p := range rankRangeOf(k, n) {
		if p <= alpha {
			return float64(d) / float64(n)
		}
	}
	return math.Inf(1)
}

// NemenyiP is the probability, over all pairs, of a difference of mean ranks as large.
func NemenyiP(difference float64, k, n int) float64 {
	if !fewRanks(k, n) {
		return studentizedRangeTail(math.Sqrt2*math.Abs(difference)/rankDeviation(k, n), k)
	}
	return rankRangeOf(k, n)[int(math.Ceil(math.Abs(difference)*float64(n)-1e-9))]
}

func nemenyiNormal(alpha float64, k, n int) float64 {
	return studentizedRangeQuantile(alpha, k) / math.Sqrt2 * rankDeviation(k, n)
}

// rankDeviation is the standard deviation of the difference of two mean ranks under the null hypothesis.
func rankDeviation(k, n int) float64 { return math.Sqrt(float64(k*(k+1)) / (6 * float64(n))) }
