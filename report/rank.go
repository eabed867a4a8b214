package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/internal/stats"
	"nptbench/results"
)

// A RankTable is one part of Table 1: the rank orders of the methods over the data sets with one problem.
//
// Ranks are never averaged over different sets of data sets: only methods that have finished all of Datasets are ranked,
// among themselves. A method that finished a data set without a result is ranked last on it, as in the paper. What is not the
// paper's, such as a small NPT or a method of one's own, is ranked in a table of its own, with everything else.
type RankTable struct {
	Protocol split.Protocol
	Problem  dataset.Problem
	Metric   metric.Metric
	All      bool           // of all methods over all data sets that there are here; else of the paper's over its own
	Datasets []dataset.Info // that the ranks are over
	Rows     []RankRow      // best mean rank first; none when no two methods can be ranked yet
	Notes    []string       // who is ranked last, and what is left out, a sentence each

	Significance *Significance // what the mean ranks support; nil for a single data set
}

// A RankRow is the rank order of one series.
type RankRow struct {
	Series    *Series
	Ranks     []float64 // by data set, from 1; equal results share the mean of their ranks
	Of        []*Group  // by data set: whose result was ranked
	Own       MeanRank
	Published MeanRank // in a table of the corrected protocol, the same under the published one; NaN when that has not been run

	// The paper's results ranked over the same methods and data sets, and its Table 1, over nine methods and all data
	// sets of the task.
	PaperRanks []float64 // by data set; nil where the paper has none
	PaperMean  MeanRank  // of these
	Paper      results.Published
}

// A MeanRank is a mean over data sets and its standard error, sd(ddof 1)/sqrt(data sets), which is NaN for a single one.
type MeanRank struct{ Mean, StdErr float64 }

func meanRank(ranks []float64) MeanRank {
	mean, stdErr := stats.MeanStdErr(ranks)
	return MeanRank{mean, stdErr}
}

// A rankColumn has a mean rank for each row.
type rankColumn struct {
	head string
	of   func(RankRow) MeanRank
}

var (
	ownRanks       = rankColumn{"Mean", func(r RankRow) MeanRank { return r.Own }}
	publishedRanks = rankColumn{"Mean, published folds", func(r RankRow) MeanRank { return r.Published }}
	paperRankMeans = rankColumn{"Paper, same methods and data sets", func(r RankRow) MeanRank { return r.PaperMean }}
)

// columns are those of a table's means.
func (t *RankTable) columns() []rankColumn {
	columns := []rankColumn{ownRanks}
	if t.hasPublished() {
		columns = append(columns, publishedRanks)
	}
	if !t.All {
		columns = append(columns, paperRankMeans)
	}
	return columns
}

// rankTables are the parts of Table 1 for which the plan has data sets, for each protocol that it has, and then the same for all methods
// and data sets where these rank any that are not the paper's.
func (s *Summary) rankTables() (all []*RankTable) {
	for _, everything := range []bool{false, true} {
		if s.own && !everything {
			continue
		}
		var publishedTables, correctedTables []*RankTable
		for _, problem := range []dataset.Problem{dataset.Binary, dataset.MultiClass, dataset.Regression} {
			first, second := s.finished(split.Published, problem, everything), s.finished(split.Corrected, problem, everything)
			if first.notEmpty() {
				publishedTables = append(publishedTables, first.rankTable(nil))
			}
			if second.notEmpty() {
				correctedTables = append(correctedTables, second.rankTable(first))
			}
		}
		all = append(append(all, publishedTables...), correctedTables...)
	}
	return all
}

// ranksOwn reports whether any of the methods or data sets is not the paper's.
func (f *finished) ranksOwn(methods []*Series, datasets []dataset.Info) bool {
	return slices.ContainsFunc(methods, func(m *Series) bool { return !m.Paper }) ||
		slices.ContainsFunc(datasets, func(d dataset.Info) bool { return !f.ofPaper(d) })
}

