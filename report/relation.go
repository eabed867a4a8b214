package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/stats"
	"nptbench/results"
)

// What a number is among the others of its table: the change that a variant makes against Layout.Base, and the rank among the
// variants, both fold by fold.

// values are the metric of the chosen settings of all complete folds, by the number of the fold.
func (n *Number) values() map[int]float64 {
	values := map[int]float64{}
	for _, f := range n.Folds {
		if f.Complete() && f.Chosen != nil {
			if x, ok := finite(f.Chosen.Test, n.Metric.Name); ok {
				values[f.Number] = x
			}
		}
	}
	return values
}

// beside reports whether two numbers are of the same folds and metric.
func (n *Number) beside(other *Number) bool {
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

// A change is what a variant changes against the base: the mean of the differences fold by fold.
type change struct {
	folds        int
	mean, stdErr float64 // of a single split the two numbers' errors over the test rows together
	p            float64 // of Wilcoxon's signed-rank test, two-sided; NaN for a single split

	paper       results.Published // the difference of the paper's means; its error is of both means together
	hasPaper    bool
	paperStdErr float64
}

// change compares a number with the layout's base; false when there is none, or no fold that both have.
func (c comparison) change() (change, bool) {
	n := c.any()
	at := slices.IndexFunc(c.among, func(base *Number) bool {
		value, _ := base.field(c.layout.Base.Field)
		return base.beside(n) && base.Series.Method == n.Series.Method && slices.Contains(c.layout.Base.Values, value)
	})
	if at < 0 {
		return change{}, false
	}
	base := c.layout.withPaper(c.among[at])
	ours, theirs := n.values(), base.values()
	var with, without, differences []float64
	for _, f := range n.Folds {
		x, has := ours[f.Number]
		if y, both := theirs[f.Number]; has && both {
			with, without, differences = append(with, x), append(without, y), append(differences, x-y)
		}
	}
	d := change{folds: len(differences), p: math.NaN()}
	if d.folds == 0 {
		return d, false
	}
	d.mean = stat.Mean(differences, nil)
	d.stdErr = math.Hypot(n.RowStdErr, base.RowStdErr)
	if d.folds > 1 {
		d.stdErr = stat.StdErr(stat.StdDev(differences, nil), float64(d.folds))
		if test, err := stats.Wilcoxon(with, without, stats.WilcoxonOptions{}); err == nil { // it is defined for any pairs of numbers
			d.p = test.P
		}
	}
	if d.hasPaper = n.HasPaper && base.HasPaper; d.hasPaper {
		d.paper = n.Paper
		d.paper.Mean -= base.Paper.Mean
		d.paperStdErr = math.Hypot(n.Paper.StdErr(), base.Paper.StdErr())
	}
	return d, true
}

// direction is the verdict on a change: whether it has the direction of the paper's, once it is clear.
func (d *change) direction() Verdict {
	switch {
	case !d.hasPaper:
		return NoPaper
	case math.IsNaN(d.stdErr) || math.Abs(d.mean) <= clearly*d.stdErr:
		return NotClear
	case d.mean*d.paper.Mean > 0:
		return SameDirection
	}
	return OppositeDirection
}

// clearly is how many standard errors from 0 a change is clear.
const clearly = 2

// ranks are the places by the metric among the numbers of the layout on each fold that all have, counted from 0 for the best.
func (c comparison) ranks() (ranks []float64) {
	n := c.any()
	var peers []map[int]float64
	self := 0
	for _, peer := range c.among {
		if !peer.beside(n) || !c.layout.holds(peer) {
			continue
		}
		if peer.Series == n.Series {
			self = len(peers)
		}
		peers = append(peers, peer.values())
	}
	for _, f := range n.Folds {
		var values []float64
		for _, peer := range peers {
			if x, ok := peer[f.Number]; ok {
				values = append(values, x)
			}
		}
		if len(values) == len(peers) {
			ranks = append(ranks, stats.Ranks(values, n.Metric.Larger)[self]-1)
		}
	}
	return ranks
}

// order says for each data set how much the order of a table's first facts is like that of the paper's.
func (l *Layout) order(facts []fact) string {
	text := ""
	for i, f := range facts {
		if i > 0 && facts[i-1].Info.Name == f.Info.Name {
			continue
		}
		var ours, paper []float64
		for _, g := range facts {
			if g.metric == f.metric && g.beside(f.Number) && g.hasPaper {
				ours, paper = append(ours, g.mean), append(paper, g.paper)
			}
		}
		if tau := stats.Kendall(ours, paper); len(ours) > 2 && !math.IsNaN(tau) {
			text += fmt.Sprintf(" Kendall's rank correlation of this order with the paper's on %s: %s.", f.Info.Title, signed(tau, 2))
		}
	}
	return text
}
