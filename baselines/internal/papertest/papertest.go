// Package papertest gives the baselines' tests the paper's data sets and folds.
package papertest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// Load returns a data set from $NPT_DATA_DIR, or from the usual folders in or beside the repository. It skips the test when
// the files are not there.
func Load(t testing.TB, name string) *dataset.Table {
	t.Helper()
	library := dataset.NewLibrary("")
	if os.Getenv("NPT_DATA_DIR") == "" {
		root := repository(t)
		library.Dirs = []string{filepath.Join(root, "data"), filepath.Join(root, "..", "shared", "data")}
	}
	table, err := library.Load(context.Background(), name)
	if missing := (*dataset.MissingError)(nil); errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// repository is the folder above that has go.mod.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, found := os.Stat(filepath.Join(dir, "go.mod")); found == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			err = errors.New("no go.mod in a folder above")
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal(err)
	return ""
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
