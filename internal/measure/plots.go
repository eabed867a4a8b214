package measure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"nptbench/internal/picture"
	"nptbench/internal/stats"
	"nptbench/results"
)

// The pictures of measurements, one for each table.

var dot = draw.GlyphStyle{Color: picture.Blue, Shape: draw.CircleGlyph{}, Radius: vg.Points(3)}

// plotDistances shows the mean distances of the rows kept, of random ones and of those deleted, over the test rows that have both. Where
// none has it is empty.
func plotDistances(t *results.Table) (*plot.Plot, error) {
	of := keptAndDeleted(t)
	p := plot.New()
	p.Y.Label.Text = "squared distance"
	names := []string{"kept", "random", "deleted"}
	p.NominalX(names...)
	p.X.Min, p.X.Max, p.Y.Min = -0.5, 2.5, 0
	if len(of.Lines) == 0 {
		p.Y.Max = 1
		return p, nil
	}
	var points struct {
		plotter.XYs
		plotter.YErrors
	}
	for i, name := range names {
		mean, se := stats.MeanStdErr(of.Column(name + "_distance"))
		if math.IsNaN(se) { // of a single row
			se = 0
		}
		points.XYs = append(points.XYs, plotter.XY{X: float64(i), Y: mean})
		points.YErrors = append(points.YErrors, struct{ Low, High float64 }{se, se})
	}
	bars, err := plotter.NewYErrorBars(points)
	if err != nil {
		return nil, err
	}
	marks, err := plotter.NewScatter(points.XYs)
	if err != nil {
		return nil, err
	}
	bars.Color, marks.GlyphStyle = picture.Blue, dot
	p.Add(bars, marks)
	return p, nil
}

// plotFollowing shows predictions against what they are to follow, and the diagonal.
func plotFollowing(t *results.Table) (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "to follow", "prediction"
	follow, predictions := t.Column("follow"), t.Column("prediction")
	var points plotter.XYs
	for i, x := range follow {
		points = append(points, plotter.XY{X: x, Y: predictions[i]})
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	marks.GlyphStyle = dot
	marks.Radius = vg.Points(1.5)
	diagonal := plotter.NewFunction(func(x float64) float64 { return x })
	diagonal.Color = color.Gray{Y: 0x99}
	p.Add(diagonal, marks)
	return p, nil
}

// plotMap shows the grid of a table, light where it is large.
func plotMap(t *results.Table) (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "attended to", "attending"
	p.Add(plotter.NewHeatMap(grid(t.Grid), palette.Heat(64, 1)))
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
	return p, nil
}

// A grid has its first row at the top.
type grid [][]float64

func (g grid) Dims() (columns, rows int) { return len(g[0]), len(g) }
func (g grid) X(c int) float64           { return float64(c) }
func (g grid) Y(r int) float64           { return float64(r) }
func (g grid) Z(c, r int) float64        { return g[len(g)-1-r][c] }

// gridSide is how many rows and columns the picture of a map has at most.
const gridSide = 32

// shrink takes the mean over the rows and columns that come into one square of a picture, and its decimal logarithm.
func shrink(n int, at func(i, j int) float64) [][]float64 {
	side := min(n, gridSide)
	sums, counts := make([][]float64, side), make([][]float64, side)
	for r := range side {
		sums[r], counts[r] = make([]float64, side), make([]float64, side)
	}
	for i := range n {
		for j := range n {
			r, c := i*side/n, j*side/n
			sums[r][c] += at(i, j)
			counts[r][c]++
		}
	}
	for r := range side {
		for c := range side {
			const least = 1e-9
			sums[r][c] = math.Round(1000*math.Log10(max(sums[r][c]/counts[r][c], least))) / 1000
		}
	}
	return sums
}
