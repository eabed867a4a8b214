package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/results"
)

// A RankTable is one part of Table 1: the rank orders of the methods over the data sets of one task.
//
// Ranks are never averaged over different sets of data sets: only methods that have finished all of Datasets are ranked,
// among themselves. A method that finished a data set without a result is ranked last on it, as in the paper.
type RankTable struct {
	Protocol string
	Task     dataset.Problem
	Metric   metric.Metric
	Datasets []dataset.Info // that the ranks are over
	Rows     []RankRow      // best mean rank first; none when no two methods can be ranked yet
	Notes    []string
}

// A RankRow is the rank order of one method.
type RankRow struct {
	Method *method.Method
	Ranks  []float64 // by data set, from 1; equal results share the mean of their ranks
	Mean   float64
	StdErr float64 // sd(ddof 1)/sqrt(data sets); NaN for a single one

	// In a table of the corrected protocol, the same under the published one; NaN when that has not been run.
	PublishedMean, PublishedStdErr float64

	// The paper's results ranked over the same methods and data sets, and its Table 1, over nine methods and all data
	// sets of the task.
	PaperMean, PaperStdErr float64
	Paper                  results.PublishedRank
}

// RankTables returns the parts of Table 1 for which the plan has data sets, for each protocol that it has.
func (s *Summary) RankTables() []*RankTable {
	var publishedTables, correctedTables []*RankTable
	for _, task := range []dataset.Problem{dataset.Binary, dataset.MultiClass, dataset.Regression} {
		first, second := s.finished(published, task), s.finished(corrected, task)
		if len(first.datasets) > 0 {
			publishedTables = append(publishedTables, first.rankTable(nil))
		}
		if len(second.datasets) > 0 {
			correctedTables = append(correctedTables, second.rankTable(first))
		}
	}
	return append(publishedTables, correctedTables...)
}

// finished holds the results by which the methods of a plan can be ranked.
type finished struct {
	protocol string
	task     dataset.Problem
	datasets []dataset.Info   // of the task, that the plan and the paper's Table 1 have
	methods  []*method.Method // that the plan and the paper have
	value    map[[2]string]float64
}

// finished collects the mean results of a task by data set and method: no value where cells are still to be run, NaN
// where they have been run and left no result.
func (s *Summary) finished(protocol string, task dataset.Problem) *finished {
	f := &finished{protocol: protocol, task: task, value: map[[2]string]float64{}}
	m := metric.Ranking(task)
	for _, g := range s.Groups {
		inPaper := results.PaperPlace(g.Method.Name) >= 0 && results.PaperOrder(g.Info.Name, m.Name) != nil
		if g.Protocol != protocol || g.Info.Problem != task || g.Method.Extra || !inPaper {
			continue
		}
		if !slices.ContainsFunc(f.datasets, func(d dataset.Info) bool { return d.Name == g.Info.Name }) {
			f.datasets = append(f.datasets, g.Info)
		}
		if !slices.Contains(f.methods, g.Method) {
			f.methods = append(f.methods, g.Method)
		}
		e := g.entry(m)
		switch {
		case e.Verdict == FailedCell:
			f.value[[2]string{g.Info.Name, g.Method.Name}] = math.NaN()
		case e.Complete():
			f.value[[2]string{g.Info.Name, g.Method.Name}] = e.Mean
		}
	}
	slices.SortFunc(f.methods, func(a, b *method.Method) int { return s.Plan.methodIndex(a.Name) - s.Plan.methodIndex(b.Name) })
	return f
}

func (f *finished) has(d dataset.Info, m *method.Method) bool {
	_, ok := f.value[[2]string{d.Name, m.Name}]
	return ok
}

