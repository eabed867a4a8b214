package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"nptbench/internal/spelling"
	"nptbench/internal/stats"
	"nptbench/report"
)

// shown is what a terminal shows.
func shown(file string, comparisons []*comparison) *report.Document {
	d := &report.Document{Title: "Comparison of " + file}
	for _, c := range comparisons {
		d.Blocks = append(d.Blocks, report.Heading(c.heading()), c.differences())
		if c.overall != nil {
			d.Blocks = append(d.Blocks, c.overallBlocks()...)
		}
	}
	c := comparisons[0]
	intervals := fmt.Sprintf("±: half the %s interval of a mean over folds, by Nadeau and Bengio's t-test: folds share training rows, so that their "+
		"variance counts for more than in Student's. It was made for test rows drawn at random, which may overlap; for "+
		"cross-validation it is a rule of thumb.", level(c.alpha))
	d.Blocks = append(d.Blocks, report.Heading("How to read this"), report.List{
		intervals,
		fmt.Sprintf("Difference: the method minus the first of its table, over the folds of both. p: of no difference, two-sided, by the same test, after Holm's "+
			"correction for the methods of a data set; * at most %v.", c.alpha),
		"Wins: folds, or data sets, on which the method is better than the first, ties half. δ: Cliff's, from -1 to 1: how much more often a " +
			"result of the method is better than one of the first, over all pairs of folds.",
	})
	return d
}

func (c *comparison) heading() string {
	text := c.metric.Heading()
	if c.protocol != "" {
		text += ", " + c.protocol + " folds"
	}
	if c.metric.Larger {
		return text + " (larger is better)"
	}
	return text + " (smaller is better)"
}

// level is that of intervals in percent.
func level(alpha float64) string { return strconv.FormatFloat(100*(1-alpha), 'g', 4, 64) + " %" }

// differences has a line for each data set and method.
func (c *comparison) differences() *report.Table {
	t := &report.Table{
		Caption: fmt.Sprintf("Mean over folds, and difference from %s.", c.methods[0]),
		Grouped: "Data set",
		Columns: []report.Column{{Head: "Method"}, {Head: "Mean", Right: true}, {Head: "Difference", Right: true}, {Head: "p", Right: true},
			{Head: "Wins", Right: true}, {Head: "δ", Right: true}},
	}
	for _, d := range c.on {
		digits := d.digits(c.metric.Digits)
		group := d.name
		if n := len(d.rows[0].values); n > 0 {
			group += ", " + spelling.Count(n, "fold")
		}
		for _, r := range d.rows {
			cells := r.cells(t, digits, c.alpha)
			cells[0].Text = r.method
			t.Rows = append(t.Rows, report.Row{Group: group, Cells: cells})
		}
	}
	return t
}

func (r *row) cells(t *report.Table, digits int, alpha float64) []report.Cell {
	cells := make([]report.Cell, 6)
	if len(r.notes) > 0 {
		cells[0].Notes = []int{t.Note(strings.Join(r.notes, " "))}
	}
	switch {
	case len(r.values) == 0:
		cells[1].Text = "–"
	case r.mean == nil:
		cells[1].Text = strconv.FormatFloat(r.values[0].value, 'f', digits, 64)
	default:
		cells[1].Text = interval(r.mean, digits, false)
	}
	if r.against == nil {
		return cells
	}
	d := r.against
	if d.test != nil {
		cells[2].Text = interval(d.test, digits, true)
		if !math.IsNaN(d.adjusted) {
			cells[3] = pCell(math.Log(d.adjusted), alpha)
		}
	} else if d.pairs == 1 {
		cells[2].Text = report.Signed(d.median, digits)
	}
	if d.pairs > 0 {
		cells[4].Text = fmt.Sprintf("%s/%d", strconv.FormatFloat(d.wins*float64(d.pairs), 'g', 4, 64), d.pairs)
	}
	if d.test != nil {
		cells[5].Text = report.Signed(d.delta, 2)
	}
	return cells
}

