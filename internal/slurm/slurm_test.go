package slurm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/plan"
	"nptbench/internal/run"
	"nptbench/internal/task"
	"nptbench/results"
	"nptbench/results/resultstest"
	"nptbench/sweeps"
)

// The test binary is also the task, its worker, and the fake's commands.
func TestMain(m *testing.M) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	switch {
	case run.IsWorker():
		run.Serve(testMethods(), testMeasurements())
	case IsTask():
		fail(Serve(testMethods(), func(context.Context, string) (string, error) { return "go", nil }))
	case os.Getenv(fakeCommand) != "":
		os.Exit(fakeMain(os.Getenv(fakeCommand), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// testMethods has a method that predicts a number, warns of that, and can have its task end as Slurm ends tasks.
func testMethods() []*method.Method {
	return []*method.Method{{
		Name: "number", Title: "Number", Doc: "for tests", Network: true,
		Params: []method.Param{
			{Name: "number", Type: method.Int, Default: 0},
			{Name: "mode", Type: method.Choice, Default: "ok", Choices: []string{"ok", "error", "slow", "checkpoint", "stuck", "full", "mute", "asked", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT", "PENDING"}},
		},
		FitKey: func(c method.Config, _ dataset.Problem) string { return fmt.Sprint(c["mode"], c.Int("number")/10) },
		Run: func(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
			for i, c := range batch {
				switch mode := c.String("mode"); mode {
				case "error":
					return errors.New("no luck")
				case "slow":
					for range 20 {
						if time.Sleep(10 * time.Millisecond); ctx.Err() != nil {
							return ctx.Err()
						}
					}
				case "checkpoint": // its task's time is over, but it leaves something to go on from
					if _, err := os.Stat(t.CheckpointDir); err != nil {
						os.MkdirAll(t.CheckpointDir, 0o777)
						endTask("TIMEOUT")
					}
				case "stuck": // the same, again and again, with nothing new
					os.MkdirAll(t.CheckpointDir, 0o777)
					endTask("TIMEOUT")
				case "asked": // its task is asked to end more often than may die at a job, which leaves something new each time
					os.MkdirAll(t.CheckpointDir, 0o777)
					if files, _ := filepath.Glob(filepath.Join(t.CheckpointDir, "reached-*")); len(files) <= mostDeaths {
						os.WriteFile(filepath.Join(t.CheckpointDir, fmt.Sprintf("reached-%d", len(files))), nil, 0o666)
						syscall.Kill(os.Getppid(), syscall.SIGTERM)
						<-ctx.Done()
						return ctx.Err()
					}
				case "mute": // its task has no room for events for a while
					room := func(bytes string) error {
						return exec.Command("prlimit", "--pid="+strconv.Itoa(os.Getppid()), "--fsize="+bytes+":").Run()
					}
					if err := room("0"); err != nil {
						return err
					}
					t.Progress(task.Progress{Share: 0.5})
					<-ctx.Done()
					return errors.Join(room("unlimited"), ctx.Err())
				case "full":
					return &os.PathError{Op: "write", Path: "train_x.csv", Err: syscall.ENOSPC}
				case "ok":
				default:
					endTask(mode)
				}
				number := float64(c.Int("number")) / 100
				done(method.Result{Index: i, Val: slices.Repeat([]float64{number}, t.Val), Test: slices.Repeat([]float64{number}, t.Test),
					Details: map[string]any{method.Warning: "nothing was fitted"}})
			}
			return nil
		},
	}}
}

// testMeasurements has one that measures the first prediction.
func testMeasurements() []*measure.Measurement {
	return []*measure.Measurement{{
		Name:    "first",
		Metrics: func(dataset.Info) []metric.Metric { return []metric.Metric{{Name: "first", Title: "first prediction"}} },
		Run: func(ctx context.Context, s *measure.Subject, _ method.Config) (*measure.Outcome, error) {
			p, err := s.Model.Predict(ctx, []*task.Task{s.Select(s.Model.Batches()[0])})
			if err != nil {
				return nil, err
			}
			return &measure.Outcome{
				Metrics: results.Metrics{"first": p[0][0]}, Table: &results.Table{Columns: []string{"row"}, Lines: [][]float64{{0}}},
			}, s.Check(p[0])
		},
	}}
}

// endTask ends the task of this worker as Slurm does, which asks first when the time is over.
func endTask(state string) {
	os.WriteFile(filepath.Join(os.Getenv(fakeFolder), fmt.Sprintf("wish-%d", os.Getppid())), []byte(state), 0o644)
	if state == "TIMEOUT" {
		syscall.Kill(os.Getppid(), syscall.SIGTERM)
	} else {
		syscall.Kill(os.Getppid(), syscall.SIGKILL)
	}
	select {}
}

// A world is a sweep, a library and an output folder.
type world struct {
	*testing.T
	library *dataset.Library
	sweep   *sweeps.Sweep
	out     string
	said    bytes.Buffer
	log     bytes.Buffer // of -log
}

func newWorld(t *testing.T, folds int, grid string) *world {
	w := &world{T: t, library: datasettest.Library(t), out: t.TempDir()}
	t.Cleanup(endTasks) // before the folders are removed, into which they write
	w.parse(folds, "{method: number, grid: "+grid+"}")
	return w
}

// parse gives the world another sweep.
func (w *world) parse(folds int, entry string) {
	w.Helper()
	text := fmt.Sprintf("name: test\ndatasets: [waves]\nfolds: %d\nbudget: {time: 1m, memory: 1GiB}\nmethods: [%s]\n", folds, entry)
	catalogue := sweeps.Catalogue{Methods: testMethods(), Datasets: w.library.Infos(), Measurements: testMeasurements()}
	var err error
	if w.sweep, err = sweeps.Parse("test.yaml", []byte(text), catalogue); err != nil {
		w.Fatal(err)
	}
}

func (w *world) records() string { return filepath.Join(w.out, "records") }

func (w *world) plan(o plan.Options) []*plan.Job {
	w.Helper()
	store, err := results.Open(w.Context(), w.records())
	if err != nil {
		w.Fatal(err)
	}
	p, err := plan.New(w.Context(), w.sweep, o, w.library, store.Index())
	if err != nil {
		w.Fatal(err)
	}
	return p.Jobs()
}

// run has the jobs done that have no record, by the fake unless the executor is changed.
func (w *world) run(change func(*Cluster)) (run.Counts, error) {
	w.Helper()
	return w.runUntil(w.Context(), plan.Options{}, change)
}

func (w *world) runUntil(ctx context.Context, o plan.Options, change func(*Cluster)) (run.Counts, error) {
	w.Helper()
	return w.runJobs(ctx, w.plan(o), o, change)
}

func (w *world) runJobs(ctx context.Context, jobs []*plan.Job, o plan.Options, change func(*Cluster)) (run.Counts, error) {
	w.Helper()
	writer := results.NewWriter(w.records())
	c := &Cluster{
		Dir: filepath.Join(w.out, "slurm"), Records: w.records(), TaskTime: 5 * time.Second, Retry: o.Retry, interval: 20 * time.Millisecond,
		Pool:     run.Pool{Library: w.library, Sweep: w.sweep, Backend: "go", Checkpoints: filepath.Join(w.out, "checkpoints"), Records: writer},
		Estimate: func(*plan.Job) (time.Duration, bool) { return time.Second, true },
	}
	if change != nil {
		change(c)
	}
	shown := run.NewProgress(&w.said, false, jobs, 0, 0)
	shown.Log = &w.log
	outcome, err := run.Execute(ctx, jobs, c, false, shown)
	shown.Close()
	return outcome, errors.Join(err, writer.Close())
}

// mustRun wants counts.
func (w *world) mustRun(want run.Counts, change func(*Cluster)) {
	w.Helper()
	if got, err := w.run(change); err != nil || got != want {
		w.Fatalf("%+v, %v, want %+v; said:\n%s", got, err, want, w.said.String())
	}
}

func (w *world) mustSay(words ...string) {
	w.Helper()
	for _, want := range words {
		if !strings.Contains(w.said.String(), want) {
			w.Errorf("%q was not said:\n%s", want, w.said.String())
		}
	}
}

// lines are the records of a folder, without what differs between two runs, sorted; every one that there is, not one for each cell.
func lines(t *testing.T, dir string) (all []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		for _, r := range resultstest.Records(t, path) {
			r.FitSeconds, r.PredictSeconds, r.ProcessorSeconds, r.PeakMemoryBytes, r.Provenance = 0, 0, 0, 0, results.Provenance{}
			line, _ := json.Marshal(r)
			all = append(all, string(line))
		}
	}
	slices.Sort(all)
	return all
}

// failures counts records by what failed.
func failures(t *testing.T, dir string) map[string]int {
	t.Helper()
	kinds := map[string]int{}
	for _, r := range resultstest.Records(t, dir) {
		if r.Failure != nil {
			kinds[r.Failure.Kind]++
			if r.Failure.Kind != "error" && !strings.Contains(r.Failure.Message, ".log") {
				t.Errorf("no log in %q", r.Failure.Message)
			}
		}
	}
	return kinds
}

// The records are those of a run on this machine; jobs are packed into tasks, and arrays are cut.
func TestSameRecordsAsHere(t *testing.T) {
	fake := newFake(t)
	w := newWorld(t, 3, "{number: [0, 1, 10, 20], mode: [ok, error]}")
	w.mustRun(run.Counts{OK: 12, Failed: 12}, func(c *Cluster) { c.Args, c.Pool.Networks = []string{"--partition=cpu"}, 3 })
	// 18 fits of about a second, five in a task of five seconds, three tasks in an array.
	calls := submitted(t, fake)
	if len(calls) != 2 || !strings.Contains(calls[0], "--array=0-2") || !strings.Contains(calls[1], "--array=0-0") {
		t.Errorf("submitted %q", calls)
	}
	for _, want := range []string{"--time=15", "--mem=3584M", "--partition=cpu", "--requeue"} {
		if !strings.Contains(calls[0], want) {
			t.Errorf("no %s in %q", want, calls[0])
		}
	}
	here := *w
	here.out = t.TempDir()
	here.runHere()
	if got, want := lines(t, w.records()), lines(t, here.records()); !slices.Equal(got, want) {
		t.Errorf("%d records, here %d; the first:\n%s\n%s", len(got), len(want), got[0], want[0])
	}
	for _, r := range resultstest.Records(t, w.records()) {
		if r.Provenance.Threads != 3 || r.Provenance.Networks != 0 {
			t.Errorf("a record of %d threads and %d networks, want all 3 that Slurm gives a task, and none on a device", r.Provenance.Threads, r.Provenance.Networks)
		}
	}
	w.mustSay("failed (error): waves number corrected fold 0", "0.log", "warning: waves number corrected fold ", ": nothing was fitted\n")
	w.mustRun(run.Counts{}, nil)
	if n := len(submitted(t, fake)); n != 2 {
		t.Errorf("a second run submitted %d arrays", n-2)
	}
}

// runHere does on this machine what there is to do.
func (w *world) runHere() {
	w.Helper()
	pool := &run.Pool{Library: w.library, Sweep: w.sweep, Backend: "go", Jobs: 2, Records: results.NewWriter(w.records())}
	jobs := w.plan(plan.Options{})
	shown := run.NewProgress(io.Discard, false, jobs, 2, 0)
	if _, err := run.Execute(w.Context(), jobs, pool, false, shown); err != nil {
		w.Fatal(err)
	}
	shown.Close()
	if err := pool.Records.Close(); err != nil {
		w.Fatal(err)
	}
}

// What was done here while tasks waited in the queue they do not do again.
func TestDoneWhileQueued(t *testing.T) {
	fake := newFake(t)
	w := newWorld(t, 3, "{number: [1, 10], mode: [ok]}")
	wish(t, fake, "drained", "yes")
	w.mustRun(run.Counts{Left: 6}, func(c *Cluster) { c.Detach = true })
	jobs := w.plan(plan.Options{})
	w.runHere()
	os.Remove(filepath.Join(fake, "drained"))
	if got, err := w.runJobs(t.Context(), jobs, plan.Options{}, nil); err != nil || got != (run.Counts{OK: 6}) {
		t.Errorf("%+v, %v; said:\n%s", got, err, w.said.String())
	}
	if n := len(lines(t, w.records())); n != 6 {
		t.Errorf("%d records of 6 cells", n)
	}
}

// A task may be ended by its node, by a lack of memory or of time. What it had done stays done, what it had not begun is done by
// another, and what it was at is tried again, or is recorded as a failure where it would fail again.
func TestTasksThatDie(t *testing.T) {
	for mode, want := range map[string]struct {
		failed map[string]int
		said   string
	}{
		"OUT_OF_MEMORY": {map[string]int{"memory": 1}, "OUT_OF_MEMORY, 1 cell recorded as failed, 1 cell to be submitted again; log: "},
		"TIMEOUT":       {map[string]int{"timeout": 1}, "TIMEOUT, 1 cell recorded as failed"},
		"NODE_FAIL":     {map[string]int{"crash": 1}, "NODE_FAIL, 2 cells to be submitted again"},
		"PENDING":       {map[string]int{"crash": 1}, "3 tasks died at it"}, // requeued by Slurm itself, again and again
		"checkpoint":    {map[string]int{}, "TIMEOUT, 2 cells to be submitted again"},
		"asked":         {map[string]int{}, "FAILED, 2 cells to be submitted again"},
		"stuck":         {map[string]int{"timeout": 1}, "TIMEOUT, 1 cell recorded as failed"},
	} {
		t.Run(mode, func(t *testing.T) {
			newFake(t)
			w := newWorld(t, 1, "{number: [1], mode: ["+mode+", ok]}")
			failed := 0
			for _, n := range want.failed {
				failed += n
			}
			w.mustRun(run.Counts{OK: 2 - failed, Failed: failed}, nil)
			if got := failures(t, w.records()); !maps.Equal(got, want.failed) {
				t.Errorf("failures %v, want %v", got, want.failed)
			}
			w.mustSay(want.said)
			for kind := range want.failed {
				if !strings.Contains(w.log.String(), "1 of 1 failed ("+kind+")\n") {
					t.Errorf("logged:\n%s", w.log.String())
				}
			}
		})
	}
}

// A job whose task's time is over may have had too little of that: where it was not the first, or some of its cells are done, it is tried again.
func TestTimeOfLaterJobs(t *testing.T) {
	cells := []results.ID{{1}, {2}}
	for _, c := range []struct {
		name         string
		first, cells int // the task's first job, and how many cells of this one are done
		failed       bool
	}{{"the first", 1, 0, true}, {"a later one", 0, 0, false}, {"the rest of the first", 1, 1, false}} {
		task := &watched{submission: &submission{path: t.TempDir()}, jobs: []watchedJob{{}, {cells: cells}}, recorded: map[results.ID]bool{},
			open: map[int]bool{1: true}, first: c.first}
		for _, id := range cells[:c.cells] {
			task.recorded[id] = true
		}
		fates := task.fates("TIMEOUT", "")
		if len(fates) != 1 || (fates[0].failure != nil) != c.failed || fates[0].deaths > 0 && !c.failed {
			t.Errorf("%s: %+v", c.name, fates)
		}
	}
}

// A task that somebody else ended says nothing of the job that it was at, nor, had it begun none, of those that it had; the third task that
// dies otherwise does.
func TestEndedByOthers(t *testing.T) {
	w := newWorld(t, 1, "{number: [1]}")
	jobs := w.plan(plan.Options{})
	planned := []*job{{Fit: jobs[0].Fit, Configurations: jobs[0].Configurations, Deaths: mostDeaths - 1}}
	for how, others := range map[string]bool{"PREEMPTED": true, "CANCELLED": true, "NODE_FAIL": false} {
		task := newWatched(&submission{path: t.TempDir()}, 0, planned)
		shown := run.NewProgress(io.Discard, false, jobs, 0, 0)
		defer shown.Close()
		r := newWatch(&Cluster{}, jobs, shown)
		r.count(task, 1)
		task.open[0] = true
		if f := task.fates(how, "")[0]; (f.failure == nil) != others || (f.deaths == mostDeaths-1) != others {
			t.Errorf("%s at a job: %+v", how, f)
		}
		clear(task.open)
		if err := r.settle(task, how); err != nil || (r.jobs[0].badEnds == 0) != others {
			t.Errorf("%s before a job: %d bad ends, %v", how, r.jobs[0].badEnds, err)
		}
	}
}

// A full disk is no fault of a job's, be it that the job or its task cannot write: there is no record of it, and what a few tasks could not
// do is left for another time.
func TestFullDisk(t *testing.T) {
	for mode, why := range map[string]string{
		"full": "no space left on device: the run ends here", "mute": "the task cannot tell how it gets on: write ",
	} {
		t.Run(mode, func(t *testing.T) {
			if limit := (syscall.Rlimit{}); mode == "mute" {
				if _, err := exec.LookPath("prlimit"); err != nil {
					t.Skip(err)
				}
				if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil || limit.Max != math.MaxUint64 {
					t.Skip("files may not be of any size here, and the test could not lift its limit")
				}
			}
			fake := newFake(t)
			w := newWorld(t, 1, "{number: [1], mode: ["+mode+", ok]}")
			w.mustRun(run.Counts{Left: 2}, nil)
			if got, n := failures(t, w.records()), len(submitted(t, fake)); len(got) > 0 || n != mostBadEnds {
				t.Errorf("failures %v, by %d tasks", got, n)
			}
			w.mustSay("FAILED, 2 cells to be submitted again; ", "FAILED, 2 cells left for another time; ", why)
		})
	}
}

// An event that was written in part takes no other with it.
func TestTornEvent(t *testing.T) {
	file, err := createEvents(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	failed := 0
	r := &reporter{file: full, failed: func(error) { failed++ }}
	r.write(event{Kind: recorded})
	file.WriteString(`{"kind":"recor`) // for which there was room
	r.file = file
	r.write(event{Kind: unable})
	r.write(event{Kind: beat})
	events, _, err := readEvents(file.Name(), 0)
	if want := []event{{Kind: unable}, {Kind: beat}}; err != nil || failed != 1 || !slices.Equal(events, want) {
		t.Errorf("%+v, %v, %d failed, want %+v", events, err, failed, want)
	}
}

// A task gives a sign of life in every interval in which it has told nothing else.
func TestBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, err := createEvents(t.TempDir(), 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		r, done := &reporter{file: file, failed: func(err error) { t.Error(err) }}, make(chan struct{})
		go r.beat(beatInterval, done)
		time.Sleep(7 * beatInterval / 4)
		r.write(event{Kind: advanced})
		time.Sleep(2 * beatInterval)
		synctest.Wait()
		close(done)
		events, _, err := readEvents(file.Name(), 0)
		if want := []event{{Kind: beat}, {Kind: advanced}, {Kind: beat}}; err != nil || !slices.Equal(events, want) {
			t.Errorf("%+v, %v, want %+v", events, err, want)
		}
	})
}

// A task that Slurm starts anew died at the job that it was at, unless it was asked to end, or could not go on for another reason.
func TestDeathsOfEarlierStarts(t *testing.T) {
	for last, want := range map[eventKind]int{started: 1, stopped: 0, unable: 0} {
		dir := t.TempDir()
		for start, kinds := range [][]eventKind{{begun, started, last}, {begun}} {
			file, err := createEvents(dir, 0)
			if err != nil {
				t.Fatal(start, err)
			}
			r := &reporter{file: file, failed: func(err error) { t.Error(err) }}
			for _, kind := range kinds {
				r.write(event{Kind: kind})
			}
			file.Close()
		}
		task := newWatched(&submission{path: dir}, 0, []*job{{}})
		if _, err := task.read(); err != nil || task.jobs[0].deaths != want || task.start != 1 || task.unable {
			t.Errorf("%s: %+v, %v, want %d deaths", last, task, err, want)
		}
	}
}

// A task whose node lacks what its networks need closes its records, which may have failures of jobs at which others have died. Networks that
// were sent to a GPU do not run where there is none.
func TestRecordsOfTaskThatCannotBegin(t *testing.T) {
	fake := newFake(t)
	w := newWorld(t, 1, "{number: [1, 20]}") // two jobs
	wish(t, fake, "drained", "yes")
	w.mustRun(run.Counts{Left: 2}, func(c *Cluster) { c.Detach, c.GPUArgs = true, []string{"--gres=gpu:1"} })
	tasks, err := filepath.Glob(filepath.Join(w.out, "slurm", "nptbench-*", taskFile(0)))
	if err != nil || len(tasks) != 1 {
		t.Fatal(tasks, err)
	}
	var jobs []*job
	if err := readJSON(tasks[0], &jobs); err != nil || len(jobs) != 2 {
		t.Fatal(jobs, err)
	}
	jobs[0].Deaths = mostDeaths
	if err := writeJSON(tasks[0], jobs); err != nil {
		t.Fatal(err)
	}
	t.Setenv(taskVariable, filepath.Dir(tasks[0]))
	t.Setenv("SLURM_ARRAY_TASK_ID", "0")
	err = Serve(testMethods(), func(context.Context, string) (string, error) {
		if got := failures(t, w.records()); got["crash"] != 1 {
			t.Errorf("failures %v, want one of a crash", got)
		}
		return "", errors.Join(os.RemoveAll(w.records()), errors.New("no such backend")) // closing notices
	})
	if err == nil || !strings.Contains(err.Error(), "no such backend") || !strings.Contains(err.Error(), "records are lost") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	t.Setenv(taskVariable, filepath.Dir(tasks[0]))
	err = Serve(testMethods(), func(context.Context, string) (string, error) { return "go", nil })
	if err == nil || !strings.HasSuffix(err.Error(), ": networks were sent to GPUs, and here they run on go") {
		t.Errorf("error %v", err)
	}
}

// Slurm forgets minutes after its end how a task ended; then the accounting says so.
func TestAccounting(t *testing.T) {
	fake := newFake(t)
	w := newWorld(t, 1, "{number: [1], mode: [OUT_OF_MEMORY, ok]}")
	w.mustRun(run.Counts{Left: 2}, func(c *Cluster) { c.Detach = true })
	wish(t, fake, "forget", "squeue")
	tasks, err := filepath.Glob(filepath.Join(fake, "nptbench-*"))
	if err != nil || len(tasks) != 1 {
		t.Fatal(tasks, err)
	}
	for state := []byte(nil); string(state) != "OUT_OF_MEMORY"; state, _ = os.ReadFile(tasks[0]) {
		if time.Sleep(10 * time.Millisecond); t.Context().Err() != nil {
			t.Fatal("the task has not ended")
		}
	}
	w.mustRun(run.Counts{OK: 1, Failed: 1}, nil)
	if got := failures(t, w.records()); got["memory"] != 1 {
		t.Errorf("failures %v, want one of memory", got)
	}
	name := strings.TrimSuffix(filepath.Base(tasks[0]), "|0")
	wish(t, fake, name+"|0", "CANCELLED by 1000")
	if got := accounted(t.Context(), []string{name}, time.Now())[taskName{name, 0}]; got.name != "CANCELLED" {
		t.Errorf("%+v, want that it was cancelled", got)
	}
}

// -detach returns at once; the same command then submits nothing twice and takes the records over. What is cancelled is left, and
// submitted by the next command.
func TestDetachAndCancel(t *testing.T) {
	fake := newFake(t)
	w := newWorld(t, 3, "{number: [1, 10, 20], mode: [slow]}")
	detached := func(c *Cluster) { c.Detach = true }
	wish(t, fake, "drained", "yes")
	w.mustRun(run.Counts{Left: 9}, detached)
	w.mustRun(run.Counts{Left: 9}, detached)
	w.mustSay("submitted 2 tasks: job 2", "tasks in Slurm: 2 pending")
	if n := len(submitted(t, fake)); n != 1 {
		t.Fatalf("%d arrays", n)
	}
	if arrays, err := Cancel(t.Context(), filepath.Join(w.out, "slurm")); arrays != 1 || err != nil {
		t.Fatal(arrays, err)
	}
	wish(t, fake, "drained after one", "yes") // what the other task of two is to do is left
	os.Remove(filepath.Join(fake, "drained"))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // in another terminal, while somebody watches
		for len(submitted(t, fake)) < 2 {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(300 * time.Millisecond)
		Cancel(t.Context(), filepath.Join(w.out, "slurm"))
	}()
	got, err := w.runUntil(ctx, plan.Options{}, nil)
	cancel()
	if err != nil || got.Left == 0 || len(submitted(t, fake)) != 2 {
		t.Fatalf("cancelled: %+v, %v, %d arrays:\n%s", got, err, len(submitted(t, fake)), w.said.String())
	}
	w.mustSay("CANCELLED", "left for another time")
	os.Remove(filepath.Join(fake, "drained after one"))
	last, err := w.run(nil)
	// A task that was cancelled may have left a record that nobody saw in time: then two say the same of a cell.
	if n := len(slices.Compact(lines(t, w.records()))); err != nil || last.OK == 0 || last.Left > 0 || n != 9 {
		t.Errorf("%+v, %v, records of %d of 9 cells", last, err, n)
	}
}

// Ctrl-C leaves the tasks alone, and the same command follows them.
func TestInterrupted(t *testing.T) {
	fake := newFake(t)
	w := newWorld(t, 3, "{number: [1, 10], mode: [slow]}")
	wish(t, fake, "drained after one", "yes")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(submitted(t, fake)) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond)
		cancel()
	}()
	first, err := w.runUntil(ctx, plan.Options{}, nil)
	if err != nil || first.Left == 0 {
		t.Fatalf("%+v, %v:\n%s", first, err, w.said.String())
	}
	w.mustSay("the tasks go on in Slurm")
	os.Remove(filepath.Join(fake, "drained after one"))
	second, err := w.run(nil)
	if n := len(lines(t, w.records())); err != nil || second.OK == 0 || second.Left > 0 || n != 6 || len(submitted(t, fake)) != 1 {
		t.Errorf("%+v, %v, %d records, %d arrays:\n%s", second, err, n, len(submitted(t, fake)), w.said.String())
	}
}

// Two who run the same on the same folder do no cell twice, where the second begins when the first has submitted, and have all records.
func TestTwoPeople(t *testing.T) {
	fake := newFake(t)
	w := newWorld(t, 3, "{number: [1, 10, 20, 30], mode: [slow]}")
	other := &world{T: t, library: w.library, sweep: w.sweep, out: w.out}
	outcomes := make(chan run.Counts)
	for _, one := range []*world{w, other} {
		go func() {
			o, err := one.run(nil)
			if err != nil {
				t.Error(err)
			}
			outcomes <- o
		}()
		for len(submitted(t, fake)) == 0 && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
	}
	for range 2 {
		if o := <-outcomes; o.OK == 0 || o.Failed+o.Left > 0 { // the second may find records of the first
			t.Errorf("%+v\n%s\n%s", o, w.said.String(), other.said.String())
		}
	}
	if n := len(lines(t, w.records())); n != 12 || len(submitted(t, fake)) != 1 {
		t.Errorf("%d records of 12 cells, by %d arrays", n, len(submitted(t, fake)))
	}
}

// Two who submit in the same moment may not see each other's folders. Nobody waits for a task whose cells the other's have recorded,
// be it that it hangs or that Slurm knows nothing of it, and what one task of two has lost is the other's to do.
func TestRecordedByAnother(t *testing.T) {
	for _, state := range []string{"SUSPENDED", "forgotten"} {
		t.Run(state, func(t *testing.T) {
			fake := newFake(t)
			w := newWorld(t, 3, "{number: [1, 10], mode: [slow]}")
			wish(t, fake, "drained", "yes")
			w.mustRun(run.Counts{Left: 6}, func(c *Cluster) { c.Detach = true })
			folders, err := filepath.Glob(filepath.Join(w.out, "slurm", "nptbench-*"))
			if err != nil || len(folders) != 1 {
				t.Fatal(folders, err)
			}
			for i := range 2 {
				if task := taskOf(fake, filepath.Base(folders[0]), i); state == "forgotten" {
					os.Remove(task)
				} else {
					wish(t, fake, filepath.Base(task), state)
				}
			}
			long := time.Now().Add(-2 * usualLease)
			err = os.Chtimes(filepath.Join(folders[0], setupFile), long, long)
			if err := errors.Join(err, os.Rename(folders[0], folders[0]+".new")); err != nil { // unseen
				t.Fatal(err)
			}
			os.Remove(filepath.Join(fake, "drained"))
			go func() {
				for len(submitted(t, fake)) < 2 {
					time.Sleep(10 * time.Millisecond)
				}
				time.Sleep(100 * time.Millisecond)
				os.Rename(folders[0]+".new", folders[0])
			}()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			got, err := w.runUntil(ctx, plan.Options{}, nil)
			if want := (run.Counts{OK: 6}); err != nil || got != want || ctx.Err() != nil {
				t.Errorf("%+v, %v, %v; said:\n%s", got, err, ctx.Err(), w.said.String())
			}
			if n := len(submitted(t, fake)); n != 2 || strings.Contains(w.said.String(), "again") {
				t.Errorf("%d arrays; said:\n%s", n, w.said.String())
			}
		})
	}
}

// The controller may be away; a task of which Slurm knows nothing, and the accounting neither, is lost when it has been silent.
func TestSilence(t *testing.T) {
	fake := newFake(t)
	w := newWorld(t, 3, "{number: [1, 10]}")
	wish(t, fake, "down", "Unable to contact slurm controller")
	if _, err := w.run(nil); err == nil || err.Error() != "scontrol: error: Unable to contact slurm controller" {
		t.Errorf("%v", err)
	}
	os.Remove(filepath.Join(fake, "down"))
	wish(t, fake, "refuse", "Batch job submission failed: Invalid account")
	if _, err := w.run(nil); err == nil || !strings.Contains(err.Error(), "Invalid account") {
		t.Errorf("%v", err)
	}
	os.Remove(filepath.Join(fake, "refuse"))

	wish(t, fake, "drained", "yes")
	w.mustRun(run.Counts{Left: 6}, func(c *Cluster) { c.Detach = true })
	wish(t, fake, "down", "Unable to contact slurm controller")
	w.mustRun(run.Counts{Left: 6}, func(c *Cluster) { c.Detach = true })
	w.mustSay("Slurm does not answer, tasks that run go on: squeue: error: Unable to contact slurm controller")
	os.Remove(filepath.Join(fake, "down"))
	wish(t, fake, "forget", "everything")
	w.mustRun(run.Counts{Left: 6}, func(c *Cluster) { c.Detach = true }) // within the lease
	if n := len(submitted(t, fake)); n != 1 {
		t.Fatalf("%d arrays", n)
	}
	time.Sleep(20 * time.Millisecond)
	w.mustRun(run.Counts{Left: 6}, func(c *Cluster) { c.Detach, c.lease = true, 10*time.Millisecond })
	w.mustSay("unknown to Slurm")
	if n := len(submitted(t, fake)); n != 2 {
		t.Fatalf("%d arrays", n)
	}
	os.Remove(filepath.Join(fake, "forget"))
	os.Remove(filepath.Join(fake, "drained"))
	w.mustRun(run.Counts{OK: 6}, nil)
}

// Nodes that do not see the folder end tasks before they begin: this is said, and not tried for ever.
func TestUnreadableFolder(t *testing.T) {
	fake := newFake(t)
	w := newWorld(t, 3, "{number: [1]}")
	wish(t, fake, "drained", "yes")
	w.mustRun(run.Counts{Left: 3}, func(c *Cluster) { c.Detach = true })
	moved, err := filepath.Glob(filepath.Join(w.out, "slurm", "nptbench-*"))
	if err != nil || len(moved) != 1 {
		t.Fatal(moved, err)
	}
	if err := os.Rename(filepath.Join(moved[0], setupFile), filepath.Join(moved[0], "elsewhere")); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(fake, "drained"))
	for {
		text, _ := os.ReadFile(filepath.Join(moved[0], logFile("0")))
		if strings.Contains(string(text), "node n1 does not see the folder of the run") {
			break
		}
		if w.Context().Err() != nil {
			t.Fatal("the task has said nothing")
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.out = filepath.Join(w.out, "a file")
	if err := os.WriteFile(w.out, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Dir: filepath.Join(w.out, "slurm")}
	if err := c.Do(t.Context(), nil, nil); err == nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "the shared folder: ") {
		t.Errorf("%v", err)
	}
}

// A controller that gives sbatch no answer in time may have taken the array: its tasks are followed, and submitted by nobody else.
func TestNoAnswer(t *testing.T) {
	defer func(usual time.Duration) { answerTimeout = usual }(answerTimeout)
	for _, how := range []string{"hang", "timed out"} {
		fake := newFake(t)
		w := newWorld(t, 1, "{number: [1, 10]}")
		wish(t, fake, "drained", "yes")
		wish(t, fake, "no answer", how)
		if how == "hang" { // long enough for a command that does not
			began := time.Now()
			if _, err := call(t.Context(), "scontrol", "show", "config"); err != nil {
				t.Fatal(err)
			}
			answerTimeout = max(2*time.Second, 5*time.Since(began))
		}
		if _, err := w.run(nil); !errors.Is(err, errNoAnswer) || !strings.HasPrefix(err.Error(), "sbatch: no answer from Slurm in time: ") {
			t.Errorf("%s: %v", how, err)
		}
		answerTimeout = time.Minute
		jobs := w.plan(plan.Options{})
		os.Remove(filepath.Join(fake, "no answer"))
		os.Remove(filepath.Join(fake, "drained"))
		if got, err := w.runJobs(t.Context(), jobs, plan.Options{}, nil); err != nil || got != (run.Counts{OK: 2}) {
			t.Errorf("%s: %+v, %v; said:\n%s", how, got, err, w.said.String())
		}
		if n := len(submitted(t, fake)); n != 1 {
			t.Errorf("%s: %d arrays", how, n)
		}
	}
}

// Ctrl-C in a terminal reaches the process group in the foreground, of which Slurm's commands are not.
func TestProcessGroup(t *testing.T) {
	newFake(t)
	out, err := call(t.Context(), "scontrol", "show", "config")
	if ours := fmt.Sprintf("ProcessGroup = %d\n", syscall.Getpgrp()); err != nil || !strings.Contains(out, "ProcessGroup = ") || strings.Contains(out, ours) {
		t.Errorf("%s, %v; ours: %s", out, err, ours)
	}
}

// -retry-failed submits what failed.
func TestRetry(t *testing.T) {
	newFake(t)
	w := newWorld(t, 3, "{number: [1], mode: [error]}")
	w.mustRun(run.Counts{Failed: 3}, nil)
	w.mustRun(run.Counts{}, nil)
	if o, err := w.runUntil(t.Context(), plan.Options{Retry: true}, nil); err != nil || o.Failed != 3 {
		t.Errorf("%+v, %v", o, err)
	}
}

// A task that measures the model of an earlier training has the record of that.
func TestMeasuredLater(t *testing.T) {
	newFake(t)
	w := newWorld(t, 2, "{number: [3, 4]}")
	w.mustRun(run.Counts{OK: 4}, nil)
	w.parse(2, "{method: number, grid: {number: [3, 4]}, measure: {first: {}}}")
	w.mustRun(run.Counts{OK: 4}, nil)
	trainings := map[results.ID]*results.Record{}
	measured := 0
	for _, later := range []bool{false, true} {
		for _, r := range resultstest.Records(t, w.records()) {
			of := r.Training()
			switch training := trainings[of.ID()]; {
			case r.Measure == "":
				trainings[r.ID] = r
			case later && (training == nil || !maps.Equal(r.Val, training.Val) || len(r.Val) == 0):
				t.Errorf("%s: validation %v, want that of its training", r.Config, r.Val)
			case later:
				measured++
			}
		}
	}
	if measured != 4 {
		t.Errorf("%d of 4 measured", measured)
	}
}

func TestPack(t *testing.T) {
	network, tree := &method.Method{Name: "network", Network: true}, &method.Method{Name: "tree"}
	small, large := &plan.Dataset{Info: dataset.Info{Name: "small"}}, &plan.Dataset{Info: dataset.Info{Name: "large"}}
	var jobs []*plan.Job
	for range 6 {
		for _, d := range []*plan.Dataset{small, large} {
			for _, m := range []*method.Method{network, tree} {
				jobs = append(jobs, &plan.Job{Dataset: d, Method: m})
			}
		}
	}
	c := &Cluster{TaskTime: time.Minute, Pool: run.Pool{Sweep: &sweeps.Sweep{}}, GPUArgs: []string{"--gres=gpu:1"}}
	c.Estimate = func(j *plan.Job) (time.Duration, bool) {
		switch {
		case j.Method == network:
			return 0, false // taken for a minute, or half of one
		case j.Dataset == large:
			return 40 * time.Second, true
		}
		return 20 * time.Second, true
	}
	for budget, want := range map[time.Duration]map[string]int{
		time.Hour:       {"smallnetwork1 true 2h0m0s": 6, "largenetwork1 true 2h0m0s": 6, "smalltree3 false 2h0m0s": 2, "largetree1 false 2h0m0s": 6},
		5 * time.Minute: {"smallnetwork2 true 15m0s": 3, "largenetwork2 true 15m0s": 3, "smalltree3 false 15m0s": 2, "largetree1 false 15m0s": 6},
	} {
		c.Pool.Sweep.Budget.Time = budget
		tasks := map[string]int{}
		for _, p := range c.pack(jobs) {
			for _, b := range p.batches {
				tasks[fmt.Sprint(b.jobs[0].Dataset.Info.Name, b.jobs[0].Method.Name, len(b.jobs), p.gpu, p.limit)]++
				for _, j := range b.jobs {
					if j.Dataset != b.jobs[0].Dataset || j.Method != b.jobs[0].Method {
						t.Error("mixed")
					}
				}
			}
		}
		if !maps.Equal(tasks, want) {
			t.Errorf("budget %v: %v, want %v", budget, tasks, want)
		}
	}
	if got := taskLimit(40*time.Minute, 10*time.Minute); got != 2*time.Hour {
		t.Errorf("a limit of %v for 40 minutes and a budget of 10, want 2h: twice the first, and the second", got)
	}
}

// A task that was given no cores of its own has those that Slurm gives it on the node.
func TestCoresOfTask(t *testing.T) {
	for _, c := range []struct {
		perTask, onNode string
		want            int
	}{{"3", "8", 3}, {"", "8", 8}, {"0", "8", 8}, {"", "", runtime.GOMAXPROCS(0)}} {
		t.Setenv("SLURM_CPUS_PER_TASK", c.perTask)
		t.Setenv("SLURM_CPUS_ON_NODE", c.onNode)
		if got := coresOfTask(); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.perTask, c.onNode, got, c.want)
		}
	}
}

