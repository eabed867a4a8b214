package report

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"nptbench/results"
)

// A learningCurve has the mean losses of equal parts of a training's steps.
type learningCurve struct {
	title  string
	steps  float64
	losses []float64
}

// learningCurves are those of the chosen settings, of methods whose records have them, where the report is to show them.
func (s *Summary) learningCurves() (curves []learningCurve) {
	if !s.Curves {
		return nil
	}
	shown := map[results.ID]bool{}
	for _, g := range s.Groups {
		for _, f := range g.Folds {
			if f.Chosen == nil || shown[f.Chosen.ID] {
				continue
			}
			c := learningCurve{title: fmt.Sprintf("%s, %s", g.Info.Title, g.Series.Title)}
			if len(g.Folds) > 1 {
				c.title += fmt.Sprintf(", fold %d", f.Number)
			}
			c.steps, _ = f.Chosen.Details["steps"].(float64)
			points, _ := f.Chosen.Details["learning_curve"].([]any)
			for _, p := range points {
				if loss, ok := p.(float64); ok && loss > 0 {
					c.losses = append(c.losses, loss)
				}
			}
			if len(c.losses) > 1 && len(c.losses) == len(points) && c.steps > 0 {
				shown[f.Chosen.ID] = true
				curves = append(curves, c)
			}
		}
	}
	return curves
}

// lineColours can be told apart by the colour-blind (Okabe and Ito).
var lineColours = []color.Color{blue, orange, color.RGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, color.RGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, grey}

// drawLearningCurves draws curves into one panel, the losses on a logarithmic axis.
func drawLearningCurves(curves []learningCurve) picture {
	legend := vg.Length(len(curves)) * vg.Points(13)
	return picture{2 * panelWidth, 3.5*vg.Inch + legend, func(whole draw.Canvas) error {
		p, err := plotLearningCurves(curves)
		if err != nil {
			return err
		}
		p.Legend.Draw(draw.Crop(whole, 0, -vg.Points(12), 0, -vg.Points(4)))
		p.Legend = plot.NewLegend()
		p.Draw(draw.Crop(whole, vg.Points(6), -vg.Points(12), vg.Points(4), -legend-vg.Points(8)))
		return nil
	}}
}

func plotLearningCurves(curves []learningCurve) (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "step", "training loss"+logarithmic
	sansSerif(p)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{Y: 0xe0}, color.Gray{Y: 0xe0}
	p.Add(grid)
	for i, c := range curves {
		points := make(plotter.XYs, len(c.losses))
		for j, loss := range c.losses {
			points[j] = plotter.XY{X: (float64(j) + 0.5) * c.steps / float64(len(c.losses)), Y: loss}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.title, err)
		}
		line.Color, line.Width = lineColours[i%len(lineColours)], vg.Points(1.2)
		if i >= len(lineColours) {
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
		}
		p.Add(line)
		p.Legend.Add(c.title, line)
	}
	p.Y.Scale, p.Y.Tick.Marker, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decadeTicks), plot.TickerFunc(linearTicks)
	p.Legend.Top = true
	return p, nil
}
