package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
)

// svgText is a text of an SVG as gonum's plotter writes it: y is negative, since the canvas is turned upside down.
type svgText struct {
	X     float64 `xml:"x,attr"`
	Y     float64 `xml:"y,attr"`
	Style string  `xml:"style,attr"`
	Text  string  `xml:",chardata"`
}

// texts returns all texts of an SVG, wherever they are.
func texts(t *testing.T, svg []byte) (all []svgText) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if token == nil {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			var one svgText
			if err := d.DecodeElement(&one, &start); err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
	}
}

// Ten methods, all of which have the same mean rank, have labels that are apart, on the canvas, and only black ink.
func TestRankDiagramLabels(t *testing.T) {
	d := RankDiagram{Title: "Test", Difference: 20, Bars: [][]int{{0, 9}}}
	for i := range 10 {
		d.Names = append(d.Names, fmt.Sprintf("Method %d with a name that is rather long", i))
		d.Ranks = append(d.Ranks, 5.5)
	}
	var svg bytes.Buffer
	if err := RankDiagrams([]RankDiagram{d, d}).WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	labels := map[bool][]float64{} // heights, by whether on the left
	for _, text := range texts(t, svg.Bytes()) {
		if !strings.HasPrefix(text.Text, "Method") {
			continue
		}
		left := text.X < 240
		for _, other := range labels[left] {
			if distance := text.Y - other; distance > -11 && distance < 11 {
				t.Errorf("%q is %.1f points from another label", text.Text, distance)
			}
		}
		labels[left] = append(labels[left], text.Y)
		if text.X < 0 {
			t.Errorf("%q begins at %v", text.Text, text.X)
		}
	}
	if len(labels[true]) != 10 || len(labels[false]) != 10 {
		t.Errorf("%d labels on the left and %d on the right, want 10 of each", len(labels[true]), len(labels[false]))
	}
	if !strings.Contains(svg.String(), "CD = 20.00, longer than the axis") {
		t.Error("the critical difference is not named")
	}
	for _, colour := range []string{"#00", "#FF0000", "rgb("} {
		if strings.Contains(strings.ReplaceAll(svg.String(), "#000000", ""), colour) {
			t.Errorf("there is a colour, %s", colour)
		}
	}
}
