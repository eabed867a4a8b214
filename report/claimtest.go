package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/metric"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
	"nptbench/internal/stats"
	"nptbench/results"
)

func answer(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

// clearly is how many standard errors from 0 a difference is clear.
const clearly = 2

// signIfClear reports whether a difference is positive, once it is clear that there is one.
func signIfClear(difference, stdErr float64) Answer {
	if !(math.Abs(difference) > clearly*stdErr) {
		return Unclear
	}
	return answer(difference > 0)
}

// Each has the evidence of several tests.
func Each(tests ...Test) Test {
	return func(s *Summary) (all []Evidence) {
		for _, t := range tests {
			all = append(all, t(s)...)
		}
		return all
	}
}

// tests reports whether a claim about numbers that meet conditions is tested by this one.
func (n *Number) tests(where []Where) bool {
	return n.meets(where) && n.Complete() && n.Protocol == split.Published
}

// numbers asks for what each number speaks that tests a claim; one by other training rows than the paper's says nothing.
func numbers(speaks func(*Number) Answer, where []Where) Test {
	return func(s *Summary) (all []Evidence) {
		for _, n := range s.Numbers {
			if n.tests(where) {
				all = append(all, Evidence{n.Info.Name, n.Group.title(), n.Metric.Title, n.text(n.digits()) + " on " + n.where(), n.ifComparable(speaks(n)), n.smaller() != ""})
			}
		}
		return all
	}
}

// ifComparable is an answer that a number gives, which has no bearing where it is by other training rows than the paper's.
func (n *Number) ifComparable(answer Answer) Answer {
	if n.otherTrainingRows() {
		return NoBearing
	}
	return answer
}

// where is a number's data set, with the parameters of what was measured, and whether the training rows are not the paper's.
func (n *Number) where() string {
	where := n.Info.Title
	if with := n.Series.parameters(); with != "" {
		where += " (" + with + ")"
	}
	if n.otherTrainingRows() {
		where += ", by other training rows than the paper's"
	}
	return where
}

// AtLeast tests whether all complete numbers of some kind reach a value; one that is not clearly below it leaves that open.
func AtLeast(least float64, where ...Where) Test {
	return numbers(func(n *Number) Answer { return n.reaches(n.Mean - least) }, where)
}

// AtMost tests whether all complete numbers of some kind are no more than a value; one that is not clearly above it leaves that open.
func AtMost(most float64, where ...Where) Test {
	return numbers(func(n *Number) Answer { return n.reaches(most - n.Mean) }, where)
}

// reaches reports whether a number is on the right side of a value, from which it is so far, or else clearly on the wrong one.
func (n *Number) reaches(by float64) Answer {
	if by >= 0 {
		return Yes
	}
	return signIfClear(by, n.anyStdErr())
}

// anyStdErr is the standard error over folds, with Nadeau and Bengio's correction for the training rows that these share, or that of a
// single split over its test rows; of a correlation there Fisher's, (1-r²)/√(n-3).
func (n *Number) anyStdErr() float64 {
	switch {
	case n.N > 1 && !n.Metric.Change:
		return n.StdErr * n.correction()
	case !math.IsNaN(n.StdErr):
		return n.StdErr
	case n.Metric == metric.Correlation && math.IsNaN(n.RowStdErr):
		return (1 - n.Mean*n.Mean) / math.Sqrt(float64(n.rows()[2]-3))
	}
	return n.RowStdErr
}

// AsPaper tests whether changes of a layout have the direction that the paper names, though its own may not be clear.
func AsPaper(l Layout, where ...Where) Test {
	return changes(l, where, func(f fact) Answer {
		if f.Verdict == NotClear {
			return Unclear
		}
		return answer(f.Mean*f.Paper.Mean > 0)
	})
}

// AsLarge tests whether changes of a layout are clearly more than half of the paper's, in the same direction.
func AsLarge(l Layout, where ...Where) Test { return changes(l, where, asLarge) }

func asLarge(f fact) Answer {
	return signIfClear(f.Mean/f.Paper.Mean-0.5, f.StdErr/math.Abs(f.Paper.Mean))
}

// changes asks each change that the paper has, too, whether it speaks for a claim. Those over some of its folds, under another protocol, or
// by other training rows say nothing.
func changes(l Layout, where []Where, speaks func(fact) Answer) Test {
	return func(s *Summary) (all []Evidence) {
		for _, f := range l.facts(s.Numbers) {
			if f.meets(where) && f.HasPaper && f.N > 0 {
				text := fmt.Sprintf("%s %s on %s (%s)", Signed(f.Mean, f.rounded()), f.Metric.Title, f.Info.Title, f.Verdict)
				e := Evidence{f.Info.Name, f.Series.Values[l.Base.Field], "", text, NoBearing, !f.asPublished()}
				if f.Verdict != Partial && f.Verdict != NotJudged && f.Verdict != NotComparable && f.Paper.Mean != 0 {
					e.For = speaks(f)
				}
				all = append(all, e)
			}
		}
		return all
	}
}

// Best tests whether one of some rows is the best of those that the layout names, or as good as the best, on every data set that has it
// and others: clearly, by the differences fold by fold from the best of the others. Where one of the others is missing that the paper
// has, be it that its settings have rows of their own, or folds of ranks, or where training rows are not the paper's, it says nothing.
func Best(l Layout, rows ...string) Test {
	return func(s *Summary) (all []Evidence) {
		byData := map[string][]fact{}
		var order []string
		for _, f := range l.facts(s.Numbers) {
			if n := f.Number; n.N > 0 && n.Protocol == split.Published && (f.metric != n.Metric.Name || n.Complete()) && !n.Series.hasValues() &&
				(n.Series.ofPaper() || slices.Contains(l.Rows, variantField)) {
				if byData[n.Info.Title] == nil {
					order = append(order, n.Info.Title)
				}
				byData[n.Info.Title] = append(byData[n.Info.Title], f)
			}
		}
		for _, data := range order {
			var named, others []fact
			for _, f := range byData[data] {
				if slices.Contains(rows, f.Number.title(l.Rows...)) {
					named = append(named, f)
				} else {
					others = append(others, f)
				}
			}
			if named == nil || others == nil {
				continue
			}
			ours, theirs := bestOf(named)[0], bestOf(others)[0]
			best := bestOf(byData[data])
			e := Evidence{On: data, Of: "best on " + data, Text: strings.Join(titles(best, l.Rows), " and "), For: Yes,
				Smaller: slices.ContainsFunc(named, func(f fact) bool { return !f.asPublished() })}
			if len(bestOf([]fact{ours, theirs})) == 1 {
				test, _ := theirs.minus(ours)
				difference := test.Mean
				if ours.largerIsBetter() {
					difference = -difference
				}
				e.For = signIfClear(difference, test.StdErr)
			}
			switch missing := l.missing(byData[data]); {
			case missing > 0:
				e.Text, e.For = fmt.Sprintf("%s, without %d of those that the paper compares", e.Text, missing), NoBearing
			case !ours.Complete():
				e.Text, e.For = fmt.Sprintf("%s, over %d of the paper's %d folds", e.Text, ours.N, ours.paperFolds()), NoBearing
			case ours.otherTrainingRows():
				e.Text, e.For = e.Text+", by other training rows than the paper's", NoBearing
			case e.For == Unclear:
				e.Text += " (" + notClear + ")"
			}
			var groups []*Group
			for _, f := range byData[data] {
				groups = append(groups, f.Group)
			}
			e.Text += otherSearches(groups)
			all = append(all, e)
		}
		return all
	}
}

// otherSearches says how many of the paper's methods choose among another number of settings than there, of some groups; empty: none.
func otherSearches(groups []*Group) string {
	of := map[*Series]bool{}
	for _, g := range groups {
		if g != nil && g.Series.Paper && g.otherSearch() {
			of[g.Series] = true
		}
	}
	if len(of) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s by another search)", spelling.Count(len(of), "method"))
}

