package report

import (
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

// A rankTable is one part of Table 1: the rank orders of the methods over the data sets with one problem.
//
// Ranks are never averaged over different sets of data sets: only methods that have finished all of Datasets are ranked,
// among themselves. Among the paper's one that finished a data set without a complete result is ranked last on it, as in the paper. What
// is not the paper's, such as a small NPT or a method of one's own, is ranked in a table of its own, with everything else.
type rankTable struct {
	Protocol split.Protocol
	Problem  dataset.Problem
	Metric   metric.Metric
	All      bool           // of all methods over all data sets that there are here; else of the paper's over its own
	Datasets []dataset.Info // that the ranks are over
	Rows     []rankRow      // best mean rank first; none when no two methods can be ranked yet
	Notes    []string       // who is ranked last, and what is left out, a sentence each
	Repeats  bool           // all of it is by the records of the table under published folds

	Reordered []string // data sets on which the rows have another order under published folds

	Significance *significance // what the mean ranks support; nil for a single data set
}

// A rankRow is the rank order of one series.
type rankRow struct {
	Series    *Series
	Ranks     []float64 // by data set, from 1; equal results share the mean of their ranks
	Of        []*Group  // by data set: whose result was ranked
	Own       meanRank
	Published meanRank // in a table of the corrected protocol, the same under the published one; NaN when that has not been run

	// The paper's results ranked over the same methods and data sets, and its Table 1, over nine methods and all data
	// sets of the task.
	PaperRanks []float64 // by data set; nil where the paper has none
	PaperMean  meanRank  // of these
	Paper      results.PaperNumber
}

// A meanRank is a mean over data sets and its standard error, sd(ddof 1)/sqrt(data sets), which is NaN for a single one.
type meanRank struct{ Mean, StdErr float64 }

func meanOf(ranks []float64) meanRank {
	mean, stdErr := stats.MeanStdErr(ranks)
	return meanRank{mean, stdErr}
}

// A rankColumn has a mean rank for each row.
type rankColumn struct {
	head string
	of   func(rankRow) meanRank
}

var (
	ownRanks       = rankColumn{"Mean", func(r rankRow) meanRank { return r.Own }}
	publishedRanks = rankColumn{"Mean, published folds", func(r rankRow) meanRank { return r.Published }}
	paperRankMeans = rankColumn{"Paper, same methods and data sets", func(r rankRow) meanRank { return r.PaperMean }}
)

// columns are those of a table's means.
func (t *rankTable) columns() []rankColumn {
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
func (s *Summary) rankTables() (all []*rankTable) {
	for _, everything := range []bool{false, true} {
		if s.own && !everything {
			continue
		}
		var publishedTables, correctedTables []*rankTable
		for _, problem := range []dataset.Problem{dataset.Binary, dataset.MultiClass, dataset.Regression} {
			first, second := s.finished(split.Published, problem, everything), s.finished(split.Corrected, problem, everything)
			var before *rankTable
			if first.notEmpty() {
				before = first.rankTable(nil)
				publishedTables = append(publishedTables, before)
			}
			if second.notEmpty() {
				t := second.rankTable(first)
				t.Repeats = before != nil && len(t.Rows) > 0 && slices.EqualFunc(t.Rows, before.Rows, rankRow.sameRecords)
				correctedTables = append(correctedTables, t)
			}
		}
		all = append(append(all, publishedTables...), correctedTables...)
	}
	return all
}

// rankBlocks are the tables as they are shown, each with what it supports, and one sentence about those in which nothing can be
// ranked yet. name begins the names of files of figures.
func rankBlocks(tables []*rankTable, name string) []Block {
	var blocks []Block
	var empty []string
	explained := false // what diagrams show
	for _, t := range tables {
		switch {
		case t.Repeats:
			var titles []string
			for _, d := range t.Datasets {
				titles = append(titles, d.Title)
			}
			blocks = append(blocks, Paragraph(fmt.Sprintf(
				"Ranks of %s by %s under corrected folds are those under published ones, by the same records: %s, with a single split.",
				t.whose(), t.Metric.Title, strings.Join(titles, ", "))))
		case len(t.Rows) > 0:
			blocks = append(blocks, t.table())
			if len(t.Notes) > 0 {
				blocks = append(blocks, Paragraph(strings.Join(t.Notes, " ")))
			}
			if t.Significance != nil {
				blocks = append(blocks, Paragraph(t.supports()))
				if !explained {
					blocks, explained = append(blocks, Paragraph(diagramKey)), true
				}
				blocks = append(blocks, t.figure(name))
			}
		case len(t.Notes) > 0:
			blocks = append(blocks, Paragraph(fmt.Sprintf("Of %s, %s data sets, %s folds: %s", t.whose(), problemTitle(t.Problem), t.Protocol, strings.Join(t.Notes, " "))))
		case !t.All:
			empty = append(empty, fmt.Sprintf("%s (%s folds)", problemTitle(t.Problem), t.Protocol))
		}
	}
	blocks = append(blocks, foldsChange(tables)...)
	if len(empty) > 0 {
		blocks = append(blocks, Paragraph(fmt.Sprintf(
			"No ranks yet, because no data set has been finished by two of the paper's methods: %s.", strings.Join(empty, ", "))))
	}
	return blocks
}

// name is that of the table and, behind the report's, of its figure.
func (t *rankTable) name() string {
	problem := t.Problem.String()
	if t.All {
		problem = "all-" + problem
	}
	return fmt.Sprintf("ranks-%s-%s", problem, t.Protocol)
}

// hasPublished reports whether it is known how the same methods rank under published folds, in a table of corrected ones.
func (t *rankTable) hasPublished() bool {
	return slices.ContainsFunc(t.Rows, func(r rankRow) bool { return !math.IsNaN(r.Published.Mean) })
}

// table has the ranks, and what gap between two of them is significant.
func (t *rankTable) table() *Table {
	out := t.ranks()
	out.Rows = append(out.Rows, t.gapRows(out)...)
	return out
}

func (t *rankTable) ranks() *Table {
	out := &Table{
		Name: t.name(),
		Caption: fmt.Sprintf("Ranks of %s by %s and their mean (%s data sets, %s folds; ± standard error over data sets).",
			t.whose(), t.Metric.Title, problemTitle(t.Problem), t.Protocol),
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

// whose ranks the table has.
func (t *rankTable) whose() string {
	if t.All {
		return "all methods here"
	}
	return "the paper's methods"
}

// sameRecords reports whether rows of a series under both protocols are by the same records.
func (r rankRow) sameRecords(other rankRow) bool {
	return r.Series == other.Series && slices.EqualFunc(r.Of, other.Of, (*Group).sameRecords)
}

func (t *rankTable) row(r rankRow) Row {
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
