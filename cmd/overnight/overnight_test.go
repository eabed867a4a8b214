package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/experiment"
	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
	"nptbench/results/resultstest"
)

func TestMain(m *testing.M) {
	experiment.ServeProcess()
	os.Exit(m.Run())
}

// When the hours are over it stops, and the same command does the rest.
func TestHours(t *testing.T) {
	dir := t.TempDir()
	out, data := filepath.Join(dir, "out"), datasettest.Library(t).Dirs[0]
	var sweeps []string
	for _, name := range []string{"first", "second"} {
		file := filepath.Join(dir, name+".yaml")
		text := "datasets: [waves]\nprotocols: [published]\nmethods: [{method: knn, grid: {n_neighbors: [2, 5]}}]\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		sweeps = append(sweeps, file)
	}
	call := func(args ...string) (int, string, string) {
		return programtest.Run(t, run, append(append(args, "-out", out, "-data", data), sweeps...)...)
	}
	if exit, said, warned := call("-plan"); exit != program.ExitOK || strings.Count(said, ": 20 of 20 cells to do") != 2 ||
		warned != "no results/published here: what its records have is done again\n" {
		t.Errorf("exit %d: %s%s", exit, said, warned)
	}
	if exit, _, said := programtest.Run(t, run, "-out", "", "-plan", sweeps[0]); exit != program.ExitBadInput || !strings.Contains(said, "-out: want the name of a folder") {
		t.Errorf("no folder: exit %d: %s", exit, said)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a plan has written something")
	}
	if exit, _, said := call("-hours", "1e-6"); exit != program.ExitOK || !strings.Contains(said, "hours are over") {
		t.Errorf("exit %d: %s", exit, said)
	}
	if exit, _, said := call(); exit != program.ExitOK || strings.Contains(said, "hours are over") {
		t.Errorf("exit %d: %s", exit, said)
	}
	log, err := os.ReadFile(filepath.Join(out, "log"))
	if err != nil || strings.Count(string(log), "waves knn published fold") != 20 {
		t.Errorf("%v, log:\n%s", err, log)
	}
	if exit, said, _ := call(); exit != program.ExitOK || strings.Count(said, ": 0 of 20 cells to do, about 0\n") != 2 {
		t.Errorf("again: exit %d: %s", exit, said)
	}
	unlock, err := experiment.Lock(out, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if exit, _, said := call(); exit != program.ExitBadInput || !strings.Contains(said, "another run is writing there") {
		t.Errorf("a second one: exit %d: %s", exit, said)
	}
	unlock()
	for _, hours := range []string{"0", "-1", "nan", "inf", "1e10", "3e6"} {
		if exit, _, said := call("-hours", hours); exit != program.ExitBadInput || !strings.Contains(said, "want more than 0, and at most 2562047") {
			t.Errorf("%s hours: exit %d: %s", hours, exit, said)
		}
	}
	if exit, _, said := programtest.Run(t, run, "-out", out, "-data", data, sweeps[0], "elsewhere/first"); exit != program.ExitBadInput || !strings.Contains(said, "two sweeps are called first") {
		t.Errorf("exit %d: %s", exit, said)
	}
}

// What failed in a sweep is in the exit code, whether a good one comes after it or the hours end.
func TestFailingSweep(t *testing.T) {
	dir, data := t.TempDir(), datasettest.Library(t).Dirs[0]
	failing, good := filepath.Join(dir, "failing.yaml"), filepath.Join(dir, "good.yaml")
	long, both := filepath.Join(dir, "long.yaml"), filepath.Join(dir, "both.yaml")
	for file, method := range map[string]string{
		failing: "mine, command: [sh, -c, exit 3]", good: "knn", long: "mine, command: [sleep, '60']",
		both: "mine, command: [sh, -c, exit 3]}, {method: yours, command: [sleep, '60']",
	} {
		text := "datasets: [waves]\nprotocols: [published]\nfolds: 1\nmethods: [{method: " + method + "}]\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		hours  string
		sweeps []string
		over   bool
	}{{"8", []string{failing, good}, false}, {"0.0015", []string{failing, long}, true}, {"0.0015", []string{both}, true}} {
		args := append([]string{"-out", filepath.Join(t.TempDir(), "out"), "-data", data, "-hours", test.hours}, test.sweeps...)
		exit, _, said := programtest.Run(t, run, args...)
		if exit != program.ExitFailed || strings.Contains(said, "hours are over") != test.over || !strings.Contains(said, "0 cells done, 1 failed") {
			t.Errorf("%q: exit %d: %s", test.sweeps, exit, said)
		}
	}
}

// A network has all cores for itself, and what results/published has is not run again.
func TestPublished(t *testing.T) {
	data := datasettest.Library(t).Dirs[0]
	t.Chdir(t.TempDir())
	text := "datasets: [waves]\nprotocols: [published]\nfolds: 2\nmethods: [{method: tabnet, params: {max_epochs: 1}}]\n"
	if err := os.WriteFile("network.yaml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if exit, _, said := programtest.Run(t, run, "-data", data, "network.yaml"); exit != program.ExitOK {
		t.Fatalf("exit %d: %s", exit, said)
	}
	if err := errors.Join(os.Mkdir("results", 0o777), os.Rename("out/overnight/network", "results/published")); err != nil {
		t.Fatal(err)
	}
	for _, r := range resultstest.Records(t, "results/published/records") {
		if got, want := r.Provenance.Threads, runtime.GOMAXPROCS(0); got != want {
			t.Errorf("fold %d: %d threads, want %d", r.Fold, got, want)
		}
	}
	if exit, said, _ := programtest.Run(t, run, "-data", data, "-plan", "network.yaml"); exit != program.ExitOK || !strings.Contains(said, ": 0 of 2 cells to do") {
		t.Errorf("exit %d: %s", exit, said)
	}
}
