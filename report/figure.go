package report

import (
	"fmt"
	"slices"

	"nptbench/internal/picture"
	"nptbench/internal/split"
)

// panels returns what the figure shows, nothing when there is no complete result: the facts of the layouts that are to be in it,
// or else the metrics by which Table 1 ranks. A report of a measurement has that one's own.
func (s *Summary) panels() (panels []picture.Panel) {
	for i := range s.Tables {
		if l := &s.Tables[i]; l.Figure {
			panels = append(panels, l.panels(s.Numbers)...)
		}
	}
	if panels != nil || slices.Contains(s.measured(), s.Name) {
		return panels
	}
	var complete []*Number
	for _, n := range s.Numbers {
		if n.Complete() {
			complete = append(complete, n)
		}
	}
	shown := Layout{Where: []Where{ranking}, Group: "dataset", Rows: []string{"series"}, Show: []Part{Ours, Corrected}}
	return shown.panels(complete)
}

// panels shows the facts of the first of a layout's parts that has any by data set, those that are measured.
func (l *Layout) panels(numbers []*Number) (panels []picture.Panel) {
	var over [][]string // of the lines of each panel: over how many folds, where these are not all
	facts := l.facts(numbers)
	for _, f := range facts {
		if f.kind() != facts[0].kind() || f.Verdict == Extrapolated { // of another part, such as p
			continue
		}
		at := slices.IndexFunc(panels, func(p picture.Panel) bool { return p.Title == f.Info.Title })
		if at < 0 {
			at = len(panels)
			panels = append(panels, picture.Panel{Title: f.Info.Title, Axis: f.axis(), Zero: f.metric != f.Metric.Name && f.metric != coreSeconds})
			over = append(over, nil)
		}
		folds := ""
		if f.metric != coreSeconds && f.N < f.paperFolds() {
			folds = fmt.Sprintf("%d of %d folds", f.N, f.paperFolds())
		}
		p, line := &panels[at], 0
		for line < len(p.Lines) && (p.Lines[line].Title != f.row || over[at][line] != folds) {
			line++
		}
		if line == len(p.Lines) {
			p.Lines, over[at] = append(p.Lines, picture.Line{Title: f.row}), append(over[at], folds)
		}
		values := &p.Lines[line].Values
		values[0] = picture.Value{Mean: f.Paper.Mean, StdErr: f.Paper.StdErr(), OK: f.HasPaper}
		values[1+slices.Index(split.Protocols, f.Protocol)] = picture.Value{Mean: f.Mean, StdErr: f.StdErr, OK: true}
	}
	for i := range panels {
		sayFolds(&panels[i], over[i])
	}
	return panels
}

// sayFolds has over how many folds lines are in the panel's title, where that is the same of all, or else in theirs.
func sayFolds(p *picture.Panel, over []string) {
	if len(slices.Compact(slices.Clone(over))) == 1 {
		if over[0] != "" {
			p.Title += ", " + over[0]
		}
		return
	}
	for i := range p.Lines {
		if over[i] != "" {
			p.Lines[i].Title += " (" + over[i] + ")"
		}
	}
}
