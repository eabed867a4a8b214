package picture

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const legendHeight = 0.3 * vg.Inch // of a line

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
