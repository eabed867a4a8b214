package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/seed"
	"nptbench/internal/split"
	"nptbench/internal/subprocess"
	"nptbench/internal/task"
	"nptbench/results"
	"nptbench/results/resultstest"
	"nptbench/sweeps"
)

// The test binary is its own worker, and, with plannerVariable set, a planning process that tests can kill.
const plannerVariable = "NPTBENCH_TEST_PLANNER"

func TestMain(m *testing.M) {
	if IsWorker() {
		Serve(testMethods(), testMeasurements())
	}
	if dir := os.Getenv(plannerVariable); dir != "" {
		if err := plannerProcess(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// testMethods has a method that predicts the training mean plus a number of its own and can misbehave in every way that a
// method can, and a network.
func testMethods() []*method.Method {
	return []*method.Method{testNetwork(), testKeeper(), {
		Name: "mean", Title: "Mean", Doc: "for tests",
		Params: []method.Param{
			{Name: "shift", Type: method.Int, Default: 0},
			{Name: "same", Type: method.Int, Default: 0, Doc: "has no effect"},
			{Name: "pause", Type: method.Int, Default: 0, Doc: "milliseconds"},
			{Name: "mode", Type: method.Choice, Default: "ok",
				Choices: []string{"ok", "print", "garble", "panic", "exit", "hang", "eat", "nan", "huge", "vast", "short", "silent", "beyond", "error", "late", "later", "twice", "resume", "memory", "leave", "after", "full", "filled", "noted", "kept"}},
		},
		Canonical: func(c method.Config, _ dataset.Problem) method.Config { return c.With("same", 0) },
		FitKey:    func(c method.Config, _ dataset.Problem) string { return fmt.Sprint(c["mode"], c.Int("shift")/10) },
		Run:       runMean,
	}}
}

var eaten [][]byte // what a method in the mode "eat" holds

func runMean(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
	for i, c := range batch {
		t.Progress(task.Progress{Share: 0.25, Left: time.Minute, Text: "a quarter of it"})
		time.Sleep(time.Duration(c.Int("pause")) * time.Millisecond)
		r := method.Result{Index: i, Val: make([]float64, t.Val), Test: make([]float64, t.Test), Fit: time.Millisecond, Predict: 2 * time.Millisecond,
			Details: map[string]any{"process": os.Getpid(), "seed": fmt.Sprint(t.Seed), "sweep_seed": t.SweepSeed}}
		for j := range r.Test {
			r.Test[j] = float64(c.Int("shift")) + float64(t.Seed%1000)/1e6
		}
		switch c.String("mode") {
		case "print": // as a library may, past Go's os.Stdout
			syscall.Write(1, []byte("{\"Done\": true}\nfor your information\n"))
		case "garble":
			syscall.Write(repliesDescriptor, []byte("for your information\n"))
			select {}
		case "panic":
			panic("out of its wits")
		case "exit":
			fmt.Fprintln(os.Stderr, "something broke")
			os.Exit(3)
		case "hang":
			if t.CheckpointDir != "" {
				grandchild := startGrandchild()
				os.MkdirAll(t.CheckpointDir, 0o777)
				os.WriteFile(filepath.Join(t.CheckpointDir, "pid"), fmt.Append(nil, os.Getpid(), " ", grandchild), 0o666)
			}
			select {}
		case "kept": // as of a network, when it has done the step in hand
			os.MkdirAll(t.CheckpointDir, 0o777)
			os.WriteFile(filepath.Join(t.CheckpointDir, "pid"), nil, 0o666) // which hanging waits for
			<-ctx.Done()
			time.Sleep(300 * time.Millisecond)
			os.WriteFile(filepath.Join(t.CheckpointDir, "reached"), nil, 0o666)
			return ctx.Err()
		case "eat":
			for {
				b := make([]byte, 16<<20)
				for k := 0; k < len(b); k += 4096 {
					b[k] = 1
				}
				eaten = append(eaten, b)
				time.Sleep(5 * time.Millisecond)
			}
		case "after": // a goroutine that goes on, as after a panic in another
			go func() {
				time.Sleep(200 * time.Millisecond) // until the job has ended
				for {
					t.Progress(task.Progress{Share: 0.5})
					done(r)
					time.Sleep(time.Millisecond)
				}
			}()
			return errors.New("nobody waits for the rest")
		case "leave":
			r.Details["grandchild"] = startGrandchild()
		case "nan":
			r.Test[3] = math.NaN()
		case "huge": // its square is too large for a number
			r.Test[3] = 1e200
		case "vast":
			r.Val[3] = -1e200
		case "short":
			r.Test = r.Test[1:]
		case "silent":
			continue
		case "beyond":
			r.Index = 7
		case "error":
			return fmt.Errorf("no luck\nwith this")
		case "full", "filled":
			if t.CheckpointDir != "" { // what was there before the disk was full
				os.MkdirAll(t.CheckpointDir, 0o777)
			}
			r.Err = &fs.PathError{Op: "write", Path: "train_x.csv", Err: syscall.ENOSPC}
			if c.String("mode") == "full" {
				return r.Err
			}
		case "noted":
			os.MkdirAll(t.CheckpointDir, 0o777)
		case "late": // as a server may be
			return fmt.Errorf("no answer: %w", context.DeadlineExceeded)
		case "later":
			r.Err = fmt.Errorf("no answer: %w", context.DeadlineExceeded)
		case "twice":
			done(r)
		case "memory":
			return fmt.Errorf("no room for this: %w", method.ErrMemory)
		case "resume": // breaks off, and is finished by the next one that finds what it left
			left := filepath.Join(t.CheckpointDir, "state")
			if _, err := os.Stat(left); err != nil {
				if err := errors.Join(os.MkdirAll(t.CheckpointDir, 0o777), os.WriteFile(left, nil, 0o666)); err != nil {
					return err
				}
				os.Exit(3)
			}
			if err := os.WriteFile(filepath.Join(t.ModelDir, fmt.Sprintf("%d-%d", t.Fold, c.Int("shift"))), nil, 0o666); err != nil {
				return err
			}
		}
		done(r)
	}
	return nil
}

// startGrandchild starts a command that starts another one, and returns the process id of that.
func startGrandchild() (pid int) {
	c := exec.Command("sh", "-c", "sleep 1000 & echo $!; wait")
	subprocess.EndWithParent(c, syscall.SIGKILL)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err == nil {
		_, err = fmt.Fscan(out, &pid)
	}
	if err != nil {
		panic(err)
	}
	return pid
}

var library = datasettest.Library

func parse(t testing.TB, text string) *sweeps.Sweep {
	t.Helper()
	datasets := library(t).Infos()
	s, err := sweeps.Parse("test.yaml", []byte(text), sweeps.Catalogue{Methods: testMethods(), Datasets: datasets, Measurements: testMeasurements()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sweepOf(budget, grid string) string {
	return "name: test\nseed: 7\nprotocols: [published]\ndatasets: [waves]\nfolds: 3\n" + budget + "methods:\n  - method: mean\n    grid: " + grid + "\n"
}

func planned(t testing.TB, s *sweeps.Sweep, lib *dataset.Library, dir string, o plan.Options) *plan.Plan {
	t.Helper()
	store, err := results.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(t.Context(), s, o, lib, store.Index())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// execute runs what a plan has to do, with two workers, in a folder.
func execute(t testing.TB, ctx context.Context, p *plan.Plan, lib *dataset.Library, dir string, change ...func(*Pool)) Counts {
	t.Helper()
	o, err := executed(ctx, p, lib, dir, false, io.Discard, change...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func executed(ctx context.Context, p *plan.Plan, lib *dataset.Library, dir string, failFast bool, shown io.Writer, change ...func(*Pool)) (Counts, error) {
	pool := &Pool{Library: lib, Sweep: p.Sweep, Records: results.NewWriter(dir), Jobs: 2, Backend: "go"}
	for _, c := range change {
		c(pool)
	}
	jobs := p.Jobs()
	plan.Recall(jobs, results.Read(ctx, dir))
	progress := NewProgress(shown, false, jobs, pool.Jobs, pool.Networks)
	o, err := Execute(ctx, jobs, pool, failFast, progress)
	progress.Close()
	return o, errors.Join(err, pool.Records.Close())
}

var both = plan.Options{Protocols: split.Protocols}

func TestRunAndResume(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	defer func(usual func() string) { CodeVersion = usual }(CodeVersion)
	CodeVersion = func() string { return "known when it began" } // workers are other processes, and find another one
	s := parse(t, sweepOf("", "{shift: [0, 1, 12], same: [0, 1]}"))
	p := planned(t, s, lib, dir, both)
	// The first fold is one task under both protocols, the two others are two each. Of 6 settings 3 are distinct, served by 2
	// fits a fold.
	jobs := p.Jobs()
	if n := p.Count(p.Groups()...); n.Cells != 30 || n.ToDo != 30 || len(jobs) != 10 || len(jobs[0].Configurations) != 2 || jobs[0].Cells() != 4 {
		t.Fatalf("%+v with %d jobs", n, len(jobs))
	}
	if o := execute(t, t.Context(), p, lib, dir); o != (Counts{OK: 30}) {
		t.Fatalf("outcome %+v", o)
	}
	values := map[results.ID]float64{}
	for _, r := range resultstest.Records(t, dir) {
		if r.ID != r.Cell.ID() {
			t.Errorf("record %s is of cell %s", r.ID, r.Cell.ID())
		}
		if want := map[bool]int{true: 2, false: 4}[strings.Contains(string(r.Config), "12")]; r.FitCells != want {
			t.Errorf("a fit for %d cells, want %d: %+v", r.FitCells, want, r.Cell)
		}
		if r.Rows[0]+r.Rows[1]+r.Rows[2] != 120 || r.PeakMemoryBytes == 0 || r.ProcessorSeconds <= 0 || r.ProcessorSeconds > 60 || r.Provenance.CPU == "" || r.Provenance.Threads == 0 ||
			r.Provenance.Code != "known when it began" || r.Sweep != "test" || r.SplitDigest == "" || r.Test["rmse"] == 0 || r.Details["sweep_seed"] != 7.0 {
			t.Errorf("incomplete record %+v", r)
		}
		if want := fmt.Sprint(seed.Derive(7, "waves", r.Protocol, r.Fold)); r.Details["seed"] != want {
			t.Errorf("fitted with the seed %v, want %s: %+v", r.Details["seed"], want, r.Cell)
		}
		if r.FitSeconds != 0.001 || r.PredictSeconds != 0.002 {
			t.Errorf("%v s to fit and %v s to predict, want 1 ms and 2 ms", r.FitSeconds, r.PredictSeconds)
		}
		values[r.ID] = r.Test["rmse"]
	}
	if len(values) != 30 {
		t.Fatalf("%d cells have a record, want 30", len(values))
	}
	again := planned(t, s, lib, dir, both)
	if n := again.Count(again.Groups()...); n.ToDo != 0 || n.Done != 30 || len(again.Jobs()) != 0 {
		t.Errorf("%+v after all are done", n)
	}
	// A part of the sweep alone, in another folder, gives the same cells the same numbers.
	alone := t.TempDir()
	part := planned(t, parse(t, sweepOf("", "{shift: [12], same: [1]}")), lib, alone, plan.Options{})
	execute(t, t.Context(), part, lib, alone)
	got := resultstest.Records(t, alone)
	if len(got) != 3 {
		t.Fatalf("%d records, want 3", len(got))
	}
	for _, r := range got {
		if values[r.ID] != r.Test["rmse"] {
			t.Errorf("cell %s alone: %v, in the sweep: %v", r.ID, r.Test["rmse"], values[r.ID])
		}
	}
}

// Data that change between the plan and the run give no metrics to cells of those that were planned for.
func TestDataChanged(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := planned(t, parse(t, sweepOf("", "{shift: [0, 10]}")), lib, dir, plan.Options{})
	file := filepath.Join(lib.Dirs[0], "waves", "rows.csv")
	text, err := os.ReadFile(file)
	last := bytes.LastIndexByte(text, ',')
	if err := errors.Join(err, os.WriteFile(file, append(text[:last:last], ",9.5\n"...), 0o666)); err != nil {
		t.Fatal(err)
	}
	if o := execute(t, t.Context(), p, lib, dir); o != (Counts{Failed: 6}) {
		t.Errorf("outcome %+v, want 6 failed", o)
	}
	for _, r := range resultstest.Records(t, dir) {
		if r.Failure == nil || !strings.HasPrefix(r.Failure.Message, "waves has changed since the run was planned: digest ") || len(r.Val)+len(r.Test) > 0 {
			t.Errorf("%+v, validation %v, test %v", r.Failure, r.Val, r.Test)
		}
	}
}

// A method may fail in any way: its cells get a failure that says how, and all others their result.
func TestFailuresAreRecords(t *testing.T) {
	lib := library(t)
	for _, c := range []struct{ mode, budget, kind, message string }{
		{"panic", "", "crash", "panic: out of its wits at internal/run/run_test.go"},
		{"exit", "", "crash", "exit status 3; it said: something broke"},
		{"garble", "", "crash", "what it sent is no reply"},
		{"hang", "budget: {time: 2s}\n", "timeout", "budget of 2s"},
		{"eat", "budget: {memory: 400MiB}\n", "memory", "the budget is 0.39 GiB"},
		{"nan", "", "diverged", "test row 3, counted from 0, is NaN"},
		{"huge", "", "diverged", "the mean squared error of the predictions for test rows is too large"},
		{"vast", "", "diverged", "the mean squared error of the predictions for validation rows is too large"},
		{"short", "", "error", "11 predicted numbers for 12 test rows of 1 output: want 12"},
		{"silent", "", "error", "without a result"},
		{"beyond", "", "error", "mean gave a result with Index 7, and was asked for 0 to 1"},
		{"error", "", "error", "no luck with this"},
		{"late", "", "error", "no answer: context deadline exceeded"},
		{"later", "", "error", "no answer: context deadline exceeded"},
		{"memory", "", "memory", "no room for this"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			dir := t.TempDir()
			p := planned(t, parse(t, sweepOf(c.budget, "{mode: [ok, "+c.mode+"], shift: [1, 2]}")), lib, dir, plan.Options{})
			if o := execute(t, t.Context(), p, lib, dir, func(p *Pool) { p.Jobs = 3 }); o != (Counts{OK: 6, Failed: 6}) {
				t.Errorf("outcome %+v, want 6 ok and 6 failed", o)
			}
			for _, r := range resultstest.Records(t, dir) {
				if bad := strings.Contains(string(r.Config), `"`+c.mode+`"`); bad != (r.Status == results.Failed) {
					t.Errorf("%s is %s", r.Config, r.Status)
				} else if bad && len(r.Val)+len(r.Test) > 0 {
					t.Errorf("%s failed and has metrics: %v and %v", r.Config, r.Val, r.Test)
				} else if bad && (r.Failure.Kind != c.kind || !strings.Contains(r.Failure.Message, c.message) || strings.Contains(r.Failure.Message, "\n")) {
					t.Errorf("failure %+v, want %s: ...%s...", *r.Failure, c.kind, c.message)
				}
			}
			again := planned(t, parse(t, sweepOf(c.budget, "{mode: [ok, "+c.mode+"], shift: [1, 2]}")), lib, dir, plan.Options{})
			if n := again.Count(again.Groups()...); n.ToDo != 0 || n.Failed != 6 {
				t.Errorf("%+v; failures are records and not run again", n)
			}
		})
	}
}

// The budget of time is a cell's: a fit that serves ten cells may take longer than that.
func TestTimeBudgetIsPerCell(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := planned(t, parse(t, sweepOf("budget: {time: 1200ms}\n", "{shift: [0, 1, 2, 3, 4, 5], pause: [250]}")), lib, dir, plan.Options{})
	if o := execute(t, t.Context(), p, lib, dir, func(p *Pool) { p.Jobs = 3 }); o != (Counts{OK: 18}) {
		t.Errorf("outcome %+v", o)
	}
}

// A long fit says how far it is, and the time left is known before any fit is finished.
func TestProgressOfFits(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := planned(t, parse(t, sweepOf("", "{pause: [60000]}")), lib, dir, plan.Options{})
	jobs, pool := p.Jobs(), &Pool{Library: lib, Sweep: p.Sweep, Records: results.NewWriter(dir), Jobs: 2}
	var shown bytes.Buffer
	progress := NewProgress(&shown, false, jobs, 2, 0)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			time.Sleep(time.Millisecond)
			progress.mu.Lock()
			var running []*plan.Job
			for j, r := range progress.running {
				if r.progress.Share == 0.25 {
					running = append(running, j)
				}
			}
			if len(running) == 2 {
				cancel()
				slices.SortFunc(running, func(a, b *plan.Job) int { return progress.running[a].at.Compare(progress.running[b].at) })
				start := progress.started
				// One is a quarter done and has a minute left: it takes 80 s. The other one is nearly done, and takes 40 s.
				for i, r := range []started{{progress: task.Progress{Share: 0.25, Left: time.Minute, Text: "a quarter of it"}},
					{progress: task.Progress{Share: 0.75, Left: 10 * time.Second, Text: "most of it"}}} {
					r.at, r.told, r.reported = start.Add(time.Duration(i)), start, start.Add(60*time.Second)
					progress.running[running[i]] = &r
				}
				progress.show(start.Add(60*time.Second - time.Microsecond))
				progress.running[running[1]].progress = task.Progress{Share: 1, Text: "all of it"}
				progress.show(start.Add(90 * time.Second))
				progress.show(start.Add(120 * time.Second))
			}
			progress.mu.Unlock()
		}
	}()
	o, err := Execute(ctx, jobs, pool, false, progress)
	progress.Close()
	if closed := pool.Records.Close(); err != nil || closed != nil || o != (Counts{Left: 3}) {
		t.Fatal(o, err, closed)
	}
	lines := strings.Split(shown.String(), "\n")
	for i := range lines { // whichever was started first
		lines[i] = regexp.MustCompile("fold [01]").ReplaceAllString(lines[i], "fold N")
	}
	want := []string{
		"1m0s: 0 of 3 cells (2 running, waves mean 25 %, about 1m5s left)", // a minute, 10 s, and 60 s of the third, in two slots
		"1m0s: waves mean published fold N: a quarter of it, about 1m0s left",
		"1m0s: waves mean published fold N: most of it, about 10s left",
		"1m30s: 0 of 3 cells (2 running, waves mean 25 %, about 1m20s left)", // 30 s and 80 s
		"2m0s: 0 of 3 cells (2 running, waves mean 25 %, about 1m20s left)",  // 0 s and 80 s
		"2m0s: waves mean published fold N: a quarter of it",
		"2m0s: waves mean published fold N: all of it",
		"",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("shown:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// How long a job takes is what its like took, else what its method takes; of other methods nothing follows.
func TestDurations(t *testing.T) {
	g := &Progress{finishes: map[kind]taken{
		{dataset: "waves", method: "npt", fit: "small"}: {jobs: 2, took: 4 * time.Minute},
		{dataset: "waves", method: "npt", fit: "large"}: {jobs: 1, took: 10 * time.Minute},
		{dataset: "waves", method: "knn", fit: "k"}:     {jobs: 1, took: time.Millisecond},
	}}
	usual := g.durations(time.Now())
	for k, want := range map[kind]time.Duration{
		{dataset: "waves", method: "npt", fit: "small"}: 2 * time.Minute,
		{dataset: "waves", method: "npt", fit: "other"}: 14 * time.Minute / 3,
		{dataset: "kick", method: "knn", fit: "k"}:      time.Millisecond,
		{dataset: "waves", method: "mlp", fit: "m"}:     0,
	} {
		if got, known := usual.of(k); got != want || known != (want > 0) {
			t.Errorf("%+v takes %v, want %v", k, got, want)
		}
	}
}

// What a broken fit leaves in its own folder is there the next time, and gone when the fit is finished.
func TestCheckpointFolders(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	models, checkpoints := t.TempDir(), filepath.Join(t.TempDir(), "checkpoints")
	s := parse(t, sweepOf("", "{mode: [resume], shift: [0, 10]}"))
	run := func(retry bool) Counts {
		p := planned(t, s, lib, dir, plan.Options{Retry: retry})
		return execute(t, t.Context(), p, lib, dir, func(p *Pool) { p.Models, p.KeepModels, p.Checkpoints = models, true, checkpoints })
	}
	folders := func(dir string) int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if o := run(false); o.Failed != 6 || folders(checkpoints) != 6 {
		t.Errorf("outcome %+v with %d folders, want 6 broken fits with a folder each", o, folders(checkpoints))
	}
	if o := run(true); o.OK != 6 || folders(checkpoints) != 0 || folders(models) != 6 {
		t.Errorf("outcome %+v, %d folders, %d models; want 6 finished fits", o, folders(checkpoints), folders(models))
	}
	for _, r := range resultstest.Records(t, dir) {
		if r.Status == results.OK && r.ProcessorSeconds != 0 {
			t.Errorf("a fit that began in another process has %v s of the processor", r.ProcessorSeconds)
		}
	}
}

// What goes on from where it was interrupted goes on with the time that it had used; after a timeout it may be tried again with all of it.
func TestTimeBudgetGoesOn(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := planned(t, parse(t, sweepOf("budget: {time: 30m}\n", "{mode: [hang]}")), lib, dir, plan.Options{})
	if o, _ := interrupted(t, p, lib, dir, 3); o != (Counts{Left: 3}) {
		t.Errorf("interrupted: %+v", o)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "checkpoints", "*", "time-used"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		first, cells, _ := strings.Cut(string(text), " ")
		if used, err := time.ParseDuration(first); err != nil || used < 0 || used > time.Minute {
			t.Errorf("%q of the time is used: %v", text, err)
		}
		if err := os.WriteFile(file, []byte("29m59.9s "+cells), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	o := execute(t, ctx, p, lib, dir, func(p *Pool) { p.Jobs, p.Checkpoints = 3, filepath.Join(dir, "checkpoints") })
	if o != (Counts{Failed: 3}) || len(files) != 3 {
		t.Errorf("with a tenth of a second left: %+v, of %d the time is known", o, len(files))
	}
	for _, r := range resultstest.Records(t, dir) {
		if r.Failure.Kind != "timeout" {
			t.Errorf("%+v", r.Failure)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "checkpoints", "*", "*")); len(files) != 3 {
		t.Errorf("after timeouts there are %v", files)
	}
}

// The time that a fit had used counts for what is left of its job, and not where a cell was added, for which it may begin anew, or a network
// begins anew on another backend.
func TestTimeUsedBefore(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	whole := planned(t, parse(t, sweepOf("", "{mode: [ok], shift: [0, 1]}")), lib, dir, plan.Options{}).Jobs()[0]
	first := whole.Configurations[0].Cells[0].ID
	rest := whole.Without(func(id results.ID) bool { return id == first })
	text := (&attempt{job: whole, used: time.Minute}).timeUsed()
	if used := (&attempt{job: rest}).usedBefore(text); used != time.Minute {
		t.Errorf("the rest has used %v", used)
	}
	if used := (&attempt{job: whole}).usedBefore((&attempt{job: rest, used: time.Minute}).timeUsed()); used != 0 {
		t.Errorf("with a cell more %v is used", used)
	}
	if used := (&attempt{job: whole}).usedBefore(""); used != 0 {
		t.Errorf("by an empty file %v is used", used)
	}
	for backend, want := range map[string]time.Duration{"fused": time.Minute, "xla:cuda": 0} {
		text := (&attempt{job: whole, used: time.Minute, request: request{Backend: "fused"}}).timeUsed()
		if used := (&attempt{job: whole, request: request{Backend: backend}}).usedBefore(text); used != want {
			t.Errorf("on %s %v is used of a network's fit on fused, want %v", backend, used, want)
		}
	}
}

// What is kept of the time that a fit has used while it runs is written once a minute, set back when a cell is finished, and never written into
// a command's folder.
func TestKeptTime(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	j := planned(t, parse(t, sweepOf("", "{mode: [ok]}")), lib, dir, plan.Options{}).Jobs()[0]
	a := &attempt{poolRun: &poolRun{Pool: &Pool{Sweep: &sweeps.Sweep{}}}, job: j, request: request{CheckpointDir: dir}, used: time.Minute,
		memory: subprocess.WatchMemory(os.Getpid())}
	kept := func() time.Duration {
		text, _ := os.ReadFile(filepath.Join(dir, TimeFile))
		return a.usedBefore(string(text))
	}
	if a.keepTime(); kept() != time.Minute {
		t.Errorf("kept %v of a minute", kept())
	}
	a.finishedCell()
	if kept() != 0 || a.used != 0 {
		t.Errorf("after a cell %v is kept, %v used", kept(), a.used)
	}
	a.loaded, a.used = true, 30*time.Second
	if a.look(); kept() != 0 {
		t.Errorf("before a minute is over %v is kept", kept())
	}
	a.used = 2 * time.Minute
	if a.look(); kept() < 2*time.Minute {
		t.Errorf("of two minutes used %v is kept", kept())
	}
	command := *j.Method
	command.Command = &method.Command{}
	if a.job = (&plan.Job{Method: &command}); a.timeFile() != "" {
		t.Errorf("of a command: %s", a.timeFile())
	}
}

// A measurement keeps nothing to go on from: its time is kept nowhere, nor is that of the fit before it any more.
func TestTimeOfMeasurements(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	c := &child{replies: make(chan reply), gone: make(chan struct{})}
	close(c.gone)
	c.ends.Do(func() {}) // it is gone
	a := &attempt{poolRun: &poolRun{Pool: &Pool{Sweep: &sweeps.Sweep{}, Records: results.NewWriter(dir)}}, child: c,
		job: planned(t, parse(t, sweepOf("", "{mode: [ok]}")), lib, dir, plan.Options{}).Jobs()[0], request: request{CheckpointDir: dir},
		loaded: true, used: 25 * time.Minute, memory: subprocess.WatchMemory(os.Getpid())}
	a.keepTime()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		a.child.replies <- reply{Measuring: true}
		cancel()
	}()
	if failure, finished := a.follow(ctx); failure != nil || finished || a.used > time.Minute {
		t.Errorf("%+v, finished %v, %v used", failure, finished, a.used)
	}
	a.used = 25 * time.Minute
	a.look()
	a.keepTime()
	if text, err := os.ReadFile(filepath.Join(dir, TimeFile)); err == nil {
		t.Errorf("%q is kept", text)
	}
}

// What a job sends when it has ended is taken for nothing of another's, and keeps nobody.
func TestLateReplies(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := planned(t, parse(t, sweepOf("", "{mode: [after, ok], shift: [0, 10], pause: [50]}")), lib, dir, plan.Options{})
	o := execute(t, t.Context(), p, lib, dir, func(p *Pool) { p.Jobs = 1 })
	counts := map[results.ID]int{}
	for _, r := range resultstest.Records(t, dir) {
		if counts[r.ID]++; (r.Failure == nil) == strings.Contains(string(r.Config), "after") || counts[r.ID] > 1 {
			t.Errorf("record %d of %s: %+v", counts[r.ID], r.Config, r.Failure)
		}
	}
	if o.Left != 0 || o.OK != o.Failed {
		t.Errorf("outcome %+v", o)
	}
}

// A full disk is no fault of a method, leaves no record, and takes no checkpoint away.
func TestFullDisk(t *testing.T) {
	lib := library(t)
	for range 4 { // that the job is done and that the run ends come at the same time, and one of them first
		for _, mode := range []string{"full", "filled"} {
			dir := t.TempDir()
			checkpoints := filepath.Join(dir, "checkpoints")
			out, err := executed(t.Context(), planned(t, parse(t, sweepOf("", "{mode: ["+mode+"]}")), lib, dir, plan.Options{}), lib, dir, false, io.Discard,
				func(p *Pool) { p.Checkpoints, p.Jobs = checkpoints, 1 })
			if err == nil || !strings.HasPrefix(err.Error(), "waves mean published fold ") || !strings.Contains(err.Error(), "no space left on device: the run ends here") {
				t.Errorf("%s: %v", mode, err)
			}
			if recorded := resultstest.Records(t, dir); out.Failed > 0 || len(recorded) > 0 {
				t.Errorf("%s: %+v, %d records", mode, out, len(recorded))
			}
			if left, _ := os.ReadDir(checkpoints); len(left) == 0 {
				t.Errorf("%s: the checkpoint is gone", mode)
			}
		}
	}
}

// What a job has reached stays, too, when its record cannot be written.
func TestRecordNotWritten(t *testing.T) {
	lib := library(t)
	for range 12 {
		dir := t.TempDir()
		checkpoints, file := filepath.Join(dir, "checkpoints"), filepath.Join(dir, "file")
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := executed(t.Context(), planned(t, parse(t, sweepOf("", "{mode: [noted]}")), lib, dir, plan.Options{}), lib, dir, false, io.Discard,
			func(p *Pool) { p.Checkpoints, p.Records, p.Jobs = checkpoints, results.NewWriter(file), 1 })
		if left, _ := os.ReadDir(checkpoints); err == nil || len(left) == 0 {
			t.Errorf("%d checkpoints, error %v", len(left), err)
		}
	}
}

// A run whose records are lost ends once that is noticed, and not when a fit of hours has a record. What its fits have reached stays.
func TestRecordsLost(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	go func() {
		if hanging(dir, 3) == nil {
			t.Error("there are no 3 jobs that hang")
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		for _, f := range files {
			os.Remove(f)
		}
	}()
	p := planned(t, parse(t, sweepOf("", "{mode: [ok, kept]}")), lib, dir, plan.Options{})
	o, err := executed(ctx, p, lib, dir, false, io.Discard, func(p *Pool) { p.Jobs, p.Checkpoints = 3, filepath.Join(dir, "checkpoints") })
	reached, _ := filepath.Glob(filepath.Join(dir, "checkpoints", "*", "reached"))
	if err == nil || !strings.Contains(err.Error(), "records are lost") || ctx.Err() != nil || o != (Counts{OK: 3, Left: 3}) || len(reached) != 3 {
		t.Errorf("%+v, %v (%v), kept: %s", o, err, ctx.Err(), reached)
	}
}

// A method that reports a configuration twice has a fault that no record may hide.
func TestReportedTwice(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	_, err := executed(t.Context(), planned(t, parse(t, sweepOf("", "{mode: [twice]}")), lib, dir, plan.Options{}), lib, dir, false, io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "mean called done twice for one configuration, on waves, published fold ") {
		t.Error(err)
	}
}

// A crash is explained by what its own job printed, not by what a job before it in the same worker did; and what a method, or what it
// loads, prints is no reply.
func TestLastWords(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := planned(t, parse(t, sweepOf("", "{mode: [print, exit]}")), lib, dir, plan.Options{})
	if o := execute(t, t.Context(), p, lib, dir, func(p *Pool) { p.Jobs = 1 }); o != (Counts{OK: 3, Failed: 3}) {
		t.Errorf("outcome %+v", o)
	}
	for _, r := range resultstest.Records(t, dir) {
		if r.Failure != nil && !strings.HasSuffix(r.Failure.Message, "exit status 3; it said: something broke") {
			t.Error(r.Failure.Message)
		}
	}
}

func TestOneLine(t *testing.T) {
	for s, want := range map[string]string{" a\n\tb ": "a b", "\x1b[31mred\a\x00": "[31mred", strings.Repeat("ö", 300): strings.Repeat("ö", 250) + "…"} {
		if got := oneLine(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// A method that can only fail is given up before it leaves a record of that for each of its cells, whether it reports failures or returns
// one; others go on. Configurations that diverge say nothing about others.
func TestHopelessMethod(t *testing.T) {
	for mode, message := range map[string]string{"error": "no luck with this", "later": "no answer: context deadline exceeded", "nan": ""} {
		lib, dir := library(t), t.TempDir()
		sweep := sweepOf("", "{mode: ["+mode+"], shift: [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]}") + "  - {method: network}\n"
		p := planned(t, parse(t, sweep), lib, dir, plan.Options{})
		var said bytes.Buffer
		o, err := executed(t.Context(), p, lib, dir, false, &said)
		if message == "" && (o != Counts{OK: 3, Failed: 30}) {
			t.Errorf("%s: outcome %+v, %v", mode, o, err)
		}
		if message == "" {
			continue
		}
		if err != nil || o.OK != 3 || o.Failed < hopeless || o.Failed > hopeless+2 || o.OK+o.Failed+o.Left != 33 {
			t.Errorf("%s: outcome %+v, %v", mode, o, err)
		}
		want := "mean failed 10 times in a row on waves with the same message, its other cells there are left for the next run: " + message + "\n"
		if !strings.Contains(said.String(), want) {
			t.Errorf("%s: said %s", mode, said.String())
		}
	}
}

// Who gives results for some configurations of each job is not given up, whatever the others fail with.
func TestHopelessSetting(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	sweep := measuring("", "    grid: {number: [0, 1, 10, 11, 20, 21, 30, 31, 40, 41], mode: [panic]}\n")
	if o := execute(t, t.Context(), planned(t, parse(t, sweep), lib, dir, plan.Options{}), lib, dir); o != (Counts{OK: 15, Failed: 15}) {
		t.Errorf("%+v, want 15 jobs with a result and a failure each", o)
	}
}

func TestFailFast(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := planned(t, parse(t, sweepOf("", "{mode: [error, ok], shift: [0, 10, 20, 30, 40, 50], pause: [50]}")), lib, dir, plan.Options{})
	o, err := executed(t.Context(), p, lib, dir, true, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if o.Failed == 0 || o.Left < 20 {
		t.Errorf("outcome %+v: it went on after the first failure", o)
	}
}

func TestInterrupt(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := planned(t, parse(t, sweepOf("", "{mode: [ok, hang], shift: [0, 10, 20, 30]}")), lib, dir, plan.Options{})
	o, took := interrupted(t, p, lib, dir, 2)
	if took > 2*patience || o.Left == 0 || o.Failed != 0 {
		t.Errorf("outcome %+v after %v", o, took)
	}
	if n := len(resultstest.Records(t, dir)); n != o.OK {
		t.Errorf("%d records for %d finished cells", n, o.OK)
	}
}

// An interrupted fit has time to keep what it has reached.
func TestInterruptKeeps(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := planned(t, parse(t, sweepOf("", "{mode: [kept], shift: [0, 10]}")), lib, dir, plan.Options{})
	o, took := interrupted(t, p, lib, dir, 2)
	reached, _ := filepath.Glob(filepath.Join(dir, "checkpoints", "*", "reached"))
	if o != (Counts{Left: 6}) || len(reached) != 2 || took > patience {
		t.Errorf("outcome %+v after %v, kept: %s", o, took, reached)
	}
}

// interrupted runs what a plan has to do, with so many workers, until all of them hang, and says how long it then took to end.
func interrupted(t *testing.T, p *plan.Plan, lib *dataset.Library, dir string, workers int) (o Counts, took time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	at := make(chan time.Time, 1)
	go func() {
		if hanging(dir, workers) == nil {
			t.Errorf("there are no %d jobs that hang", workers)
		}
		at <- time.Now()
		cancel()
	}()
	o = execute(t, ctx, p, lib, dir, func(p *Pool) { p.Jobs, p.Checkpoints = workers, filepath.Join(dir, "checkpoints") })
	return o, time.Since(<-at)
}

// plannerProcess runs the sweep in sweep.yaml of a folder, with records and checkpoints in it.
func plannerProcess(dir string) error {
	lib := dataset.NewLibrary(os.Getenv("NPTBENCH_TEST_DATA"))
	datasets := lib.Infos()
	s, err := sweeps.Load(filepath.Join(dir, "sweep.yaml"), sweeps.Catalogue{Methods: testMethods(), Datasets: datasets, Measurements: testMeasurements()})
	if err != nil {
		return err
	}
	store, err := results.Open(context.Background(), dir)
	if err != nil {
		return err
	}
	p, err := plan.New(context.Background(), s, plan.Options{}, lib, store.Index())
	if err != nil {
		return err
	}
	_, err = executed(context.Background(), p, lib, dir, false, io.Discard, func(p *Pool) {
		p.Checkpoints, p.Models = filepath.Join(dir, "checkpoints"), filepath.Join(dir, "models")
	})
	return err
}

// planner prepares a process that plans and runs a sweep in a folder.
func planner(t *testing.T, dir, sweep string) func() *exec.Cmd {
	t.Helper()
	lib := library(t)
	if err := os.WriteFile(filepath.Join(dir, "sweep.yaml"), []byte(sweep), 0o666); err != nil {
		t.Fatal(err)
	}
	return func() *exec.Cmd {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), plannerVariable+"="+dir, "NPTBENCH_TEST_DATA="+lib.Dirs[0])
		c.Stderr = new(bytes.Buffer)
		return c
	}
}

// While a run is stopped, its cells use none of their time, however it was stopped.
func TestStopped(t *testing.T) {
	for _, stop := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGTSTP} {
		t.Run(stop.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := planner(t, dir, sweepOf("budget: {time: 2s}\n", "{shift: [0, 10, 20], pause: [400]}"))()
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			for range 400 { // until it has begun
				if time.Sleep(50 * time.Millisecond); len(recordsSoFar(dir)) > 0 {
					break
				}
			}
			c.Process.Signal(stop)
			time.Sleep(3 * time.Second)
			before := len(recordsSoFar(dir))
			time.Sleep(500 * time.Millisecond)
			if n := len(recordsSoFar(dir)); n != before || n == 9 {
				t.Errorf("%d and then %d records while the run was stopped", before, n)
			}
			workers := subprocess.Children(c.Process.Pid)
			if len(workers) == 0 {
				t.Log("the kernel does not list children: whether workers stopped is not tested")
			}
			for _, worker := range workers {
				if stop == syscall.SIGTSTP && processState(worker) != "T" { // Ctrl-Z stops the workers too
					t.Errorf("worker %d is in state %q", worker, processState(worker))
				}
			}
			c.Process.Signal(syscall.SIGCONT)
			if err := c.Wait(); err != nil {
				t.Fatal(err, c.Stderr)
			}
			for _, r := range resultstest.Records(t, dir) {
				if r.Failure != nil {
					t.Errorf("%+v", r.Failure)
				}
			}
			if n := len(resultstest.Records(t, dir)); n != 9 {
				t.Errorf("%d records, want 9", n)
			}
		})
	}
}

// recordsSoFar lists the cells of the whole lines that are written, each as often as it stands there.
func recordsSoFar(dir string) (ids []results.ID) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for line := range bytes.Lines(text) {
			var r struct{ ID results.ID }
			if bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &r) == nil {
				ids = append(ids, r.ID)
			}
		}
	}
	return ids
}

// killed starts a planning process again and again, and kills it, each time a fifth later, until it ends by itself. It returns how often
// each cell has a record.
func killed(t *testing.T, dir string, command func() *exec.Cmd, after time.Duration, afterwards func(kills int)) map[results.ID]int {
	t.Helper()
	kills := 0
	for done := false; !done; {
		if kills == 40 {
			t.Fatal("not finished after 40 attempts")
		}
		c := command()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(after, func() { c.Process.Signal(syscall.SIGKILL) })
		err := c.Wait()
		timer.Stop()
		if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 1 {
			t.Fatalf("after %d kills: %v: %s", kills, err, c.Stderr)
		}
		if done = err == nil; !done {
			kills++
			after += after / 5
			afterwards(kills)
		}
	}
	if kills == 0 {
		t.Error("the process was never killed")
	}
	t.Logf("killed %d times", kills)
	counts := map[results.ID]int{}
	for _, id := range recordsSoFar(dir) {
		counts[id]++
	}
	return counts
}

// Worker processes end with the process that started them, even when a method in them hears nothing, and so does all that they
// started.
func TestWorkersEndWithTheirParent(t *testing.T) {
	dir := t.TempDir()
	c := planner(t, dir, sweepOf("", "{mode: [hang], shift: [0, 10]}"))()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pids := hanging(dir, 2)
	c.Process.Kill()
	c.Wait()
	if len(pids) != 4 {
		t.Fatalf("%d processes, want 2 workers that began a job, and what that started", len(pids))
	}
	waitGone(t, pids)
}

// asked starts a worker that has a job of this mode.
func asked(t *testing.T, dir, mode string) *child {
	t.Helper()
	lib := library(t)
	p := planned(t, parse(t, sweepOf("", "{mode: ["+mode+"]}")), lib, dir, plan.Options{})
	r := &poolRun{Pool: &Pool{Library: lib, Sweep: p.Sweep, Backend: "go", Checkpoints: filepath.Join(dir, "checkpoints")}}
	c, err := startChild()
	if err != nil {
		t.Fatal(err)
	}
	q := r.request(p.Jobs()[0], 1)
	c.ask(&q)
	return c
}

// Where the kernel says nothing, the end of its input tells a worker that the planning process is gone.
func TestWorkersEndWithTheirInput(t *testing.T) {
	dir := t.TempDir()
	c := asked(t, dir, "hang")
	pids := hanging(dir, 1)
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", c.cmd.Process.Pid))
	if want := os.Args[0] + " worker\x00"; err == nil && string(name) != want {
		t.Errorf("processes are listed with %q, want %q", name, want)
	}
	c.in.Close()
	if len(pids) != 2 {
		t.Fatalf("%d processes, want a worker and what its job started", len(pids))
	}
	waitGone(t, pids)
}

// What a job starts and does not end is ended with its worker.
func TestLeftBehind(t *testing.T) {
	dir, lib := t.TempDir(), library(t)
	execute(t, t.Context(), planned(t, parse(t, sweepOf("", "{mode: [leave]}")), lib, dir, plan.Options{}), lib, dir)
	var pids []int
	for _, r := range resultstest.Records(t, dir) {
		pids = append(pids, int(r.Details["grandchild"].(float64)))
	}
	if len(pids) != 3 {
		t.Fatalf("%d records, want 3", len(pids))
	}
	waitGone(t, pids)
}

// A planning process that was killed ends nothing: a worker without a job, too, ends what its jobs have left, when its input ends or nobody
// reads its replies.
func TestIdleWorkersEndAll(t *testing.T) {
	lib := library(t)
	p := planned(t, parse(t, sweepOf("", "{mode: [leave]}")), lib, t.TempDir(), plan.Options{})
	r := &poolRun{Pool: &Pool{Library: lib, Sweep: p.Sweep, Backend: "go"}}
	for _, how := range []string{"its input ends", "nobody reads"} {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), workerVariable+"=1")
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		in, replies, err := subprocess.StartWithAnswers(c, syscall.SIGTERM)
		if err != nil {
			t.Fatal(err)
		}
		request, left := r.request(p.Jobs()[0], 1), 0
		json.NewEncoder(in).Encode(request)
		for d, done := json.NewDecoder(replies), false; !done; {
			var a reply
			if err := d.Decode(&a); err != nil {
				t.Fatal(err)
			}
			if done = a.Done; len(a.Records) > 0 {
				left = int(a.Records[0].Details["grandchild"].(float64))
			}
		}
		replies.Close()
		if how == "its input ends" {
			in.Close()
		} else {
			json.NewEncoder(in).Encode(request)
		}
		c.Wait()
		if left == 0 {
			t.Fatalf("%s: the job has left nothing", how)
		}
		waitGone(t, []int{left})
	}
}

// Signals that are meant for the planning process, and reach all of a session, do not end a worker, which can still keep what it has reached.
func TestSignalsToWorkers(t *testing.T) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // which workers ignore, too, where this process does
	defer signal.Reset(syscall.SIGHUP)
	dir := t.TempDir()
	c := asked(t, dir, "kept")
	if hanging(dir, 1) == nil {
		t.Error("the job does not wait")
	}
	c.cmd.Process.Signal(syscall.SIGTERM)
	c.cmd.Process.Signal(syscall.SIGHUP)
	c.retire()
	if reached, _ := filepath.Glob(filepath.Join(dir, "checkpoints", "*", "reached")); len(reached) != 1 {
		t.Errorf("kept: %s; the worker: %v", reached, c.ended)
	}
}

// hanging waits until so many jobs hang, and returns the process ids of their workers and of what these started.
func hanging(dir string, jobs int) (pids []int) {
	for range 200 {
		files, _ := filepath.Glob(filepath.Join(dir, "checkpoints", "*", "pid"))
		if len(files) == jobs {
			for _, f := range files {
				var worker, grandchild int
				text, _ := os.ReadFile(f)
				fmt.Sscan(string(text), &worker, &grandchild)
				pids = append(pids, worker, grandchild)
			}
			return pids
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// waitGone fails when one of some processes is still there after seven seconds.
func waitGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		for wait := 0; syscall.Kill(pid, 0) == nil && processState(pid) != "Z"; wait++ {
			if wait == 140 {
				t.Fatalf("process %d of %v is still there after seven seconds", pid, pids)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// processState is the letter by which Linux names a process's state: "T" for stopped, "Z" for ended.
func processState(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	return rest[:min(1, len(rest))]
}

// What a fit warns of is shown once for a method.
func TestWarnings(t *testing.T) {
	lib := library(t)
	p := planned(t, parse(t, sweepOf("", "{shift: [0, 1, 12]}")), lib, t.TempDir(), plan.Options{})
	var shown strings.Builder
	g := NewProgress(&shown, false, p.Jobs(), 1, 0)
	for _, j := range p.Jobs() {
		g.Record(j, &results.Record{Status: results.OK, Details: map[string]any{method.Warning: "the disk is full"}})
	}
	g.Close()
	if n := strings.Count(shown.String(), ": the disk is full\n"); n != 1 || strings.Count(shown.String(), "full") != 1 {
		t.Errorf("shown %d times:\n%s", n, shown.String())
	}
}
