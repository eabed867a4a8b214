package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"nptbench/results"
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
	for _, g := range s.Groups {
		if g.Settings == 0 {
			row := cells(string(g.Protocol), g.Series.Title, "not run", none, none, none, none, none, none, none)
			t.Rows = append(t.Rows, Row{Group: g.Info.Title, Cells: row})
			continue
		}
		complete := 0
		for _, f := range g.Folds {
			if f.Complete() {
				complete++
			}
		}
		searched := none
		if n, ok := results.PaperSettings(g.Info.Name, g.Series.Method.Name); ok && g.Series.Measure == nil {
			searched = thousands(n)
		}
		ok, failed, missing := g.counts()
		row := Row{Group: g.Info.Title, Cells: cells(string(g.Protocol), g.Series.whole(), fmt.Sprintf("%d of %d", complete, len(g.Folds)),
			thousands(g.Settings), searched, thousands(ok), thousands(failed), thousands(missing), g.cost.text(), g.library())}
		if failed > 0 {
			row.Cells[6].Notes = []int{t.note(fmt.Sprintf("%s on %s, %s: %s.", g.Series.whole(), g.Info.Title, g.Protocol, g.failures()))}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// text is what the records took, as far as they say.
func (c *cost) text() string {
	if c.fit+c.predict == 0 {
		return none
	}
	return clock(c.fit + c.predict)
}

// library is what the records of the chosen settings say that trained them, where it is not this program.
func (g *Group) library() string {
	var names []string
	for _, f := range g.Folds {
		if f.Chosen == nil {
			continue
		}
		if name, ok := f.Chosen.Details["library"].(string); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return cmp.Or(strings.Join(names, ", "), none)
}
