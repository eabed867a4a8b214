package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"nptbench/internal/terminal"
)

// A LearningCurve has the mean losses of equal parts of a training's steps. Folds says of which kind of folds it is, where there are several.
type LearningCurve struct {
	Dataset, Series, Folds string
	Steps                  float64
	Losses                 []float64
}

var lineColours = []color.Color{Blue, orange, green, purple, grey}

// lineDashes tell lines of one colour apart.
var lineDashes = [][]vg.Length{nil, {vg.Points(4), vg.Points(2)}, {vg.Points(1.5), vg.Points(1.5)}, {vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)}}

// LearningCurves draws curves into one panel, or into one for each data set and series where some trainings are far longer than others.
func LearningCurves(curves []LearningCurve) Picture {
	bySteps := func(a, b LearningCurve) int { return cmp.Compare(a.Steps, b.Steps) }
	if slices.MaxFunc(curves, bySteps).Steps > 20*slices.MinFunc(curves, bySteps).Steps {
		var panels []curvePanel
		for _, c := range curves {
			if at := slices.IndexFunc(panels, func(p curvePanel) bool { return p[0].Dataset == c.Dataset && p[0].Series == c.Series }); at >= 0 {
				panels[at] = append(panels[at], c)
			} else {
				panels = append(panels, curvePanel{c})
			}
		}
		return tiled(panels, nil)
	}
	legend := vg.Length(len(curves)) * vg.Points(15)
	return Picture{2 * panelWidth, 3.5*vg.Inch + legend, func(whole draw.Canvas) error {
		p, err := plotLearningCurves(curves, func(c LearningCurve) string {
			return strings.TrimSuffix(c.Dataset+", "+c.Series+", "+c.Folds, ", ")
		})
		if err != nil {
			return err
		}
		p.Legend.Padding = vg.Points(2)
		p.Legend.Top, p.Legend.Left = true, true // names behind their lines, where a viewer with a wider font has room
		p.Legend.Draw(draw.Crop(whole, vg.Points(12), -vg.Points(12), 0, -vg.Points(4)))
		p.Legend = plot.NewLegend()
		p.Draw(draw.Crop(whole, vg.Points(6), -vg.Points(12), vg.Points(4), -legend-vg.Points(8)))
		return nil
	}}
}

// A curvePanel has the learning curves of a data set and series.
type curvePanel []LearningCurve

func (c curvePanel) size() (width, height vg.Length) { return panelWidth, drawingHeight }

func (c curvePanel) plot() (*plot.Plot, error) {
	p, err := plotLearningCurves(c, func(c LearningCurve) string { return c.Folds })
	if err == nil {
		p.Title.Text = terminal.Wrap(c[0].Dataset+", "+c[0].Series, "", 2*titleWidth)
		p.Legend.Left = true // and below, where a loss that falls leaves room
	}
	return p, err
}

// lineStyles are those of curves: each series has a colour, and its second kind of folds is dashed; where there is one series alone, each
// kind of folds has a colour.
func lineStyles(curves []LearningCurve) []draw.LineStyle {
	var series, folds []string
	place := func(all *[]string, name string) int {
		if !slices.Contains(*all, name) {
			*all = append(*all, name)
		}
		return slices.Index(*all, name)
	}
	alone := !slices.ContainsFunc(curves, func(c LearningCurve) bool { return c.Dataset != curves[0].Dataset || c.Series != curves[0].Series })
	styles := make([]draw.LineStyle, len(curves))
	for i, c := range curves {
		colour, kind := place(&series, c.Dataset+", "+c.Series), place(&folds, c.Folds)
		if alone {
			colour, kind = kind, 0
		}
		styles[i] = draw.LineStyle{Color: lineColours[colour%len(lineColours)], Width: vg.Points(1.2)}
		styles[i].Dashes = lineDashes[(2*(colour/len(lineColours))+kind)%len(lineDashes)]
	}
	return styles
}

// plotLearningCurves plots curves by step, the losses on a logarithmic axis. The legend has what names a curve, if anything.
func plotLearningCurves(curves []LearningCurve, name func(LearningCurve) string) (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "step", "training loss"+logarithmic
	sansSerif(p)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{Y: 0xe0}, color.Gray{Y: 0xe0}
	p.Add(grid)
	styles := lineStyles(curves)
	for i, c := range curves {
		points := make(plotter.XYs, len(c.Losses))
		for j, loss := range c.Losses {
			points[j] = plotter.XY{X: (float64(j) + 0.5) * c.Steps / float64(len(c.Losses)), Y: loss}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", c.Dataset, c.Series, err)
		}
		line.LineStyle = styles[i]
		p.Add(line)
		if title := name(c); title != "" {
			p.Legend.Add(title, line)
		}
	}
	if p.Y.Min == p.Y.Max { // which a logarithmic axis cannot show
		p.Y.Min, p.Y.Max = p.Y.Min/1.1, p.Y.Max*1.1
	}
	p.Y.Scale, p.Y.Tick.Marker, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decadeTicks), plot.TickerFunc(linearTicks)
	return p, nil
}
