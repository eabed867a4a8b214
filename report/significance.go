package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/spelling"
	"nptbench/internal/stats"
	"nptbench/results"
)

// rankLevel is the level of the tests of rank orders.
const rankLevel = 0.05

// A significance says what the mean ranks of a table over a few data sets support. Series are in the order of its rows.
type significance struct {
	Friedman   *stats.FriedmanTest
	Difference float64     // of mean ranks that is critical, Nemenyi's
	Wilcoxon   [][]float64 // p of the signed-rank test of two series, after Holm's correction for all pairs
	ByRatios   bool        // that test is of ratios of results
	Equal      []string    // which series are equal on data sets, in sentences
}

// significance tests the ranks of series that have finished all of the data sets; nil for a single data set. A method without a
// result is the last one there.
func (f *finished) significance(rows []rankRow, datasets []dataset.Info) *significance {
	if len(datasets) < 2 {
		return nil
	}
	var titles []string
	for _, r := range rows {
		titles = append(titles, r.Series.Title)
	}
	values := make([][]float64, len(datasets))
	for i, d := range datasets {
		for _, r := range rows {
			values[i] = append(values[i], f.value[entry{d.Name, r.Series}])
		}
	}
	friedman := stats.Friedman(values, f.metric.Larger)
	tests, adjusted := stats.WilcoxonPairs(values, f.metric.Larger)
	return &significance{friedman, stats.NemenyiDifference(rankLevel, friedman.K, friedman.N), adjusted, stats.ByRatios(values, f.metric.Larger),
		stats.EqualPairs(tests, titles, friedman.N)}
}

// signedRanksCan reports whether the signed-rank test, after Holm's correction, can find a difference on so few data sets.
func (s *significance) signedRanksCan() bool {
	return stats.WilcoxonPairsSmallestP(s.Friedman.K, s.Friedman.N) <= rankLevel
}

// paperDatasets counts the data sets of the paper's Table 1 with a problem.
func paperDatasets(p dataset.Problem, metric string) (n int) {
	for _, d := range dataset.Infos() {
		if d.Problem == p && results.PaperOrder(d.Name, metric) != nil {
			n++
		}
	}
	return n
}

// largestGap is the largest gap between two mean ranks.
func largestGap(means []float64) float64 {
	return slices.Max(means) - slices.Min(means)
}

// means are the mean ranks of a column of the table.
func (t *rankTable) means(c rankColumn) (means []float64) {
	for _, r := range t.Rows {
		means = append(means, c.of(r).Mean)
	}
	return means
}

// gapRows are the largest gap between two mean ranks and the critical difference, for each column of a table.
func (t *rankTable) gapRows(of *Table) []Row {
	if t.All && t.Significance == nil {
		return nil
	}
	gaps, differences := []Cell{{Text: "Largest gap"}}, []Cell{{Text: "Critical diff."}}
	add := func(gap, difference string) { // no values of the column's, among which a page would sort them
		gaps, differences = append(gaps, Cell{Text: gap}), append(differences, Cell{Text: difference})
	}
	addNumbers := func(gap, difference float64) {
		if math.IsInf(difference, 1) {
			add(Decimal(gap, rankDigits), none)
			return
		}
		digits := rankDigits // which of two is larger is to be seen
		for digits < 2*rankDigits && math.Abs(gap-difference) > 1e-9 && Decimal(gap, digits) == Decimal(difference, digits) {
			digits++
		}
		add(Decimal(gap, digits), Decimal(difference, digits))
	}
	for range t.Datasets {
		add("", "")
	}
	for _, c := range t.columns() {
		if t.Significance == nil {
			add(none, none)
		} else {
			addNumbers(largestGap(t.means(c)), t.Significance.Difference)
		}
	}
	if !t.All {
		var paper []float64
		for _, m := range results.PaperMethods {
			if r, ok := results.PaperRank(t.Problem.String(), m.Name); ok {
				paper = append(paper, r.Mean)
			}
		}
		addNumbers(largestGap(paper), stats.NemenyiDifference(rankLevel, len(paper), paperDatasets(t.Problem, t.Metric.Name)))
	}
	rows := []Row{{Cells: gaps}, {Cells: differences}}
	if t.Significance == nil {
		rows[0].Cells[0].Notes = []int{of.Note("Ranks on a single data set are not tested, hence the dashes.")}
	}
	rows[1].Cells[0].Notes = []int{of.Note(fmt.Sprintf("Nemenyi's critical difference at %v, over all pairs: mean ranks less far apart do not differ significantly. Over few "+
		"data sets it is the least difference that is so unlikely when the methods are in random order; a dash: none is.", rankLevel))}
	return rows
}

