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

// panels shows what is measured, by data set, of the kind that the first of a layout's parts shows.
func (l *Layout) panels(numbers []*Number) (panels []picture.Panel) {
	first, kind := *l, ""
	first.Show = l.Show[:1]
	if facts := first.facts(numbers); facts != nil {
		kind = facts[0].kind()
	}
	for _, f := range l.facts(numbers) {
		if f.N == 0 || f.kind() != kind || f.Verdict == Extrapolated { // or of another part, such as p
			continue
		}
		at := slices.IndexFunc(panels, func(p picture.Panel) bool { return p.Title == f.Info.Title })
		if at < 0 {
			at = len(panels)
			panels = append(panels, picture.Panel{Title: f.Info.Title, Axis: f.axis(), Zero: f.metric != f.Metric.Name && f.metric != coreSeconds})
		}
		folds := ""
		if f.metric != coreSeconds && f.N < f.paperFolds() {
			folds = fmt.Sprintf("%d of %d folds", f.N, f.paperFolds())
		}
		p := &panels[at]
		line := slices.IndexFunc(p.Lines, func(line picture.Line) bool { return line.Title == f.row && line.Folds == folds })
		if line < 0 {
			line = len(p.Lines)
			p.Lines = append(p.Lines, picture.Line{Title: f.row, Folds: folds})
		}
		values := &p.Lines[line].Values
		values[0] = picture.Value{Mean: f.Paper.Mean, StdErr: f.Paper.StdErr(), OK: f.HasPaper}
		values[1+slices.Index(split.Protocols, f.Protocol)] = picture.Value{Mean: f.Mean, StdErr: f.StdErr, OK: true}
	}
	for i := range panels {
		sayFolds(&panels[i])
	}
	return panels
}

// sayFolds has over how many folds lines are in the panel's title, where that is the same of all, or else in theirs.
func sayFolds(p *picture.Panel) {
	folds := p.Lines[0].Folds
	if !slices.ContainsFunc(p.Lines, func(line picture.Line) bool { return line.Folds != folds }) {
		if folds != "" {
			p.Title += ", " + folds
		}
		return
	}
	for i := range p.Lines {
		if line := &p.Lines[i]; line.Folds != "" {
			line.Title += " (" + line.Folds + ")"
		}
	}
}