// Of equal arguments sbatch takes the last one; tasks are asked for by the name of the submission.
func TestArgumentsOfSbatch(t *testing.T) {
	c := &Cluster{Pool: run.Pool{Sweep: &sweeps.Sweep{}}, Args: []string{"--job-name=mine"}, GPUArgs: []string{"--mem-per-gpu=40G"}}
	c.Pool.Sweep.Budget.Memory = 1 << 30
	for _, gpu := range []bool{false, true} {
		args := c.sbatchArgs(&submission{path: "/shared/nptbench-1"}, &packing{gpu: gpu})
		if i := slices.Index(args, "--job-name=nptbench-1"); i < slices.Index(args, "--job-name=mine") {
			t.Errorf("the tasks have another name: %q", args)
		}
		if asks := slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--mem=") }); asks == gpu {
			t.Errorf("GPU %v: %q", gpu, args)
		}
	}
	c.Pool.Networks = 3
	for gpu, want := range map[bool]string{false: "--mem=1536M", true: "--mem=3584M"} {
		c.GPUArgs = nil // networks are among all jobs then
		if args := c.sbatchArgs(&submission{path: "/shared/nptbench-1"}, &packing{}); !slices.Contains(args, "--mem=3584M") {
			t.Errorf("without arguments for GPUs: %q", args)
		}
		c.GPUArgs = []string{"--gres=gpu:1"}
		if args := c.sbatchArgs(&submission{path: "/shared/50%a/nptbench-1"}, &packing{gpu: gpu}); !slices.Contains(args, want) ||
			!slices.Contains(args, "--output=/shared/50%%a/nptbench-1/%a.log") {
			t.Errorf("GPU %v: %q, want %s", gpu, args, want)
		}
	}
}

// What places memory asks for none.
func TestAsksMemory(t *testing.T) {
	for arg, want := range map[string]bool{"--mem": true, "--mem=4G": true, "--mem-per-cpu=2G": true, "--mem-bind=local": false, "--partition=mem": false} {
		if asksMemory(arg) != want {
			t.Errorf("%s asks for memory: %v, want %v", arg, !want, want)
		}
	}
}