// finished holds the results by which series can be ranked.
type finished struct {
	protocol split.Protocol
	problem  dataset.Problem
	metric   metric.Metric
	all      bool
	datasets []dataset.Info // with that problem, that the plan has, and the paper's Table 1 unless it is all
	series   []*Series      // of the paper, or all
	value    map[result]float64
	of       map[result]*Group
}

type result struct {
	dataset string
	series  *Series
}

// finished collects the mean results on data sets of a kind: no value where cells are still to be run, NaN where they have
// been run and left no result.
func (s *Summary) finished(protocol split.Protocol, problem dataset.Problem, everything bool) *finished {
	f := &finished{protocol: protocol, problem: problem, metric: metric.Ranking(problem), all: everything,
		value: map[result]float64{}, of: map[result]*Group{}}
	for _, n := range s.Numbers {
		if n.Protocol != protocol || n.Info.Problem != problem || n.Metric != f.metric || !(everything || n.Series.Paper && f.ofPaper(n.Info)) {
			continue
		}
		if !slices.ContainsFunc(f.datasets, func(d dataset.Info) bool { return d.Name == n.Info.Name }) {
			f.datasets = append(f.datasets, n.Info)
		}
		if !slices.Contains(f.series, n.Series) {
			f.series = append(f.series, n.Series)
		}
		at := result{n.Info.Name, n.Series}
		f.of[at] = n.Group
		switch {
		case n.Verdict == FailedCell && len(n.Folds) >= n.paperFolds():
			f.value[at] = math.NaN()
		case n.Complete():
			f.value[at] = n.Mean
		}
	}
	slices.SortFunc(f.series, func(a, b *Series) int { return slices.Compare(a.order[:], b.order[:]) })
	return f
}

// ofPaper reports whether the paper's Table 1 has a data set.
func (f *finished) ofPaper(d dataset.Info) bool {
	return results.PaperOrder(d.Name, f.metric.Name) != nil
}

// notEmpty reports whether there is something to rank; where it is all methods and data sets, something that is not the paper's.
func (f *finished) notEmpty() bool {
	if !f.all {
		return len(f.datasets) > 0
	}
	for at := range f.value {
		if !at.series.Paper {
			return true
		}
	}
	return f.ranksOwn(nil, f.datasets)
}

func (f *finished) has(d dataset.Info, m *Series) bool {
	_, ok := f.value[result{d.Name, m}]
	return ok
}

func (f *finished) hasAll(methods []*Series, datasets []dataset.Info) bool {
	for _, d := range datasets {
		for _, m := range methods {
			if !f.has(d, m) {
				return false
			}
		}
	}
	return true
}

// sets returns the data sets that all of the given methods have finished.
func (f *finished) sets(methods ...*Series) []dataset.Info {
	var out []dataset.Info
	for _, d := range f.datasets {
		if f.hasAll(methods, []dataset.Info{d}) {
			out = append(out, d)
		}
	}
	return out
}

// common chooses what is ranked. It begins with all methods that have finished anything, leaves out the one that has finished the
// fewest data sets again and again, and takes the choice that compares the most: pairs of methods times the data sets that all have.
func (f *finished) common() (ranked []*Series, datasets []dataset.Info) {
	var methods []*Series
	for _, m := range f.series {
		if len(f.sets(m)) > 0 {
			methods = append(methods, m)
		}
	}
	for most := 0; len(methods) > 1; {
		sets := f.sets(methods...)
		if n := len(methods) * (len(methods) - 1) / 2 * len(sets); n > most {
			most, ranked, datasets = n, slices.Clone(methods), sets
		}
		fewest := 0
		for i, m := range methods {
			if len(f.sets(m)) <= len(f.sets(methods[fewest])) {
				fewest = i
			}
		}
		methods = slices.Delete(methods, fewest, fewest+1)
	}
	return ranked, datasets
}