// differ lists the pairs of rows whose mean ranks are as far apart as the critical difference, or farther, the better one first.
func (t *rankTable) differ(in rankColumn) (pairs []string) {
	for _, a := range t.Rows {
		for _, b := range t.Rows {
			if gap := in.of(b).Mean - in.of(a).Mean; gap > 0 && stats.Reaches(gap, t.Significance.Difference) {
				pairs = append(pairs, fmt.Sprintf("%s and %s", a.Series.Title, b.Series.Title))
			}
		}
	}
	return pairs
}

// supports says in a few sentences what the ranks support.
func (t *rankTable) supports() string {
	s := t.Significance
	text := fmt.Sprintf("No gap between two of our mean ranks reaches the critical difference: over %d data sets no two methods differ significantly by rank.", s.Friedman.N)
	if pairs := t.differ(ownRanks); len(pairs) > 0 {
		text = fmt.Sprintf("As far apart as the critical difference, which is %s, or farther: %s. The other pairs do not differ significantly.",
			Decimal(t.Significance.Difference, rankDigits), strings.Join(pairs, "; "))
	}
	text += fmt.Sprintf(" %v.", s.Friedman)
	for _, w := range s.Friedman.WarningsAt(rankLevel) {
		text += " " + w
	}
	least := stats.WilcoxonSmallestP(s.Friedman.N)
	if !s.signedRanksCan() {
		text += fmt.Sprintf(" Signed-rank tests cannot find two that differ: on %d data sets their p is at least %.3g", s.Friedman.N, least)
		if k := s.Friedman.K; least <= rankLevel {
			text += fmt.Sprintf(", and %.3g after Holm's correction for %d pairs", stats.WilcoxonPairsSmallestP(k, s.Friedman.N), k*(k-1)/2)
		}
		return text + "."
	}
	var differ []string
	for i, a := range t.Rows {
		for j, b := range t.Rows[:i] {
			if s.Wilcoxon[i][j] <= rankLevel {
				differ = append(differ, fmt.Sprintf("%s and %s", b.Series.Title, a.Series.Title))
			}
		}
	}
	by := ""
	if s.ByRatios {
		by = ", by ratios of means"
	}
	text += fmt.Sprintf(" By two-sided signed-rank tests of all pairs%s, whose p cannot be below %.3g on %d data sets, these differ significantly after Holm's correction: %s.",
		by, least, s.Friedman.N, cmp.Or(strings.Join(differ, "; "), "none"))
	return strings.Join(append([]string{text}, s.Equal...), " ")
}

// foldsChange answers, for the tables under corrected folds that have the same methods and data sets under published ones, but other
// records, whether correcting the folds changes an order of mean ranks or a conclusion; nil where there are none. That the methods have
// another order on a single data set is said of each table.
func foldsChange(tables []*rankTable) []Block {
	var parts List
	orders, conclusions := 0, 0
	for _, t := range tables {
		if t.Significance == nil || !t.hasPublished() || t.Repeats {
			continue
		}
		changed, ties, pairs := 0, 0, 0
		for i, a := range t.Rows {
			for _, b := range t.Rows[:i] {
				pairs++
				switch before, now := cmp.Compare(a.Published.Mean, b.Published.Mean), cmp.Compare(a.Own.Mean, b.Own.Mean); {
				case before == -now && now != 0:
					changed++
				case before != now:
					ties++
				}
			}
		}
		if changed > 0 {
			orders++
		}
		part := fmt.Sprintf("%s data sets, %s, %s: %d in the other order, %d tied under one kind of folds.", sentence(problemTitle(t.Problem)), t.whose(),
			spelling.Count(pairs, "pair"), changed, ties)
		if t.Reordered != nil {
			part += fmt.Sprintf(" Another order on %s.", strings.Join(t.Reordered, ", "))
		}
		if before, now := strings.Join(t.differ(publishedRanks), "; "), strings.Join(t.differ(ownRanks), "; "); before != now {
			conclusions++
			part += fmt.Sprintf(" Differ significantly under published folds: %s. Differ significantly under corrected folds: %s.",
				cmp.Or(before, "none"), cmp.Or(now, "none"))
		}
		parts = append(parts, part)
	}
	if parts == nil {
		return nil
	}
	answer := map[bool]string{true: "Yes, an order of mean ranks", false: "No order of mean ranks"}[orders > 0]
	joined := map[bool]string{true: "and", false: "but"}[(orders > 0) == (conclusions > 0)]
	if conclusions > 0 {
		answer += fmt.Sprintf(", %s a conclusion: other pairs of methods differ by the critical difference (which does not test whether folds matter)", joined)
	} else {
		answer += fmt.Sprintf(", %s no conclusion: the same pairs of methods differ by the critical difference, if any", joined)
	}
	return []Block{Paragraph(fmt.Sprintf("Does correcting the folds change an order of mean ranks or a conclusion? %s.", answer)), parts}
}
