package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// A FriedmanTest compares k methods by their ranks on N data sets. P and FPValue are approximations for many data sets; over few,
// PermutationP is the one to believe.
type FriedmanTest struct {
	N, K   int
	Mean   []float64 // ranks by method, over data sets; 1 is best
	StdErr []float64 // of Mean; NaN for a single data set

	// Friedman's statistic, corrected for shared ranks as in SciPy and R, and F that Iman and Davenport made of it.
	ChiSquare    float64 // k-1 degrees of freedom
	P            float64
	F            float64 // k-1 and (k-1)(N-1) degrees of freedom; +Inf when all data sets rank alike, NaN for one
	FPValue      float64
	PermutationP float64 // of the statistic when the ranks on each data set are in random order; NaN with more than 20 data sets
	SmallestP    float64 // that PermutationP can be for K methods on N data sets: where all rank alike, in one of K! orders

	Warnings []string
}

// String gives the statistic and its p by permutation, with many data sets both statistics and their p; not that of an infinite F, which is 0.
func (t *FriedmanTest) String() string {
	if !math.IsNaN(t.PermutationP) {
		return fmt.Sprintf("Friedman: χ² = %.4g, p = %s by permutation", t.ChiSquare, PText(math.Log(t.PermutationP)))
	}
	f := "F is infinite, since all data sets rank alike"
	if !math.IsInf(t.F, 1) {
		f = fmt.Sprintf("F = %.4g, p = %s", t.F, PText(math.Log(t.FPValue)))
	}
	return fmt.Sprintf("Friedman: χ² = %.4g, p = %s; Iman and Davenport: %s", t.ChiSquare, PText(math.Log(t.P)), f)
}

// Friedman tests whether methods have the same mean rank: results[i][j] is the result of method j on data set i, the smallest or
// the largest the best. (Friedman, JASA 32, 1937; Iman and Davenport, Communications in Statistics A 9, 1980; for methods and data
// sets Demšar, JMLR 7, 2006.) A result that is to be ranked last is an infinity.
func Friedman(results [][]float64, larger bool) *FriedmanTest {
	if len(results) == 0 {
		panic("stats: Friedman's test needs a data set at least")
	}
	t := &FriedmanTest{N: len(results), K: len(results[0])}
	if t.K < 2 {
		panic(fmt.Sprintf("stats: Friedman's test compares two methods at least, not %d", t.K))
	}
	var ranks [][]float64 // by data set and method
	ties := false
	for i, row := range results {
		if len(row) != t.K {
			panic(fmt.Sprintf("stats: data set %d has results of %d methods, the first of %d", i+1, len(row), t.K))
		}
		numbers(row)
		ranks = append(ranks, Ranks(row, larger))
		ties = ties || hasTies(ranks[i])
	}
	for j := range t.K {
		column := make([]float64, t.N)
		for i := range column {
			column[i] = ranks[i][j]
		}
		mean, stdErr := MeanStdErr(column)
		t.Mean, t.StdErr = append(t.Mean, mean), append(t.StdErr, stdErr)
	}
	t.test(ranks)
	logFactorial, _ := math.Lgamma(float64(t.K) + 1)
	t.SmallestP = math.Exp(-logFactorial * float64(t.N-1))
	if ties {
		t.Warnings = []string{"Equal results on a data set share ranks."}
	}
	return t
}

// WarningsAt are the warnings of a test at a level of significance: also that no ranks can reach it, where that is so.
func (t *FriedmanTest) WarningsAt(level float64) []string {
	if t.SmallestP <= level {
		return t.Warnings
	}
	few := fmt.Sprintf("With %d methods on %d data sets no ranks are less likely by chance than p = %.3g.", t.K, t.N, t.SmallestP)
	return append([]string{few}, t.Warnings...)
}

// test computes the statistics from sums over ranks, by data set and method, which are exact.
func (t *FriedmanTest) test(ranks [][]float64) {
	n, k := float64(t.N), float64(t.K)
	between, squares := 0.0, 0.0 // of rank sums around their mean, and of ranks
	for j := range t.K {
		sum := 0.0
		for i := range ranks {
			r := ranks[i][j]
			sum += r
			squares += r * r
		}
		d := sum - n*(k+1)/2
		between += d * d
	}
	t.P, t.FPValue = 1, 1 // where all ranks are shared
	if within := squares - n*k*(k+1)*(k+1)/4; within > 0 {
		t.ChiSquare = (k - 1) * between / within
		t.P = distuv.ChiSquared{K: k - 1}.Survival(t.ChiSquare)
		if t.F = math.NaN(); t.N > 1 { // else it is 0/0 whatever the ranks
			t.F = (n - 1) * t.ChiSquare / (n*(k-1) - t.ChiSquare)
			t.FPValue = upperTailOfF(t.F, k-1, (k-1)*(n-1))
		}
	}
	t.PermutationP = math.NaN()
	if fewDataSets(t.N) {
		t.PermutationP = byPermutation(ranks, between)
	}
}

// upperTailOfF is the probability that F with d1 and d2 degrees of freedom is above x. (gonum's is 1-CDF, without the digits of
// small probabilities.)
func upperTailOfF(x, d1, d2 float64) float64 {
	if math.IsInf(x, 1) {
		return 0
	}
	return mathext.RegIncBeta(d2/2, d1/2, d2/(d2+d1*x))
}