// rankTable ranks what is finished. With a beside, it adds the ranks of the same methods and data sets there.
func (f *finished) rankTable(beside *finished) *RankTable {
	t := &RankTable{Protocol: f.protocol, Problem: f.problem, Metric: f.metric, All: f.all}
	methods, datasets := f.common()
	if f.all && !f.ranksOwn(methods, datasets) {
		for _, m := range f.series {
			if !m.Paper && len(f.sets(m)) > 0 {
				t.Notes = append(t.Notes, f.unranked(m))
			}
		}
		return t
	}
	if methods == nil {
		return t
	}
	t.Datasets = datasets
	var paper [][]float64 // by data set
	if !f.all {
		for _, d := range datasets {
			paper = append(paper, paperRanks(d.Name, f.metric.Name, methods))
		}
	}
	for i, ranks := range f.ranks(methods, datasets) {
		nothing := MeanRank{math.NaN(), math.NaN()}
		row := RankRow{Series: methods[i], Ranks: ranks, Own: meanRank(ranks), Published: nothing, PaperMean: nothing}
		for _, d := range datasets {
			row.Of = append(row.Of, f.of[result{d.Name, methods[i]}])
		}
		if !f.all {
			for _, ranks := range paper {
				row.PaperRanks = append(row.PaperRanks, ranks[i])
			}
			row.PaperMean = meanRank(row.PaperRanks)
			row.Paper, _ = results.PaperRank(f.problem.String(), methods[i].Method.Name)
		}
		t.Rows = append(t.Rows, row)
	}
	if beside != nil && beside.hasAll(methods, datasets) {
		for i, r := range beside.ranks(methods, datasets) {
			t.Rows[i].Published = meanRank(r)
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b RankRow) int { return cmp.Compare(a.Own.Mean, b.Own.Mean) })
	t.Notes = f.rankNotes(methods, datasets)
	t.Significance = f.significance(t.Rows, datasets)
	return t
}

// ranks returns the ranks of each method over the data sets, which all of them have finished.
func (f *finished) ranks(methods []*Series, datasets []dataset.Info) [][]float64 {
	out := make([][]float64, len(methods))
	for _, d := range datasets {
		values := make([]float64, len(methods))
		for i, m := range methods {
			values[i] = f.value[result{d.Name, m}]
		}
		for i, r := range stats.Ranks(values, f.metric.Larger) {
			out[i] = append(out[i], r)
		}
	}
	return out
}

// rankNotes says who is ranked last for want of a result, and which methods and data sets of the plan the ranks are not
// over.
func (f *finished) rankNotes(methods []*Series, datasets []dataset.Info) []string {
	var notes []string
	for _, d := range datasets {
		for _, m := range methods {
			if math.IsNaN(f.value[result{d.Name, m}]) {
				notes = append(notes, fmt.Sprintf("%s has no result on %s and is ranked last there.", m.Title, d.Title))
			}
		}
	}
	return append(notes, f.leftOut(methods, datasets)...)
}

func (f *finished) unranked(m *Series) string {
	return fmt.Sprintf("%s is not ranked: it has finished %d of %s.", m.Title, len(f.sets(m)), plural(len(f.datasets), "data set", "data sets"))
}

// leftOut says which methods and data sets of the plan the ranks are not over, and why.
func (f *finished) leftOut(methods []*Series, datasets []dataset.Info) []string {
	var notes []string
	for _, m := range f.series {
		if !slices.Contains(methods, m) {
			notes = append(notes, f.unranked(m))
		}
	}
	for _, d := range f.datasets {
		if slices.ContainsFunc(datasets, func(other dataset.Info) bool { return other.Name == d.Name }) {
			continue
		}
		var open []string
		for _, m := range methods {
			if !f.has(d, m) {
				open = append(open, m.Title)
			}
		}
		notes = append(notes, fmt.Sprintf("%s is left out: not finished by %s.", d.Title, strings.Join(open, "; ")))
	}
	return notes
}

