package mlp

import (
	"context"
	"testing"
	"time"

	"nptbench/baselines/internal/papertest"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/split"
)

// smallGrid is the paper's grid for the small data sets (Table 20) without the schedules: 3,780 configurations.
func smallGrid(t testing.TB, info dataset.Info) (grid []method.Config) {
	for layers := 1; layers <= 3; layers++ {
		for _, units := range []int{25, 50, 100, 250, 500} {
			var hidden []int
			for range layers {
				hidden = append(hidden, units)
			}
			for _, alpha := range []float64{0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1} {
				for _, batch := range []int{32, 64, 128, 256} {
					for _, rate := range []float64{1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1} {
						grid = append(grid, config(t, info, map[string]any{"hidden_layer_sizes": hidden, "alpha": alpha,
							"batch_size": batch, "learning_rate_init": rate}))
					}
				}
			}
		}
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
