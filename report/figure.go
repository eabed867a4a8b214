package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"nptbench/internal/split"
	"nptbench/internal/terminal"
)

// A panel holds the results of one data set.
type panel struct {
	title, axis string
	zero        bool // 0 has a meaning: the axis shows it, and is linear
	lines       []panelLine
}

// A panelLine has a value for each kind of mark.
type panelLine struct {
	title  string
	folds  string // over how many it is, where these are not all
	values [3]panelValue
}

type panelValue struct {
	mean, stdErr float64 // stdErr is drawn where it is above 0
	ok           bool
}

// panels returns what the figure shows, nothing when there is no complete result: the facts of the layouts that are to be in it,
// or else the metrics by which Table 1 ranks. A report of a measurement has that one's own.
func (s *Summary) panels() (panels []panel) {
	for i := range s.Tables {
		if l := &s.Tables[i]; l.Figure {
			panels = append(panels, l.panels(s.Numbers)...)
		}
	}
	if panels != nil || slices.Contains(s.measured(), s.Name) {
		return panels
	}
	var complete []*Number
	for _, n := range s.Numbers {
		if n.Complete() {
			complete = append(complete, n)
		}
	}
	shown := Layout{Where: []Where{ranking}, Group: "dataset", Rows: []string{"series"}, Show: []Part{Ours, Corrected}}
	return shown.panels(complete)
}

// panels shows the facts of the first of a layout's parts that has any by data set, those that are measured.
func (l *Layout) panels(numbers []*Number) (panels []panel) {
	facts := l.facts(numbers)
	for _, f := range facts {
		if f.kind() != facts[0].kind() || f.Verdict == Extrapolated { // of another part, such as p
			continue
		}
		at := slices.IndexFunc(panels, func(p panel) bool { return p.title == f.Info.Title })
		if at < 0 {
			at = len(panels)
			panels = append(panels, panel{title: f.Info.Title, axis: f.axis(), zero: f.metric != f.Metric.Name && f.metric != coreSeconds})
		}
		folds := ""
		if f.metric != coreSeconds && f.N < f.paperFolds() {
			folds = fmt.Sprintf("%d of %d folds", f.N, f.paperFolds())
		}
		lines := &panels[at].lines
		line := slices.IndexFunc(*lines, func(line panelLine) bool { return line.title == f.row && line.folds == folds })
		if line < 0 {
			line = len(*lines)
			*lines = append(*lines, panelLine{title: f.row, folds: folds})
		}
		values := &(*lines)[line].values
		values[0] = panelValue{f.Paper.Mean, f.Paper.StdErr(), f.HasPaper}
		values[1+slices.Index(split.Protocols, f.Protocol)] = panelValue{f.Mean, f.StdErr, true}
	}
	for i := range panels {
		panels[i].sayFolds()
	}
	return panels
}

// sayFolds has over how many folds lines are in the panel's title, where that is the same of all, or else in theirs.
func (p *panel) sayFolds() {
	folds := p.lines[0].folds
	if !slices.ContainsFunc(p.lines, func(line panelLine) bool { return line.folds != folds }) {
		if folds != "" {
			p.title += ", " + folds
		}
		return
	}
	for i := range p.lines {
		if line := &p.lines[i]; line.folds != "" {
			line.title += " (" + line.folds + ")"
		}
	}
}

// A mark is one kind of sign of the figure. Its colours are told apart by the colour-blind, too (Okabe and Ito).
type mark struct {
	name   string
	colour color.Color
	shape  draw.GlyphDrawer
	offset float64 // above the middle of a method's line, in lines
	value  int     // of panelLine.values
}

var (
	grey   = color.RGBA{R: 0x66, G: 0x66, B: 0x66, A: 0xff}
	blue   = color.RGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}
	orange = color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}
)

var figureMarks = []mark{
	{"paper", grey, draw.RingGlyph{}, 0.22, 0},
	{"ours", blue, draw.CircleGlyph{}, 0, 1},
	{"ours, corrected folds", orange, draw.TriangleGlyph{}, -0.22, 2},
}

const (
	panelWidth   = 4.2 * vg.Inch
	panelFrame   = 0.75 * vg.Inch // height of a panel without its lines
	lineHeight   = 0.3 * vg.Inch
	legendHeight = 0.3 * vg.Inch
	titleWidth   = 23 // letters in a line of a method's title
)

// size has room for a title, lines and an axis.
func (p panel) size() (width, height vg.Length) {
	return panelWidth, panelFrame + vg.Length(len(p.lines))*lineHeight
}

// legend leaves out the kinds of marks that no panel has.
func legend(panels []panel) (entries []legendEntry) {
	for _, s := range figureMarks {
		if slices.ContainsFunc(panels, func(p panel) bool {
			return slices.ContainsFunc(p.lines, func(line panelLine) bool { return line.values[s.value].ok })
		}) {
			entries = append(entries, legendEntry{s.glyph(), s.name})
		}
	}
	if slices.ContainsFunc(panels, panel.hasBars) {
		entries = append(entries, legendEntry{draw.GlyphStyle{Color: grey, Shape: barGlyph{}, Radius: vg.Points(4.5)}, "± standard error"})
	}
	return entries
}

