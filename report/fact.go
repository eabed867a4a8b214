package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"nptbench/internal/stats"
)

// A fact is a number that a table shows: a metric, or what a variant changes of it, or its rank.
type fact struct {
	*Number
	metric       string
	mean, stdErr float64 // stdErr is NaN where there is none
	folds        int

	hasPaper           bool
	paper, paperStdErr float64 // paperStdErr is 0 where there is none

	verdict Verdict // empty where there is nothing to judge
}

func publishedFact(c comparison) (fact, bool) { return c.published.fact() }
func correctedFact(c comparison) (fact, bool) { return c.corrected.fact() }

func (n *Number) fact() (fact, bool) {
	if n == nil || n.N == 0 {
		return fact{}, false
	}
	return fact{n, n.Metric.Name, n.Mean, n.StdErr, n.N, n.HasPaper, n.Paper.Mean, n.Paper.StdErr(), n.Verdict}, true
}

func changeFact(c comparison) (fact, bool) {
	d, ok := c.change()
	n := c.any()
	return fact{n, n.Metric.Name + "_change", d.mean, d.stdErr, d.folds, d.hasPaper, d.paper.Mean, d.paperStdErr, d.direction()}, ok
}

func pFact(c comparison) (fact, bool) {
	d, ok := c.change()
	n := c.any()
	return fact{Number: n, metric: n.Metric.Name + "_change_p", mean: d.p, stdErr: math.NaN(), folds: d.folds}, ok && !math.IsNaN(d.p)
}

func rankFact(c comparison) (fact, bool) {
	ranks := c.ranks()
	if len(ranks) == 0 {
		return fact{}, false
	}
	mean, stdErr := stats.MeanRank(ranks)
	f := fact{Number: c.any(), metric: "rank", mean: mean, stdErr: stdErr, folds: len(ranks), verdict: NotComparable}
	if p, ok := c.paperRank(); ok {
		f.hasPaper, f.paper, f.paperStdErr = true, p.Mean, p.StdErr()
	}
	return f, true
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
		return Table1
	}
	return s.Tables
}

// writeFacts writes a line for each number of the tables; one that several tables show alike is there once.
func (s *Summary) writeFacts(w io.Writer) error {
	type line struct {
		fact
		table string
	}
	var lines []line
	shown := map[string]bool{}
	for i := range s.layouts() {
		l := &s.layouts()[i]
		for _, f := range l.facts(s.Numbers) {
			key := fmt.Sprint(f.Info.Name, f.Protocol, f.Series.whole(), f.metric, f.hasPaper, f.paper)
			if !shown[key] {
				shown[key] = true
				lines = append(lines, line{f, l.Name})
			}
		}
	}
	return writeCSV(w, lines, []csvColumn[line]{
		{"experiment", func(l line) string { return s.file("") + "/" + l.table }},
		{"dataset", func(l line) string { return l.Info.Name }},
		{"protocol", func(l line) string { return string(l.Protocol) }},
		{"method", func(l line) string { return l.Series.Method.Name }},
		{"variant", func(l line) string { return l.Series.variant(s.Series) }},
		{"metric", func(l line) string { return l.metric }},
		{"mean", func(l line) string { return full(l.mean) }},
		{"stderr", func(l line) string { return full(l.stdErr) }},
		{"n", func(l line) string { return strconv.Itoa(l.folds) }},
		{"paper", func(l line) string { return has(l.hasPaper, full(l.paper)) }},
		{"paper_stderr", func(l line) string { return has(l.hasPaper && l.paperStdErr > 0, full(l.paperStdErr)) }},
		{"verdict", func(l line) string { return string(l.verdict) }},
		{"title", func(l line) string { return l.Group.title() }},
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
