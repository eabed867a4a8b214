package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/split"
	"nptbench/internal/stats"
	"nptbench/results"
)

// What a number is among the others of its table: the change that a variant makes against Layout.Base, and the rank among the
// variants, both fold by fold.

// sameFolds reports whether two numbers are of the same folds and metric.
func (n *Number) sameFolds(other *Number) bool {
	return n.Info.Name == other.Info.Name && n.Protocol == other.Protocol && n.Metric == other.Metric
}

// withPaper is the number with the one that the layout's table of the paper has for it.
func (l *Layout) withPaper(n *Number) *Number {
	if l.Paper == 0 {
		return n
	}
	of := *n
	of.Paper, of.HasPaper = results.PaperVariant(l.Paper, n.Info.Name, n.Series.Values[variantField], n.Metric.Name)
	of.judge()
	return &of
}

// minus is the test of the differences from another fact on the folds that both have, which knows that folds share training rows
// (stats.CorrectedT), and how many folds these are. Of a single split the standard error is that of both numbers over the test rows, and
// there is no p.
func (f fact) minus(other fact) (test *stats.TTest, folds int) {
	var ours, theirs []float64
	for _, fold := range f.Folds {
		a, has := f.byFold[fold.Number]
		if b, both := other.byFold[fold.Number]; has && both {
			ours, theirs = append(ours, a), append(theirs, b)
		}
	}
	differences := stats.Differences(ours, theirs)
	if len(differences) < 2 {
		return &stats.TTest{Mean: stat.Mean(differences, nil), StdErr: math.Hypot(f.RowStdErr, other.RowStdErr), P: math.NaN()}, len(differences)
	}
	return stats.CorrectedT(differences, f.testRatio(), 0.95), len(differences)
}

// minusBySeed are the differences under the seeds that both have.
func minusBySeed(ours, theirs map[uint64]float64) map[uint64]float64 {
	differences := map[uint64]float64{}
	for seed, mean := range ours {
		if base, ok := theirs[seed]; ok {
			differences[seed] = mean - base
		}
	}
	return differences
}

// changed is the number, the layout's base of it, and their difference over so many folds; none when there is no base.
func (c comparison) changed() (ours, base fact, test *stats.TTest, folds int) {
	n := c.any()
	at := slices.IndexFunc(c.among, func(base *Number) bool {
		value, _ := base.field(c.layout.Base.Field)
		return base.sameFolds(n) && base.Series.Method == n.Series.Method && slices.Contains(c.layout.Base.Values, value)
	})
	if at < 0 {
		return fact{}, fact{}, nil, 0
	}
	ours, base = n.fact(), c.layout.withPaper(c.among[at]).fact()
	test, folds = ours.minus(base)
	return ours, base, test, folds
}

const changeOf = "_change" // behind the name of a metric

// changeFact is what a variant changes against the layout's base: the mean of the differences fold by fold, beside the difference of the
// means that the layout's table of the paper has, whose error is of both together. It has failed where one of the two has.
func changeFact(c comparison) (fact, bool) {
	n, base, test, folds := c.changed()
	if test == nil || folds == 0 && !n.failed() && !base.failed() {
		return fact{}, false
	}
	f := n.derived(n.metric+changeOf, test.Mean, test.StdErr, folds)
	if f.HasPaper = c.layout.Paper != 0 && n.HasPaper && base.HasPaper; f.HasPaper {
		f.Paper.Mean -= base.Paper.Mean
		f.Paper.Spread, f.Paper.SpreadIsStdDev = math.Hypot(n.Paper.StdErr(), base.Paper.StdErr()), false
	}
	if n.completeWhereDefined() && base.completeWhereDefined() && slices.Equal(n.undefined, base.undefined) {
		f.Seeds = withSeeds(test.Mean, minusBySeed(n.otherSeeds(), base.otherSeeds()))
	}
	f.lacks = slices.Concat(n.lacksNote(n.title(c.layout.Base.Field)), base.lacksNote(base.title(c.layout.Base.Field)))
	switch {
	case folds > 0:
		f.Verdict = f.direction()
	case n.failed():
		f.Verdict = n.Verdict
	default:
		f.Verdict, f.Notes = base.Verdict, f.lacks
	}
	return f, true
}

