package report

import (
	"fmt"
	"math"

	"nptbench/internal/metric"
)

// A comparison is one line of a table: the entries of one data set and method under the two protocols. One may be nil.
type comparison struct{ published, corrected *Entry }

func (c comparison) any() *Entry {
	if c.published != nil {
		return c.published
	}
	return c.corrected
}

// metricTable is one of the paper's Tables 8 to 12, nil when there are no entries for it. Entries come in groups of one data
// set.
func metricTable(entries []*Entry, m metric.Metric) *Table {
	lines, hasPublished, hasCorrected := pair(entries, m)
	if len(lines) == 0 {
		return nil
	}
	spread, better := "standard error", "lower"
	if m.StdDev {
		spread = "standard deviation"
	}
	if m.Larger {
		better = "higher"
	}
	t := &Table{Caption: fmt.Sprintf("Test %s, %s is better (± %s over folds).", m.Doc, better, spread), Grouped: "Data set"}
	columns := metricColumns(hasPublished, hasCorrected)
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for _, line := range lines {
		row := Row{Group: line.any().Info.Title}
		for _, c := range columns {
			row.Cells = append(row.Cells, c.cell(t, line))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// pair brings the protocols of each data set and method together.
func pair(entries []*Entry, m metric.Metric) (lines []comparison, hasPublished, hasCorrected bool) {
	at := map[[2]string]int{}
	for _, e := range entries {
		if e.Metric != m {
			continue
		}
		key := [2]string{e.Info.Name, e.Method.Name}
		i, ok := at[key]
		if !ok {
			i = len(lines)
			at[key] = i
			lines = append(lines, comparison{})
		}
		if e.Protocol == published {
			lines[i].published, hasPublished = e, true
		} else {
			lines[i].corrected, hasCorrected = e, true
		}
	}
	return lines, hasPublished, hasCorrected
}

// A metricColumn is a column and how its cells are made.
type metricColumn struct {
	Column
	cell func(*Table, comparison) Cell
}

// columns leaves out what a report with only one of the protocols cannot fill.
func metricColumns(hasPublished, hasCorrected bool) []metricColumn {
	all := []struct {
		shown bool
		metricColumn
	}{
		{true, metricColumn{Column{Head: "Method"}, func(_ *Table, c comparison) Cell { return Cell{Text: c.any().Method.Title} }}},
		{hasPublished, metricColumn{Column{"Ours", true}, func(_ *Table, c comparison) Cell { return value(c.published) }}},
		{true, metricColumn{Column{"Paper", true}, func(_ *Table, c comparison) Cell { return paperValue(c.any()) }}},
		{hasPublished, metricColumn{Column{"Difference", true}, func(_ *Table, c comparison) Cell { return difference(c.published) }}},
		{hasPublished, metricColumn{Column{Head: "Verdict"}, func(t *Table, c comparison) Cell { return verdict(t, c.published) }}},
		{hasCorrected, metricColumn{Column{"Corrected folds", true}, func(t *Table, c comparison) Cell { return noted(t, c.corrected) }}},
		{hasPublished && hasCorrected, metricColumn{Column{"Change", true}, func(_ *Table, c comparison) Cell { return change(c) }}},
	}
	var shown []metricColumn
	for _, c := range all {
		if c.shown {
			shown = append(shown, c.metricColumn)
		}
	}
	return shown
}

var blank = Cell{Text: none, Tone: Faint}

func value(e *Entry) Cell {
	if e == nil || e.N == 0 {
		return blank
	}
	spread := e.StdErr
	if e.Metric.StdDev {
		spread = e.StdDev()
	}
	return Cell{Text: plusMinus(e.Mean, spread, e.digits())}
}

// noted is a value that has no verdict to carry its footnotes.
func noted(t *Table, e *Entry) Cell {
	cell := value(e)
	if e != nil {
		cell.Notes = t.notes(e.Notes)
	}
	return cell
}

// digits is one digit more than the paper prints.
func (e *Entry) digits() int {
	if e.HasPaper {
		return e.Paper.Decimals + 1
	}
	return e.Metric.Digits + 1
}

func paperValue(e *Entry) Cell {
	if !e.HasPaper {
		return blank
	}
	return Cell{Text: e.Paper.String()}
}

func difference(e *Entry) Cell {
	if e == nil || !e.HasDifference() {
		return blank
	}
	return Cell{Text: signed(e.Difference(), e.digits())}
}

func change(c comparison) Cell {
	if c.published == nil || c.corrected == nil || !c.published.Complete() || !c.corrected.Complete() {
		return blank
	}
	return Cell{Text: signed(c.corrected.Mean-c.published.Mean, c.published.digits())}
}

// verdict is the cell with an entry's verdict and its footnotes.
func verdict(t *Table, e *Entry) Cell {
	if e == nil {
		return blank
	}
	text := string(e.Verdict)
	switch {
	case e.Verdict == Reproduced && e.SpreadReproduced:
		text += ", ± too"
	case e.Verdict == Differs && !math.IsNaN(e.Z):
		text += fmt.Sprintf(" by %.1f s.e.", math.Abs(e.Z))
	}
	return Cell{Text: text, Tone: e.Verdict.tone(), Notes: t.notes(e.Notes)}
}

func (v Verdict) tone() Tone {
	switch v {
	case Reproduced:
		return Good
	case WithinOne, WithinTwo:
		return Fair
	case Differs, FailedCell:
		return Bad
	case NotRun, NoPaper, NotJudged:
		return Faint
	}
	return Neutral
}
