package report

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"nptbench/internal/terminal"
	"nptbench/results"
)

// A learningCurve has the mean losses of equal parts of a training's steps, geometric means over the folds that have as many.
type learningCurve struct {
	dataset, series, folds string
	steps                  float64
	losses                 []float64
}

// learningCurves are those of the chosen settings, of methods whose records have them, where the report is to show them.
func (s *Summary) learningCurves() (curves []learningCurve) {
	if !s.Curves {
		return nil
	}
	shown := map[results.ID]bool{}
	for _, g := range s.Groups {
		c, logs, folds, fresh := learningCurve{dataset: g.Info.Title, series: g.title()}, []float64(nil), 0.0, false
		for _, rec := range g.chosen() {
			steps, _ := rec.Details["steps"].(float64)
			points, _ := rec.Details["learning_curve"].([]any)
			of := make([]float64, len(points))
			for i, p := range points {
				loss, _ := p.(float64)
				of[i] = math.Log(loss)
			}
			if len(of) < 2 || steps <= 0 || !finiteAll(of) || folds > 0 && (len(of) != len(logs) || steps != c.steps) {
				continue
			}
			if folds++; folds == 1 {
				c.steps, logs = steps, make([]float64, len(of))
			}
			floats.Add(logs, of)
			fresh, shown[rec.ID] = fresh || !shown[rec.ID], true
		}
		if !fresh {
			continue // none, or all under the other protocol
		}
		if len(s.Plan.Protocols) > 1 {
			c.folds = string(g.Protocol) + " folds"
		}
		for _, l := range logs {
			c.losses = append(c.losses, math.Exp(l/folds))
		}
		curves = append(curves, c)
	}
	return curves
}

func finiteAll(x []float64) bool {
	return !slices.ContainsFunc(x, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// lineColours can be told apart by the colour-blind (Okabe and Ito).
var lineColours = []color.Color{blue, orange, color.RGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, color.RGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, grey}

// lineDashes tell lines of one colour apart.
var lineDashes = [][]vg.Length{nil, {vg.Points(4), vg.Points(2)}, {vg.Points(1.5), vg.Points(1.5)}, {vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)}}

// drawLearningCurves draws curves into one panel, or into one for each data set and series where some trainings are far longer than others.
func drawLearningCurves(curves []learningCurve) picture {
	bySteps := func(a, b learningCurve) int { return cmp.Compare(a.steps, b.steps) }
	if slices.MaxFunc(curves, bySteps).steps > 20*slices.MinFunc(curves, bySteps).steps {
		var panels []curvePanel
		for _, c := range curves {
			if at := slices.IndexFunc(panels, func(p curvePanel) bool { return p[0].dataset == c.dataset && p[0].series == c.series }); at >= 0 {
				panels[at] = append(panels[at], c)
			} else {
				panels = append(panels, curvePanel{c})
			}
		}
		return tiled(panels, nil)
	}
	legend := vg.Length(len(curves)) * vg.Points(15)
	return picture{2 * panelWidth, 3.5*vg.Inch + legend, func(whole draw.Canvas) error {
		p, err := plotLearningCurves(curves, func(c learningCurve) string {
			return strings.TrimSuffix(c.dataset+", "+c.series+", "+c.folds, ", ")
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
type curvePanel []learningCurve

func (c curvePanel) size() (width, height vg.Length) { return panelWidth, drawingHeight }

func (c curvePanel) plot() (*plot.Plot, error) {
	p, err := plotLearningCurves(c, func(c learningCurve) string { return c.folds })
	if err == nil {
		p.Title.Text = terminal.Wrap(c[0].dataset+", "+c[0].series, "", 2*titleWidth)
		p.Legend.Left = true // and below, where a loss that falls leaves room
	}
	return p, err
}

// lineStyles are those of curves: each series has a colour, and its second kind of folds is dashed; where there is one series alone, each
// kind of folds has a colour.
func lineStyles(curves []learningCurve) []draw.LineStyle {
	var series, folds []string
	place := func(all *[]string, name string) int {
		if !slices.Contains(*all, name) {
			*all = append(*all, name)
		}
		return slices.Index(*all, name)
	}
	alone := !slices.ContainsFunc(curves, func(c learningCurve) bool { return c.dataset != curves[0].dataset || c.series != curves[0].series })
	styles := make([]draw.LineStyle, len(curves))
	for i, c := range curves {
		colour, kind := place(&series, c.dataset+", "+c.series), place(&folds, c.folds)
		if alone {
			colour, kind = kind, 0
		}
		styles[i] = draw.LineStyle{Color: lineColours[colour%len(lineColours)], Width: vg.Points(1.2)}
		styles[i].Dashes = lineDashes[(2*(colour/len(lineColours))+kind)%len(lineDashes)]
	}
	return styles
}

// plotLearningCurves plots curves by step, the losses on a logarithmic axis. The legend has what names a curve, if anything.
func plotLearningCurves(curves []learningCurve, name func(learningCurve) string) (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "step", "training loss"+logarithmic
	sansSerif(p)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{Y: 0xe0}, color.Gray{Y: 0xe0}
	p.Add(grid)
	styles := lineStyles(curves)
	for i, c := range curves {
		points := make(plotter.XYs, len(c.losses))
		for j, loss := range c.losses {
			points[j] = plotter.XY{X: (float64(j) + 0.5) * c.steps / float64(len(c.losses)), Y: loss}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", c.dataset, c.series, err)
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