// paperRanks ranks the given methods by the paper's results on a data set.
func paperRanks(dataset, metricName string, methods []*Series) []float64 {
	order := slices.DeleteFunc(results.PaperOrder(dataset, metricName), func(name string) bool {
		return !slices.ContainsFunc(methods, func(m *Series) bool { return m.Method.Name == name })
	})
	ranks := make([]float64, len(methods))
	for i, m := range methods {
		ranks[i] = float64(slices.Index(order, m.Method.Name) + 1)
	}
	return ranks
}

// rankBlocks are the tables as they are shown, each with what it supports, and one sentence about those in which nothing can be
// ranked yet. name begins the names of files of figures.
func rankBlocks(tables []*RankTable, name string) []Block {
	var blocks []Block
	var empty []string
	for _, t := range tables {
		switch {
		case len(t.Rows) > 0:
			blocks = append(blocks, t.table())
			if len(t.Notes) > 0 {
				blocks = append(blocks, Paragraph(strings.Join(t.Notes, " ")))
			}
			if t.Significance != nil {
				blocks = append(blocks, Paragraph(t.supports()), t.figure(name))
			}
		case t.All && len(t.Notes) > 0:
			blocks = append(blocks, Paragraph(fmt.Sprintf("Of all methods here, %s data sets, %s folds: %s", problemTitle(t.Problem), t.Protocol, strings.Join(t.Notes, " "))))
		case !t.All:
			empty = append(empty, fmt.Sprintf("%s (%s folds)", problemTitle(t.Problem), t.Protocol))
		}
	}
	if text := foldsChange(tables); text != "" {
		blocks = append(blocks, Paragraph(text))
	}
	if len(empty) > 0 {
		blocks = append(blocks, Paragraph(fmt.Sprintf(
			"No ranks yet, because no data set has been finished by two of the paper's methods: %s.", strings.Join(empty, ", "))))
	}
	return blocks
}

// name is that of the table and, behind the report's, of its figure.
func (t *RankTable) name() string {
	problem := t.Problem.String()
	if t.All {
		problem = "all-" + problem
	}
	return fmt.Sprintf("ranks-%s-%s", problem, t.Protocol)
}

// hasPublished reports whether it is known how the same methods rank under published folds, in a table of corrected ones.
func (t *RankTable) hasPublished() bool {
	return slices.ContainsFunc(t.Rows, func(r RankRow) bool { return !math.IsNaN(r.Published.Mean) })
}

// table has the ranks, and what gap between two of them tells methods apart.
func (t *RankTable) table() *Table {
	out := t.ranks()
	out.Rows = append(out.Rows, t.gapRows(out)...)
	return out
}

func (t *RankTable) ranks() *Table {
	whose := "the paper's methods"
	if t.All {
		whose = "all methods here"
	}
	out := &Table{
		Name: t.name(),
		Caption: fmt.Sprintf("Ranks of %s by %s and their mean (%s data sets, %s folds; ± standard error over data sets).",
			whose, t.Metric.Title, problemTitle(t.Problem), t.Protocol),
		Columns: []Column{{Head: "Method"}},
	}
	for _, d := range t.Datasets {
		out.Columns = append(out.Columns, Column{d.Title, true})
	}
	for _, c := range t.columns() {
		out.Columns = append(out.Columns, Column{c.head, true})
	}
	if !t.All {
		out.Columns = append(out.Columns, Column{"Paper, all", true})
	}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, t.row(r))
	}
	return out
}

func (t *RankTable) row(r RankRow) Row {
	row := []Cell{{Text: r.Series.Title}}
	for i, rank := range r.Ranks {
		cell := number(strconv.FormatFloat(rank, 'g', -1, 64), rank)
		cell.Of = r.Of[i]
		row = append(row, cell)
	}
	for _, c := range t.columns() {
		of := c.of(r)
		row = append(row, number(plusMinus(of.Mean, of.StdErr, rankDigits), of.Mean))
	}
	if !t.All {
		row = append(row, number(r.Paper.String(), r.Paper.Mean))
	}
	return Row{Cells: row}
}

func problemTitle(p dataset.Problem) string {
	if p == dataset.MultiClass {
		return "multi-class"
	}
	return p.String()
}