func (f *finished) hasAll(methods []*method.Method, datasets []dataset.Info) bool {
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
func (f *finished) sets(methods ...*method.Method) []dataset.Info {
	var out []dataset.Info
	for _, d := range f.datasets {
		if f.hasAll(methods, []dataset.Info{d}) {
			out = append(out, d)
		}
	}
	return out
}

// common chooses what is ranked: all methods that have finished anything, over the data sets that all of them have. When
// there is no such data set, the method that has finished the fewest is left out, until there is one.
func (f *finished) common() ([]*method.Method, []dataset.Info) {
	var methods []*method.Method
	for _, m := range f.methods {
		if len(f.sets(m)) > 0 {
			methods = append(methods, m)
		}
	}
	for len(methods) > 0 {
		if sets := f.sets(methods...); len(sets) > 0 {
			return methods, sets
		}
		fewest := 0
		for i, m := range methods {
			if len(f.sets(m)) <= len(f.sets(methods[fewest])) {
				fewest = i
			}
		}
		methods = slices.Delete(methods, fewest, fewest+1)
	}
	return nil, nil
}

// rankTable ranks what is finished. With a beside, it adds the ranks of the same methods and data sets there.
func (f *finished) rankTable(beside *finished) *RankTable {
	t := &RankTable{Protocol: f.protocol, Task: f.task, Metric: metric.Ranking(f.task)}
	methods, datasets := f.common()
	if len(methods) < 2 {
		return t
	}
	t.Datasets = datasets
	ranks, paper := f.ranks(methods, datasets), make([][]float64, len(methods))
	for _, d := range datasets {
		for i, r := range paperRanks(d.Name, t.Metric.Name, methods) {
			paper[i] = append(paper[i], r)
		}
	}
	for i, m := range methods {
		row := RankRow{Method: m, Ranks: ranks[i], PublishedMean: math.NaN(), PublishedStdErr: math.NaN()}
		row.Mean, row.StdErr = meanRank(ranks[i])
		row.PaperMean, row.PaperStdErr = meanRank(paper[i])
		row.Paper, _ = results.PaperRank(f.task.String(), m.Name)
		t.Rows = append(t.Rows, row)
	}
	if beside != nil && beside.hasAll(methods, datasets) {
		for i, r := range beside.ranks(methods, datasets) {
			t.Rows[i].PublishedMean, t.Rows[i].PublishedStdErr = meanRank(r)
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b RankRow) int { return cmp.Compare(a.Mean, b.Mean) })
	t.Notes = f.rankNotes(methods, datasets)
	return t
}

// ranks returns the ranks of each method over the data sets, which all of them have finished.
func (f *finished) ranks(methods []*method.Method, datasets []dataset.Info) [][]float64 {
	out := make([][]float64, len(methods))
	for _, d := range datasets {
		values := make([]float64, len(methods))
		for i, m := range methods {
			values[i] = f.value[[2]string{d.Name, m.Name}]
		}
		for i, r := range rank(values, metric.Ranking(f.task).Larger) {
			out[i] = append(out[i], r)
		}
	}
	return out
}

// rankNotes says who is ranked last for want of a result, and which methods and data sets of the plan the ranks are not
// over.
func (f *finished) rankNotes(methods []*method.Method, datasets []dataset.Info) []string {
	var notes []string
	for _, d := range datasets {
		for _, m := range methods {
			if math.IsNaN(f.value[[2]string{d.Name, m.Name}]) {
				notes = append(notes, fmt.Sprintf("%s has no result on %s and is ranked last there.", m.Title, d.Title))
			}
		}
	}
	return append(notes, f.leftOut(methods, datasets)...)
}

// leftOut says which methods and data sets of the plan the ranks are not over, and why.
func (f *finished) leftOut(methods []*method.Method, datasets []dataset.Info) []string {
	var notes []string
	for _, m := range f.methods {
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

// rank ranks values from 1 for the best, which is the smallest or the largest. Equal values share the mean of their
// ranks, and so do missing ones (NaN), which come last.
func rank(values []float64, larger bool) []float64 {
	key := make([]float64, len(values))
	for i, v := range values {
		switch {
		case math.IsNaN(v):
			key[i] = math.Inf(1)
		case larger:
			key[i] = -v
		default:
			key[i] = v
		}
	}
	ranks := make([]float64, len(values))
	for i := range key {
		better, equal := 0, 0
		for j := range key {
			if key[j] < key[i] {
				better++
			} else if key[j] == key[i] {
				equal++
			}
		}
		ranks[i] = float64(better) + float64(equal+1)/2
	}
	return ranks
}

// paperRanks ranks the given methods by the paper's results on a data set.
func paperRanks(dataset, metricName string, methods []*method.Method) []float64 {
	order := slices.DeleteFunc(results.PaperOrder(dataset, metricName), func(name string) bool {
		return !slices.ContainsFunc(methods, func(m *method.Method) bool { return m.Name == name })
	})
	ranks := make([]float64, len(methods))
	for i, m := range methods {
		ranks[i] = float64(slices.Index(order, m.Name) + 1)
	}
	return ranks
}

// meanRank averages ranks over data sets, with the paper's standard error.
func meanRank(ranks []float64) (mean, stdErr float64) {
	mean = stat.Mean(ranks, nil)
	if len(ranks) < 2 {
		return mean, math.NaN()
	}
	return mean, stat.StdErr(stat.StdDev(ranks, nil), float64(len(ranks)))
}

// rankBlocks are the tables as they are shown, with one sentence about those in which nothing can be ranked yet.
func rankBlocks(tables []*RankTable) []Block {
	var blocks []Block
	var empty []string
	for _, t := range tables {
		if len(t.Rows) == 0 {
			empty = append(empty, fmt.Sprintf("%s (%s folds)", taskTitle(t.Task), t.Protocol))
		} else {
			blocks = append(blocks, t.table())
		}
	}
	if len(empty) > 0 {
		blocks = append(blocks, Paragraph(fmt.Sprintf(
			"No ranks yet, because no data set has been finished by two of the paper's methods: %s.", strings.Join(empty, ", "))))
	}
	return blocks
}

func (t *RankTable) table() *Table {
	names := make([]string, len(t.Datasets))
	for i, d := range t.Datasets {
		names[i] = d.Title
	}
	out := &Table{
		Caption: fmt.Sprintf("Mean rank by %s over %s (%s data sets, %s folds; ± standard error over data sets).",
			t.Metric.Title, strings.Join(names, ", "), taskTitle(t.Task), t.Protocol),
		Columns: []Column{{Head: "Method"}, {"Ours", true}},
		Notes:   t.Notes,
	}
	if t.Protocol == corrected {
		out.Columns = append(out.Columns, Column{"Ours, published folds", true})
	}
	out.Columns = append(out.Columns, Column{"Paper, same methods and data sets", true}, Column{"Paper, all", true})
	for _, r := range t.Rows {
		row := cells(r.Method.Title, plusMinus(r.Mean, r.StdErr, 2))
		if t.Protocol == corrected {
			row = append(row, Cell{Text: plusMinus(r.PublishedMean, r.PublishedStdErr, 2)})
		}
		row = append(row, cells(plusMinus(r.PaperMean, r.PaperStdErr, 2), r.Paper.PrintedMeanRank+" ± "+r.Paper.PrintedStdErr)...)
		out.Rows = append(out.Rows, Row{Cells: row})
	}
	return out
}

func taskTitle(task dataset.Problem) string {
	if task == dataset.MultiClass {
		return "multi-class"
	}
	return task.String()
}
