package mlp

import (
	"context"
	"testing"
	"time"

	"nptbench/baselines/internal/papergrid"
	"nptbench/baselines/internal/papertest"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/split"
)

// smallGrid is the paper's grid for the small data sets.
func smallGrid(t testing.TB, info dataset.Info) (grid []method.Config) {
	for _, setting := range papergrid.SmallMLP() {
		grid = append(grid, config(t, info, setting))
	}
	return grid
}

// sampleStep picks configurations of every kind: it shares no factor with any dimension of the grid.
const sampleStep = 61

// BenchmarkGrid trains every 61st configuration of the small grid on one fold, single-threaded, and reports what the
// whole grid over ten folds would take on one core.
func BenchmarkGrid(b *testing.B) {
	for _, name := range []string{"yacht", "boston-housing", "breast-cancer", "concrete"} {
		b.Run(name, func(b *testing.B) {
			data, _ := papertest.Fold(b, papertest.Load(b, name), split.Published, 0)
			grid := smallGrid(b, data.Info)
			var fits, epochs int
			for b.Loop() {
				for i := 0; i < len(grid); i += sampleStep {
					r := fit(context.Background(), data, grid[i])
					if r.Err != nil {
						b.Fatal(r.Err)
					}
					fits++
					epochs += r.Details["epochs"].(int)
				}
			}
			perFit := b.Elapsed() / time.Duration(fits)
			b.ReportMetric(float64(perFit.Microseconds())/1000, "ms/fit")
			b.ReportMetric(float64(epochs)/float64(fits), "epochs/fit")
			b.ReportMetric(float64(len(grid)*10)*perFit.Hours(), "core-hours/grid")
		})
	}
}
