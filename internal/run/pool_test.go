package run

import (
	"context"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/split"
	"nptbench/internal/subprocess"
	"nptbench/internal/task"
	"nptbench/results"
	"nptbench/results/resultstest"
	"nptbench/sweeps"
)

// givenUp counts what a Watcher is told of methods that are given up.
type givenUp struct {
	Watcher
	times int
}

func (g *givenUp) GivenUp(*plan.Job, string) { g.times++ }

func (g *givenUp) Record(*plan.Job, *results.Record) {}

// A method is given up on a data set when ten of its jobs there in a row have failed at once with the same error or crash; once it is, it
// stays so.
func TestGivenUp(t *testing.T) {
	on := func(name string) *plan.Job {
		return &plan.Job{Method: &method.Method{Name: "mine"}, Dataset: &plan.Dataset{Info: dataset.Info{Name: name}}}
	}
	j := on("yacht")
	failure := func(kind, message string) *results.Failure { return &results.Failure{Kind: kind, Message: message} }
	broken := failure("error", "no such program")
	for name, c := range map[string]struct {
		jobs []*results.Failure
		took time.Duration
		want int
	}{
		"errors":                           {slices.Repeat([]*results.Failure{broken}, 12), time.Second, 1},
		"crashes":                          {slices.Repeat([]*results.Failure{failure("crash", "exit status 3")}, 10), time.Second, 1},
		"nine":                             {slices.Repeat([]*results.Failure{broken}, 9), time.Second, 0},
		"slow ones":                        {slices.Repeat([]*results.Failure{broken}, 12), time.Minute, 0},
		"successes":                        {make([]*results.Failure, 12), time.Second, 0},
		"divergence":                       {slices.Repeat([]*results.Failure{failure("diverged", "NaN")}, 12), time.Second, 0},
		"different messages":               {slices.Repeat([]*results.Failure{broken, failure("error", "another")}, 10), time.Second, 0},
		"a success in nine":                {slices.Insert(slices.Repeat([]*results.Failure{broken}, 18), 9, nil), time.Second, 0},
		"measurements of failed trainings": {slices.Repeat([]*results.Failure{failure("error", failedBefore)}, 12), time.Second, 0},
		"one of those in nine":             {slices.Insert(slices.Repeat([]*results.Failure{broken}, 9), 4, failure("error", failedBefore)), time.Second, 0},
		"one of those in ten":              {slices.Insert(slices.Repeat([]*results.Failure{broken}, 10), 5, failure("error", failedBefore)), time.Second, 1},
		"a success after ten":              {slices.Insert(slices.Repeat([]*results.Failure{broken}, 20), 10, nil), time.Second, 1},
	} {
		w := &givenUp{}
		r := &poolRun{watcher: w, streaks: map[[2]string]*streak{}}
		for _, f := range c.jobs {
			r.note(j, f, c.took)
		}
		if w.times != c.want || r.givenUp(j) != (c.want > 0) || r.givenUp(on("concrete")) {
			t.Errorf("%s: said %d times, given up: %v", name, w.times, r.givenUp(j))
		}
	}
}

// The last jobs of a queue share all cores.
func TestThreads(t *testing.T) {
	q := &queue{cores: 8, processes: 4, jobs: make([]*plan.Job, 6)}
	var got []int
	for {
		_, threads, ok := q.next()
		if !ok {
			break
		}
		got = append(got, threads)
	}
	if want := []int{2, 2, 2, 2, 4, 8}; !slices.Equal(got, want) {
		t.Errorf("%v threads, want %v", got, want)
	}
}

// A worker is asked for the task that a method wants, with its statistics.
func TestTaskOfRequest(t *testing.T) {
	j := &plan.Job{
		Method:  &method.Method{Statistics: func(method.Config) task.Statistics { return task.TrainRows }},
		Dataset: &plan.Dataset{Info: dataset.Info{Name: "yacht"}}, Fold: plan.Fold{Protocol: split.Corrected, Number: 3},
		Configurations: []*plan.Configuration{{}},
	}
	r := &poolRun{Pool: &Pool{Library: &dataset.Library{}, Sweep: &sweeps.Sweep{}}}
	q := r.request(j, 1)
	if want := (task.Spec{Dataset: "yacht", Protocol: split.Corrected, Fold: 3, Statistics: task.TrainRows}); q.spec() != want {
		t.Errorf("%+v, want %+v", q.spec(), want)
	}
}

