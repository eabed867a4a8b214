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
		near(t, fmt.Sprint(i, ": p of F"), got.FP, c.FP)
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
		{"critical difference, 0.05", NemenyiDifference(0.05, 4, 14), "1.253559"},
		{"critical difference, 0.10", NemenyiDifference(0.10, 4, 14), "1.118060"},
		{"q, two methods", studentizedRangeQuantile(0.05, 2) / math.Sqrt2, "1.959964"},
		{"q, twelve methods", studentizedRangeQuantile(0.05, 12) / math.Sqrt2, "3.268004"},
		{"critical difference of the paper's Table 1", NemenyiDifference(0.05, 9, 4), "6.006475"},
		{"the same, two data sets", NemenyiDifference(0.05, 9, 2), "8.494438"},
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

// Where all data sets rank alike F is infinite, and its p of 0 says nothing.
func TestRankTestText(t *testing.T) {
	for _, c := range []struct {
		results [][]float64
		want    string
	}{
		{[][]float64{{1, 2}, {3, 4}}, "Friedman: χ² = 2, p = 0.1573; Iman and Davenport: F is infinite, since all data sets rank alike"},
		{[][]float64{{1, 2, 3}, {1, 3, 2}, {1, 2, 3}}, "Friedman: χ² = 4.667, p = 0.0970; Iman and Davenport: F = 7, p = 0.0494"},
	} {
		got := Friedman(c.results, false)
		if got.RankTest.String() != c.want {
			t.Errorf("%v: %v, want %s", c.results, got.RankTest, c.want)
		}
	}
}

func TestFriedmanOfNothing(t *testing.T) {
	for _, results := range [][][]float64{nil, {{}}, {{1}}, {{1, 2}, {1}}, {{1, math.NaN()}}} {
		refused(t, func() { Friedman(results, false) }, "%v", results)
	}
	tied := Friedman([][]float64{{1, 1}, {2, 2}}, false)
	if tied.P != 1 || tied.FP != 1 {
		t.Errorf("all equal: %+v", tied)
	}
	one := Friedman([][]float64{{1, 2, math.Inf(1)}}, false)
	if one.Mean[2] != 3 || !math.IsNaN(one.StdErr[0]) || one.FP != 1 {
		t.Errorf("one data set: %+v", one)
	}
	alike := Friedman([][]float64{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, false)
	if alike.ChiSquare != 6 || !math.IsInf(alike.F, 1) || alike.FP != 0 {
		t.Errorf("all alike: %+v", alike)
	}
	near(t, "smallest p", friedmanSmallestP(3, 3), 1./36)
}

// The ranks are those of scipy.stats.rankdata of the values, or of their negatives; missing values come last.
func TestRanks(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		values []float64
		larger bool
		want   []float64
	}{
		{[]float64{3, 1, 2}, false, []float64{3, 1, 2}},
		{[]float64{3, 1, 2}, true, []float64{1, 3, 2}},
		{[]float64{5, 5, 1, 5}, false, []float64{3, 3, 1, 3}},
		{[]float64{1, 2, 2, 4}, true, []float64{4, 2.5, 2.5, 1}},
		{[]float64{nan, 2, inf, 1}, false, []float64{4, 2, 3, 1}},
		{[]float64{nan, 2, 1}, true, []float64{3, 1, 2}},
		{[]float64{nan, 2, nan, 1}, false, []float64{3.5, 2, 3.5, 1}},
		{[]float64{7}, false, []float64{1}},
		{nil, false, []float64{}},
	} {
		if got := Ranks(c.values, c.larger); !slices.Equal(got, c.want) {
			t.Errorf("%v, larger %v: %v, want %v", c.values, c.larger, got, c.want)
		}
	}
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

// The chi-squared approximation wants more than 10 data sets and 5 methods.
func TestFriedmanWarns(t *testing.T) {
	for _, c := range []struct {
		n, k int
		warn bool
	}{{11, 6, false}, {10, 6, true}, {11, 5, true}} {
		var r [][]float64
		for i := range c.n {
			row := make([]float64, c.k)
			for j := range row {
				row[j] = float64((i + j) % c.k)
			}
			r = append(r, row)
		}
		if f := Friedman(r, false); (len(f.Warnings) > 0) != c.warn {
			t.Errorf("%+v: %q", c, f.Warnings)
		}
	}
}
