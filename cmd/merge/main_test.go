package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
	"nptbench/results"
)

// folder writes one record for each fold.
func folder(t *testing.T, folds ...int) string {
	t.Helper()
	dir := t.TempDir()
	w := results.NewWriter(dir)
	for _, fold := range folds {
		cell := results.Cell{Dataset: "yacht", Protocol: "published", Fold: fold, Method: "knn", Config: "{}"}
		if err := w.Append(&results.Record{ID: cell.ID(), Status: results.OK, Cell: cell}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Records that contradict each other are named, with the one that is kept.
func TestConflict(t *testing.T) {
	var dirs []string
	for _, rmse := range []float64{1, 2} {
		dirs = append(dirs, t.TempDir())
		w := results.NewWriter(dirs[len(dirs)-1])
		for fold := range 3 {
			cell := results.Cell{Dataset: "yacht", Protocol: "published", Fold: fold, Method: "knn", Config: "{}"}
			if err := w.Append(&results.Record{ID: cell.ID(), Status: results.OK, Cell: cell, Test: results.Metrics{"rmse": rmse * float64(fold)}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "all.jsonl.gz")
	exit, stdout, stderr := programtest.Run(t, merge, file, dirs[1], dirs[0])
	want := "2 cells have records with different metrics, such as knn on yacht, published fold 1: " + dirs[1]
	if exit != program.ExitOK || !strings.HasPrefix(stdout, "3 records in") || !strings.HasPrefix(stderr, want) || !strings.Contains(stderr, "which is used, and "+dirs[0]) {
		t.Errorf("exit code %d, %s%s; want %s", exit, stdout, stderr, want)
	}
}

// A file keeps what it had, unless it is to be replaced.
func TestMerge(t *testing.T) {
	kept, plain := t.TempDir(), folder(t, 0)
	file := filepath.Join(kept, "all.jsonl.gz")
	segments, err := filepath.Glob(filepath.Join(plain, "*"))
	if err != nil || len(segments) != 1 {
		t.Fatal(segments, err)
	}
	for _, step := range []struct {
		args []string
		exit int
		want string
	}{
		{[]string{file, folder(t, 0, 1), folder(t, 1, 2)}, program.ExitOK, "3 records in " + file},
		{[]string{file, folder(t)}, program.ExitBadInput, ": no records there, want files *.jsonl or *.jsonl.gz"},
		{[]string{file, folder(t, 3)}, program.ExitOK, "4 records in "},
		{[]string{file, kept}, program.ExitOK, "4 records in "},
		{[]string{"-replace", file, folder(t, 3), folder(t)}, program.ExitBadInput, ": no records there"},
		{[]string{"-replace", file, folder(t, 3)}, program.ExitOK, "1 records in "},
		{[]string{file, filepath.Join(kept, "none")}, program.ExitBadInput, "no such file"},
		{[]string{segments[0], folder(t, 1)}, program.ExitBadInput, segments[0] + ": want a name that ends in .jsonl.gz"},
		{[]string{"-replace", plain, folder(t, 1)}, program.ExitBadInput, plain + ": want a name that ends in .jsonl.gz"},
		{[]string{file, "main.go"}, program.ExitFailed, file + " is not written: main.go:1: no checksum at the end\n"},
		{[]string{file}, program.ExitBadInput, "want the file to write and at least one folder"},
	} {
		exit, stdout, stderr := programtest.Run(t, merge, step.args...)
		if exit != step.exit || !strings.Contains(stdout+stderr, step.want) || strings.Count(stdout+stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d, %q, want %q", step.args, exit, stdout+stderr, step.want)
		}
	}
	for _, dir := range []string{kept, plain} {
		if store, err := results.Open(t.Context(), dir); err != nil || len(store.Index()) != 1 || len(store.Damages) > 0 {
			t.Errorf("%s: %+v, %v", dir, store, err)
		}
	}
	if left, _ := os.ReadDir(kept); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// Of several merges into one file at the same time none loses what another adds.
func TestMergesAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "all.jsonl.gz")
	var merges sync.WaitGroup
	for fold := range 10 {
		from := folder(t, fold)
		merges.Go(func() {
			if exit, _, stderr := programtest.Run(t, merge, file, from); exit != program.ExitOK {
				t.Error(stderr)
			}
		})
	}
	merges.Wait()
	if store, err := results.Open(t.Context(), file); err != nil || len(store.Index()) != 10 {
		t.Errorf("%+v, %v", store, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
