package report

import (
	"fmt"

	"gonum.org/v1/plot"

	"nptbench/internal/picture"
)

// drawings are figures of what was measured, one for each measurement: of every data set and series the first fold.
func (s *Summary) drawings() (blocks []Block) {
	for _, name := range s.measured() {
		var all []picture.Drawing
		caption := ""
		for _, g := range s.Groups {
			if m := g.Series.Measure; g.Series.measure() == name && m.Plot != nil && len(g.Folds) > 0 && g.Folds[0].Chosen != nil {
				title := fmt.Sprintf("%s, %s", g.Info.Title, g.title())
				if with := g.Series.measured(); with != name {
					title += with[len(name):]
				}
				table := g.Folds[0].Chosen.Table
				caption = m.Caption
				all = append(all, picture.Drawing{Title: title, Make: func() (*plot.Plot, error) { return m.Plot(table) }})
			}
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