// largerIsBetter tells numbers whose metric is so from what is derived of them.
func (f *fact) largerIsBetter() bool { return f.metric == f.Metric.Name && f.Metric.Larger }

// bestOf are the best of some facts: several where they are equal.
func bestOf(facts []fact) []fact {
	best := slices.MinFunc(facts, func(a, b fact) int {
		if a.largerIsBetter() {
			a, b = b, a
		}
		return cmp.Compare(a.Mean, b.Mean)
	})
	return slices.DeleteFunc(slices.Clone(facts), func(f fact) bool { return math.Abs(f.Mean-best.Mean) > 1e-9*math.Abs(best.Mean) })
}

// titles name facts as the rows of a table do, and whole methods with their size, where that is not the paper's.
func titles(facts []fact, rows []string) (titles []string) {
	for _, f := range facts {
		title := f.Number.title(rows...)
		if title == f.Series.Method.Title {
			title = f.Group.title()
		}
		titles = append(titles, title)
	}
	return titles
}

// missing counts the rows that the layout names and the facts of a data set lack, but for methods for which the paper has no number.
func (l *Layout) missing(facts []fact) (missing int) {
	for _, w := range l.Where {
		if !slices.Contains(l.Rows, w.Field) {
			continue
		}
		for _, value := range w.Values {
			if w.Field == "method" {
				if _, has := results.Paper(facts[0].Info.Name, value, facts[0].Metric.Name); !has {
					continue
				}
			}
			if !slices.ContainsFunc(facts, func(f fact) bool { has, _ := f.field(w.Field); return has == value }) {
				missing++
			}
		}
	}
	return missing
}

