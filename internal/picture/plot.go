package picture

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"nptbench/internal/terminal"
)

// A Plot is one that somebody else makes.
type Plot struct {
	Title string
	Make  func() (*plot.Plot, error)
}

// Plots draws plots side by side, with our letters.
func Plots(all []Plot) Picture { return tiled(all, nil) }

const plotHeight = 3.4 * vg.Inch

func (p Plot) size() (width, height vg.Length) { return panelWidth, plotHeight }

func (p Plot) plot() (*plot.Plot, error) {
	out, err := p.Make()
	if err != nil {
		return nil, fmt.Errorf("drawing of %s: %w", p.Title, err)
	}
	out.Title.Text = terminal.Wrap(p.Title, "", 2*titleWidth)
	sansSerif(out)
	return out, nil
}
