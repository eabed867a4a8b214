// Package picture draws the figures of reports, as SVG and as PDF: results of methods with error bars (Panel), points in a plane (Scatter),
// learning curves, mean ranks (RankDiagram), and what measurements draw of themselves (Drawing). Its colours can be told apart by the
// colour-blind (Okabe and Ito).
package picture

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Picture is a figure before it is written.
type Picture struct {
	width, height vg.Length
	draw          func(draw.Canvas) error // on white paper of that size
}

// A tile is one of several plots in a picture, all of which are as wide.
type tile interface {
	size() (width, height vg.Length)
	plot() (*plot.Plot, error)
}

const tilesInRow = 2

// tiled draws plots in rows, each as high as its highest one, under a legend of all of them.
func tiled[T tile](all []T, legend []legendEntry) Picture {
	each, _ := all[0].size()
	width := vg.Length(min(tilesInRow, len(all))) * each
	above := vg.Length(len(legendLines(legend, width))) * legendHeight
	height := above
	var tops []vg.Length // of rows, from above
	for row := range slices.Chunk(all, tilesInRow) {
		tops = append(tops, height)
		highest := vg.Length(0)
		for _, t := range row {
			_, own := t.size()
			highest = max(highest, own)
		}
		height += highest
	}
	return Picture{width, height, func(whole draw.Canvas) error {
		drawLegend(draw.Crop(whole, 0, 0, height-above, 0), legend)
		for i, t := range all {
			plotted, err := t.plot()
			if err != nil {
				return err
			}
			_, own := t.size()
			left, top := vg.Length(i%tilesInRow)*each, tops[i/tilesInRow]
			c := draw.Crop(whole, left, left+each-width, height-top-own, -top)
			plotted.Draw(draw.Crop(c, vg.Points(6), -vg.Points(12), vg.Points(4), -vg.Points(4)))
		}
		return nil
	}}
}

func (p Picture) paint(on vg.CanvasSizer) error {
	whole := draw.New(on)
	whole.SetColor(color.White)
	whole.Fill(whole.Rectangle.Path())
	return p.draw(whole)
}

// WriteSVG writes it as SVG, in which words are words, as wide as here whatever font a reader has.
func (p Picture) WriteSVG(w io.Writer) error {
	canvas := &svgCanvas{Canvas: vgsvg.NewWith(vgsvg.UseWH(p.width, p.height), vgsvg.EmbedFonts(false))}
	if err := p.paint(canvas); err != nil {
		return err
	}
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	_, err := w.Write(withOtherFonts(canvas.withWidths(svg.Bytes())))
	return err
}

// An svgCanvas notes how wide words are, for readers whose fonts have others.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

func (c *svgCanvas) FillString(face font.Face, at vg.Point, words string) {
	c.widths = append(c.widths, face.Width(words))
	c.Canvas.FillString(face, at, words)
}

func (c *svgCanvas) withWidths(svg []byte) []byte {
	tag, next := []byte("<text "), 0
	out := make([]byte, 0, 2*len(svg))
	for part := range bytes.SplitAfterSeq(svg, tag) {
		if out = append(out, part...); bytes.HasSuffix(part, tag) {
			out = fmt.Appendf(out, `textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, c.widths[next].Points())
			next++
		}
	}
	return out
}

// withOtherFonts names fonts with letters of the same widths for readers that lack the one of an SVG.
func withOtherFonts(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
}

// The same picture gives the same PDF, whenever it is written.
func init() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
}

// WritePDF writes it as PDF. It is an error if the folder for temporary files cannot be written to.
func (p Picture) WritePDF(w io.Writer) (err error) {
	defer func() { // vgpdf panics where it cannot write a font into the folder for temporary files
		if r := recover(); r != nil {
			err = fmt.Errorf("a PDF cannot be written: %v", r)
		}
	}()
	canvas := pdfCanvas{vgpdf.New(p.width, p.height)}
	if err := p.paint(canvas); err != nil {
		return err
	}
	_, err = canvas.WriteTo(w)
	return err
}

// A pdfCanvas writes words in the encoding that gonum's PDF fonts have, Windows-1252.
type pdfCanvas struct{ *vgpdf.Canvas }

func (c pdfCanvas) FillString(face font.Face, at vg.Point, words string) {
	c.Canvas.FillString(face, at, windows1252(words))
}

func windows1252(words string) string {
	var out []byte
	for _, r := range strings.NewReplacer("≤", "<=", "≥", ">=").Replace(words) {
		b, has := charmap.Windows1252.EncodeRune(r)
		if !has {
			b = '?'
		}
		out = append(out, b)
	}
	return string(out)
}