// Place tests whether a method has a place by its mean rank among the paper's methods on the paper's data sets with some problems: clearly,
// by Nemenyi's critical difference. That is so large for nine methods on two or four data sets that no place can be clear there, and on four
// only that a method has it not. Ranks among fewer of either, as where training rows are a part of the paper's, say nothing: they are others.
// Nor does a single variant have a place.
func Place(method string, place int, problems ...dataset.Problem) Test {
	return func(s *Summary) (all []Evidence) {
		for _, problem := range problems {
			f := s.finished(split.Published, problem, true)
			f.datasets = slices.DeleteFunc(f.datasets, func(d dataset.Info) bool { return !f.ofPaper(d) || f.trainingSubset(d) })
			of := paperDatasets(problem, f.metric.Name)
			everything := f.series
			for _, m := range everything {
				if m.Method.Name != method || !m.ofPaper() {
					continue
				}
				f.series = slices.DeleteFunc(slices.Clone(everything), func(other *Series) bool {
					return other != m && (!other.Paper || other.Method.Name == method)
				})
				f.lastAsInPaper()
				methods, datasets := f.common()
				at := slices.Index(methods, m)
				if at < 0 {
					continue
				}
				means := make([]float64, len(methods))
				for i, ranks := range f.ranks(methods, datasets) {
					means[i], _ = stats.MeanStdErr(ranks)
				}
				has := 1
				for _, mean := range means {
					if mean < means[at] {
						has++
					}
				}
				among := fmt.Sprintf("among the paper's %d methods", len(results.PaperMethods))
				if len(methods) < len(results.PaperMethods) {
					among = fmt.Sprintf("among %d of the paper's %d methods", len(methods), len(results.PaperMethods))
				}
				text := fmt.Sprintf("%s on %d of the paper's %d %s data sets, place %d %s%s", Decimal(means[at], rankDigits), len(datasets), of,
					problemTitle(problem), has, among, s.rankAmongMore(m, problem, len(methods)))
				e := Evidence{problem.String(), m.Title, "mean rank", text, NoBearing, !m.Paper}
				if len(datasets) == of && len(methods) == len(results.PaperMethods) {
					critical := stats.NemenyiDifference(rankLevel, len(methods), of)
					e.Text += ", critical difference " + Decimal(critical, rankDigits)
					e.For = inPlace(means, at, place, critical)
				}
				var groups []*Group
				for _, other := range methods {
					for _, d := range datasets {
						groups = append(groups, f.of[entry{d.Name, other}])
					}
				}
				e.Text += otherSearches(groups)
				all = append(all, e)
			}
		}
		return all
	}
}

// rankAmongMore is the mean rank that the table of all methods has of one under published folds, in parentheses, where these are more.
func (s *Summary) rankAmongMore(m *Series, problem dataset.Problem, than int) string {
	all := slices.IndexFunc(s.ranks, func(t *rankTable) bool { return t.All && t.Protocol == split.Published && t.Problem == problem })
	if all < 0 || len(s.ranks[all].Rows) <= than {
		return ""
	}
	t := s.ranks[all]
	at := slices.IndexFunc(t.Rows, func(r rankRow) bool { return r.Series == m })
	if at < 0 {
		return ""
	}
	return fmt.Sprintf(" (%s among all %d methods here on %s)", Decimal(t.Rows[at].Own.Mean, rankDigits), len(t.Rows), spelling.Count(len(t.Datasets), "data set"))
}

// inPlace reports whether it is clear that one of some mean ranks has a place, or that it has not: others are before or behind it by the
// critical difference or more.
func inPlace(means []float64, at, place int, critical float64) Answer {
	before, behind := 0, 0
	for _, mean := range means {
		switch gap := mean - means[at]; {
		case !stats.Reaches(gap, critical):
		case gap < 0:
			before++
		case gap > 0:
			behind++
		}
	}
	switch after := len(means) - place; {
	case before >= place || behind > after:
		return No
	case before == place-1 && behind == after:
		return Yes
	}
	return Unclear
}

