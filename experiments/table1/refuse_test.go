package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/experiment"
	"nptbench/internal/program"
	"nptbench/results"
	"nptbench/results/resultstest"
)

// arguments are those of a run of one small sweep: methods as in sweep files, on one fold of generated data.
func arguments(t *testing.T, methods, out string) []string {
	t.Helper()
	sweep := filepath.Join(t.TempDir(), "sweep.yaml")
	write(t, sweep, "name: sweep\nprotocols: [published]\ndatasets: [waves]\nfolds: 1\nmethods: ["+methods+"]\n")
	return []string{"-data", datasettest.Library(t).Dirs[0], "-sweep", sweep, "-out", out}
}

// A folder that cannot be written to is bad input, and nothing is run.
func TestUnwritableOut(t *testing.T) {
	for _, name := range []string{"", "records", "report"} {
		out := filepath.Join(t.TempDir(), "out")
		file := filepath.Join(out, name)
		write(t, file, "")
		exit, _, errs, err := call(t, arguments(t, "{method: knn}", out)...)
		if exit != program.ExitBadInput || err == nil || !strings.Contains(err.Error(), file) || strings.Contains(errs, "cells") {
			t.Errorf("a file at out/%s: exit %d, %v, %s", name, exit, err, errs)
		}
	}
}

// What a backend cannot compute is bad input, for a plan too, and nothing is run.
func TestPrecisionOfBackend(t *testing.T) {
	out := t.TempDir()
	args := arguments(t, "{method: npt, params: {dim_hidden: 8, heads: 2, layers: 2, steps: 1, precision: bfloat16}}", out)
	for _, more := range []string{"-dry-run", "-dry-run=false"} {
		exit, _, _, err := call(t, append(args, "-backend", "fused", more)...)
		if exit != program.ExitBadInput || err == nil || !strings.Contains(err.Error(), "backend fused does not compute in bfloat16; ") {
			t.Errorf("%s: exit %d, %v", more, exit, err)
		}
	}
	if records, _ := filepath.Glob(filepath.Join(out, "records", "*")); len(records) > 0 {
		t.Errorf("there are %v", records)
	}
}

// Tasks in Slurm are ended before anything is planned: damaged records are not even looked at.
func TestCancelFirst(t *testing.T) {
	out := t.TempDir()
	write(t, filepath.Join(out, "records", "a.jsonl"), "x\n")
	exit, _, errs, err := call(t, append(arguments(t, "{method: knn}", out), "-executor", "slurm", "-cancel")...)
	if exit != program.ExitOK || err != nil || errs != "ended the tasks of 0 submissions in "+filepath.Join(out, "slurm")+"; what is recorded is kept\n" {
		t.Errorf("exit %d, %v, %q", exit, err, errs)
	}
}

// A hook calls do once, when what was written has the text in it.
type hook struct {
	bytes.Buffer
	text string
	do   func()
}

func (h *hook) Write(b []byte) (int, error) {
	n, err := h.Buffer.Write(b)
	if h.do != nil && strings.Contains(h.String(), h.text) {
		h.do()
		h.do = nil
	}
	return n, err
}

