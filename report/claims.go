package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/split"
	"nptbench/internal/stats"
	"nptbench/results"
)

// A Claim is something that the paper says and that can be held against numbers.
type Claim struct {
	ID     string // in the report's claims.csv
	Says   string // what the paper says and where, one sentence
	Method string // that it is about; empty: npt. Reports without it leave the claim out
	Test   Test   // nil: nothing here measures it
	Count  int    // on how much there is evidence when all is measured, by Evidence.On; 0: any number will do
}

// A Test finds the evidence for and against a claim.
type Test func(*Summary) []Evidence

// Evidence is something measured that speaks for or against a claim.
type Evidence struct {
	On      string // the data set, or the kind of data sets that are ranked
	Of      string // what it is of: a series, a variant, or what is asked of a data set
	What    string // the metric, where Text does not say it
	Text    string // the number, and on what
	For     Answer
	Smaller bool // of a network smaller than published, which can only say what holds at its size
}

// An Answer says whether a piece of evidence speaks for a claim.
type Answer uint8

const (
	No Answer = iota
	Yes
	Unclear
	Untested // it tells something, and nothing for or against
)

func answer(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
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
	if by < 0 && -by <= clearly*n.anyStdErr() {
		return Unclear
	}
	return answer(by >= 0)
}

// anyStdErr is the standard error over folds, or that of a single split over its test rows.
func (n *Number) anyStdErr() float64 {
	if math.IsNaN(n.StdErr) {
		return n.RowStdErr
	}
	return n.StdErr
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
	return apart(f.Mean/f.Paper.Mean-0.5, f.StdErr/math.Abs(f.Paper.Mean))
}

