package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
	"nptbench/sweeps"
)

// The test binary is its own worker, and, with plannerVariable set, a planning process that tests can kill.
const plannerVariable = "NPTBENCH_TEST_PLANNER"

func TestMain(m *testing.M) {
	if IsWorker() {
		out := os.Stdout
		os.Stdout = os.Stderr
		if err := Work(os.Stdin, out, testMethods()); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
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
	return []*method.Method{testNetwork(), {
		Name: "mean", Title: "Mean", Doc: "for tests",
		Params: []method.Param{
			{Name: "shift", Type: method.Int, Default: 0},
			{Name: "same", Type: method.Int, Default: 0, Doc: "has no effect"},
			{Name: "pause", Type: method.Int, Default: 0, Doc: "milliseconds"},
			{Name: "mode", Type: method.Choice, Default: "ok",
				Choices: []string{"ok", "panic", "exit", "hang", "eat", "nan", "short", "silent", "error", "resume", "memory"}},
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
		r := method.Result{Index: i, Val: make([]float64, t.Val), Test: make([]float64, t.Test), Fit: time.Millisecond,
			Details: map[string]any{"process": os.Getpid()}}
		for j := range r.Test {
			r.Test[j] = float64(c.Int("shift")) + float64(t.Seed%1000)/1e6
		}
		switch c.String("mode") {
		case "panic":
			panic("out of its wits")
		case "exit":
			fmt.Fprintln(os.Stderr, "something broke")
			os.Exit(3)
		case "hang":
			select {}
		case "eat":
			for {
				b := make([]byte, 16<<20)
				for k := 0; k < len(b); k += 4096 {
					b[k] = 1
				}
				eaten = append(eaten, b)
				time.Sleep(5 * time.Millisecond)
			}
		case "nan":
			r.Test[3] = math.NaN()
		case "short":
			r.Test = r.Test[1:]
		case "silent":
			continue
		case "error":
			return fmt.Errorf("no luck\nwith this")
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

func library(t testing.TB) *dataset.Library {
	t.Helper()
	lib := dataset.NewLibrary("")
	if os.Getenv("NPT_DATA_DIR") == "" {
		lib.Dirs = []string{"../../data", "../../../shared/data"}
	}
	if _, err := lib.Find("yacht"); err != nil {
		t.Skipf("the Yacht table is not here: %v", err)
	}
	return lib
}

func parse(t testing.TB, text string) *sweeps.Sweep {
	t.Helper()
	s, err := sweeps.Parse("test.yaml", []byte(text), sweeps.Catalogue{Methods: testMethods(), Datasets: dataset.Infos()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sweepOf(budget, grid string) string {
	return "name: test\nseed: 7\nprotocols: [published]\ndatasets: [yacht]\nfolds: 3\n" + budget + "methods:\n  - method: mean\n    grid: " + grid + "\n"
}

func plan(t testing.TB, s *sweeps.Sweep, lib *dataset.Library, dir string, f Filter) *Plan {
	t.Helper()
	index, _, err := results.ReadIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(s, PlanOptions{Filter: f}, lib, index)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func execute(t testing.TB, ctx context.Context, p *Plan, lib *dataset.Library, dir string, failFast bool) Outcome {
	t.Helper()
	w := results.NewWriter(dir)
	progress := NewProgress(io.Discard, false, p, 2, 0)
	o, err := Execute(ctx, p, Options{Library: lib, Records: w, Folders: []string{dir}, Jobs: 2, Backend: "go", FailFast: failFast, Progress: progress})
	progress.Close()
	if closed := w.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	return o
}

func records(t testing.TB, dir string) []*results.Record {
	t.Helper()
	var out []*results.Record
	for r, err := range results.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func TestRunAndResume(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	s := parse(t, sweepOf("", "{shift: [0, 1, 12], same: [0, 1]}"))
	p := plan(t, s, lib, dir, Filter{Protocols: split.Protocols})
	// 2 protocols x 3 folds x 6 settings, of which 3 are distinct, served by 2 fits a fold, which the first fold's share.
	if g := p.Groups[0]; g.Cells != 36 || g.Settings != 6 || g.Distinct != 3 || g.Fits != 10 || len(p.jobs) != 10 {
		t.Fatalf("group %+v with %d jobs", g, len(p.jobs))
	}
	if o := execute(t, t.Context(), p, lib, dir, false); o != (Outcome{OK: 36}) {
		t.Fatalf("outcome %+v", o)
	}
	values := map[string]float64{}
	for _, r := range records(t, dir) {
		if r.ID != r.Cell.ID() {
			t.Errorf("record %s is of cell %s", r.ID, r.Cell.ID())
		}
		if r.Rows[0]+r.Rows[1]+r.Rows[2] != 308 || r.FitCells == 0 || r.PeakMemoryBytes == 0 || r.Provenance.CPU == "" || r.Test["rmse"] == 0 {
			t.Errorf("incomplete record %+v", r)
		}
		values[r.ID] = r.Test["rmse"]
	}
	if len(values) != 36 {
		t.Fatalf("%d cells have a record, want 36", len(values))
	}
	again := plan(t, s, lib, dir, Filter{Protocols: split.Protocols})
	if again.ToDo() != 0 || len(again.jobs) != 0 {
		t.Errorf("%d cells to do after all are done", again.ToDo())
	}
	// A part of the sweep alone, in another folder, gives the same cells the same numbers.
	alone := t.TempDir()
	part := plan(t, parse(t, sweepOf("", "{shift: [12], same: [1]}")), lib, alone, Filter{})
	execute(t, t.Context(), part, lib, alone, false)
	got := records(t, alone)
	if len(got) != 3 {
		t.Fatalf("%d records, want 3", len(got))
	}
	for _, r := range got {
		if values[r.ID] != r.Test["rmse"] {
			t.Errorf("cell %s alone: %v, in the sweep: %v", r.ID, r.Test["rmse"], values[r.ID])
		}
	}
}

// The first fold is the same task under both protocols: one fit serves both, and a record of one is taken over by the other.
func TestTwins(t *testing.T) {
	lib, together, after := library(t), t.TempDir(), t.TempDir()
	s := parse(t, sweepOf("", "{shift: [0, 1, 12]}"))
	both := Filter{Protocols: []split.Protocol{split.Corrected, split.Published}}
	execute(t, t.Context(), plan(t, s, lib, together, both), lib, together, false)
	execute(t, t.Context(), plan(t, s, lib, after, Filter{}), lib, after, false)
	p := plan(t, s, lib, after, both)
	if len(p.twins) != 3 || len(p.jobs) != 4 || p.ToDo() != 9 {
		t.Errorf("%d twins, %d jobs, %d to do; want 3, 4, 9", len(p.twins), len(p.jobs), p.ToDo())
	}
	if o := execute(t, t.Context(), p, lib, after, false); o != (Outcome{OK: 9, TakenOver: 3}) {
		t.Errorf("outcome %+v", o)
	}
	// What an interrupted fit has left is found under either protocol, where the task is the same.
	folder := func(protocol split.Protocol, fold int) string {
		return plan(t, s, lib, t.TempDir(), Filter{Protocols: []split.Protocol{protocol}}).jobs[2*fold].settings[0].cells[0].folder
	}
	if folder("published", 0) != folder("corrected", 0) || folder("published", 1) == folder("corrected", 1) {
		t.Error("folders for checkpoints: want one for the first fold, and one for each protocol for the others")
	}
	want := map[string]*results.Record{}
	for _, r := range records(t, together) {
		want[r.ID] = r
	}
	got := records(t, after)
	if len(want) != 18 || len(got) != 18 {
		t.Fatalf("%d and %d records, want 18", len(want), len(got))
	}
	for _, r := range got {
		w := want[r.ID]
		if r.ID != r.Cell.ID() || w == nil || r.Test["rmse"] != w.Test["rmse"] {
			t.Errorf("taken over or run twice %+v, run once %+v", r, w)
			continue
		}
		shared := r.Fold == 0
		if (w.TwinOf != "") != (shared && r.Protocol == "published") || (r.TwinOf != "") != (shared && r.Protocol == "corrected") {
			t.Errorf("twin of %q and %q: %+v", r.TwinOf, w.TwinOf, r.Cell)
		}
		cells := map[bool]int{true: 1, false: 2}[r.Config == `{"mode":"ok","pause":0,"same":0,"shift":12}`]
		if w.FitCells != cells {
			t.Errorf("a fit for %d cells, want %d: %+v", w.FitCells, cells, w.Cell)
		}
	}
}

// Who only wants a report of records needs no data: the cells of the known table are those that were run.
func TestReportWithoutData(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	s := parse(t, sweepOf("", "{shift: [0, 1]}"))
	execute(t, t.Context(), plan(t, s, lib, dir, Filter{}), lib, dir, false)
	for _, c := range []struct {
		dir        string
		reportOnly bool
		done       int
		skipped    int
	}{{dir, true, 6, 0}, {dir, false, 0, 1}, {t.TempDir(), true, 0, 1}} {
		index, _, err := results.ReadIndex(c.dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(s, PlanOptions{ReportOnly: c.reportOnly}, dataset.NewLibrary(t.TempDir()), index)
		if err != nil {
			t.Fatal(err)
		}
		if done := p.Cells() - p.ToDo(); done != c.done || len(p.Skipped) != c.skipped {
			t.Errorf("%+v: %d cells done, skipped %v", c, done, p.Skipped)
		}
	}
}

// A method may fail in any way: its cells get a failure that says how, and all others their result.
func TestFailuresAreRecords(t *testing.T) {
	lib := library(t)
	for _, c := range []struct{ mode, budget, kind, message string }{
		{"panic", "", "crash", "panic: out of its wits at internal/run/run_test.go"},
		{"exit", "", "crash", "exit status 3; it said: something broke"},
		{"hang", "budget: {time: 300ms}\n", "timeout", "budget of 300ms"},
		{"eat", "budget: {memory: 400MiB}\n", "memory", "the budget is 0.39 GiB"},
		{"nan", "", "diverged", "test row 3 is NaN"},
		{"short", "", "error", "30 numbers were predicted for 31 test rows"},
		{"silent", "", "error", "without a result"},
		{"error", "", "error", "no luck with this"},
		{"memory", "", "memory", "no room for this"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			dir := t.TempDir()
			p := plan(t, parse(t, sweepOf(c.budget, "{mode: [ok, "+c.mode+"], shift: [1, 2]}")), lib, dir, Filter{})
			if o := execute(t, t.Context(), p, lib, dir, false); o != (Outcome{OK: 6, Failed: 6}) {
				t.Errorf("outcome %+v, want 6 ok and 6 failed", o)
			}
			for _, r := range records(t, dir) {
				if bad := strings.Contains(string(r.Config), c.mode); bad != (r.Status == results.Failed) {
					t.Errorf("%s is %s", r.Config, r.Status)
				} else if bad && (r.Failure.Kind != c.kind || !strings.Contains(r.Failure.Message, c.message) || strings.Contains(r.Failure.Message, "\n")) {
					t.Errorf("failure %+v, want %s: ...%s...", *r.Failure, c.kind, c.message)
				}
			}
			again := plan(t, parse(t, sweepOf(c.budget, "{mode: [ok, "+c.mode+"], shift: [1, 2]}")), lib, dir, Filter{})
			if again.ToDo() != 0 || again.FailedBefore() != 6 {
				t.Errorf("%d to do, %d failed before; failures are records and not run again", again.ToDo(), again.FailedBefore())
			}
		})
	}
}

// The budget of time is a cell's: a fit that serves ten cells may take longer than that.
func TestTimeBudgetIsPerCell(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := plan(t, parse(t, sweepOf("budget: {time: 900ms}\n", "{shift: [0, 1, 2, 3, 4, 5], pause: [250]}")), lib, dir, Filter{})
	if o := execute(t, t.Context(), p, lib, dir, false); o != (Outcome{OK: 18}) {
		t.Errorf("outcome %+v", o)
	}
}

// A long fit says how far it is, and the time left is known before any fit is finished.
func TestProgressOfFits(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := plan(t, parse(t, sweepOf("", "{pause: [60000]}")), lib, dir, Filter{})
	w := results.NewWriter(dir)
	var shown bytes.Buffer
	progress := NewProgress(&shown, false, p, 2, 0)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			time.Sleep(time.Millisecond)
			progress.mu.Lock()
			var running []*job
			for j, r := range progress.running {
				if r.progress.Share == 0.25 {
					running = append(running, j)
				}
			}
			if len(running) == 2 {
				cancel()
				slices.SortFunc(running, func(a, b *job) int { return progress.running[a].at.Compare(progress.running[b].at) })
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
	o, err := Execute(ctx, p, Options{Library: lib, Records: w, Folders: []string{dir}, Jobs: 2, Progress: progress})
	progress.Close()
	if closed := w.Close(); err != nil || closed != nil || o != (Outcome{Left: 3}) {
		t.Fatal(o, err, closed)
	}
	lines := strings.Split(shown.String(), "\n")
	for i := range lines { // whichever was started first
		lines[i] = regexp.MustCompile("fold [01]").ReplaceAllString(lines[i], "fold N")
	}
	want := []string{
		"1m0s: 0 of 3 cells (2 running, yacht mean 25 %, about 1m5s left)", // a minute, 10 s, and 60 s of the third, in two slots
		"1m0s: yacht mean published fold N: a quarter of it, about 1m0s left",
		"1m0s: yacht mean published fold N: most of it, about 10s left",
		"1m30s: 0 of 3 cells (2 running, yacht mean 25 %, about 55s left)", // 30 s and 80 s
		"2m0s: 0 of 3 cells (2 running, yacht mean 25 %, about 40s left)",  // 0 s and 80 s
		"2m0s: yacht mean published fold N: a quarter of it",
		"2m0s: yacht mean published fold N: all of it",
		"",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("shown:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// How long a job takes is what its like took, else what its method takes; of other methods nothing follows.
func TestDurations(t *testing.T) {
	g := &Progress{finishes: map[kind]*mean{
		{dataset: "yacht", method: "npt", fit: "small"}: {4 * time.Minute, 2},
		{dataset: "yacht", method: "npt", fit: "large"}: {10 * time.Minute, 1},
		{dataset: "yacht", method: "knn", fit: "k"}:     {time.Millisecond, 1},
	}}
	usual := g.durations()
	for k, want := range map[kind]time.Duration{
		{dataset: "yacht", method: "npt", fit: "small"}: 2 * time.Minute,
		{dataset: "yacht", method: "npt", fit: "other"}: 14 * time.Minute / 3,
		{dataset: "kick", method: "knn", fit: "k"}:      time.Millisecond,
		{dataset: "yacht", method: "mlp", fit: "m"}:     0,
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
	run := func(retry bool) Outcome {
		index, _, err := results.ReadIndex(dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(s, PlanOptions{Retry: retry}, lib, index)
		if err != nil {
			t.Fatal(err)
		}
		w := results.NewWriter(dir)
		progress := NewProgress(io.Discard, false, p, 2, 0)
		o, err := Execute(t.Context(), p, Options{Library: lib, Records: w, Folders: []string{dir}, Jobs: 2, Progress: progress, Models: models, Checkpoints: checkpoints})
		progress.Close()
		if closed := w.Close(); err != nil || closed != nil {
			t.Fatal(err, closed)
		}
		return o
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
}

func TestFailFast(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := plan(t, parse(t, sweepOf("", "{mode: [error, ok], shift: [0, 10, 20, 30, 40, 50], pause: [50]}")), lib, dir, Filter{})
	o := execute(t, t.Context(), p, lib, dir, true)
	if o.Failed == 0 || o.Left < 20 {
		t.Errorf("outcome %+v: it went on after the first failure", o)
	}
}

func TestInterrupt(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := plan(t, parse(t, sweepOf("", "{mode: [ok, hang], shift: [0, 10, 20, 30]}")), lib, dir, Filter{})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	started := time.Now()
	o := execute(t, ctx, p, lib, dir, false)
	if time.Since(started) > 5*time.Second || o.Left == 0 || o.Failed != 0 {
		t.Errorf("outcome %+v after %v", o, time.Since(started))
	}
	if n := len(records(t, dir)); n != o.OK {
		t.Errorf("%d records for %d finished cells", n, o.OK)
	}
}

const killedSweep = "{shift: [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24], pause: [20]}"

func plannerProcess(dir string) error {
	lib := dataset.NewLibrary(os.Getenv("NPTBENCH_TEST_DATA"))
	s, err := sweeps.Parse("test.yaml", []byte(sweepOf("", killedSweep)), sweeps.Catalogue{Methods: testMethods(), Datasets: dataset.Infos()})
	if err != nil {
		return err
	}
	index, _, err := results.ReadIndex(dir)
	if err != nil {
		return err
	}
	p, err := NewPlan(s, PlanOptions{}, lib, index)
	if err != nil {
		return err
	}
	w := results.NewWriter(dir)
	progress := NewProgress(io.Discard, false, p, 2, 0)
	defer progress.Close()
	if _, err := Execute(context.Background(), p, Options{Library: lib, Records: w, Folders: []string{dir}, Jobs: 2, Progress: progress}); err != nil {
		return err
	}
	return w.Close()
}

// The planning process is killed again and again. No finished cell may be run twice, none may be lost, and the workers
// must not outlive it.
func TestKilledAndResumed(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	var data string
	for _, d := range lib.Dirs {
		if _, err := os.Stat(filepath.Join(d, "yacht")); err == nil {
			data = d
			break
		}
	}
	kills := 0
	for attempt := 0; ; attempt++ {
		if attempt == 40 {
			t.Fatal("not finished after 40 attempts")
		}
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), plannerVariable+"="+dir, "NPTBENCH_TEST_DATA="+data)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(200+60*attempt)*time.Millisecond, func() { c.Process.Signal(syscall.SIGKILL) })
		err := c.Wait()
		timer.Stop()
		if err == nil {
			break
		}
		if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 1 {
			t.Fatalf("attempt %d: %v: %s", attempt, err, stderr.String())
		}
		kills++
	}
	counts := map[string]int{}
	for r, err := range results.Read(dir) {
		if d, ok := err.(*results.Damage); ok && d.Torn {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		counts[r.ID]++
	}
	if len(counts) != 45 {
		t.Errorf("%d cells have a record, want 45", len(counts))
	}
	if twice := slices.Max(slices.Collect(maps.Values(counts))); twice > 1 {
		t.Errorf("a cell was run %d times although its record was there", twice)
	}
	if kills == 0 {
		t.Error("the process was never killed")
	}
	t.Logf("killed %d times", kills)
}

func TestFilterRefusesUnknownNames(t *testing.T) {
	lib := library(t)
	s := parse(t, sweepOf("", "{shift: [1]}"))
	for _, f := range []Filter{{Datasets: []string{"yatch"}}, {Methods: []string{"maen"}}} {
		if _, err := NewPlan(s, PlanOptions{Filter: f}, lib, nil); err == nil || !strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

func TestPrint(t *testing.T) {
	lib := library(t)
	p := plan(t, parse(t, sweepOf("", "{shift: [1, 2, 30], same: [0, 1]}")), lib, t.TempDir(), Filter{})
	var b strings.Builder
	if err := p.Print(&b); err != nil {
		t.Fatal(err)
	}
	want := `  data set  method  folds  settings  distinct  cells  distinct fits  done  failed  to do
     yacht    mean      3         6         3     18              6     0       0     18
     total                                        18              6     0       0     18
`
	if got := strings.ReplaceAll(b.String(), "  \n", "\n"); strings.TrimRight(got, " \n") != strings.TrimRight(want, " \n") {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// BenchmarkPlan plans 450,000 cells, all of them to do.
func BenchmarkPlan(b *testing.B) {
	lib := library(b)
	var numbers []string
	for i := range 150 {
		numbers = append(numbers, fmt.Sprint(i))
	}
	list := "[" + strings.Join(numbers, ", ") + "]"
	s := parse(b, strings.Replace(sweepOf("", "{same: [0, 1], shift: "+list+", pause: "+list+"}"), "folds: 3", "folds: 10", 1))
	for b.Loop() {
		p := plan(b, s, lib, b.TempDir(), Filter{})
		if p.Cells() != 450_000 {
			b.Fatal(p.Cells())
		}
	}
}