func (p panel) hasBars() bool {
	return slices.ContainsFunc(p.lines, func(line panelLine) bool {
		return slices.ContainsFunc(line.values[:], func(v panelValue) bool { return v.ok && v.stdErr > 0 })
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

func (p panel) plot() (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text = p.title
	out.X.Label.Text = p.axis
	sansSerif(out)
	names := make([]string, len(p.lines))
	for i, line := range p.lines {
		names[p.place(i)] = terminal.Wrap(line.title, "", titleWidth)
	}
	out.NominalY(names...)
	out.Y.Min, out.Y.Max = -0.5, float64(len(names))-0.5
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	grid.Vertical.Color = color.Gray{Y: 0xe0}
	out.Add(grid)
	for _, s := range figureMarks {
		marks, bars := s.points(p)
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
	if p.zero {
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

// logarithmic is what the title of such an axis ends in.
const logarithmic = ", log scale"

// scale makes room at both ends of the axis, and takes logarithms when one method is far off the others.
func (p panel) scale(x *plot.Axis) {
	if x.Min > 0 && x.Max/x.Min > 6 && !p.zero {
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

// linearTicks labels multiples of 1, 2 or 5 times a power of ten, about five of them.
func linearTicks(from, to float64) []plot.Tick {
	power := math.Floor(math.Log10((to - from) / 5))
	step := math.Pow(10, power)
	for _, factor := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if (to-from)/step > 6 {
			step *= factor
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for i := math.Ceil(from / step); i*step <= to; i++ {
		value := i*step + 0 // not -0
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'f', decimals, 64)})
	}
	return ticks
}

// logTicks labels 1, 2 and 5 times powers of ten, or the powers alone where these are many, or what linearTicks labels where there would
// be one.
func logTicks(from, to float64) []plot.Tick {
	digits, step := []float64{1, 2, 5}, 1
	if decades := math.Log10(to / from); decades > 2.5 {
		digits, step = digits[:1], int(math.Ceil(decades/5))
	}
	var ticks []plot.Tick
	for exponent := int(math.Floor(math.Log10(from))); ; exponent += step {
		for _, digit := range digits {
			at := digit * math.Pow10(exponent)
			if at > to && len(ticks) < 2 {
				return linearTicks(from, to)
			} else if at > to {
				return ticks
			}
			if at >= from {
				ticks = append(ticks, plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'g', 6, 64)})
			}
		}
	}
}

// place is that of line i of a panel from below.
func (p panel) place(i int) int { return len(p.lines) - 1 - i }

type bars struct {
	plotter.XYs
	plotter.XErrors
}

func (s mark) points(p panel) (plotter.XYs, bars) {
	var marks plotter.XYs
	var b bars
	for i, line := range p.lines {
		v := line.values[s.value]
		if !v.ok {
			continue
		}
		at := plotter.XY{X: v.mean, Y: float64(p.place(i)) + s.offset}
		marks = append(marks, at)
		if v.stdErr > 0 {
			b.XYs = append(b.XYs, at)
			b.XErrors = append(b.XErrors, struct{ Low, High float64 }{v.stdErr, v.stdErr})
		}
	}
	return marks, b
}

func (s mark) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.colour, Shape: s.shape, Radius: vg.Points(3)}
}

// A legendEntry says what a mark means.
type legendEntry struct {
	glyph draw.GlyphStyle
	name  string
}

// drawLegend writes what the marks mean, from left to right and line by line.
func drawLegend(c draw.Canvas, shown []legendEntry) {
	style := legendStyle()
	for i, line := range legendLines(shown, c.Max.X-c.Min.X) {
		x, y := c.Min.X+vg.Points(14), c.Max.Y-(vg.Length(i)+0.5)*legendHeight
		for _, s := range line {
			c.DrawGlyph(s.glyph, vg.Point{X: x, Y: y})
			c.FillText(style, vg.Point{X: x + vg.Points(8), Y: y - style.Height(s.name)/2}, s.name)
			x += s.width(style)
		}
	}
}

// legendLines cuts a legend into lines of a width at most.
func legendLines(shown []legendEntry, width vg.Length) (lines [][]legendEntry) {
	style := legendStyle()
	left := vg.Length(0)
	for _, s := range shown {
		if left -= s.width(style); left < 0 || len(lines) == 0 {
			lines, left = append(lines, nil), width-s.width(style)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], s)
	}
	return lines
}

func (s legendEntry) width(style text.Style) vg.Length { return style.Width(s.name) + vg.Points(32) }

// sansSerif is how all figures are written. Axes are as small as their numbers: a title longer than its axis would make that shorter.
func sansSerif(p *plot.Plot) {
	p.X.Label.TextStyle.Font.Size, p.Y.Label.TextStyle.Font.Size = p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size
	for _, style := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		style.Font.Variant = "Sans"
	}
}

func legendStyle() text.Style {
	p := plot.New()
	sansSerif(p)
	return p.Legend.TextStyle
}
