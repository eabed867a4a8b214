package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/split"
)

// With 4, 2 and 4 data sets no gap in the paper's Table 1 exceeds the critical difference, and no signed-rank test can.
func TestPaperTable1IsNotSignificant(t *testing.T) {
	want := map[string]string{"binary": "6.00 5.75", "multiclass": "8.00 6.00", "regression": "6.00 5.75"}
	for _, table := range paperRankTables(t) {
		s := table.Significance
		if got := fmt.Sprintf("%.2f %.2f", s.Difference, largestGap(table.means(ownRanks))); got != want[table.Problem.String()] {
			t.Errorf("%s: critical difference and largest gap are %s, want %s", table.Problem, got, want[table.Problem.String()])
		}
		if pairs := table.differ(ownRanks); pairs != nil || !strings.HasPrefix(table.supports(), "No gap") {
			t.Errorf("%s: %q differ: %s", table.Problem, pairs, table.supports())
		}
		if !strings.Contains(table.supports(), " by permutation. Signed-rank tests cannot find two that differ: on ") {
			t.Errorf("%s: %s", table.Problem, table.supports())
		}
		for i := range s.Wilcoxon {
			for j := range i {
				if s.Wilcoxon[i][j] <= rankLevel {
					t.Errorf("%s: the signed-rank test of %s and %s has p = %v", table.Problem, table.Rows[i].Series.Title, table.Rows[j].Series.Title, s.Wilcoxon[i][j])
				}
			}
		}
		rows := table.table().Rows
		critical := rows[len(rows)-1].Cells[1+len(table.Datasets):] // ours are the paper's here
		if len(critical) != 3 || critical[0].Text != critical[1].Text || critical[1].Text != critical[2].Text {
			t.Errorf("%s: critical differences %v", table.Problem, critical)
		}
	}
}

// foldTables ranks methods over eight data sets of one's own, under published folds in one order on all of them and under corrected
// ones by what each has on every data set, or on those named and else as under published ones.
func foldTables(corrected []float64, on ...string) []*rankTable {
	order := []float64{1, 2, 3}
	f := []*finished{}
	for _, p := range split.Protocols {
		f = append(f, &finished{protocol: p, all: true, value: map[entry]float64{}})
	}
	for _, name := range strings.Split("abcdefgh", "") {
		info := dataset.Info{Name: name, Title: name, Problem: dataset.Regression}
		for i := range f {
			f[i].datasets = append(f[i].datasets, info)
		}
	}
	for m, title := range []string{"A", "B", "C"} {
		s := &Series{Title: title}
		for i, values := range [][]float64{order, corrected} {
			f[i].series = append(f[i].series, s)
			for _, d := range f[i].datasets {
				f[i].value[entry{d.Name, s}] = values[m]
				if on != nil && !slices.Contains(on, d.Name) {
					f[i].value[entry{d.Name, s}] = order[m]
				}
			}
		}
	}
	return []*rankTable{f[0].rankTable(nil), f[1].rankTable(f[0])}
}

func TestFoldsChange(t *testing.T) {
	for _, c := range []struct {
		corrected []float64
		want      []string
	}{
		{[]float64{1, 2, 3}, []string{"No order of mean ranks, and no conclusion: the same pairs", "3 pairs: 0 in the other order, 0 tied under one kind of folds."}},
		{[]float64{1, 2, 2}, []string{"No order of mean ranks, but a conclusion: other pairs", "3 pairs: 0 in the other order, 1 tied under", "Differ significantly under corrected folds: A and B; A and C."}},
		{[]float64{3, 2, 1}, []string{"Yes, an order of mean ranks, and a conclusion: other pairs", "Regression data sets, all methods here, 3 pairs: 3 in the other order, 0 tied",
			"Another order on a, b, c, d, e, f, g, h. Differ significantly under published folds: A and C. Differ significantly under corrected folds: C and A."}},
		{[]float64{1, 1, 1}, []string{"No order of mean ranks, but a conclusion", "3 tied", "A and C. Differ significantly under corrected folds: none."}},
	} {
		text := fmt.Sprint(foldsChange(foldTables(c.corrected)))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%v: %q lacks %q", c.corrected, text, want)
			}
		}
	}
	// scipy.stats.studentized_range.ppf(0.95, 3, inf) / sqrt(2) * sqrt(3*4/(6*8)) = 1.17185, and rank sums of 8 data sets differ by whole numbers
	if text := foldTables([]float64{1, 2, 3})[0].supports(); !strings.HasPrefix(text, "As far apart as the critical difference, which is 1.25, or farther: A and C.") {
		t.Errorf("%q", text)
	}
	if blocks := foldsChange(foldTables([]float64{1, 2, 3})[:1]); blocks != nil {
		t.Errorf("without corrected folds: %q", blocks)
	}
	text := fmt.Sprint(foldsChange(foldTables([]float64{2, 1, 3}, "a"))) // mean ranks of 9/8 and 15/8
	for _, want := range []string{"No order of mean ranks, and no conclusion", "3 pairs: 0 in the other order", "Another order on a."} {
		if !strings.Contains(text, want) {
			t.Errorf("another order on one of eight data sets: %q lacks %q", text, want)
		}
	}
	repeats := foldTables([]float64{3, 2, 1})
	if repeats[1].Repeats = true; foldsChange(repeats) != nil {
		t.Error("a table by the records of another changes something")
	}
	two := append(foldTables([]float64{1, 2, 3}), foldTables([]float64{3, 2, 1})...)
	if blocks := foldsChange(two); len(blocks) != 2 || len(blocks[1].(List)) != 2 {
		t.Errorf("want an answer and an item for each of two tables: %q", blocks)
	}
}

