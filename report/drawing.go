package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"nptbench/internal/measure"
	"nptbench/internal/terminal"
	"nptbench/results"
)

// A drawing is what a measurement draws of a record's table.
type drawing struct {
	title string
	of    *measure.Measurement
	table *results.Table
}

// drawings are figures of what was measured, one for each measurement: of every data set and series the first fold.
func (s *Summary) drawings() (blocks []Block) {
	for _, name := range s.measured() {
		var all []drawing
		for _, g := range s.Groups {
			if m := g.Series.Measure; g.Series.measure() == name && m.Plot != nil && len(g.Folds) > 0 && g.Folds[0].Chosen != nil {
				title := fmt.Sprintf("%s, %s", g.Info.Title, g.title())
				if with := g.Series.measured(); with != name {
					title += with[len(name):]
				}
				all = append(all, drawing{title, m, g.Folds[0].Chosen.Table})
			}
		}
		if len(all) > 0 {
			ending := "-" + name + ".svg"
			if name == s.Name {
				ending = ".svg"
			}
			blocks = append(blocks, Figure{s.file(ending), all[0].of.Caption, drawDrawings(all)})
		}
	}
	if blocks != nil {
		blocks = append([]Block{Heading("What was measured, drawn")}, blocks...)
	}
	return blocks
}

const drawingHeight = 3.4 * vg.Inch

// drawDrawings draws drawings side by side.
func drawDrawings(drawings []drawing) picture {
	return sideBySide(len(drawings), func(i int) (*plot.Plot, error) {
		p := drawings[i]
		plotted, err := p.of.Plot(p.table)
		if err != nil {
			return nil, fmt.Errorf("drawing of %s: %w", p.title, err)
		}
		plotted.Title.Text = p.title
		return plotted, nil
	})
}

// sideBySide draws n plots with titles in rows of a few.
func sideBySide(n int, plotted func(i int) (*plot.Plot, error)) picture {
	columns := min(figureColumns, n)
	rows := (n + columns - 1) / columns
	width, height := vg.Length(columns)*panelWidth, vg.Length(rows)*drawingHeight
	return picture{width, height, func(whole draw.Canvas) error {
		for i := range n {
			p, err := plotted(i)
			if err != nil {
				return err
			}
			p.Title.Text = terminal.Wrap(p.Title.Text, "", 2*titleWidth)
			sansSerif(p)
			left, top := vg.Length(i%columns)*panelWidth, vg.Length(i/columns)*drawingHeight
			c := draw.Crop(whole, left, left+panelWidth-width, height-top-drawingHeight, -top)
			p.Draw(draw.Crop(c, vg.Points(6), -vg.Points(12), vg.Points(4), -vg.Points(4)))
		}
		return nil
	}}
}
