package report

import (
	"fmt"
	"slices"
)

// coverage is a table that says how much of the plan has been run.
func (s *Summary) coverage() *Table {
	t := &Table{
		Name:    "coverage",
		Caption: "Cells by data set, protocol and method, with the time of all fits and predictions that have a record, times their threads.",
		Grouped: "Data set",
		Columns: []Column{{Head: "Folds are"}, {Head: "Method"}, {"Complete folds", true}, {"Settings", true},
			{"Paper's settings", true}, {"Done", true}, {"Failed", true}, {"To do", true}, {"Core time", true}, {Head: "Library"}},
	}
	if slices.ContainsFunc(s.Groups, func(g *Group) bool { return g.Protocol != s.Groups[0].Protocol }) {
		t.Caption += " Folds that both protocols share are counted under both."
	}
	for _, g := range s.Groups {
		if g.Settings == 0 {
			row := cells(string(g.Protocol), g.title(), "not run", none, none, none, none, none, none, none)
			t.Rows = append(t.Rows, Row{Group: g.Info.Title, Cells: row})
			continue
		}
		complete := g.completeFolds()
		searched := Cell{Text: none}
		if n, known := g.paperSettings(); known {
			searched = count(n)
		}
		ok, failed, missing := g.counts()
		row := Row{Group: g.Info.Title, Cells: []Cell{{Text: string(g.Protocol)}, {Text: g.whole()},
			number(fmt.Sprintf("%d of %d", complete, len(g.Folds)), float64(complete)), count(g.Settings), searched, count(ok), count(failed),
			count(missing), {}, {Text: g.library()}}}
		if failed > 0 {
			row.Cells[6].Notes = []int{t.Note(fmt.Sprintf("%s on %s, %s: %s.", g.whole(), g.Info.Title, g.Protocol, failures(g.Folds)))}
		}
		row.Cells[8] = g.cost.cell(t)
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cell is what the records took, as far as they say.
func (c *cost) cell(t *Table) Cell {
	if c.took() == 0 {
		return Cell{Text: none}
	}
	cell := number(clock(c.took()), c.took())
	cell.Notes = append(c.deviceNote(t), c.untimedNote(t)...)
	return cell
}