// Pools that share a folder give a command, which empties its own to begin with, one each.
func TestCheckpointDirOfRequest(t *testing.T) {
	for _, c := range []struct {
		name, suffix string
		command      *method.Command
	}{{"n-0", "-n-0", &method.Command{}}, {"", "", &method.Command{}}, {"n-0", "", nil}} {
		j := &plan.Job{Method: &method.Method{Command: c.command}, Dataset: &plan.Dataset{}, Configurations: []*plan.Configuration{{}}}
		r := &poolRun{Pool: &Pool{Library: &dataset.Library{}, Sweep: &sweeps.Sweep{}, Checkpoints: "c", Name: c.name}}
		want := filepath.Join("c", plan.Folder(j.Fit, j.Configurations).String()) + c.suffix
		if got := r.request(j, 1).CheckpointDir; got != want {
			t.Errorf("command %v in pool %q: %s, want %s", c.command != nil, c.name, got, want)
		}
	}
}

// A worker that the kernel killed for want of memory has used too much of it; one that somebody else killed has crashed.
func TestWorkerKilledForMemory(t *testing.T) {
	killed := exec.Command("sh", "-c", "kill -9 $$").Run()
	for before, want := range map[int]string{-1: "memory", math.MaxInt: "crash"} {
		if f := (&child{ended: killed, oomKills: before}).causeOfDeath(); f.Kind != want || !strings.Contains(f.Message, "signal: killed") {
			t.Errorf("%+v, want %s", f, want)
		}
	}
}

// scripted is a worker that a shell script stands for: requests come on its standard input, a line each, and replies go to descriptor 3.
func scripted(t *testing.T, script string) *child {
	t.Helper()
	c := &child{cmd: exec.Command("sh", "-c", script), replies: make(chan reply), over: make(chan struct{}), gone: make(chan struct{})}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, replies, err := subprocess.StartWithAnswers(c.cmd, syscall.SIGTERM)
	if err != nil {
		t.Fatal(err)
	}
	c.in = in
	go c.read(replies)
	t.Cleanup(c.kill)
	return c
}

// A worker that dies before it has given back what earlier jobs needed died of these: the next one is done whole by another worker. One
// that dies before its first job, or once it has begun a job, dies of that.
func TestDiesOfEarlierJobs(t *testing.T) {
	lib, s := library(t), parse(t, sweepOf("", "{shift: [0, 1]}"))
	for _, c := range []struct {
		before int
		script string
		own    bool
	}{
		{0, "read -r request; exit 3", true},
		{1, "read -r request; exit 3", false},
		{1, `read -r request; echo '{"Number": 2, "Began": true}' >&3; exit 3`, true},
	} {
		dir := t.TempDir()
		jobs := planned(t, s, lib, dir, plan.Options{}).Jobs()
		progress := NewProgress(io.Discard, false, jobs, 1, 0)
		r := &poolRun{Pool: &Pool{Library: lib, Sweep: s, Records: results.NewWriter(dir)}, watcher: progress, streaks: map[[2]string]*streak{}}
		worker := scripted(t, c.script)
		worker.asked = c.before
		rest := r.attempt(t.Context(), worker, jobs[0], 1)
		progress.Close()
		if err := r.Records.Close(); err != nil {
			t.Fatal(err)
		}
		if n := len(resultstest.Records(t, dir)); c.own && (rest != nil || n != 2) || !c.own && (rest != jobs[0] || n != 0) {
			t.Errorf("after %d jobs %q: %d records, left is %v", c.before, c.script, n, rest)
		}
	}
}

