package report

import (
	"cmp"
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/metric"
	"nptbench/internal/picture"
	"nptbench/internal/split"
)

// pictures are figures to read a comparison of methods by, rather than to look numbers up.
func (s *Summary) pictures() (blocks []Block) {
	methods, times, caption := s.times()
	for _, f := range []struct {
		ending, caption string
		kinds           []string
		panels          []picture.Scatter
	}{
		{"-agreement.svg", "Every number of ours against the paper's, by metric; on the line they are equal.",
			[]string{"reproduced", "reproduced on a part of the rows", "any other", "not comparable"}, s.agreement()},
		{"-protocols.svg", "What correcting the folds changes: the mean over the published folds against that over the corrected ones.",
			nil, s.correction()},
		{"-validation.svg", "The metric that settings are chosen by, on the validation and on the test rows of every fold, with the chosen setting of each method.",
			[]string{"published folds", "corrected folds"}, s.validation()},
		{"-time.svg", caption, methods, times},
	} {
		if len(f.panels) > 0 {
			blocks = append(blocks, Figure{s.file(f.ending), f.caption, picture.Scatters(f.kinds, f.panels)})
		}
	}
	if blocks != nil {
		blocks = append([]Block{Heading("Further figures")}, blocks...)
	}
	return blocks
}

// isLog reports whether axes of a metric are logarithmic: of errors that differ by factors.
func isLog(m metric.Metric) bool { return !m.Larger }

// agreement has a panel for every metric of the paper's tables.
func (s *Summary) agreement() (panels []picture.Scatter) {
	for _, m := range metric.All {
		p := picture.Scatter{Title: m.Axis(), X: "paper", Y: "ours", LogX: isLog(m), LogY: isLog(m), Diagonal: true, Points: make([][]picture.Point, 4)}
		for _, n := range s.Numbers {
			if n.Metric != m || !n.HasPaper || !n.Complete() || n.Protocol != split.Published {
				continue
			}
			kind := 2
			switch n.Verdict {
			case Reproduced:
				kind = 0
			case ReproducedOnPart:
				kind = 1
			case NotComparable:
				kind = 3
			}
			p.Points[kind] = append(p.Points[kind], picture.Point{X: n.Paper.Mean, Y: n.Mean})
		}
		panels = addPanel(panels, p)
	}
	return panels
}

// correction has a panel for every metric, without the numbers that both protocols have of the same records.
func (s *Summary) correction() (panels []picture.Scatter) {
	for _, m := range metric.All {
		p := picture.Scatter{Title: m.Axis(), X: "published folds", Y: "corrected folds", LogX: isLog(m), LogY: isLog(m), Diagonal: true, Points: make([][]picture.Point, 1)}
		layout := Layout{Where: []Where{{"metric", []string{m.Name}}}, Rows: []string{"dataset", "series"}}
		lines, _ := layout.project(s.Numbers)
		for _, line := range lines {
			if c := *line.cells[""]; c.complete() && !c.published.sameRecords(c.corrected.Group) {
				p.Points[0] = append(p.Points[0], picture.Point{X: c.published.Mean, Y: c.corrected.Mean})
			}
		}
		panels = addPanel(panels, p)
	}
	return panels
}

// validation has a panel for every data set with several folds.
func (s *Summary) validation() (panels []picture.Scatter) {
	for _, d := range s.datasets() {
		by := s.selects(d.Problem)
		p := picture.Scatter{Title: d.Title + ", " + by.Title, X: "validation", Y: "test" + by.Direction(), LogX: isLog(by), LogY: isLog(by), Diagonal: true, Points: make([][]picture.Point, 2)}
		for _, g := range s.Groups {
			if g.Info.Name != d.Name || len(g.Folds) < 2 {
				continue
			}
			for _, rec := range g.chosen() {
				x, hasX := finite(rec.Val, by.Name)
				y, hasY := finite(rec.Test, by.Name)
				if hasX && hasY {
					kind := slices.Index(split.Protocols, g.Protocol)
					p.Points[kind] = append(p.Points[kind], picture.Point{X: x, Y: y})
				}
			}
		}
		panels = addPanel(panels, p)
	}
	return panels
}

// times has a panel for every data set, with the metric by which Table 1 ranks; the kinds of points are the series. Where any was trained on
// a GPU, whose seconds are others, it is not on the line of the best; the caption says so.
func (s *Summary) times() (titles []string, panels []picture.Scatter, caption string) {
	onGPU, untimed, otherSearch := false, false, false
	for _, d := range s.datasets() {
		m := metric.Ranking(d.Problem)
		p := picture.Scatter{Title: d.Title, X: "core seconds", Y: m.Axis(), LogX: true, LogY: isLog(m)}
		shown := slices.DeleteFunc(slices.Clone(s.Numbers), func(n *Number) bool {
			return n.Info.Name != d.Name || n.Metric != m || n.Protocol != split.Published || !n.Complete() || n.cost.fit == 0
		})
		if len(shown) < 3 {
			continue
		}
		var all []picture.Point
		for _, n := range shown {
			kind := slices.Index(titles, n.Series.Title)
			if kind < 0 {
				kind = len(titles)
				titles = append(titles, n.Series.Title)
			}
			for len(p.Points) <= kind {
				p.Points = append(p.Points, nil)
			}
			of := picture.Point{X: n.cost.fit + n.cost.predict, Y: n.Mean}
			p.Points[kind] = append(p.Points[kind], of)
			untimed, otherSearch = untimed || n.cost.untimed > 0, otherSearch || n.otherSearch()
			if n.cost.onGPU > 0 {
				onGPU = true
			} else {
				all = append(all, of)
			}
		}
		slices.SortStableFunc(all, func(a, b picture.Point) int { return cmp.Compare(a.X, b.X) })
		for _, q := range all {
			last := len(p.Front) - 1
			if last < 0 || m.Larger && q.Y > p.Front[last].Y || !m.Larger && q.Y < p.Front[last].Y {
				p.Front = append(p.Front, q)
			}
		}
		panels = append(panels, p)
	}
	caption = "Result against the time that the fits and predictions of the settings that ran took, times their threads. " +
		"The line joins methods that no other one beats in both."
	if otherSearch {
		caption += " Some methods chose among fewer or more settings than in the paper (see what ran)."
	}
	if onGPU {
		caption += " Networks that were trained on a GPU have its seconds, and the line leaves them out."
	}
	if untimed {
		caption += " Times are without those of cells that failed."
	}
	return titles, panels, caption
}

// datasets lists those of the numbers.
func (s *Summary) datasets() (list []dataset.Info) {
	for _, n := range s.Numbers {
		if !slices.ContainsFunc(list, func(d dataset.Info) bool { return d.Name == n.Info.Name }) {
			list = append(list, n.Info)
		}
	}
	return list
}

// addPanel leaves out a panel without points.
func addPanel(panels []picture.Scatter, p picture.Scatter) []picture.Scatter {
	if len(slices.Concat(p.Points...)) > 0 {
		panels = append(panels, p)
	}
	return panels
}
