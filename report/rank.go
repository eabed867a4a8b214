package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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
// paper's, such as a small NPT, does not change the ranks of what is.
type RankTable struct {
	Protocol split.Protocol
	Problem  dataset.Problem
	Metric   metric.Metric
	Own      bool           // over data sets that the paper does not have: all methods are ranked, and nothing is the paper's
	Datasets []dataset.Info // that the ranks are over
	Rows     []RankRow      // best mean rank first; none when no two methods can be ranked yet
	Others   []RankRow      // what is not the paper's: the ranks that each would have beside Rows
	Notes    []string

	// What the ranks of Rows support, and those of Rows and Others ranked together; nil for a single data set.
	Significance, Together *Significance
}

// A RankRow is the rank order of one series.
type RankRow struct {
	Series *Series
	Ranks  []float64 // by data set, from 1; equal results share the mean of their ranks
	Mean   float64
	StdErr float64 // sd(ddof 1)/sqrt(data sets); NaN for a single one

	// In a table of the corrected protocol, the same under the published one; NaN when that has not been run.
	PublishedMean, PublishedStdErr float64

	// The paper's results ranked over the same methods and data sets, and its Table 1, over nine methods and all data
	// sets of the task.
	PaperRanks             []float64 // by data set; nil where the paper has none
	PaperMean, PaperStdErr float64
	Paper                  results.PublishedRank
}

// RankTables returns the parts of Table 1 for which the plan has data sets, for each protocol that it has, and then the same for
// data sets that the paper does not have.
func (s *Summary) RankTables() []*RankTable { return s.ranks }

func (s *Summary) rankTables() (all []*RankTable) {
	for _, own := range []bool{false, true} {
		var publishedTables, correctedTables []*RankTable
		for _, problem := range []dataset.Problem{dataset.Binary, dataset.MultiClass, dataset.Regression} {
			first, second := s.finished(split.Published, problem, own), s.finished(split.Corrected, problem, own)
			if len(first.datasets) > 0 {
				publishedTables = append(publishedTables, first.rankTable(nil))
			}
			if len(second.datasets) > 0 {
				correctedTables = append(correctedTables, second.rankTable(first))
			}
		}
		all = append(append(all, publishedTables...), correctedTables...)
	}
	return all
}

// finished holds the results by which series can be ranked.
type finished struct {
	protocol split.Protocol
	problem  dataset.Problem
	metric   metric.Metric
	own      bool
	datasets []dataset.Info // with that problem, that the plan has, and the paper's Table 1 unless they are own
	series   []*Series      // of the paper, or all
	others   []*Series
	value    map[result]float64
}

type result struct {
	dataset string
	series  *Series
}

// finished collects the mean results on data sets of a kind: no value where cells are still to be run, NaN where they have
// been run and left no result.
func (s *Summary) finished(protocol split.Protocol, problem dataset.Problem, own bool) *finished {
	f := &finished{protocol: protocol, problem: problem, metric: metric.Ranking(problem), own: own, value: map[result]float64{}}
	for _, n := range s.Numbers {
		if n.Protocol != protocol || n.Info.Problem != problem || n.Metric != f.metric || (results.PaperOrder(n.Info.Name, f.metric.Name) == nil) != own {
			continue
		}
		list := &f.others
		if n.Series.Paper || own {
			list = &f.series
			if !slices.ContainsFunc(f.datasets, func(d dataset.Info) bool { return d.Name == n.Info.Name }) {
				f.datasets = append(f.datasets, n.Info)
			}
		}
		if !slices.Contains(*list, n.Series) {
			*list = append(*list, n.Series)
		}
		switch {
		case n.Verdict == FailedCell:
			f.value[result{n.Info.Name, n.Series}] = math.NaN()
		case n.Complete():
			f.value[result{n.Info.Name, n.Series}] = n.Mean
		}
	}
	for _, list := range [][]*Series{f.series, f.others} {
		slices.SortFunc(list, func(a, b *Series) int { return slices.Compare(a.order[:], b.order[:]) })
	}
	return f
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
	t := &RankTable{Protocol: f.protocol, Problem: f.problem, Metric: f.metric, Own: f.own}
	methods, datasets := f.common()
	if methods == nil {
		return t
	}
	t.Datasets = datasets
	for i, ranks := range f.ranks(methods, datasets) {
		row := f.row(methods[i], ranks)
		if !f.own {
			for _, d := range datasets {
				row.PaperRanks = append(row.PaperRanks, paperRanks(d.Name, f.metric.Name, methods)[i])
			}
			row.PaperMean, row.PaperStdErr = stats.MeanRank(row.PaperRanks)
			row.Paper, _ = results.PaperRank(f.problem.String(), methods[i].Method.Name)
		}
		t.Rows = append(t.Rows, row)
	}
	if beside != nil && beside.hasAll(methods, datasets) {
		for i, r := range beside.ranks(methods, datasets) {
			t.Rows[i].PublishedMean, t.Rows[i].PublishedStdErr = stats.MeanRank(r)
		}
	}
	for _, s := range f.others {
		if f.hasAll([]*Series{s}, datasets) {
			t.Others = append(t.Others, f.row(s, f.ranks(append(slices.Clone(methods), s), datasets)[len(methods)]))
		}
	}
	for _, rows := range [][]RankRow{t.Rows, t.Others} {
		slices.SortStableFunc(rows, func(a, b RankRow) int { return cmp.Compare(a.Mean, b.Mean) })
	}
	t.Notes = append(f.rankNotes(methods, datasets), f.withoutPlace(datasets)...)
	var ranked, all []*Series
	for _, r := range t.Rows {
		ranked = append(ranked, r.Series)
	}
	for _, r := range t.Others {
		all = append(all, r.Series)
	}
	t.Significance = f.significance(ranked, datasets)
	t.Together = f.significance(append(slices.Clone(ranked), all...), datasets)
	return t
}

