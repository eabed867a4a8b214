package stats

import "math"

// NemenyiDifference is the critical difference at level alpha: mean ranks of two of k methods over n data sets that are as far apart, or
// farther (Reaches), differ, all pairs taken together (Nemenyi, thesis, Princeton 1963). Over 20 data sets or fewer it is the least
// difference that is so unlikely when methods have a random order on each, +Inf if none is; over more Demšar's (JMLR 7, 2006), who writes q
// for the quantile of the studentized range over √2.
func NemenyiDifference(alpha float64, k, n int) float64 {
	if !fewDataSets(n) {
		return nemenyiNormal(alpha, k, n)
	}
	for d, p := range rankRangeOf(k, n) {
		if p <= alpha+1e-12 {
			return float64(d) / float64(n)
		}
	}
	return math.Inf(1)
}

// Reaches reports whether a difference of mean ranks is a critical difference or more.
func Reaches(difference, critical float64) bool { return math.Abs(difference) >= critical-1e-9 }

// NemenyiP is the probability, over all pairs, of a difference of mean ranks as large. Where ranks are shared, so that sums of ranks are no
// whole numbers, it is that of the next smaller difference.
func NemenyiP(difference float64, k, n int) float64 {
	if !fewDataSets(n) {
		return studentizedRangeTail(math.Sqrt2*math.Abs(difference)/rankDeviation(k, n), k)
	}
	return rankRangeOf(k, n)[int(math.Abs(difference)*float64(n)+1e-9)]
}

func nemenyiNormal(alpha float64, k, n int) float64 {
	return studentizedRangeQuantile(alpha, k) / math.Sqrt2 * rankDeviation(k, n)
}

// rankDeviation is the standard deviation of the difference of two mean ranks under the null hypothesis.
func rankDeviation(k, n int) float64 { return math.Sqrt(float64(k*(k+1)) / (6 * float64(n))) }
