package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"

	"nptbench/internal/picture"
	"nptbench/internal/split"
	"nptbench/results"
)

// panels returns what the figure shows, nothing when there is no complete result: the facts of the layouts that are to be in it,
// or else the metrics by which Table 1 ranks. A report of a measurement has that one's own.
func (s *Summary) panels() (panels []picture.Panel) {
	own := slices.Contains(s.measured(), s.Name)
	for i := range s.Tables {
		if l := &s.Tables[i]; l.Figure {
			panels, own = append(panels, l.panels(s.Numbers)...), true
		}
	}
	if own {
		return panels
	}
	var complete []*Number
	for _, n := range s.Numbers {
		if n.Complete() {
			complete = append(complete, n)
		}
	}
	shown := Layout{Where: []Where{Ranking}, Group: "dataset", Rows: []string{"series"}, Show: []Part{Ours, Corrected}}
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

// learningCurves are those of the chosen settings, of methods whose records have them, where the report is to show them.
func (s *Summary) learningCurves() (curves []picture.LearningCurve) {
	if !s.Curves {
		return nil
	}
	shown := map[results.ID]bool{}
	for _, g := range s.Groups {
		c, logs, folds, fresh := picture.LearningCurve{Dataset: g.Info.Title, Series: g.title()}, []float64(nil), 0.0, false
		for _, rec := range g.chosen() {
			steps, _ := rec.Details["steps"].(float64)
			points, _ := rec.Details["learning_curve"].([]any)
			of := make([]float64, len(points))
			for i, p := range points {
				loss, _ := p.(float64)
				of[i] = math.Log(loss)
			}
			if len(of) < 2 || steps <= 0 || !finiteAll(of) || folds > 0 && (len(of) != len(logs) || steps != c.Steps) {
				continue
			}
			if folds++; folds == 1 {
				c.Steps, logs = steps, make([]float64, len(of))
			}
			floats.Add(logs, of)
			fresh, shown[rec.ID] = fresh || !shown[rec.ID], true
		}
		if !fresh {
			continue // none, or all under the other protocol
		}
		if len(s.Plan.Protocols) > 1 {
			c.Folds = string(g.Protocol) + " folds"
		}
		for _, l := range logs {
			c.Losses = append(c.Losses, math.Exp(l/folds))
		}
		curves = append(curves, c)
	}
	return curves
}

func finiteAll(x []float64) bool {
	return !slices.ContainsFunc(x, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// drawings are figures of what was measured, one for each measurement: of every data set and series the first fold, once where both
// protocols have the same.
func (s *Summary) drawings() (blocks []Block) {
	for _, name := range s.measured() {
		var all []picture.Drawing
		caption, drawn := "", map[*results.Record]bool{}
		for _, g := range s.Groups {
			m := g.Series.Measure
			if g.Series.measure() != name || m.Plot == nil || len(g.Folds) == 0 {
				continue
			}
			rec := g.Folds[0].Chosen
			if rec == nil || drawn[rec] { // under the other protocol
				continue
			}
			title := fmt.Sprintf("%s, %s", g.Info.Title, g.title())
			if with := g.Series.measured(); with != name {
				title += with[len(name):]
			}
			if len(s.Plan.Protocols) > 1 {
				title += fmt.Sprintf(", %s folds", g.Protocol)
			}
			caption, drawn[rec] = m.Caption, true
			all = append(all, picture.Drawing{Title: title, Make: func() (*plot.Plot, error) { return m.Plot(rec.Table) }})
		}
		if len(all) > 0 {
			ending := "-" + name + ".svg"
			if name == s.Name {
				ending = ".svg"
			}
			blocks = append(blocks, Figure{s.file(ending), caption, picture.Drawings(all)})
		}
	}
	if blocks != nil {
		blocks = append([]Block{Heading("What was measured, drawn")}, blocks...)
	}
	return blocks
}
