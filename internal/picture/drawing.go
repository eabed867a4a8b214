package picture

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"nptbench/internal/terminal"
)

// A Drawing is a plot that a measurement makes; it gets our title and letters.
type Drawing struct {
	Title string
	Make  func() (*plot.Plot, error)
}

// Drawings puts drawings side by side.
func Drawings(all []Drawing) Picture { return tiled(all, nil) }

const drawingHeight = 3.4 * vg.Inch

func (p Drawing) size() (width, height vg.Length) { return panelWidth, drawingHeight }

func (p Drawing) plot() (*plot.Plot, error) {
	out, err := p.Make()
	if err != nil {
		return nil, fmt.Errorf("drawing of %s: %w", p.Title, err)
	}
	out.Title.Text = terminal.Wrap(p.Title, "", 2*titleWidth)
	sansSerif(out)
	return out, nil
}
