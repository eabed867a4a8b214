package picture

import (
	"image/color"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// ink are the pixels that a mark makes at least half black, whatever its colour is.
func ink(glyph draw.GlyphStyle) map[[2]int]bool {
	c := vgimg.NewWith(vgimg.UseWH(vg.Points(10), vg.Points(10)), vgimg.UseDPI(288)) // four pixels to a point
	glyph.Color = color.Black
	whole := draw.New(c)
	whole.DrawGlyph(glyph, vg.Point{X: vg.Points(5), Y: vg.Points(5)})
	black := map[[2]int]bool{}
	image := c.Image()
	for x := range image.Bounds().Dx() {
		for y := range image.Bounds().Dy() {
			if r, _, _, _ := image.At(x, y).RGBA(); r < 0x8000 {
				black[[2]int{x, y}] = true
			}
		}
	}
	return black
}

// Twelve methods have marks that differ in black, each from every other in at least a fourth of what both blacken.
func TestMarksDifferWithoutColour(t *testing.T) {
	const methods = 12
	for i := range methods {
		a := ink(pointGlyph(i))
		if len(a) < 50 {
			t.Errorf("mark %d has %d pixels", i, len(a))
		}
		for j := range i {
			b := ink(pointGlyph(j))
			either, both := len(a), 0
			for at := range b {
				if a[at] {
					both++
				} else {
					either++
				}
			}
			if share := float64(either-both) / float64(either); share < 0.25 {
				t.Errorf("%.0f %% of marks %d and %d differ", 100*share, j, i)
			}
		}
	}
}

// A legend has the kinds of points that there are, each with its own mark.
func TestKindsOfPoints(t *testing.T) {
	panels := []Scatter{{Points: [][]Point{nil, {{1, 2}}}}, {Points: [][]Point{nil}}}
	legend := kindsOfPoints([]string{"published folds", "corrected folds"}, panels)
	if len(legend) != 1 || legend[0] != (legendEntry{pointGlyph(1), "corrected folds"}) {
		t.Errorf("%+v", legend)
	}
	if legend := kindsOfPoints([]string{"all"}, panels); legend != nil {
		t.Errorf("%+v of one kind", legend)
	}
}
