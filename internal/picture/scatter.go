package picture

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Scatter is a panel of points, of several kinds.
type Scatter struct {
	Title, X, Y string
	LogX, LogY  bool      // the axis is logarithmic, where the numbers differ by factors
	Diagonal    bool      // both axes are the same, with a line where x = y
	Points      [][]Point // by kind
	Front       []Point   // joined by steps, from left to right; may be empty
}

// A Point is one of a Scatter.
type Point struct{ X, Y float64 }

// pointShapes are marks that are told apart without their colours.
var pointShapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{}, draw.PyramidGlyph{},
	polygonGlyph{4, math.Pi / 4, true}, polygonGlyph{3, math.Pi, false}, polygonGlyph{4, 0, true}, polygonGlyph{3, math.Pi, true}, polygonGlyph{4, 0, false}, barGlyph{},
}

// pointGlyph is the mark of a kind of points, in a colour that every fourth kind has.
func pointGlyph(kind int) draw.GlyphStyle {
	colours := []color.Color{Blue, orange, grey, green}
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

// Scatters draws panels side by side, under a legend of the kinds of points that there are where there can be several.
func Scatters(kinds []string, panels []Scatter) Picture {
	return tiled(panels, kindsOfPoints(kinds, panels))
}

const scatterSide = 3.4 * vg.Inch

// kindsOfPoints is the legend of panels, of the kinds that have points; nil where there can be one kind alone.
func kindsOfPoints(kinds []string, panels []Scatter) (legend []legendEntry) {
	if len(kinds) < 2 {
		return nil
	}
	for i, name := range kinds {
		if slices.ContainsFunc(panels, func(p Scatter) bool { return i < len(p.Points) && len(p.Points[i]) > 0 }) {
			legend = append(legend, legendEntry{pointGlyph(i), name})
		}
	}
	return legend
}

func (s Scatter) size() (width, height vg.Length) { return scatterSide, scatterSide }

func (s Scatter) plot() (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = s.Title, s.X, s.Y
	sansSerif(out)
	out.Add(s)
	x, y := s.ranges()
	x.set(&out.X)
	y.set(&out.Y)
	return out, nil
}

// ranges are those of the axes, with a margin.
func (s Scatter) ranges() (x, y axisRange) {
	x, y = axisRange{math.Inf(1), math.Inf(-1), s.LogX}, axisRange{math.Inf(1), math.Inf(-1), s.LogY}
	for _, p := range slices.Concat(s.Points...) {
		x.min, x.max, y.min, y.max = min(x.min, p.X), max(x.max, p.X), min(y.min, p.Y), max(y.max, p.Y)
	}
	if s.Diagonal {
		x.min, x.max = min(x.min, y.min), max(x.max, y.max)
		y.min, y.max = x.min, x.max
	}
	return x.widened(), y.widened()
}

// Plot implements plot.Plotter.
func (s Scatter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(p Point) vg.Point { return vg.Point{X: x(p.X), Y: y(p.Y)} }
	thin := draw.LineStyle{Color: color.Gray{Y: 0xb0}, Width: vg.Points(0.75)}
	if s.Diagonal {
		c.StrokeLine2(thin, x(p.X.Min), y(p.X.Min), x(p.X.Max), y(p.X.Max))
	}
	for i := 1; i < len(s.Front); i++ {
		a, b := at(s.Front[i-1]), at(s.Front[i])
		c.StrokeLines(thin, []vg.Point{a, {X: b.X, Y: a.Y}, b})
	}
	for kind, points := range s.Points {
		for _, p := range points {
			c.DrawGlyph(pointGlyph(kind), at(p))
		}
	}
}
