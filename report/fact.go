package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"nptbench/internal/split"
)

// A fact is a number that a table shows: as it is, or with what its change, its rank or its cost comes to instead. One that failed has
// N = 0, and no mean.
type fact struct {
	*Number
	metric string          // what it is of the number: its metric, or the name of something derived
	row    string          // as the table names it
	byFold map[int]float64 // what it is the mean of, by the number of the fold; nil when it is no mean over folds
	lacks  []string        // which of the numbers that it is derived from have no result on which folds, though these have been run
}

// factUnder is the number itself under a protocol, where there is one, be it that it failed.
func factUnder(p split.Protocol) func(comparison) (fact, bool) {
	return func(c comparison) (fact, bool) {
		if n := c.under(p); n.hasOutcome() {
			return n.fact(), true
		}
		return fact{}, false
	}
}

// fact is the number itself.
func (n *Number) fact() fact {
	byFold := map[int]float64{}
	for _, f := range n.Folds {
		if x, ok := f.result(n.Metric); ok {
			byFold[f.Number] = x
		}
	}
	return fact{Number: n, metric: n.Metric.Name, byFold: byFold}
}

// lacksNote says on which folds there is no result, though they have been run.
func (f fact) lacksNote(name string) []string {
	var folds []int
	for _, fold := range f.Folds {
		if _, has := f.byFold[fold.Number]; !has && fold.Complete() {
			folds = append(folds, fold.Number)
		}
	}
	if folds == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s has no result on %s.", name, foldList(folds))}
}

// derived is something else of a number, over so many folds or cells, beside which the paper has nothing yet, and of whose error over
// test rows nothing is known.
func (n *Number) derived(metric string, mean, stdErr float64, over int) fact {
	of := *n
	of.Mean, of.StdErr, of.RowStdErr, of.N, of.HasPaper, of.Verdict, of.Seeds = mean, stdErr, math.NaN(), over, false, "", nil
	return fact{Number: &of, metric: metric}
}

// kind is what a fact is of its metric; empty: the metric itself.
func (f *fact) kind() string { return strings.TrimPrefix(f.metric, f.Metric.Name) }

// axis is the title of the fact's axis in a figure.
func (f *fact) axis() string {
	switch f.metric {
	case f.Metric.Name:
		return f.Metric.Axis()
	case coreSeconds:
		return "seconds of one core"
	case "rank":
		return "mean rank by " + f.Metric.Title + ", 0 is best"
	}
	better := ", below 0 is better"
	if f.Metric.Larger {
		better = ", above 0 is better"
	}
	return "change of the " + f.Metric.Title + better
}

// facts are those of a table, row by row.
func (l *Layout) facts(numbers []*Number) (facts []fact) {
	lines, columns := l.project(numbers)
	for _, line := range lines {
		for _, column := range columns {
			c := line.cells[column.key(l.Columns...)]
			for _, part := range l.Show {
				if c == nil || part.fact == nil {
					continue
				}
				if f, ok := part.fact(*c); ok {
					f.row = strings.Join(line.labels(l.Rows), " ")
					facts = append(facts, f)
				}
			}
		}
	}
	return facts
}

// layouts are those of the report.
func (s *Summary) layouts() []Layout {
	switch {
	case s.own:
		return ownTables
	case s.Tables == nil:
		return table1
	}
	return s.Tables
}

// A shown number stands in a table, below a title of the report.
type shown struct {
	fact
	table, section string
}

// shown are the numbers of the tables; one that several show alike is there once, for the first of them.
func (s *Summary) shown() (all []shown) {
	seen := map[string]bool{}
	section := ""
	for i := range s.layouts() {
		l := &s.layouts()[i]
		section = cmp.Or(l.Title, section)
		for _, f := range l.facts(s.Numbers) {
			key := fmt.Sprint(f.Info.Name, f.Protocol, f.whole(), f.metric, has(f.HasPaper, full(f.Paper.Mean)))
			if !seen[key] {
				seen[key] = true
				all = append(all, shown{f, l.Name, section})
			}
		}
	}
	return all
}

// writeFacts writes a line for each number of the tables.
func (s *Summary) writeFacts(w io.Writer) error {
	return writeCSV(w, s.shown(), []csvColumn[shown]{
		{"experiment", func(l shown) string { return s.file("") + "/" + l.table }},
		{"dataset", func(l shown) string { return l.Info.Name }},
		{"protocol", func(l shown) string { return string(l.Protocol) }},
		{"method", func(l shown) string { return l.Series.Method.Name }},
		{"variant", func(l shown) string { return l.Series.variant(s.Series) }},
		{"metric", func(l shown) string { return l.metric }},
		{"mean", func(l shown) string { return has(l.N > 0, full(l.Mean)) }},
		{"stderr", func(l shown) string { return full(l.StdErr) }},
		{"n", func(l shown) string { return strconv.Itoa(l.N) }},
		{"paper", func(l shown) string { return has(l.HasPaper, full(l.Paper.Mean)) }},
		{"paper_stderr", func(l shown) string { return has(l.HasPaper && l.Paper.StdErr() > 0, full(l.Paper.StdErr())) }},
		{"verdict", func(l shown) string { return string(l.Verdict) }},
		{"title", func(l shown) string { return l.Group.title() }},
	})
}

// variant is what tells a series from others of its method, and what was measured on its models.
func (s *Series) variant(fields []string) string {
	var values []string
	for _, field := range fields {
		if v := s.Values[field]; v != "" {
			values = append(values, v)
		}
	}
	if s.Measure != nil {
		values = append(values, s.measured())
	}
	return strings.Join(values, ", ")
}
