package stats

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"nptbench/internal/vectors"
)

// Golden vectors from SciPy 1.10.1.
func TestFriedmanEqualsGolden(t *testing.T) {
	var golden struct {
		Cases []struct {
			Matrix       [][]float64
			Chi2, PValue float64
			Ranks        []float64 `json:"average_ranks"`
			StdErr       []float64 `json:"rank_stderr"`
		}
	}
	vectors.Read(t, "testdata/friedman.json.gz", &golden)
	if len(golden.Cases) != 10 {
		t.Fatalf("%d cases", len(golden.Cases))
	}
	for i, c := range golden.Cases {
		got := Friedman(c.Matrix, false)
		near(t, fmt.Sprint(i, ": chi-square"), got.ChiSquare, c.Chi2)
		near(t, fmt.Sprint(i, ": p"), got.P, c.PValue)
		for j := range c.Ranks {
			near(t, fmt.Sprint(i, ": mean rank"), got.Mean[j], c.Ranks[j])
			near(t, fmt.Sprint(i, ": standard error"), got.StdErr[j], c.StdErr[j])
		}
	}
}

func TestFriedmanEqualsOracle(t *testing.T) {
	for i, c := range readOracle(t).Friedman {
		got := Friedman(c.Results, false)
		near(t, fmt.Sprint(i, ": chi-square"), got.ChiSquare, c.ChiSquare)
		near(t, fmt.Sprint(i, ": p"), got.P, c.P)
		near(t, fmt.Sprint(i, ": F"), got.F, c.F)
		near(t, fmt.Sprint(i, ": p of F"), got.FPValue, c.FP)
		for j := range c.Mean {
			near(t, fmt.Sprint(i, ": mean rank"), got.Mean[j], c.Mean[j])
			near(t, fmt.Sprint(i, ": standard error"), got.StdErr[j], c.StdErr[j])
		}
	}
}

// demsar is Table 6 of Demšar, JMLR 7, 2006: AUC of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on 14 data sets. Of the two printed as 0.975
// the third method has the better rank there.
var demsar = [][]float64{
	{0.763, 0.768, 0.771, 0.798}, {0.599, 0.591, 0.590, 0.569}, {0.954, 0.971, 0.968, 0.967}, {0.628, 0.661, 0.654, 0.657},
	{0.882, 0.888, 0.886, 0.898}, {0.936, 0.931, 0.916, 0.931}, {0.661, 0.668, 0.609, 0.685}, {0.583, 0.583, 0.563, 0.625},
	{0.775, 0.838, 0.866, 0.875}, {1.000, 1.000, 1.000, 1.000}, {0.940, 0.962, 0.965, 0.962}, {0.619, 0.666, 0.614, 0.669},
	{0.972, 0.981, 0.9751, 0.975}, {0.957, 0.978, 0.946, 0.970},
}

func TestDemsar(t *testing.T) {
	got := Friedman(demsar, true)
	for j, want := range []string{"3.142857", "2.000000", "2.892857", "1.964286"} {
		if text := fmt.Sprintf("%.6f", got.Mean[j]); text != want {
			t.Errorf("mean rank %d is %s, want %s", j, text, want)
		}
	}
	for _, c := range []struct {
		what string
		x    float64
		want string
	}{
		{"critical difference, 0.05", nemenyiNormal(0.05, 4, 14), "1.253559"},
		{"critical difference, 0.10", nemenyiNormal(0.10, 4, 14), "1.118060"},
		{"q, two methods", studentizedRangeQuantile(0.05, 2) / math.Sqrt2, "1.959964"},
		{"q, twelve methods", studentizedRangeQuantile(0.05, 12) / math.Sqrt2, "3.268004"},
		{"critical difference of the paper's Table 1", nemenyiNormal(0.05, 9, 4), "6.006475"},
		{"the same, two data sets", nemenyiNormal(0.05, 9, 2), "8.494438"},
	} {
		if text := fmt.Sprintf("%.6f", c.x); text != c.want {
			t.Errorf("%s is %s, want %s", c.what, text, c.want)
		}
	}
}