// row has no number of the paper yet, nor of the other protocol.
func (f *finished) row(s *Series, ranks []float64) RankRow {
	nan := math.NaN()
	row := RankRow{Series: s, Ranks: ranks, PublishedMean: nan, PublishedStdErr: nan, PaperMean: nan, PaperStdErr: nan}
	row.Mean, row.StdErr = stats.MeanRank(ranks)
	return row
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

// leftOut says which methods and data sets of the plan the ranks are not over, and why.
func (f *finished) leftOut(methods []*Series, datasets []dataset.Info) []string {
	var notes []string
	for _, m := range f.series {
		if !slices.Contains(methods, m) {
			notes = append(notes, fmt.Sprintf("%s is not ranked: it has finished %d of %s.",
				m.Title, len(f.sets(m)), plural(len(f.datasets), "data set", "data sets")))
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
		notes = append(notes, fmt.Sprintf("%s is left out: not finished by %s.", d.Title, strings.Join(open, ", ")))
	}
	return notes
}

// withoutPlace says which of the methods that are not the paper's have no place in the table.
func (f *finished) withoutPlace(datasets []dataset.Info) (notes []string) {
	for _, s := range f.others {
		n := 0
		for _, d := range datasets {
			if f.has(d, s) {
				n++
			}
		}
		if n > 0 && n < len(datasets) {
			notes = append(notes, fmt.Sprintf("%s has no place here: it has finished %d of these %d data sets.", s.Title, n, len(datasets)))
		}
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
			if t.Significance != nil {
				blocks = append(blocks, Paragraph(t.supports()), t.figure(name))
			}
		case !t.Own:
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
	if t.Own {
		problem = "own-" + problem
	}
	return fmt.Sprintf("ranks-%s-%s", problem, t.Protocol)
}

func (t *RankTable) table() *Table {
	names := make([]string, len(t.Datasets))
	for i, d := range t.Datasets {
		names[i] = d.Title
	}
	out := &Table{
		Name: t.name(),
		Caption: fmt.Sprintf("Mean rank by %s over %s (%s data sets, %s folds; ± standard error over data sets).",
			t.Metric.Title, strings.Join(names, ", "), problemTitle(t.Problem), t.Protocol),
		Columns: []Column{{Head: "Method"}, {"Ours", true}},
		Notes:   t.Notes,
	}
	if t.Protocol == split.Corrected {
		out.Columns = append(out.Columns, Column{"Ours, published folds", true})
	}
	if !t.Own {
		out.Columns = append(out.Columns, Column{"Paper, same methods and data sets", true}, Column{"Paper, all", true})
	}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, t.row(r, number(r.Paper.PrintedMeanRank+" ± "+r.Paper.PrintedStdErr, r.Paper.MeanRank)))
	}
	for _, r := range t.Others {
		row := t.row(r, Cell{Text: none})
		row.Cells[1].Notes = []int{out.note("Not ranked, since it is not the paper's: the place that it would have, without changing the others'.")}
		out.Rows = append(out.Rows, row)
	}
	out.Rows = append(out.Rows, t.gapRows(out)...)
	return out
}

func (t *RankTable) row(r RankRow, paper Cell) Row {
	row := []Cell{{Text: r.Series.Title}, number(plusMinus(r.Mean, r.StdErr, rankDigits), r.Mean)}
	if t.Protocol == split.Corrected {
		row = append(row, number(plusMinus(r.PublishedMean, r.PublishedStdErr, rankDigits), r.PublishedMean))
	}
	if !t.Own {
		row = append(row, number(plusMinus(r.PaperMean, r.PaperStdErr, rankDigits), r.PaperMean), paper)
	}
	return Row{Cells: row}
}

func problemTitle(p dataset.Problem) string {
	if p == dataset.MultiClass {
		return "multi-class"
	}
	return p.String()
}
