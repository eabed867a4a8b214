package report

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"nptbench/internal/spelling"
	"nptbench/internal/stats"
)

// diagramKey says what all rank diagrams show.
var diagramKey = fmt.Sprintf("In the diagrams of mean ranks a thick bar joins methods that are not told apart at %v: by Nemenyi's test of "+
	"mean ranks, and, if it can tell any apart on so few data sets, by the signed-rank test with Holm's correction. CD is Nemenyi's critical "+
	"difference.", rankLevel)

// figure is the critical-difference diagram of a rank table.
func (t *rankTable) figure(name string) Figure {
	caption := fmt.Sprintf("Mean ranks of %s by %s over %s (%s folds).", t.whose(), t.Metric.Title,
		spelling.Count(len(t.Datasets), problemTitle(t.Problem)+" data set"), t.Protocol)
	return Figure{name + "-" + t.name() + ".svg", caption, t.picture()}
}

// A rankDiagram is Demšar's diagram (JMLR 7, 2006): methods at their mean ranks on an axis, the best on the left, and bars under it
// that join those that a test does not tell apart.
type rankDiagram struct {
	title      string
	names      []string  // best mean rank first
	ranks      []float64 // means
	difference float64   // drawn above the axis; 0: none, or there is none
	bars       []stats.Clique
}

// picture has two diagrams, one below the other: by Nemenyi's test, and by the signed-rank test where its p can be small enough.
func (t *rankTable) picture() picture {
	var names []string
	for _, r := range t.Rows {
		names = append(names, r.Series.Title)
	}
	ranks, s := t.means(ownRanks), t.Significance
	nemenyi, _ := stats.Cliques(ranks, func(i, j int) bool { return stats.Reaches(ranks[i]-ranks[j], s.Difference) })
	difference := s.Difference
	if math.IsInf(difference, 1) {
		difference = 0
	}
	diagrams := []rankDiagram{{"Nemenyi's test", names, ranks, difference, nemenyi}}
	if s.signedRanksCan() {
		wilcoxon, _ := stats.Cliques(ranks, func(i, j int) bool { return s.Wilcoxon[i][j] <= rankLevel })
		diagrams = append(diagrams, rankDiagram{"Signed-rank test, Holm's correction", names, ranks, 0, wilcoxon})
	}
	return drawRankDiagrams(diagrams)
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
func (d *rankDiagram) height() vg.Length {
	h := diagramTitle + diagramTicks + diagramBar*len(d.bars) + diagramRow*((len(d.names)+1)/2) + diagramBottom
	if d.difference > 0 {
		h += diagramCD
	}
	return vg.Points(float64(h))
}

// drawRankDiagrams draws diagrams below each other, in black.
func drawRankDiagrams(diagrams []rankDiagram) picture {
	style := legendStyle()
	style.Font.Size = vg.Points(9)
	margin, height := vg.Length(0), vg.Length(0)
	for _, d := range diagrams {
		for i := range d.names {
			margin = max(margin, style.Width(d.label(i)))
		}
		height += d.height()
	}
	margin += vg.Points(diagramGap + 14)
	return picture{2*margin + diagramAxis, height, func(whole draw.Canvas) error {
		top := height
		for _, d := range diagrams {
			d.draw(pen{whole, style}, margin, top)
			top -= d.height()
		}
		return nil
	}}
}

// label is a method with its mean rank.
func (d *rankDiagram) label(i int) string { return d.names[i] + "  " + Decimal(d.ranks[i], 2) }

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
func (d *rankDiagram) draw(p pen, margin, top vg.Length) {
	last := float64(len(d.names))
	at := func(rank float64) vg.Length { return margin + diagramAxis*vg.Length((rank-1)/max(last-1, 1)) }
	y := top - vg.Points(diagramTitle)
	p.write(vg.Points(6), text.XLeft, y+vg.Points(diagramTitle)/2, d.title)
	if d.difference > 0 {
		y -= vg.Points(diagramCD)
		p.drawDifference(d.difference, last, at, y+vg.Points(diagramCD)/2)
	}
	y -= vg.Points(diagramTicks)
	p.line(1, vg.Point{X: at(1), Y: y}, vg.Point{X: at(last), Y: y})
	for rank := 1.0; rank <= last; rank++ {
		p.line(1, vg.Point{X: at(rank), Y: y}, vg.Point{X: at(rank), Y: y + vg.Points(4)})
		p.write(at(rank), text.XCenter, y+vg.Points(10), Decimal(rank, 0))
	}
	p.write(at(1)-vg.Points(diagramGap), text.XRight, y+vg.Points(10), "better")
	for i, bar := range d.bars {
		height := y - vg.Points(float64(diagramBar*(i+1)))
		from, to := at(d.ranks[bar[0]])-vg.Points(2), at(d.ranks[bar[len(bar)-1]])+vg.Points(2)
		p.line(3, vg.Point{X: from, Y: height}, vg.Point{X: to, Y: height})
	}
	below := y - vg.Points(float64(diagramBar*len(d.bars)))
	left := (len(d.names) + 1) / 2
	for i := range d.names {
		row, end, gap, side := i, margin-vg.Points(diagramGap), -vg.Points(3), text.XRight
		if i >= left {
			row, end, gap, side = len(d.names)-1-i, margin+diagramAxis+vg.Points(diagramGap), vg.Points(3), text.XLeft
		}
		height := below - vg.Points(diagramRow*(float64(row)+0.8))
		x := at(d.ranks[i])
		p.line(0.7, vg.Point{X: x, Y: y}, vg.Point{X: x, Y: height}, vg.Point{X: end, Y: height})
		p.write(end+gap, side, height, d.label(i))
	}
}

// drawDifference draws the critical difference as a line from rank 1, which is open where it is longer than the axis.
func (p pen) drawDifference(difference, last float64, at func(float64) vg.Length, y vg.Length) {
	from, to := at(1), at(min(1+difference, last))
	words := "CD = " + Decimal(difference, 2)
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
