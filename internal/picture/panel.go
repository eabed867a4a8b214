package picture

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"nptbench/internal/terminal"
)

// A Panel holds the results of one data set.
type Panel struct {
	Title, Axis string
	Zero        bool // 0 has a meaning: the axis shows it, and is linear
	Lines       []Line
}

// A Line is that of a method. It has a value for each kind of mark: the paper's, ours, and ours by corrected folds.
type Line struct {
	Title  string
	Folds  string // over how many folds it is, where these are not all
	Values [len(figureMarks)]Value
}

// A Value is a mean with its standard error, which is drawn where it is above 0. Without OK there is none.
type Value struct {
	Mean, StdErr float64
	OK           bool
}

// Panels draws panels side by side, under a legend of their marks.
func Panels(all []Panel) Picture { return tiled(all, legend(all)) }

// A mark is one kind of sign of a panel.
type mark struct {
	name   string
	colour color.Color
	shape  draw.GlyphDrawer
	offset float64 // above the middle of a method's line, in lines
}

// figureMarks are those of Line.Values.
var figureMarks = [...]mark{
	{"paper", grey, draw.RingGlyph{}, 0.22},
	{"ours", Blue, draw.CircleGlyph{}, 0},
	{"ours, corrected folds", orange, draw.TriangleGlyph{}, -0.22},
}

const (
	panelWidth = 4.2 * vg.Inch
	panelFrame = 0.75 * vg.Inch // height of a panel without its lines
	lineHeight = 0.3 * vg.Inch
	titleWidth = 23 // letters in a line of a method's title
)

// size has room for a title, lines and an axis.
func (p Panel) size() (width, height vg.Length) {
	return panelWidth, panelFrame + vg.Length(len(p.Lines))*lineHeight
}

// legend leaves out the kinds of marks that no panel has.
func legend(panels []Panel) (entries []legendEntry) {
	for kind, s := range figureMarks {
		if slices.ContainsFunc(panels, func(p Panel) bool {
			return slices.ContainsFunc(p.Lines, func(line Line) bool { return line.Values[kind].OK })
		}) {
			entries = append(entries, legendEntry{s.glyph(), s.name})
		}
	}
	if slices.ContainsFunc(panels, Panel.HasBars) {
		entries = append(entries, legendEntry{draw.GlyphStyle{Color: grey, Shape: barGlyph{}, Radius: vg.Points(4.5)}, "± standard error"})
	}
	return entries
}

// HasBars reports whether a standard error is drawn.
func (p Panel) HasBars() bool {
	return slices.ContainsFunc(p.Lines, func(line Line) bool {
		return slices.ContainsFunc(line.Values[:], func(v Value) bool { return v.OK && v.StdErr > 0 })
	})
}

// A barGlyph is an error bar.
type barGlyph struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (barGlyph) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	style := draw.LineStyle{Color: s.Color, Width: vg.Points(0.5)}
	left, right, half := at.X-s.Radius, at.X+s.Radius, s.Radius/2
	c.StrokeLine2(style, left, at.Y, right, at.Y)
	for _, x := range []vg.Length{left, right} {
		c.StrokeLine2(style, x, at.Y-half, x, at.Y+half)
	}
}

func (p Panel) plot() (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text = p.Title
	out.X.Label.Text = p.Axis
	sansSerif(out)
	names := make([]string, len(p.Lines))
	for i, line := range p.Lines {
		names[p.place(i)] = wrapped(line.Title)
	}
	out.NominalY(names...)
	out.Y.Min, out.Y.Max = -0.5, float64(len(names))-0.5
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	grid.Vertical.Color = color.Gray{Y: 0xe0}
	out.Add(grid)
	for kind, s := range figureMarks {
		marks, bars := p.points(kind)
		if len(marks) == 0 {
			continue
		}
		scatter, err := plotter.NewScatter(marks)
		if err != nil {
			return nil, err
		}
		scatter.GlyphStyle = s.glyph()
		errorBars, err := plotter.NewXErrorBars(bars)
		if err != nil {
			return nil, err
		}
		errorBars.LineStyle.Color = s.colour
		errorBars.CapWidth = vg.Points(3)
		out.Add(errorBars, scatter)
	}
	if p.Zero {
		zero, err := plotter.NewLine(plotter.XYs{{X: 0, Y: out.Y.Min}, {X: 0, Y: out.Y.Max}})
		if err != nil {
			return nil, err
		}
		zero.Color = grey
		out.Add(zero)
	}
	p.scale(&out.X)
	return out, nil
}

// wrapped breaks a title into lines, and words that are longer than one.
func wrapped(title string) string {
	var words []string
	for _, word := range strings.Fields(title) {
		for part := range slices.Chunk([]rune(word), titleWidth) {
			words = append(words, string(part))
		}
	}
	return terminal.Wrap(strings.Join(words, " "), "", titleWidth)
}

// scale makes room at both ends of the axis, and takes logarithms when one method is far off the others.
func (p Panel) scale(x *plot.Axis) {
	if x.Min > 0 && x.Max/x.Min > 6 && !p.Zero {
		x.Scale = plot.LogScale{}
		x.Tick.Marker = plot.TickerFunc(logTicks)
		x.Label.Text += logarithmic
		x.Min, x.Max = x.Min*0.9, x.Max*1.1
		return
	}
	x.Tick.Marker = plot.TickerFunc(linearTicks)
	margin := max(0.05*(x.Max-x.Min), 1e-3*math.Abs(x.Max))
	x.Min, x.Max = x.Min-margin, x.Max+margin
}

// place is that of line i of a panel from below.
func (p Panel) place(i int) int { return len(p.Lines) - 1 - i }

type bars struct {
	plotter.XYs
	plotter.XErrors
}

// points are the values of a kind of mark, and those with an error bar.
func (p Panel) points(kind int) (plotter.XYs, bars) {
	var marks plotter.XYs
	var b bars
	for i, line := range p.Lines {
		v := line.Values[kind]
		if !v.OK {
			continue
		}
		at := plotter.XY{X: v.Mean, Y: float64(p.place(i)) + figureMarks[kind].offset}
		marks = append(marks, at)
		if v.StdErr > 0 {
			b.XYs = append(b.XYs, at)
			b.XErrors = append(b.XErrors, struct{ Low, High float64 }{v.StdErr, v.StdErr})
		}
	}
	return marks, b
}

func (s mark) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.colour, Shape: s.shape, Radius: vg.Points(3)}
}
