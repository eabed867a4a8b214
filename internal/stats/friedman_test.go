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

// With few data sets p is that of all orders of the ranks, which are few enough here to go through, also where ranks are shared.
func TestRankTestsEqualAllOrders(t *testing.T) {
	for _, results := range [][][]float64{
		{{1, 2, 3}, {1, 3, 2}, {1, 2, 3}},
		{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}},
		{{1, 2, 2}, {1, 3, 2}, {1, 1, 3}},
		{{1, 2, 3, 4}, {2, 1, 3, 4}, {1, 3, 2, 4}},
		{{1, 2, 3, 4, 5}, {2, 1, 3, 5, 4}},
	} {
		got := Friedman(results, false)
		k, n := got.K, got.N
		statistic := func(sums []float64) (between float64) {
			for _, s := range sums {
				between += (s - float64(n*(k+1))/2) * (s - float64(n*(k+1))/2)
			}
			return between
		}
		own := make([]float64, k)
		var ranks [][]float64
		for _, row := range results {
			ranks = append(ranks, Ranks(row, false))
			for j, r := range ranks[len(ranks)-1] {
				own[j] += r
			}
		}
		all, asFar := 0, 0
		everyOrder(ranks, make([]float64, k), func(sums []float64) {
			if all++; statistic(sums) >= statistic(own)-1e-9 {
				asFar++
			}
		})
		want := float64(asFar) / float64(all)
		if d := math.Abs(got.Permutation - want); !(d <= 4*math.Sqrt(want*(1-want)/nullDraws)+1e-5) {
			t.Errorf("%v: p = %v, want %v", results, got.Permutation, want)
		}
		ranges := make([]int, n*(k-1)+1)
		alike := slices.Repeat([][]float64{Ranks([]float64{1, 2, 3, 4, 5}[:k], false)}, n)
		everyOrder(alike, make([]float64, k), func(sums []float64) { ranges[int(slices.Max(sums)-slices.Min(sums))]++ })
		tail := 0
		for d := len(ranges) - 1; d >= 0; d-- {
			tail += ranges[d]
			want := float64(tail) / float64(all)
			if p := NemenyiP(float64(d)/float64(n), k, n); !(math.Abs(p-want) <= 4*math.Sqrt(want*(1-want)/nullDraws)+1e-9) {
				t.Errorf("%d methods, %d data sets: a difference of %d has p = %v, want %v", k, n, d, p, want)
			}
		}
	}
	// Tables of the exact test: for three methods on three data sets rank sums of 3, 6 and 9 have p = 0.028, and no others below 0.05.
	if d := NemenyiDifference(0.05, 3, 3); d != 2 {
		t.Errorf("critical difference %v, want 2", d)
	}
	if d := NemenyiDifference(0.05, 3, 2); !math.IsInf(d, 1) {
		t.Errorf("critical difference %v of three methods on two data sets, where none is so unlikely", d)
	}
}

// everyOrder goes through all orders of all rows, and gives the sums of columns.
func everyOrder(rows [][]float64, sums []float64, use func([]float64)) {
	if len(rows) == 0 {
		use(sums)
		return
	}
	var permute func(row []float64, at int)
	permute = func(row []float64, at int) {
		if at == len(row) {
			next := slices.Clone(sums)
			for j, r := range row {
				next[j] += r
			}
			everyOrder(rows[1:], next, use)
			return
		}
		for i := at; i < len(row); i++ {
			row[at], row[i] = row[i], row[at]
			permute(row, at+1)
			row[at], row[i] = row[i], row[at]
		}
	}
	permute(slices.Clone(rows[0]), 0)
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
		if got.RankTest.String() != c.want {
			t.Errorf("%v: %v, want %s", len(c.results), got.RankTest, c.want)
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
