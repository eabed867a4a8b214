package stats

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/vectors"
)

func TestStudentizedRangeEqualsOracle(t *testing.T) {
	o := readOracle(t).Range
	if len(o.Tails) < 30 || len(o.Quantiles) < 18 {
		t.Fatal("too few cases")
	}
	for _, c := range o.Tails {
		near(t, fmt.Sprintf("tail of %v, %d", c.Q, c.K), studentizedRangeTail(c.Q, c.K), c.P)
	}
	for _, c := range o.Quantiles {
		near(t, fmt.Sprintf("quantile of %v, %d", c.Alpha, c.K), studentizedRangeQuantile(c.Alpha, c.K), c.Q)
	}
}

// Nemenyi's p of the critical difference is alpha, and for two methods it is that of a normal difference.
func TestNemenyiP(t *testing.T) {
	near(t, "p of the critical difference", NemenyiP(NemenyiDifference(0.05, 9, 40), 9, 40), 0.05)
	p, _ := upperTail(0.15 / rankDeviation(2, 140))
	near(t, "two methods", NemenyiP(-0.15, 2, 140), 2*p)
	if NemenyiP(0, 3, 5) != 1 {
		t.Error("no difference")
	}
}

func TestHolm(t *testing.T) {
	var golden struct{ Cases []struct{ P, Holm []float64 } }
	vectors.Read(t, "testdata/holm.json.gz", &golden)
	for _, c := range golden.Cases {
		nearHolm(t, c.P, c.Holm)
	}
	for _, c := range readOracle(t).Adjust {
		nearHolm(t, c.P, c.Holm)
	}
	for _, wrong := range []float64{math.NaN(), -0.1, 1.1} {
		refused(t, func() { Holm([]float64{0.1, wrong}) }, "%v was taken for a probability", wrong)
	}
}

func nearHolm(t *testing.T, p, want []float64) {
	t.Helper()
	got := Holm(p)
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%v", got)
	}
	for i := range want {
		near(t, "adjusted p", got[i], want[i])
	}
}

func TestTTestsEqualSciPy(t *testing.T) {
	for _, c := range readOracle(t).T {
		got := CorrectedT(c.D, c.Share, 0.95)
		near(t, "t", got.T, c.T)
		near(t, "p", got.P, c.P)
		within(t, "low", got.Low, c.Low, 1e-12) // a difference of two numbers
		within(t, "high", got.High, c.High, 1e-12)
	}
	for _, c := range readOracle(t).Two {
		got := CorrectedWelch(c.X, c.Y, 0, 0, 0.95)
		near(t, "t", got.T, c.T)
		near(t, "degrees of freedom", got.DF, c.DF)
		near(t, "p", got.P, c.P)

		// With ratios the variance of either mean is that of a sample of fewer values.
		corrected := CorrectedWelch(c.X, c.Y, 0.2, 0.1, 0.95)
		_, x := stat.MeanVariance(c.X, nil)
		_, y := stat.MeanVariance(c.Y, nil)
		near(t, "corrected standard error", corrected.StdErr, math.Sqrt(got.StdErr*got.StdErr+0.2*x+0.1*y))
	}
}

func TestTTestsOfNothing(t *testing.T) {
	for _, c := range []struct {
		d     []float64
		ratio float64
	}{{nil, 0}, {[]float64{1}, 0}, {[]float64{1, math.NaN()}, 0}, {[]float64{1, 2}, -1}, {[]float64{1, 2}, math.NaN()}, {[]float64{1, 2}, math.Inf(1)}} {
		refused(t, func() { CorrectedT(c.d, c.ratio, 0.95) }, "%v", c)
	}
	refused(t, func() { CorrectedWelch([]float64{1, 2}, []float64{1}, 0, 0, 0.95) }, "one value was a sample")
	refused(t, func() { CorrectedWelch([]float64{1, 2}, []float64{1, 3}, 0, -1, 0.95) }, "there were fewer than no test rows")
	for d, want := range map[float64]string{0: "t 0, p 1, 0 warnings", 2: "t +Inf, p NaN, 1 warnings", -2: "t -Inf, p NaN, 1 warnings"} {
		got := CorrectedT([]float64{d, d, d}, 0.1, 0.95)
		if got.Low != d || got.High != d || fmt.Sprintf("t %v, p %v, %d warnings", got.T, got.P, len(got.Warnings)) != want {
			t.Errorf("all differences %v: %+v", d, got)
		}
	}
	// Differences of 0.01, but for rounding, of numbers of any size, and samples that are constant but for rounding.
	for _, size := range []float64{0, 300, 900} {
		var x, y []float64
		for i := range 30 {
			hundredths := 100*size + float64(1337*i)
			x, y = append(x, (hundredths+1)/100), append(y, hundredths/100)
		}
		if got := CorrectedT(Differences(x, y), 0.5, 0.95); !math.IsNaN(got.P) || len(got.Warnings) != 1 {
			t.Errorf("differences that are the same but for rounding: %+v", got)
		}
		for i := range x {
			x[i], y[i] = (size+7.01)*(1+float64(i%2)*1e-13), size+7
		}
		if got := CorrectedWelch(x, y, 0.5, 0.5, 0.95); !math.IsNaN(got.P) || len(got.Warnings) != 1 {
			t.Errorf("samples that are the same but for rounding: %+v", got)
		}
	}
}