// A failure that comes with the end of the run is not recorded: what ended the run may have ended what the worker started.
func TestFailureOfInterrupted(t *testing.T) {
	for range 50 { // both are ready, and either may be seen first
		c := &child{replies: make(chan reply, 1), gone: make(chan struct{})}
		c.replies <- reply{Done: true, Failure: &results.Failure{Kind: "crash"}}
		close(c.gone)
		c.ends.Do(func() {}) // it is gone
		a := &attempt{poolRun: &poolRun{Pool: &Pool{}}, child: c, job: &plan.Job{}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if failure, finished := a.follow(ctx); failure != nil || finished {
			t.Fatalf("%+v, finished %v", failure, finished)
		}
	}
}

// Until its task is loaded a job uses none of its budget of time; that has a bound of its own.
func TestLoadingIsNoFit(t *testing.T) {
	const budget = 200 * time.Millisecond
	begin := func(budget time.Duration) *attempt {
		c := &child{replies: make(chan reply), gone: make(chan struct{})}
		close(c.gone)
		c.ends.Do(func() {}) // it is gone
		s := &sweeps.Sweep{}
		s.Budget.Time = budget
		return &attempt{poolRun: &poolRun{Pool: &Pool{Sweep: s, Records: results.NewWriter(t.TempDir())}}, child: c, job: &plan.Job{},
			memory: subprocess.WatchMemory(os.Getpid())}
	}
	a := begin(budget)
	go func() {
		time.Sleep(3 * budget)
		a.child.replies <- reply{Loaded: true}
	}()
	began := time.Now()
	if failure, _ := a.follow(t.Context()); time.Since(began) < 4*budget || failure == nil || failure.Message != "not finished within the budget of 200ms" {
		t.Errorf("after %v: %+v", time.Since(began), failure)
	}
	for budget, want := range map[time.Duration]string{0: "", budget: "its data were not loaded within 1h0m0s", 2 * loadTime: ""} {
		a := begin(budget)
		a.loading, a.looked = loadTime, time.Now()
		if failure := a.look(); (failure == nil) != (want == "") || failure != nil && failure.Message != want {
			t.Errorf("after an hour of loading, with a budget of %v: %+v", budget, failure)
		}
	}
}

// What earlier jobs left in a worker is no memory of a job: that counts, against its budget too, once the worker has given it back.
func TestMemoryOfTheJobBefore(t *testing.T) {
	s := &sweeps.Sweep{}
	s.Budget.Memory = 1
	a := &attempt{poolRun: &poolRun{Pool: &Pool{Sweep: s}}, job: &plan.Job{}, memory: subprocess.WatchMemory(os.Getpid())}
	if a.memory.Resident() == 0 {
		t.Skip("this system does not tell the resident size")
	}
	if failure := a.look(); failure != nil || a.peak != 0 {
		t.Errorf("before the worker has given back what the job before needed: %+v, a peak of %d bytes", failure, a.peak)
	}
	a.began = true
	if failure := a.look(); failure == nil || failure.Kind != "memory" || a.peak == 0 {
		t.Errorf("after that: %+v, a peak of %d bytes", failure, a.peak)
	}
}

// What a worker and all that it started were seen to use counts as the memory of a record, unless the worker itself has used more.
func TestPeakOfRecord(t *testing.T) {
	writer := results.NewWriter(t.TempDir())
	defer writer.Close()
	a := &attempt{poolRun: &poolRun{Pool: &Pool{Records: writer}, watcher: &givenUp{}}, job: &plan.Job{}, reported: map[results.ID]bool{}, peak: 5 << 30}
	for own, want := range map[int64]int64{1: 5 << 30, 6 << 30: 6 << 30} {
		r := &results.Record{ID: results.ID{byte(own >> 30)}, Cell: results.Cell{Config: "{}"}, PeakMemoryBytes: own}
		if a.result(reply{Records: []*results.Record{r}}); r.PeakMemoryBytes != want {
			t.Errorf("a worker of %d bytes: a peak of %d, want %d", own, r.PeakMemoryBytes, want)
		}
	}
}

// tooLong stands for details of a gigabyte.
type tooLong struct{}

func (tooLong) MarshalJSON() ([]byte, error) { return nil, results.ErrTooLong }

// A record that could not be read again becomes one of the failure, and the run goes on.
func TestRecordTooLong(t *testing.T) {
	dir := t.TempDir()
	writer := results.NewWriter(dir)
	run := &poolRun{Pool: &Pool{Records: writer}, watcher: &givenUp{}, cancel: func(error) {}}
	a := &attempt{poolRun: run, job: &plan.Job{}, reported: map[results.ID]bool{}}
	r := &results.Record{Cell: results.Cell{Config: "{}"}, Details: map[string]any{"text": tooLong{}}}
	r.ID = r.Cell.ID()
	a.result(reply{Records: []*results.Record{r}})
	if err := writer.Close(); err != nil || a.ending {
		t.Fatalf("%v, the run ends: %v", err, a.ending)
	}
	if got := resultstest.Records(t, dir); len(got) != 1 || got[0].Status != results.Failed || a.recorded == nil || got[0].Failure.Message != a.recorded.Message {
		t.Errorf("%d records, want one of the failure, which is noted as %+v", len(got), a.recorded)
	}
}
