package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A TTest is the result of a t-test about a mean.
type TTest struct {
	Mean      float64
	StdErr    float64 // as the test has it
	T         float64 // Mean/StdErr
	DF        float64 // degrees of freedom
	P         float64 // two-sided; NaN when the values have no variance and are not zero
	Low, High float64 // interval of the mean, of the level that was asked for
	Warnings  []string
}

// CorrectedT is Nadeau and Bengio's corrected resampled t-test of the differences of two methods (Differences) over folds or resamples of
// one data set (Machine Learning 52, 2003). Folds share training rows, so that their differences depend on each other, and the usual
// test finds too much: the variance of their mean is taken for (1/N + testRatio) of that of the differences instead of 1/N, where
// testRatio is the number of test rows over that of training rows, among which validation rows are not counted here: 1/9 in ten-fold
// cross-validation without any, 1/7 where a fifth of all rows are. It was made for test rows drawn at random for each
// resample, which overlap; for the disjoint folds of cross-validation it is a rule of thumb. level is of the interval, such as 0.95. With a
// testRatio of 0 it is Student's paired test.
func CorrectedT(differences []float64, testRatio, level float64) *TTest {
	n := len(differences)
	if n < 2 {
		panic("stats: a t-test needs two differences at least")
	}
	checkRatio(testRatio)
	numbers(differences)
	mean, variance := stat.MeanVariance(differences, nil)
	t := &TTest{Mean: mean, StdErr: math.Sqrt((1/float64(n) + testRatio) * variance), DF: float64(n - 1)}
	t.finish(level)
	return t
}

// CorrectedWelch is the t-test of two samples, whose variances may differ (Welch, Biometrika 34, 1947), for folds that cannot be paired,
// with the correction of CorrectedT for those of either sample. Mean is that of x minus that of y. With ratios of 0 it is Welch's test.
func CorrectedWelch(x, y []float64, xRatio, yRatio, level float64) *TTest {
	if len(x) < 2 || len(y) < 2 {
		panic("stats: a t-test of two samples needs two values of each at least")
	}
	checkRatio(xRatio)
	checkRatio(yRatio)
	numbers(x, y)
	x, y = tieSamples(x, y)
	xMean, xVariance := stat.MeanVariance(x, nil)
	yMean, yVariance := stat.MeanVariance(y, nil)
	a, b := (1/float64(len(x))+xRatio)*xVariance, (1/float64(len(y))+yRatio)*yVariance
	t := &TTest{Mean: xMean - yMean, StdErr: math.Sqrt(a + b)}
	t.DF = (a + b) * (a + b) / (a*a/float64(len(x)-1) + b*b/float64(len(y)-1))
	t.finish(level)
	return t
}

func checkRatio(testRatio float64) {
	if !(testRatio >= 0) || math.IsInf(testRatio, 1) {
		panic(fmt.Sprintf("stats: test rows over training rows are %v, want a number of at least 0", testRatio))
	}
}

// finish computes what follows from mean, standard error and degrees of freedom.
func (t *TTest) finish(level float64) {
	if !(t.StdErr > rounding*math.Abs(t.Mean)) { // constant but for the rounding of the mean
		t.Low, t.High = t.Mean, t.Mean
		t.P = 1
		if t.Mean != 0 {
			t.T, t.P = math.Copysign(math.Inf(1), t.Mean), math.NaN()
			t.Warnings = append(t.Warnings, "There is no variance to test by.")
		}
		return
	}
	t.T = t.Mean / t.StdErr
	t.P = mathext.RegIncBeta(t.DF/2, 0.5, t.DF/(t.DF+t.T*t.T))
	half := distuv.StudentsT{Sigma: 1, Nu: t.DF}.Quantile((1+level)/2) * t.StdErr
	t.Low, t.High = t.Mean-half, t.Mean+half
}