// pFact is the p of a change, by the test whose standard error the change has; a single split has none.
func pFact(c comparison) (fact, bool) {
	n, _, test, folds := c.changed()
	if folds < 2 {
		return fact{}, false
	}
	p := n.derived(n.metric+changeOf+"_p", test.P, math.NaN(), folds)
	p.Notes = test.Warnings
	return p, true
}

// direction is the verdict on a change: whether it has the direction of the paper's, once both are clear, the paper's as far as it prints
// an error. As with numbers, changes over some of the paper's folds, under another protocol or by other training rows have none.
func (n *Number) direction() Verdict {
	switch {
	case n.N < n.paperFolds() || !n.onPaperFolds():
		return Partial
	case !n.HasPaper:
		return NoPaper
	case n.Protocol != split.Published:
		return NotJudged
	case n.otherTrainingRows():
		return NotComparable
	case signIfClear(n.Mean, n.StdErr) == Unclear:
		return NotClear
	case n.Paper.Mean == 0: // its two numbers are printed alike
		return NoPaper
	case n.Paper.StdErr() > 0 && signIfClear(n.Paper.Mean, n.Paper.StdErr()) == Unclear:
		return PaperNotClear
	case n.Mean*n.Paper.Mean > 0:
		return SameDirection
	}
	return OppositeDirection
}

// ranks are the places by the metric among the numbers of the layout on each fold that all have but those that failed, counted from 0 for the
// best; and who lacks which folds.
func (c comparison) ranks() (ranks map[int]float64, lacks []string) {
	n := c.any()
	var peers []fact
	self := 0
	for _, peer := range c.among {
		if !peer.sameFolds(n) || !peer.meets(c.layout.Where) {
			continue
		}
		name := peer.title(c.layout.Rows...)
		if peer.failed() {
			lacks = append(lacks, name+" has no result, and is not ranked.")
			continue
		}
		if peer.Series == n.Series {
			self = len(peers)
		}
		f := peer.fact()
		peers, lacks = append(peers, f), append(lacks, f.lacksNote(name)...)
	}
	ranks = map[int]float64{}
	for _, f := range n.Folds {
		var values []float64
		for _, peer := range peers {
			if x, ok := peer.byFold[f.Number]; ok {
				values = append(values, x)
			}
		}
		if len(values) == len(peers) {
			ranks[f.Number] = stats.Ranks(values, n.Metric.Larger)[self] - 1
		}
	}
	return ranks, lacks
}

// rankFact is the mean of the ranks, beside what the paper has for it.
func rankFact(c comparison) (fact, bool) {
	n := c.any()
	if n.failed() {
		f := n.derived("rank", math.NaN(), math.NaN(), 0)
		f.Verdict = n.Verdict
		return f, true
	}
	byFold, lacks := c.ranks()
	if len(byFold) == 0 {
		return fact{}, false
	}
	var ranks []float64
	for _, f := range n.Folds {
		if rank, ok := byFold[f.Number]; ok {
			ranks = append(ranks, rank)
		}
	}
	mean, stdErr := stats.MeanStdErr(ranks)
	f := n.derived("rank", mean, stdErr, len(ranks))
	f.Verdict, f.byFold, f.lacks = NoPaper, byFold, lacks
	if f.Paper, f.HasPaper = results.PaperVariant(c.layout.Paper, n.Info.Name, n.Series.Values[variantField], "rank"); f.HasPaper {
		f.Verdict = NotComparable
	}
	return f, true
}

// order says for each data set how much the order of a table's first facts, of what was measured, is like that of the paper's.
func (l *Layout) order(facts []fact) string {
	text := ""
	for i, f := range facts {
		if i > 0 && facts[i-1].Info.Name == f.Info.Name {
			continue
		}
		var ours, paper []float64
		for _, g := range facts {
			if g.metric == f.metric && g.sameFolds(f.Number) && g.HasPaper && g.N > 0 && g.Verdict != Extrapolated {
				ours, paper = append(ours, g.Mean), append(paper, g.Paper.Mean)
			}
		}
		if tau := stats.Kendall(ours, paper); len(ours) > 2 && !math.IsNaN(tau) {
			text += fmt.Sprintf(" Kendall's rank correlation of this order with the paper's on %s: %s (two-sided p = %s by permutation, over %d).", f.Info.Title, Signed(tau, 2),
				stats.PText(math.Log(stats.KendallP(ours, paper))), len(ours))
		}
	}
	return text
}