func pCell(logP, alpha float64) report.Cell {
	if logP <= math.Log(alpha) {
		return report.Cell{Text: stats.ShortPText(logP) + "*", Tone: report.Good}
	}
	return report.Cell{Text: stats.ShortPText(logP) + " "}
}

// digits are the decimals of a data set: those that the paper prints of the metric, or two digits of the narrowest interval, of a mean or a
// difference, where these are too few or it has none.
func (d *datasetComparison) digits(paper int) int {
	narrowest := math.Inf(1)
	for _, r := range d.rows {
		tests := []*stats.TTest{r.mean}
		if r.against != nil {
			tests = append(tests, r.against.test)
		}
		for _, t := range tests {
			if t != nil && t.High > t.Low {
				narrowest = min(narrowest, (t.High-t.Low)/2)
			}
		}
	}
	switch {
	case math.IsInf(narrowest, 1):
		return max(paper+1, 4)
	case paper > 0 && narrowest >= math.Pow10(-paper):
		return paper
	}
	return min(max(1-int(math.Floor(math.Log10(narrowest))), 0), 12)
}

func interval(t *stats.TTest, digits int, sign bool) string {
	mean := report.Decimal(t.Mean, digits)
	if sign {
		mean = report.Signed(t.Mean, digits)
	}
	return mean + " ± " + report.Decimal((t.High-t.Low)/2, digits)
}

// overallBlocks say what the data sets together come to.
func (c *comparison) overallBlocks() []report.Block {
	o := c.overall
	if len(o.datasets) < 2 {
		return []report.Block{report.Paragraph("No comparison over data sets. " + strings.Join(o.notes, " "))}
	}
	by := ""
	if stats.ByRatios(o.means, c.metric.Larger) {
		by = ", by ratios of means"
	}
	t := &report.Table{
		Caption: fmt.Sprintf("Over %s: %s. p of the two-sided signed-rank test against %s%s, after Holm's correction for all pairs of methods.",
			spelling.Count(len(o.datasets), "data set"), strings.Join(o.datasets, ", "), o.methods[0], by),
		Columns: []report.Column{{Head: "Method"}, {Head: "Mean rank (± standard error)", Right: true}, {Head: "p", Right: true}, {Head: "Wins", Right: true}},
	}
	for j, method := range o.methods {
		cells := []report.Cell{{Text: method}, {Text: fmt.Sprintf("%.2f ± %.2f", o.friedman.Mean[j], o.friedman.StdErr[j])}, {}, {}}
		if j > 0 {
			cells[2] = pCell(math.Log(o.adjusted[0][j]), c.alpha)
			n := float64(len(o.datasets))
			cells[3].Text = fmt.Sprintf("%s/%v", strconv.FormatFloat(o.wins(j, c.metric.Larger)*n, 'g', 4, 64), n)
		}
		t.Rows = append(t.Rows, report.Row{Cells: cells})
	}
	blocks := []report.Block{t}
	if len(o.notes) > 0 {
		blocks = append(blocks, report.List(o.notes))
	}
	if len(o.methods) > 2 {
		blocks = append(blocks, report.Paragraph(o.friedmanText(c.alpha)))
	}
	return blocks
}

func (o *overall) friedmanText(alpha float64) string {
	f := o.friedman
	difference := stats.NemenyiDifference(alpha, f.K, f.N)
	nemenyi := o.groups(func(i, j int) bool { return stats.Reaches(f.Mean[i]-f.Mean[j], difference) })
	wilcoxon := o.groups(func(i, j int) bool { return o.adjusted[i][j] <= alpha })
	critical := fmt.Sprintf("Nemenyi's critical difference of mean ranks at %v is %.2f: %s", alpha, difference, nemenyi)
	if math.IsInf(difference, 1) {
		critical = fmt.Sprintf("No difference of mean ranks would be so large by chance with a probability of only %v (Nemenyi's test)", alpha)
	}
	return fmt.Sprintf("%v. %s. Signed-rank test with Holm's correction: %s.", f, critical, wilcoxon)
}
