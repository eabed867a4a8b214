// Package papertest gives the baselines' tests the paper's data sets, folds and choice among settings.
package papertest

import (
	"math"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// Load returns a data set from $NPT_DATA_DIR, or from the usual folders in or beside the repository. It skips the test when
// the files are not there.
func Load(t testing.TB, name string) *dataset.Table {
	t.Helper()
	table, err := datasettest.Real(t, name).Load(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Fold encodes one fold, for two threads.
func Fold(t testing.TB, table *dataset.Table, p split.Protocol, fold int) (*task.Task, *task.Truth) {
	t.Helper()
	tk, truth, err := task.FromTable(table, p, fold, task.AllRows)
	if err != nil {
		t.Fatal(err)
	}
	tk.Threads = 2
	return tk, truth
}

// Select runs a grid of canonical configurations and returns the result with the lowest validation loss, the first of equal ones.
func Select(t testing.TB, m *method.Method, tk *task.Task, grid []method.Config) method.Result {
	t.Helper()
	places := map[string][]int{} // in the grid, by fit
	for i, c := range grid {
		key := m.FitKey(c, tk.Info.Problem)
		places[key] = append(places[key], i)
	}
	best, at, lowest := method.Result{}, 0, math.Inf(1)
	for _, places := range places {
		var batch []method.Config
		for _, i := range places {
			batch = append(batch, grid[i])
		}
		err := m.Run(t.Context(), tk, batch, func(r method.Result) {
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			place, loss := places[r.Index], 0.0
			if tk.Info.Problem.Classification() {
				loss, _ = metric.LogLoss(r.Val, tk.Labels[tk.Train:], tk.Info.Classes)
			} else {
				loss, _ = metric.MeanSquaredError(r.Val, tk.Y[tk.Train:])
			}
			if loss < lowest || loss == lowest && place < at {
				best, at, lowest = r, place, loss
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return best
}
