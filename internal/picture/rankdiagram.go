package picture

import (
	"image/color"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A RankDiagram is Demšar's diagram (JMLR 7, 2006): methods at their mean ranks on an axis, the best on the left, and bars under it
// that join those that do not differ significantly by a test.
type RankDiagram struct {
	Title      string
	Names      []string  // best mean rank first
	Ranks      []float64 // means
	Difference float64   // drawn above the axis; 0: none, or there is none
	Bars       [][]int   // of methods that a bar joins, the best first
}

const (
	diagramAxis   = 3.4 * vg.Inch // width
	diagramTitle  = 22            // points, as all below
	diagramCD     = 30
	diagramTicks  = 20 // above the axis
	diagramBar    = 7
	diagramRow    = 14
	diagramBottom = 14
	diagramGap    = 8 // between line and name
)

// height is that of the diagram in points.
func (d *RankDiagram) height() vg.Length {
	h := diagramTitle + diagramTicks + diagramBar*len(d.Bars) + diagramRow*((len(d.Names)+1)/2) + diagramBottom
	if d.Difference > 0 {
		h += diagramCD
	}
	return vg.Points(float64(h))
}

// RankDiagrams draws diagrams below each other, in black.
func RankDiagrams(diagrams []RankDiagram) Picture {
	style := legendStyle()
	style.Font.Size = vg.Points(9)
	margin, height := vg.Length(0), vg.Length(0)
	for _, d := range diagrams {
		for i := range d.Names {
			margin = max(margin, style.Width(d.label(i)))
		}
		height += d.height()
	}
	margin += vg.Points(diagramGap + 14)
	return Picture{2*margin + diagramAxis, height, func(whole draw.Canvas) error {
		top := height
		for _, d := range diagrams {
			d.draw(pen{whole, style}, margin, top)
			top -= d.height()
		}
		return nil
	}}
}

// label is a method with its mean rank.
func (d *RankDiagram) label(i int) string {
	return d.Names[i] + "  " + strconv.FormatFloat(d.Ranks[i], 'f', 2, 64)
}

// A pen draws lines and words in black.
type pen struct {
	draw.Canvas
	style text.Style
}

func (p pen) line(width float64, points ...vg.Point) {
	p.StrokeLines(draw.LineStyle{Color: color.Black, Width: vg.Points(width)}, points)
}

// write writes words with their middle at a height, on a side of x.
func (p pen) write(x vg.Length, side text.XAlignment, y vg.Length, words string) {
	style := p.style
	style.XAlign, style.YAlign = side, -0.42 // the middle of small letters
	p.FillText(style, vg.Point{X: x, Y: y}, words)
}

// draw draws the diagram below a height of the canvas, its axis between two margins.
func (d *RankDiagram) draw(p pen, margin, top vg.Length) {
	last := float64(len(d.Names))
	at := func(rank float64) vg.Length { return margin + diagramAxis*vg.Length((rank-1)/max(last-1, 1)) }
	y := top - vg.Points(diagramTitle)
	p.write(vg.Points(6), text.XLeft, y+vg.Points(diagramTitle)/2, d.Title)
	if d.Difference > 0 {
		y -= vg.Points(diagramCD)
		p.drawDifference(d.Difference, last, at, y+vg.Points(diagramCD)/2)
	}
	y -= vg.Points(diagramTicks)
	p.line(1, vg.Point{X: at(1), Y: y}, vg.Point{X: at(last), Y: y})
	for rank := 1.0; rank <= last; rank++ {
		p.line(1, vg.Point{X: at(rank), Y: y}, vg.Point{X: at(rank), Y: y + vg.Points(4)})
		p.write(at(rank), text.XCenter, y+vg.Points(10), strconv.FormatFloat(rank, 'f', 0, 64))
	}
	p.write(at(1)-vg.Points(diagramGap), text.XRight, y+vg.Points(10), "better")
	for i, bar := range d.Bars {
		height := y - vg.Points(float64(diagramBar*(i+1)))
		from, to := at(d.Ranks[bar[0]])-vg.Points(2), at(d.Ranks[bar[len(bar)-1]])+vg.Points(2)
		p.line(3, vg.Point{X: from, Y: height}, vg.Point{X: to, Y: height})
	}
	below := y - vg.Points(float64(diagramBar*len(d.Bars)))
	left := (len(d.Names) + 1) / 2
	for i := range d.Names {
		row, end, gap, side := i, margin-vg.Points(diagramGap), -vg.Points(3), text.XRight
		if i >= left {
			row, end, gap, side = len(d.Names)-1-i, margin+diagramAxis+vg.Points(diagramGap), vg.Points(3), text.XLeft
		}
		height := below - vg.Points(diagramRow*(float64(row)+0.8))
		x := at(d.Ranks[i])
		p.line(0.7, vg.Point{X: x, Y: y}, vg.Point{X: x, Y: height}, vg.Point{X: end, Y: height})
		p.write(end+gap, side, height, d.label(i))
	}
}

// drawDifference draws the critical difference as a line from rank 1, which is open where it is longer than the axis.
func (p pen) drawDifference(difference, last float64, at func(float64) vg.Length, y vg.Length) {
	from, to := at(1), at(min(1+difference, last))
	words := "CD = " + strconv.FormatFloat(difference, 'f', 2, 64)
	ends := []vg.Length{from, to}
	if 1+difference > last {
		words += ", longer than the axis"
		ends = ends[:1]
	}
	p.line(1.5, vg.Point{X: from, Y: y}, vg.Point{X: to, Y: y})
	for _, x := range ends {
		p.line(1.5, vg.Point{X: x, Y: y - vg.Points(3)}, vg.Point{X: x, Y: y + vg.Points(3)})
	}
	p.write((from+to)/2, text.XCenter, y+vg.Points(8), words)
}