// lastAsInPaper has methods ranked last, as without a result, on data sets on which the paper has none of them either.
func (f *finished) lastAsInPaper() {
	for _, d := range f.datasets {
		for _, m := range f.series {
			if _, has := results.Paper(d.Name, m.Method.Name, f.metric.Name); !has && !f.has(d, m) {
				f.value[entry{d.Name, m}] = f.worst()
			}
		}
	}
}

// Below tests whether numbers are clearly below a value, by more than two standard errors.
func Below(value float64, where ...Where) Test {
	return numbers(func(n *Number) Answer { return signIfClear(value-n.Mean, n.anyStdErr()) }, where)
}

// Above tests whether numbers are clearly above a value.
func Above(value float64, where ...Where) Test {
	return numbers(func(n *Number) Answer { return signIfClear(n.Mean-value, n.anyStdErr()) }, where)
}

// Significant tests whether decimal logarithms of p are at most that of a level. A larger p says nothing, least of all against a claim.
func Significant(level float64, where ...Where) Test {
	return numbers(func(n *Number) Answer {
		if n.Mean <= math.Log10(level) {
			return Yes
		}
		return Unclear
	}, where)
}

// Near tests whether numbers are clearly within a margin of a value, by two standard errors, or clearly not; those of a single split have
// theirs over its test rows. An error of 0, of some rows none of which has turned right or wrong, tells nothing of others.
func Near(value, margin float64, where ...Where) Test {
	return numbers(func(n *Number) Answer {
		stdErr, distance := n.anyStdErr(), math.Abs(n.Mean-value)
		switch {
		case stdErr == 0:
			return Unclear
		case distance+clearly*stdErr <= margin:
			return Yes
		case distance-clearly*stdErr > margin:
			return No
		}
		return Unclear
	}, where)
}

// Tells has numbers that speak neither for nor against a claim: it is about a network of another shape, or by a test that is not valid.
func Tells(where ...Where) Test {
	return numbers(func(*Number) Answer { return NoBearing }, where)
}

// WorseThanBaselines tests whether predictions by which a method was not worse than all of the paper's others on a data set are clearly so
// by another metric, where larger is worse. Where they were worse before it says nothing.
func WorseThanBaselines(before, after metric.Metric, of metric.Metric, where ...Where) Test {
	where = append(slices.Clip(where), Where{"metric", []string{after.Name}})
	return func(s *Summary) (all []Evidence) {
		for _, n := range s.Numbers {
			if !n.tests(where) {
				continue
			}
			worst := 0.0
			for _, m := range results.PaperMethods {
				if p, has := results.Paper(n.Info.Name, m.Name, of.Name); has && m.Name != n.Series.Method.Name {
					worst = max(worst, p.Mean)
				}
			}
			cleans, _ := testResults(n.Folds, before)
			clean, _ := stats.MeanStdErr(cleans)
			speaks := signIfClear(n.Mean-worst, n.anyStdErr())
			if len(cleans) < n.N || clean > worst {
				speaks = NoBearing
			}
			all = append(all, Evidence{n.Info.Name, n.Group.title(), of.Title, fmt.Sprintf("%s before and %s after on %s, where the worst of the paper's baselines has %s",
				Decimal(clean, of.Digits), Decimal(n.Mean, of.Digits), n.where(), Decimal(worst, of.Digits)), n.ifComparable(speaks), n.smaller() != ""})
		}
		return all
	}
}

// Exactly tests whether all numbers are a value, to the last bit.
func Exactly(value float64, where ...Where) Test {
	each := numbers(func(n *Number) Answer { return answer(n.Mean == value) }, where)
	return func(s *Summary) []Evidence {
		all := each(s)
		if len(all) == 0 || slices.ContainsFunc(all, func(e Evidence) bool { return e.For != Yes }) {
			return all
		}
		var of []string
		for _, e := range all {
			if !slices.Contains(of, e.Of) {
				of = append(of, e.Of)
			}
		}
		return []Evidence{{all[0].On, strings.Join(of, ", "), all[0].What, fmt.Sprintf("%s, all exactly %v", spelling.Count(len(all), "number"), value), Yes,
			slices.ContainsFunc(all, func(e Evidence) bool { return e.Smaller })}}
	}
}
