// Package papertest gives the baselines' tests the paper's data sets and folds.
package papertest

import (
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
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
