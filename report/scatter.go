package report

import (
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A scatter is a panel of points, of several kinds.
type scatter struct {
	title, x, y string
	logX, logY  bool
	diagonal    bool // both axes are the same, with a line where x = y
	points      [][]point
	front       []point // joined by steps, from left to right; may be empty
}

type point struct{ x, y float64 }

// pointShapes are marks that are told apart without their colours.
var pointShapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{}, draw.PyramidGlyph{},
	polygonGlyph{4, math.Pi / 4, true}, polygonGlyph{3, math.Pi, false}, polygonGlyph{4, 0, true}, polygonGlyph{3, math.Pi, true}, polygonGlyph{4, 0, false}, barGlyph{},
}

// pointGlyph is the mark of a kind of points, in colours that the colour-blind tell apart (Okabe and Ito), one for each four kinds.
func pointGlyph(kind int) draw.GlyphStyle {
	colours := []color.Color{blue, orange, grey, color.RGBA{G: 0x9e, B: 0x73, A: 0xff}}
	return draw.GlyphStyle{Shape: pointShapes[kind%len(pointShapes)], Color: colours[kind%len(colours)], Radius: vg.Points(2.8)}
}

// A polygonGlyph is a regular polygon, filled or hollow, its first corner at an angle from the top.
type polygonGlyph struct {
	corners int
	first   float64
	filled  bool
}

// DrawGlyph implements draw.GlyphDrawer.
func (g polygonGlyph) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	const larger = 1.5 // than a circle, which it would look like
	var corners []vg.Point
	for i := range g.corners {
		sin, cos := math.Sincos(g.first + 2*math.Pi*float64(i)/float64(g.corners))
		corners = append(corners, vg.Point{X: at.X + larger*s.Radius*vg.Length(sin), Y: at.Y + larger*s.Radius*vg.Length(cos)})
	}
	if g.filled {
		c.FillPolygon(s.Color, corners)
		return
	}
	c.StrokeLines(draw.LineStyle{Color: s.Color, Width: vg.Points(0.5)}, append(corners, corners[0], corners[1]))
}

const scatterSide = 3.4 * vg.Inch

// kindsOfPoints is the legend of panels, of the kinds that have points; nil where there can be one kind alone.
func kindsOfPoints(kinds []string, panels []scatter) (legend []legendEntry) {
	if len(kinds) < 2 {
		return nil
	}
	for i, name := range kinds {
		if slices.ContainsFunc(panels, func(p scatter) bool { return i < len(p.points) && len(p.points[i]) > 0 }) {
			legend = append(legend, legendEntry{pointGlyph(i), name})
		}
	}
	return legend
}

func (s scatter) size() (width, height vg.Length) { return scatterSide, scatterSide }

func (s scatter) plot() (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = s.title, s.x, s.y
	sansSerif(out)
	out.Add(s)
	x, y := s.ranges()
	x.set(&out.X)
	y.set(&out.Y)
	return out, nil
}

// decadeTicks are logTicks with labels for powers of ten alone, and at most five, where the others would stand too close.
func decadeTicks(from, to float64) []plot.Tick {
	ticks, decades := logTicks(from, to), math.Log10(to/from)
	if decades <= 1.7 {
		return ticks
	}
	for i := range ticks {
		exponent := math.Log10(ticks[i].Value)
		if math.Abs(exponent-math.Round(exponent)) > 1e-9 {
			ticks[i].Label = ""
		}
	}
	return ticks
}

// ranges are those of the axes, with a margin.
func (s scatter) ranges() (x, y axisRange) {
	x, y = axisRange{math.Inf(1), math.Inf(-1), s.logX}, axisRange{math.Inf(1), math.Inf(-1), s.logY}
	for _, p := range slices.Concat(s.points...) {
		x.min, x.max, y.min, y.max = min(x.min, p.x), max(x.max, p.x), min(y.min, p.y), max(y.max, p.y)
	}
	if s.diagonal {
		x.min, x.max = min(x.min, y.min), max(x.max, y.max)
		y.min, y.max = x.min, x.max
	}
	return x.widened(), y.widened()
}

type axisRange struct {
	min, max float64
	log      bool // wished, and after widened so
}

func (r axisRange) set(a *plot.Axis) {
	a.Min, a.Max, a.Tick.Marker = r.min, r.max, plot.TickerFunc(linearTicks)
	if r.log {
		a.Scale, a.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decadeTicks)
		a.Label.Text += logarithmic
	}
}

// widened adds a margin. Logarithms are for numbers that differ by factors, but not for those next to nothing.
func (r axisRange) widened() axisRange {
	if r.log = r.log && r.max > 3*r.min && r.max < 1e5*r.min; r.log {
		margin := math.Pow(r.max/r.min, 0.05) * 1.02
		return axisRange{r.min / margin, r.max * margin, true}
	}
	margin := 0.05*(r.max-r.min) + 1e-3*math.Abs(r.max)
	return axisRange{r.min - margin, r.max + margin, false}
}

// Plot implements plot.Plotter.
func (s scatter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(p point) vg.Point { return vg.Point{X: x(p.x), Y: y(p.y)} }
	thin := draw.LineStyle{Color: color.Gray{Y: 0xb0}, Width: vg.Points(0.75)}
	if s.diagonal {
		c.StrokeLine2(thin, x(p.X.Min), y(p.X.Min), x(p.X.Max), y(p.X.Max))
	}
	for i := 1; i < len(s.front); i++ {
		a, b := at(s.front[i-1]), at(s.front[i])
		c.StrokeLines(thin, []vg.Point{a, {X: b.X, Y: a.Y}, b})
	}
	for kind, points := range s.points {
		for _, p := range points {
			c.DrawGlyph(pointGlyph(kind), at(p))
		}
	}
}

// Pairs are the points of a panel: the results of two methods on the same folds, say.
type Pairs struct {
	Title, X, Y string
	Log         bool // the axes are logarithmic, where the numbers differ by factors
	Points      [][2]float64
}

// WritePairs draws a panel for each, with the line on which both are equal, as SVG or as PDF.
func WritePairs(w io.Writer, all []Pairs, pdf bool) error {
	panels := make([]scatter, len(all))
	for i, p := range all {
		points := make([]point, len(p.Points))
		for j, at := range p.Points {
			points[j] = point{at[0], at[1]}
		}
		panels[i] = scatter{title: p.Title, x: p.X, y: p.Y, logX: p.Log, logY: p.Log, diagonal: true, points: [][]point{points}}
	}
	if pdf {
		return tiled(panels, nil).writePDF(w)
	}
	return tiled(panels, nil).writeSVG(w)
}
