package report

import (
	"bytes"
	"image/color"
	"io"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A picture is a figure before it is written in some format.
type picture struct {
	width, height vg.Length
	draw          func(draw.Canvas) error // on white paper of that size
}

func (p picture) paint(on vg.CanvasSizer) error {
	whole := draw.New(on)
	whole.SetColor(color.White)
	whole.Fill(whole.Rectangle.Path())
	return p.draw(whole)
}

func (p picture) writeSVG(w io.Writer) error {
	canvas := vgsvg.NewWith(vgsvg.UseWH(p.width, p.height), vgsvg.EmbedFonts(false))
	if err := p.paint(canvas); err != nil {
		return err
	}
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	_, err := w.Write(withOtherFonts(svg.Bytes()))
	return err
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

func (p picture) writePDF(w io.Writer) error {
	canvas := pdfCanvas{vgpdf.New(p.width, p.height)}
	if err := p.paint(canvas); err != nil {
		return err
	}
	_, err := canvas.WriteTo(w)
	return err
}

// A pdfCanvas writes words in the encoding that gonum's PDF fonts have, Windows-1252.
type pdfCanvas struct{ *vgpdf.Canvas }

func (c pdfCanvas) FillString(face font.Face, at vg.Point, words string) {
	c.Canvas.FillString(face, at, windows1252(words))
}

func windows1252(words string) string {
	var out []byte
	for _, r := range strings.ReplaceAll(words, "≤", "<=") {
		b, has := charmap.Windows1252.EncodeRune(r)
		if !has {
			b = '?'
		}
		out = append(out, b)
	}
	return string(out)
}