// Records that contradict each other are named before the report, and in its summary.
func TestConflict(t *testing.T) {
	out, other := t.TempDir(), t.TempDir()
	args := arguments(t, "{method: knn}", out)
	if exit, _, errs, err := call(t, args...); exit != program.ExitOK || err != nil || strings.Contains(errs, "different metrics") {
		t.Fatalf("exit %d, %v, %s", exit, err, errs)
	}
	w := results.NewWriter(other)
	for _, r := range resultstest.Records(t, filepath.Join(out, "records")) {
		r.Test = results.Metrics{"rmse": -1}
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, _, err := call(t, append(arguments(t, "{method: knn, params: {n_neighbors: 3}}", out), "-report-only")...)
	if err == nil || !strings.HasSuffix(err.Error(), ": what is there, 1 record, is of other settings or seeds, or of data or commands that have changed since or are not there") {
		t.Errorf("a report of other settings: %v", err)
	}
	const want = "1 cell has records with different metrics, such as knn on "
	exit, _, errs, err := call(t, append(args, "-with", other, "-report-only")...)
	if exit != program.ExitOK || err != nil || strings.Count(errs, want) != 1 {
		t.Errorf("exit %d, %v, %s, want %s", exit, err, errs, want)
	}
	if summary, err := os.ReadFile(filepath.Join(out, "report", "summary.md")); err != nil || !strings.Contains(string(summary), want) {
		t.Errorf("%v, want %s in\n%s", err, want, summary)
	}
}

// A plan says what is to do on data that are not here, too, and learns how long it takes from the published records where its own
// folder has none. It fits a terminal of 80 columns.
func TestDryRun(t *testing.T) {
	folder := t.TempDir()
	args := arguments(t, "{method: knn}", filepath.Join(folder, "first"))
	if exit, _, _, err := call(t, args...); exit != program.ExitOK || err != nil {
		t.Fatalf("exit %d, %v", exit, err)
	}
	t.Chdir(folder)
	plan := func(args ...string) (last []string, all string) {
		exit, all, _, err := call(t, append(args, "-dry-run")...)
		if exit != program.ExitOK || err != nil {
			t.Fatalf("exit %d, %v", exit, err)
		}
		for line := range strings.Lines(all) {
			if len(line) > 81 {
				t.Errorf("%d columns: %s", len(line)-1, line)
			}
		}
		return strings.Fields(strings.Split(all, "\n")[1]), all
	}
	args = append(args, "-out", "second")
	if row, all := plan(args...); row[len(row)-2] != "1" || row[len(row)-1] != "?" {
		t.Errorf("without records:\n%s", all)
	}
	if err := errors.Join(os.Mkdir("results", 0o777), os.Rename("first/records", "results/published")); err != nil {
		t.Fatal(err)
	}
	if row, all := plan(args...); row[len(row)-3] != "1" || row[len(row)-1] != "s" || !strings.Contains(all, "results/published") {
		t.Errorf("with published records:\n%s", all)
	}
	if row, all := plan("-data", ".", "-sweep", "table1-quick", "-methods", "knn", "-out", "third"); row[len(row)-2] == "0" || !strings.Contains(all, "not here: yacht") {
		t.Errorf("without data:\n%s", all)
	}
}

// Records that somebody removes, of this run or of the one before, are missed.
func TestLostRecords(t *testing.T) {
	for _, when := range []string{"1 to do", "0 to do", "1 cells done"} {
		out := t.TempDir()
		args := arguments(t, "{method: knn}", out)
		if when == "0 to do" {
			if exit, _, _, err := call(t, args...); exit != program.ExitOK || err != nil {
				t.Fatalf("exit %d, %v", exit, err)
			}
		}
		errs := &hook{text: when, do: func() { os.RemoveAll(filepath.Join(out, "records")) }}
		exit, err := experiment.Run(t.Context(), program.Env{Args: args, Stdout: io.Discard, Stderr: errs, Getenv: os.Getenv, Width: 80}, table1)
		if removedBefore := when == "1 to do"; removedBefore {
			if exit != program.ExitOK || err != nil {
				t.Errorf("removed before there was a record: exit %d, %v", exit, err)
			}
		} else if exit != program.ExitFailed || err == nil || !strings.HasPrefix(err.Error(), "records are lost: there were 1, and the report found 0 in ") {
			t.Errorf("removed at %q: exit %d, %v", when, exit, err)
		}
	}
}

// While a run goes on, another one on the same folder is refused, and names its process; plans and reports are not.
func TestSecondRun(t *testing.T) {
	out := t.TempDir()
	args := arguments(t, "{method: knn}", out)
	during := func() {
		want := fmt.Sprintf("-out %s: another run is writing there (process %d on ", out, os.Getpid())
		if exit, _, errs, err := call(t, args...); exit != program.ExitBadInput || err == nil || !strings.HasPrefix(err.Error(), want) || errs != "" {
			t.Errorf("exit %d, %v, %q; want %q", exit, err, errs, want)
		}
		if exit, _, _, err := call(t, append(args, "-dry-run")...); exit != program.ExitOK || err != nil {
			t.Errorf("dry run: exit %d, %v", exit, err)
		}
		if _, _, _, err := call(t, append(args, "-report-only")...); err == nil || !strings.HasPrefix(err.Error(), "no records of sweep") {
			t.Errorf("report: %v", err)
		}
	}
	h := &hook{text: "to do", do: during}
	exit, err := experiment.Run(t.Context(), program.Env{Args: args, Stdout: io.Discard, Stderr: h, Getenv: os.Getenv, Width: 80}, table1)
	if exit != program.ExitOK || err != nil || h.do != nil {
		t.Errorf("exit %d, %v", exit, err)
	}
	if exit, _, _, err := call(t, args...); exit != program.ExitOK || err != nil {
		t.Errorf("once that has ended: exit %d, %v", exit, err)
	}
}