// changes asks each change that the paper has, too, whether it speaks for a claim. Those over some of its folds, or under another
// protocol, say nothing.
func changes(l Layout, where []Where, speaks func(fact) Answer) Test {
	return func(s *Summary) (all []Evidence) {
		for _, f := range l.facts(s.Numbers) {
			if f.meets(where) && f.HasPaper {
				text := fmt.Sprintf("%s %s on %s (%s)", Signed(f.Mean, f.rounded()), f.Metric.Title, f.Info.Title, f.Verdict)
				e := Evidence{f.Info.Name, f.Series.Values[l.Base.Field], "", text, Untested, !f.asPublished()}
				if f.Verdict != Partial && f.Verdict != NotJudged && f.Paper.Mean != 0 {
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
// has, be it that its settings have rows of their own, or folds of ranks, it says nothing.
func Best(l Layout, rows ...string) Test {
	return func(s *Summary) (all []Evidence) {
		byData := map[string][]fact{}
		var order []string
		for _, f := range l.facts(s.Numbers) {
			if n := f.Number; n.Protocol == split.Published && (f.metric != n.Metric.Name || n.Complete()) && !n.Series.hasValues() {
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
				difference, stdErr := theirs.minus(ours)
				if ours.largerIsBetter() {
					difference = -difference
				}
				e.For = apart(difference, stdErr)
			}
			switch missing := l.missing(byData[data]); {
			case missing > 0:
				e.Text, e.For = fmt.Sprintf("%s, without %d of those that the paper compares", e.Text, missing), Untested
			case !ours.Complete():
				e.Text, e.For = fmt.Sprintf("%s, over %d of the paper's %d folds", e.Text, ours.N, ours.paperFolds()), Untested
			case e.For == Unclear:
				e.Text += " (" + notClear + ")"
			}
			all = append(all, e)
		}
		return all
	}
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
// only that a method has it not. Ranks among fewer of either say nothing: they are others.
func Place(method string, place int, problems ...dataset.Problem) Test {
	return func(s *Summary) (all []Evidence) {
		for _, problem := range problems {
			f := s.finished(split.Published, problem, true)
			f.datasets = slices.DeleteFunc(f.datasets, func(d dataset.Info) bool { return !f.ofPaper(d) })
			of := paperDatasets(problem, f.metric.Name)
			everything := f.series
			for _, m := range everything {
				if m.Method.Name != method {
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
				among := fmt.Sprintf("of its %d methods", len(results.PaperMethods))
				if len(methods) < len(results.PaperMethods) {
					among = fmt.Sprintf("among %d %s", len(methods), among)
				}
				e := Evidence{problem.String(), m.Title, "mean rank", fmt.Sprintf("%s on %d of the paper's %d %s data sets, place %d %s", Decimal(means[at], 2), len(datasets), of,
					problemTitle(problem), has, among), Untested, !m.Paper}
				if len(datasets) == of && len(methods) == len(results.PaperMethods) {
					critical := stats.NemenyiDifference(rankLevel, len(methods), of)
					e.Text += ", critical difference " + Decimal(critical, 2)
					e.For = inPlace(means, at, place, critical)
				}
				all = append(all, e)
			}
		}
		return all
	}
}

// inPlace reports whether it is clear that one of some mean ranks has a place, or that it has not: others are before or behind it by more
// than the critical difference.
func inPlace(means []float64, at, place int, critical float64) Answer {
	before, behind := 0, 0
	for _, mean := range means {
		if mean < means[at]-critical {
			before++
		}
		if mean > means[at]+critical {
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
				f.value[result{d.Name, m}] = math.NaN()
			}
		}
	}
}

// A finding is what became of a claim.
type finding struct {
	*Claim
	evidence []Evidence
	verdict  string
	partly   string // how much was measured of what it takes; empty: all
}

// findings hold the claims against the numbers. One that has evidence against it does not hold, one without evidence is not tested. That it
// is so at this size alone is said where only smaller networks speak against it, or any of those that are to speak for it is smaller.
func (s *Summary) findings() (all []finding) {
	for i := range s.Claims {
		f := finding{Claim: &s.Claims[i], verdict: notTested}
		if f.Test != nil {
			f.evidence = f.Test(s)
		}
		count, smaller, on := map[Answer]int{}, map[Answer]int{}, map[string]bool{}
		for _, e := range f.evidence {
			count[e.For]++
			if e.For != Untested {
				on[e.On] = true
			}
			if e.Smaller {
				smaller[e.For]++
			}
		}
		size := ""
		if count[No] > 0 && smaller[No] == count[No] || count[No] == 0 && smaller[Yes]+smaller[Unclear] > 0 {
			size = atThisSize
		}
		switch {
		case len(f.evidence) == count[Untested]:
		case count[No] > 0:
			f.verdict = doesNotHold + size
		case count[Unclear] > 0:
			f.verdict = notClear + size
		default:
			f.verdict = holds + size
		}
		if n := len(on); n > 0 && n < f.Count {
			f.partly = fmt.Sprintf(", on the %d of %d that were measured", n, f.Count)
		}
		all = append(all, f)
	}
	return all
}

func (f *finding) measured() string { return join(f.evidence) }

// join writes evidence in a line, together what is of the same.
func join(evidence []Evidence) string {
	var heads []string
	texts := map[string][]string{}
	for _, e := range evidence {
		head := e.Of
		if e.What != "" {
			head += ", " + e.What
		}
		if texts[head] == nil {
			heads = append(heads, head)
		}
		texts[head] = append(texts[head], e.Text)
	}
	for i, head := range heads {
		heads[i] += ": " + strings.Join(texts[head], ", ")
	}
	return strings.Join(heads, "; ")
}

// found says in a line what was measured of the claims, and what says nothing for or against one if there is nothing else.
func (s *Summary) found() string {
	var all []Evidence
	findings := s.findings()
	tested := slices.ContainsFunc(findings, func(f finding) bool {
		return slices.ContainsFunc(f.evidence, func(e Evidence) bool { return e.For != Untested })
	})
	for _, f := range findings {
		for _, e := range f.evidence {
			if tested && e.For == Untested {
				continue
			}
			if !slices.ContainsFunc(all, func(has Evidence) bool { return has.Of == e.Of && has.What == e.What && has.Text == e.Text }) {
				all = append(all, e)
			}
		}
	}
	switch {
	case all == nil && s.Records == 0:
		return "nothing yet of what it claims."
	case all == nil:
		return "what the tables have; none of the paper's claims is about it."
	}
	return join(all) + "."
}

// claims lists the claims with what was found, the verdict first.
func (s *Summary) claims() (list List) {
	for _, f := range s.findings() {
		text := fmt.Sprintf("%s%s%s (%s): %s", strings.ToUpper(f.verdict[:1]), f.verdict[1:], f.partly, f.ID, f.Says)
		if f.evidence != nil {
			text += " Measured: " + f.measured() + "."
		}
		list = append(list, text)
	}
	return list
}

func (s *Summary) writeClaims(w io.Writer) error {
	return writeCSV(w, s.findings(), []csvColumn[finding]{
		{"id", func(f finding) string { return f.ID }},
		{"claim", func(f finding) string { return f.Says }},
		{"measured", func(f finding) string { return f.measured() }},
		{"verdict", func(f finding) string { return f.verdict + f.partly }},
	})
}