func TestDifferences(t *testing.T) {
	inf, third := math.Inf(1), 0.1
	third += 0.2 // not 0.3, as that of constants would be
	got := Differences([]float64{third, inf, inf, -inf, 1000.01, 2.07, 3.06, 1 + 1e-10, 1000}, []float64{0.3, inf, 1, 1, 1000, 2.06, 3.07, 1, 1000})
	smallest := min(1000.01-1000, got[5])
	if want := []float64{0, 0, inf, -inf, smallest, smallest, -smallest, got[7], 0}; !slices.Equal(got, want) || !(math.Abs(smallest-0.01) <= 1e-12) || !(math.Abs(got[7]-1e-10) < 1e-15) {
		t.Errorf("%v, want %v", got, want)
	}
	refused(t, func() { Differences([]float64{1}, nil) }, "a value was paired with none")
	refused(t, func() { Differences([]float64{math.NaN()}, []float64{math.NaN()}) }, "NaN differs by 0")
}

func TestEffectsEqualSciPy(t *testing.T) {
	for _, c := range readOracle(t).Two {
		got := CliffsDelta(c.X, c.Y)
		if !(math.Abs(got-c.Delta) <= 1e-15) {
			t.Errorf("delta is %v, want %v", got, c.Delta)
		}
		if got := Median(c.X); got != c.Median {
			t.Errorf("median is %v, want %v", got, c.Median)
		}
	}
	if d := CliffsDelta([]float64{math.Inf(1), 1}, []float64{math.Inf(1), 0}); d != 0.25 {
		t.Errorf("delta with infinities is %v", d)
	}
	third := 0.1
	third += 0.2 // not 0.3, as that of constants would be
	if d := CliffsDelta([]float64{third, 1}, []float64{0.3, 1}); d != 0 {
		t.Errorf("delta of values that are equal but for rounding is %v", d)
	}
	for larger, want := range map[bool]float64{true: 0.375, false: 0.625} {
		if got := WinRate([]float64{1, 2, 3, 4}, []float64{1, 3, 2, 5}, larger); got != want {
			t.Errorf("win rate is %v, want %v", got, want)
		}
	}
	refused(t, func() { WinRate([]float64{1}, nil, true) }, "a win rate of no pairs")
	if !math.IsNaN(Median(nil)) {
		t.Error("a median of nothing")
	}
	refused(t, func() { Median([]float64{1, math.NaN()}) }, "NaN is in the middle")
}

func TestCliques(t *testing.T) {
	ranks := []float64{4, 1, 2.5, 2}
	differ := func(distance float64) func(i, j int) bool {
		return func(i, j int) bool { return math.Abs(ranks[i]-ranks[j]) > distance }
	}
	for distance, want := range map[float64][][]int{
		0.1: nil, 0.5: {{3, 2}}, 1: {{1, 3}, {3, 2}}, 1.5: {{1, 3, 2}, {2, 0}}, 2: {{1, 3, 2}, {3, 2, 0}}, 3: {{1, 3, 2, 0}},
	} {
		got, hidden := Cliques(ranks, differ(distance))
		if !reflect.DeepEqual(got, want) || hidden != nil {
			t.Errorf("%v: %v, hidden %v, want %v", distance, got, hidden, want)
		}
	}
	// Methods 1 and 0, the best and the worst, do not differ, but 3, between them, differs from 0.
	got, hidden := Cliques(ranks, func(i, j int) bool { return slices.Contains([]int{3, 2}, min(i, j)) || i+j == 3 && i*j == 0 })
	if !slices.ContainsFunc(hidden, func(p [2]int) bool { return p == [2]int{1, 0} }) {
		t.Errorf("%v, hidden %v", got, hidden)
	}
}
