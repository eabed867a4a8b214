package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

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
			blocks = append(blocks, Figure{s.file(ending), all[0].of.Caption, tiled(all, nil)})
		}
	}
	if blocks != nil {
		blocks = append([]Block{Heading("What was measured, drawn")}, blocks...)
	}
	return blocks
}

const drawingHeight = 3.4 * vg.Inch

func (d drawing) size() (width, height vg.Length) { return panelWidth, drawingHeight }

func (d drawing) plot() (*plot.Plot, error) {
	p, err := d.of.Plot(d.table)
	if err != nil {
		return nil, fmt.Errorf("drawing of %s: %w", d.title, err)
	}
	p.Title.Text = terminal.Wrap(d.title, "", 2*titleWidth)
	sansSerif(p)
	return p, nil
}
