package experiment

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
	"nptbench/internal/run"
	"nptbench/report"
	"nptbench/results"
	"nptbench/results/resultstest"
)

var spec = Spec{Name: "test", Title: "Test"}

func experiment(ctx context.Context, e program.Env) (int, error) { return Run(ctx, e, spec) }

// small are the arguments for a sweep of some methods on one fold of generated data.
func small(t *testing.T, methods, out string) []string {
	t.Helper()
	sweep := filepath.Join(t.TempDir(), "sweep.yaml")
	text := "name: sweep\nprotocols: [published]\ndatasets: [waves]\nfolds: 1\nmethods: [" + methods + "]\n"
	if err := os.WriteFile(sweep, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return []string{"-data", datasettest.Library(t).Dirs[0], "-sweep", sweep, "-out", out}
}

// record writes a failure for each cell of a sweep, of the named method a result.
func record(t *testing.T, args []string, out, succeeded string) {
	t.Helper()
	p, _, err := Plan(t.Context(), program.Env{Args: args, Getenv: os.Getenv, Width: 80, Stderr: t.Output()}, spec)
	if err != nil {
		t.Fatal(err)
	}
	w := results.NewWriter(filepath.Join(out, "records"))
	for _, j := range p.Jobs() {
		for _, r := range run.Failures(p.Sweep, j, &results.Failure{Kind: "error", Message: "no luck"}) {
			if r.Method == succeeded {
				r.Status, r.Failure, r.Test = results.OK, nil, results.Metrics{"rmse": 1}
			}
			if err := w.Append(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// What networks take is estimated from the published records of a GPU where they will run on one, and else from those of a processor.
func TestEstimateByDevice(t *testing.T) {
	t.Chdir(t.TempDir())
	out := filepath.Join(t.TempDir(), "out")
	args := small(t, "{method: npt}", out)
	p, _, err := Plan(t.Context(), program.Env{Args: args, Getenv: os.Getenv, Width: 80, Stderr: t.Output()}, spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		folder, backend string
		seconds         float64
	}{{gpuRecords, "xla:cuda", 7}, {Published, "fused", 2 * 3600 * float64(runtime.GOMAXPROCS(0))}} {
		w := results.NewWriter(of.folder)
		for _, r := range run.Failures(p.Sweep, p.Jobs()[0], nil) {
			r.Status, r.Test, r.FitSeconds, r.FitCells = results.OK, results.Metrics{"rmse": 1}, of.seconds, 1
			r.Provenance.Backend, r.Provenance.Threads = of.backend, 1
			if err := w.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for backend, want := range map[string][]string{
		"xla:cuda": {" 7 s\n", "and a GPU", "else results/published/gpu, results/published"}, "fused": {" 2 h\n", "else results/published (other"},
	} {
		var plan strings.Builder
		env := program.Env{Args: append(args, "-dry-run", "-backend", backend), Getenv: os.Getenv, Width: 80, Stdout: &plan, Stderr: t.Output()}
		if exit, err := experiment(t.Context(), env); exit != program.ExitOK || err != nil {
			t.Fatal(exit, err)
		}
		for _, text := range want {
			if got := strings.Join(strings.Fields(plan.String()), " "); !strings.Contains(plan.String(), text) && !strings.Contains(got, text) {
				t.Errorf("%s: no %q in\n%s", backend, text, plan.String())
			}
		}
	}
}

// Names that the sweep does not have are bad input, and nothing is made; an imported method is not in the sweep's file.
func TestUnknownNames(t *testing.T) {
	out, imported := filepath.Join(t.TempDir(), "out"), t.TempDir()
	args := small(t, "{method: knn}", out)
	for flag, want := range map[string]string{"-datasets": `sweep sweep has no data set "nosuch"`, "-methods": `sweep sweep has no method "nosuch"`} {
		if exit, _, stderr := programtest.Run(t, experiment, append(args, flag, "nosuch")...); exit != program.ExitBadInput || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: exit code %d, %s", flag, exit, stderr)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: %s was made", flag, out)
		}
	}
	args = small(t, "{method: knn}", t.TempDir())
	record(t, args, imported, "")
	w := results.NewWriter(imported)
	for _, r := range resultstest.Records(t, filepath.Join(imported, "records")) {
		r.Method, r.Config, r.Status, r.Failure, r.Test = "mine", `{"imported":"Mine"}`, results.OK, nil, results.Metrics{"rmse": 1}
		r.ID = r.Cell.ID()
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if exit, stdout, stderr := programtest.Run(t, experiment, append(args, "-methods", "mine", "-with", imported)...); exit != program.ExitOK {
		t.Errorf("an imported method: exit code %d, %s%s", exit, stdout, stderr)
	}
}

// What failed in an earlier run and is not tried again is said, stands in the report, and is not a success.
func TestEarlierFailures(t *testing.T) {
	out := t.TempDir()
	args := small(t, "{method: knn}, {method: random-forest}", out)
	record(t, args, out, "knn")
	for _, more := range [][]string{nil, {"-methods", "knn"}, {"-methods", "knn", "-retry-failed"}} {
		exit, stdout, stderr := programtest.Run(t, experiment, append(args, more...)...)
		if exit != program.ExitFailed || !strings.Contains(stderr, "1 cells failed in earlier runs") || !strings.Contains(stderr, "random-forest on waves: 1\n") {
			t.Errorf("%q: exit code %d, %s%s", more, exit, stdout, stderr)
		}
		if failures, err := os.ReadFile(filepath.Join(out, "report", "failures.csv")); err != nil || !strings.Contains(string(failures), "random-forest") {
			t.Errorf("%q: %v, %s", more, err, failures)
		}
	}
	failed := t.TempDir()
	args = small(t, "{method: knn}", failed)
	record(t, args, failed, "")
	if exit, stdout, stderr := programtest.Run(t, experiment, append(args, "-report-only", "-retry-failed")...); exit != program.ExitOK {
		t.Errorf("a report: exit code %d, %s%s", exit, stdout, stderr)
	}
}

// A log that cannot be opened is said, and leaves nothing running.
func TestNoLog(t *testing.T) {
	out := t.TempDir()
	exit, _, stderr := programtest.Run(t, experiment, append(small(t, "{method: knn}", out), "-log", filepath.Join(out, "no", "such", "log"))...)
	if exit != program.ExitBadInput || !strings.Contains(stderr, "-log: open") {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	if strings.Contains(stderr, "cells") {
		t.Errorf("it was planned first: %s", stderr)
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, name := range []string{"(*Progress).redraw", "(*Writer).syncLoop"} {
		if bytes.Contains(stacks, []byte(name)) {
			t.Errorf("%s still runs", name)
		}
	}
}

// A line that a kill has torn costs its cell, which is to be done, and the report has no more to say of it.
func TestTornRecord(t *testing.T) {
	out := t.TempDir()
	args := small(t, "{method: knn}", out)
	record(t, args, out, "knn")
	if err := os.WriteFile(filepath.Join(out, "records", "torn.jsonl"), []byte(`{"id":"torn`), 0o666); err != nil {
		t.Fatal(err)
	}
	exit, stdout, stderr := programtest.Run(t, experiment, append(args, "-report-only")...)
	if exit != program.ExitOK || strings.Contains(stdout, "could not be read") || !strings.Contains(stderr, "torn.jsonl:1: ") {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
}

// A sweep of which the experiment shows nothing is refused before anything is run, and so is one without the parameter that tells its rows
// apart.
func TestNothingToShow(t *testing.T) {
	for want, s := range map[string]Spec{
		`sweep sweep has nothing that test shows; its first table is of measure corruption, metric rmse_change`: {Tables: []report.Layout{{Name: "changes", Title: "Changes",
			Where: []report.Where{report.Is("measure", "corruption"), report.Is("metric", "rmse_change")}, Rows: []string{"series"}, Show: []report.Part{report.Ours}}}},
		`no method of sweep sweep has "layers" to tell rows apart by`: {Series: []string{"layers"}},
	} {
		s.Name, s.Sweep = "test", "table1-quick"
		out := filepath.Join(t.TempDir(), "out")
		run := func(ctx context.Context, e program.Env) (int, error) { return Run(ctx, e, s) }
		for _, more := range [][]string{nil, {"-dry-run"}} {
			exit, _, stderr := programtest.Run(t, run, append(small(t, "{method: knn}", out), more...)...)
			if exit != program.ExitBadInput || !strings.HasPrefix(stderr, want) {
				t.Errorf("%v: exit code %d, %s, want %s", more, exit, stderr, want)
			}
		}
		if records, _ := filepath.Glob(filepath.Join(out, "records", "*")); records != nil {
			t.Errorf("something was run: %v", records)
		}
	}
}

// A task of Slurm finds its folders in whatever working directory it is.
func TestClusterPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	e := program.Env{Args: append(small(t, "{method: knn}", "out"), "-executor", "slurm"), Getenv: os.Getenv, Width: 80, Stdout: io.Discard, Stderr: t.Output()}
	o, sweep, err := spec.load(e)
	if err != nil {
		t.Fatal(err)
	}
	p, store, err := o.plan(t.Context(), e, sweep)
	if err != nil {
		t.Fatal(err)
	}
	pool := &run.Pool{Library: o.library(e), Checkpoints: "out/checkpoints", Models: "out/models", MoreModels: []string{"models"}}
	c, err := o.cluster(t.Context(), p, store, pool)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append([]string{c.Dir, c.Records, c.Pool.Checkpoints, c.Pool.Models, c.Pool.MoreModels[0]}, c.Pool.Library.Dirs...) {
		if !filepath.IsAbs(path) {
			t.Errorf("%s is relative", path)
		}
	}
}

// Tasks of Slurm keep what they have reached, and models, in -out. A run on this machine says that they, which may still run, have cells
// that it has to do.
func TestTasksStillThere(t *testing.T) {
	bin, out := t.TempDir(), t.TempDir()
	for name, says := range map[string]string{"sbatch": "1", "scontrol": "MaxArraySize = 9", "squeue": "", "sacct": ""} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho '"+says+"'\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	const want = "1 cell may be done twice"
	args := small(t, "{method: knn}", out)
	if exit, _, stderr := programtest.Run(t, experiment, append(args, "-executor", "slurm", "-detach")...); exit != program.ExitFailed || strings.Contains(stderr, want) {
		t.Fatalf("exit code %d, %s", exit, stderr)
	}
	setups, _ := filepath.Glob(filepath.Join(out, "slurm", "*", "setup.json"))
	setup, err := os.ReadFile(strings.Join(setups, ""))
	for field, folder := range map[string]string{"Checkpoints": "checkpoints", "Models": "models"} {
		if want := fmt.Sprintf("%q:%q", field, filepath.Join(out, folder)); err != nil || !strings.Contains(string(setup), want) {
			t.Errorf("%v: the pool of tasks has no %s", err, want)
		}
	}
	for _, c := range []struct {
		of   []string
		want bool
	}{{append(args, "-seed", "7"), false}, {args, true}, {args, false}} { // all fits fail here, and have a record then
		if _, _, stderr := programtest.Run(t, experiment, c.of...); strings.Contains(stderr, want) != c.want {
			t.Errorf("%q: said %q: %v, want %v; %s", c.of, want, !c.want, c.want, stderr)
		}
	}
}

// A report of records alone does not replace that of the run that they are of.
func TestReportOfRecordsAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	args := small(t, "{method: knn}", filepath.Join("out", "sweep"))
	record(t, args, filepath.Join("out", "sweep"), "knn")
	for _, c := range []struct {
		recorded bool
		args     []string
		folder   string
	}{
		{false, append(args, "-report-only"), "out/sweep/report"},
		{true, args[:len(args)-2], "out/sweep/report-test"},
		{true, append(args[:len(args)-2:len(args)-2], "-with", "out/sweep", "-out", "out/other"), "out/other/report"},
	} {
		s := spec
		s.Recorded = c.recorded
		exit, _, errs := programtest.Run(t, func(ctx context.Context, e program.Env) (int, error) { return Run(ctx, e, s) }, c.args...)
		if _, err := os.Stat(filepath.Join(c.folder, "test.md")); exit != program.ExitOK || err != nil {
			t.Errorf("exit %d, %v, %s", exit, err, errs)
		}
	}
	if written, _ := filepath.Glob("out/*/report*"); len(written) != 3 {
		t.Errorf("%q", written)
	}
}
