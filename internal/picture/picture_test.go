package picture

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
)

// The same figure gives the same PDF, with letters of its encoding.
func TestPDF(t *testing.T) {
	write := func(title string) string {
		var out bytes.Buffer
		p := Scatters(nil, []Scatter{{Title: title, Points: [][]Point{{{1, 2}}}}})
		if err := p.WritePDF(&out); err != nil || !strings.HasPrefix(out.String(), "%PDF-") || !strings.HasSuffix(out.String(), "%%EOF\n") {
			t.Fatalf("%v, %d bytes", err, out.Len())
		}
		return out.String()
	}
	first := write("NPT, ≤ 8 layers – é")
	if first != write("NPT, ≤ 8 layers – é") {
		t.Error("the same figure twice gives different files")
	}
	if got := windows1252("≤ 8 – é ≥ →"); got != "<= 8 \x96 \xe9 >= ?" {
		t.Errorf("encoded to %q", got)
	}
}

// A full disk, where vgpdf panics, is an error of the figure's.
func TestPDFThatCannotBeWritten(t *testing.T) {
	p := Picture{width: 10, height: 10, draw: func(draw.Canvas) error { panic("no space left on device") }}
	if err := p.WritePDF(io.Discard); err == nil || err.Error() != "a PDF cannot be written: no space left on device" {
		t.Error(err)
	}
}