// By symmetry a result that is better where larger has the ranks of its negative.
func TestFriedmanLarger(t *testing.T) {
	negative := make([][]float64, len(demsar))
	for i, row := range demsar {
		for _, x := range row {
			negative[i] = append(negative[i], -x)
		}
	}
	a := Friedman(demsar, true)
	b := Friedman(negative, false)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// Published tables of the exact tests (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 2014, tables of Friedman's test), and
// probabilities that can be told by hand: of five methods on two data sets the largest difference, 8, has 6 of 120.
func TestRankTestsOverFewDataSets(t *testing.T) {
	for _, c := range []struct {
		results [][]float64
		want    float64
	}{
		{[][]float64{{1, 2, 3}, {1, 3, 2}, {1, 2, 3}}, 7. / 36},                      // χ² = 4.667, 0.194
		{[][]float64{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, 1. / 36},                      // χ² = 6, 0.028
		{[][]float64{{1, 2, 3, 4}, {2, 1, 3, 4}, {1, 3, 2, 4}}, 0.054},               // χ² = 7
		{[][]float64{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {2, 1, 3}}, 0.0085}, // χ² = 8.4
		{[][]float64{{1, 1, 3}, {1, 1, 3}, {1, 1, 3}}, 1. / 9},                       // two share ranks: the last is the same on all
	} {
		if got := Friedman(c.results, false).PermutationP; !(math.Abs(got-c.want) <= 0.0005) {
			t.Errorf("%v: p = %v, want %v", c.results, got, c.want)
		}
	}
	for _, c := range []struct {
		k, n int
		want float64 // critical difference
	}{{3, 3, 2}, {3, 2, math.Inf(1)}, {5, 2, 4}, {2, 6, 1}, {2, 5, math.Inf(1)}, {8, 10, 3.4}} { // of the last 3.3 has 0.0507, by 20 million orders
		if got := NemenyiDifference(0.05, c.k, c.n); got != c.want {
			t.Errorf("%d methods, %d data sets: critical difference %v, want %v", c.k, c.n, got, c.want)
		}
		if below := c.want - 1/float64(c.n); !math.IsInf(c.want, 1) && (NemenyiP(c.want, c.k, c.n) > 0.05+1e-12 || NemenyiP(below, c.k, c.n) <= 0.05) {
			t.Errorf("%d methods, %d data sets: p of the critical difference %v, of the next smaller one %v", c.k, c.n, NemenyiP(c.want, c.k, c.n), NemenyiP(below, c.k, c.n))
		}
	}
	if p := NemenyiP(4, 5, 2); p != 0.05 {
		t.Errorf("p = %v, want 0.05", p)
	}
	// Between 3.5 and 4 there is no difference without shared ranks: 3.75 is as likely as 3.5.
	if NemenyiP(3.75, 5, 2) != NemenyiP(3.5, 5, 2) || Reaches(3.75, NemenyiDifference(0.05, 5, 2)) {
		t.Error("a difference between two possible ones")
	}
}

// Orders that are drawn have about the probabilities of all of them.
func TestDrawnOrders(t *testing.T) {
	row := []float64{1, 2, 3, 4, 5, 6, 7}
	shares := func(ranks [][]float64) (all int, far float64) {
		count := 0
		tail := nullRankSums(ranks, 1, func(sums []float64) {
			if all++; slices.Max(sums)-slices.Min(sums) >= float64(6*len(ranks)) {
				count++
			}
		})
		return all, tail(count)
	}
	if all, far := shares([][]float64{row, row}); all != 5040 || math.Abs(far-1./42) > 1e-12 { // the first and the last are the same again
		t.Errorf("%d orders, %v", all, far)
	}
	all, far := shares([][]float64{row, row, row})
	if want := 1. / 42 / 42; all != maxSamples || !(math.Abs(far-want) <= 4*math.Sqrt(want/maxSamples)) {
		t.Errorf("%d orders, %v, want %v", all, far, want)
	}
	if p := NemenyiP(8, 9, 10); !(p > 0) {
		t.Errorf("p = %v of what was not drawn", p)
	}
}

// Where all data sets rank alike F is infinite, and its p of 0 says nothing.
func TestRankTestText(t *testing.T) {
	for _, c := range []struct {
		results [][]float64
		want    string
	}{
		{slices.Repeat([][]float64{{1, 2}}, 101), "Friedman: χ² = 101, p = 9.2e-24; Iman and Davenport: F is infinite, since all data sets rank alike"},
		{slices.Repeat([][]float64{{1, 2, 3}, {1, 3, 2}, {3, 2, 1}}, 30), "Friedman: χ² = 20, p = 4.5e-5; Iman and Davenport: F = 11.12, p = 2.8e-5"},
	} {
		got := Friedman(c.results, false)
		if got.String() != c.want {
			t.Errorf("%v: %v, want %s", len(c.results), got, c.want)
		}
	}
}

func TestFriedmanOfNothing(t *testing.T) {
	for _, results := range [][][]float64{nil, {{}}, {{1}}, {{1, 2}, {1}}, {{1, math.NaN()}}} {
		refused(t, func() { Friedman(results, false) }, "%v", results)
	}
	tied := Friedman([][]float64{{1, 1}, {2, 2}}, false)
	if tied.P != 1 || tied.FPValue != 1 {
		t.Errorf("all equal: %+v", tied)
	}
	one := Friedman([][]float64{{1, 2, math.Inf(1)}}, false)
	if one.Mean[2] != 3 || !math.IsNaN(one.StdErr[0]) || one.FPValue != 1 {
		t.Errorf("one data set: %+v", one)
	}
	alike := Friedman([][]float64{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, false)
	if alike.ChiSquare != 6 || !math.IsInf(alike.F, 1) || alike.FPValue != 0 {
		t.Errorf("all alike: %+v", alike)
	}
	near(t, "smallest p", alike.SmallestP, 1./36)
}

// The ranks are those of scipy.stats.rankdata of the values, or of their negatives.
func TestRanks(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		values []float64
		larger bool
		want   []float64
	}{
		{[]float64{3, 1, 2}, false, []float64{3, 1, 2}},
		{[]float64{3, 1, 2}, true, []float64{1, 3, 2}},
		{[]float64{5, 5, 1, 5}, false, []float64{3, 3, 1, 3}},
		{[]float64{1, 2, 2, 4}, true, []float64{4, 2.5, 2.5, 1}},
		{[]float64{-inf, 2, 1}, true, []float64{3, 1, 2}},
		{[]float64{inf, 2, inf, 1}, false, []float64{3.5, 2, 3.5, 1}},
		{[]float64{0.3, 0.2, 0.2 * (1 + 1e-13)}, true, []float64{1, 2.5, 2.5}},
		{[]float64{7}, false, []float64{1}},
		{nil, false, []float64{}},
	} {
		if got := Ranks(c.values, c.larger); !slices.Equal(got, c.want) {
			t.Errorf("%v, larger %v: %v, want %v", c.values, c.larger, got, c.want)
		}
	}
	refused(t, func() { Ranks([]float64{1, math.NaN()}, true) }, "NaN has a rank")
}

// Results that are equal on a data set are said to share ranks.
func TestFriedmanWarnsOfTies(t *testing.T) {
	for _, c := range []struct {
		results [][]float64
		warn    bool
	}{{[][]float64{{1, 2, 3}, {1, 2, 2}, {1, 3, 2}}, true}, {[][]float64{{1, 2, 3}, {1, 2, 3}, {1, 3, 2}}, false}} {
		if f := Friedman(c.results, false); slices.Contains(f.Warnings, "Equal results on a data set share ranks.") != c.warn {
			t.Errorf("%v: %q", c.results, f.Warnings)
		}
	}
}

// A difference of mean ranks that is the critical one counts, also where rounding has made it a little smaller: 4.6 - 1.2 is
// 3.3999999999999995.
func TestReachesTheCriticalDifference(t *testing.T) {
	critical := NemenyiDifference(0.05, 8, 10) // 3.4
	for means, want := range map[[2]float64]bool{{3.4, 0}: true, {0, 3.4}: true, {4.6, 1.2}: true, {1.2, 4.6}: true, {5.7, 2.4}: false} {
		if got := Reaches(means[0]-means[1], critical); got != want {
			t.Errorf("%v: %v", means, got)
		}
	}
	means := [2]float64{4.6, 1.2} // variables: constants would be exact
	if got, want := NemenyiP(means[0]-means[1], 8, 10), NemenyiP(3.4, 8, 10); got != want {
		t.Errorf("p of 4.6 and 1.2 is %v, of 3.4 %v", got, want)
	}
}

// Tests of ranks go through orders over as many as 20 data sets.
func TestFewDataSets(t *testing.T) {
	for n, few := range map[int]bool{20: true, 21: false} {
		results := slices.Repeat([][]float64{{1, 2}}, n)
		if p := Friedman(results, false).PermutationP; math.IsNaN(p) == few {
			t.Errorf("%d data sets: p by permutation %v", n, p)
		}
	}
}
