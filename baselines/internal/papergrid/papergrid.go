// Package papergrid has a grid of the paper for the baselines' benchmarks.
package papergrid

import "slices"

// SmallMLP is the grid of the MLP for the small data sets (Table 20) without the schedules, which have no effect: 3,780 settings.
func SmallMLP() (grid []map[string]any) {
	for layers := 1; layers <= 3; layers++ {
		for _, units := range []int{25, 50, 100, 250, 500} {
			for _, alpha := range []float64{0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1} {
				for _, batch := range []int{32, 64, 128, 256} {
					for _, rate := range []float64{1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1} {
						grid = append(grid, map[string]any{"hidden_layer_sizes": slices.Repeat([]int{units}, layers), "alpha": alpha,
							"batch_size": batch, "learning_rate_init": rate})
					}
				}
			}
		}
	}
	return grid
}