// What correcting the folds changes is said behind the tables.
func TestFoldsChangeIsSaid(t *testing.T) {
	want := "Does correcting the folds change an order of mean ranks or a conclusion? Yes, an order of mean ranks"
	if !slices.ContainsFunc(rankBlocks(foldTables([]float64{3, 2, 1}), "x"), func(b Block) bool {
		text, ok := b.(Paragraph)
		return ok && strings.HasPrefix(string(text), want)
	}) {
		t.Errorf("no paragraph begins with %q", want)
	}
}

// The smallest p that signed-rank tests can have is said after Holm's correction where this is what is too large.
func TestWhySignedRanksCannot(t *testing.T) {
	for datasets, want := range map[int]string{
		5: "on 5 data sets their p is at least 0.0625.",
		6: "on 6 data sets their p is at least 0.0312, and 0.0938 after Holm's correction for 3 pairs.",
	} {
		f := foldTables([]float64{1, 2, 3})[0]
		f.Significance.Friedman.N = datasets
		if text := f.supports(); !strings.HasSuffix(text, " Signed-rank tests cannot find two that differ: "+want) {
			t.Errorf("want %q at the end of %q", want, text)
		}
	}
}

// Pairs differ whose p is the level or less.
func TestPairsOfSignedRanks(t *testing.T) {
	f := foldTables([]float64{1, 2, 3})[0]
	f.Significance.Wilcoxon[1][0], f.Significance.Wilcoxon[2][0] = rankLevel, 1.01*rankLevel
	if text := f.supports(); !strings.HasSuffix(text, " these differ significantly after Holm's correction: A and B; B and C.") {
		t.Errorf("%q", text)
	}
}

// Friedman's p of three methods on two data sets is 1/6 at the least.
func TestSmallestPOfRanks(t *testing.T) {
	const want = " With 3 methods on 2 data sets no ranks are less likely by chance than p = 0.167. "
	for least, warn := range map[float64]bool{1. / 6: true, 1. / 36: false} {
		f := foldTables([]float64{1, 2, 3})[0]
		f.Significance.Friedman.N, f.Significance.Friedman.SmallestP = 2, least
		if text := f.supports(); strings.Contains(text, want) != warn {
			t.Errorf("p of at least %v: %q", least, text)
		}
	}
}

// Two methods that are equal on three of eight data sets have a test over the other five.
func TestEqualPairsAreSaid(t *testing.T) {
	text := foldTables([]float64{1, 1, 3}, "a", "b", "c")[1].supports()
	if want := "; B and C. The signed-rank test of A and B is over the 5 of 8 data sets on which they differ: it gives no p below 0.0625."; !strings.HasSuffix(text, want) {
		t.Errorf("want %q at the end of %q", want, text)
	}
}

// A method without a result is the last one, and two of them are equal.
func TestSignificanceOfMissingResults(t *testing.T) {
	tables := foldTables([]float64{1, math.Inf(1), math.Inf(1)})
	s := tables[1].Significance
	if got := fmt.Sprint(s.Friedman.Mean); got != "[1 2.5 2.5]" {
		t.Errorf("mean ranks %s", got)
	}
	if s.Wilcoxon[1][2] != 1 || s.Wilcoxon[0][1] > 0.05 {
		t.Errorf("p of the signed-rank tests: %v", s.Wilcoxon)
	}
}
