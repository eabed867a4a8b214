package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
)

// workerVariable is set in the environment of worker processes.
const workerVariable = "NPTBENCH_WORKER"

// IsWorker reports whether this process was started as a worker: then main calls Work and nothing else.
func IsWorker() bool { return os.Getenv(workerVariable) != "" }

// A request asks a worker for one job.
type request struct {
	Library    dataset.Library
	Dataset    string
	Digest     string // of the table that the plan was made for
	Protocol   split.Protocol
	Fold       int
	Method     string
	Statistics task.Statistics
	Configs    []json.RawMessage
	Seed       uint64 // of the sweep
	Threads    int
	Backend    string
	Memory     int64 // budget in bytes, a hint for the garbage collector; 0: none

	ModelDir, CheckpointDir string // for the fields of task.Task
}

// A reply reports one configuration, or, with Done, the end of the job, or, with Progress, nothing but that.
type reply struct {
	Progress *task.Progress

	Done           bool // Failure then concerns the configurations that were not reported
	Index          int
	Val, Test      results.Metrics
	FitSeconds     float64
	PredictSeconds float64
	Details        map[string]any
	Failure        *results.Failure

	// Of the job.
	Rows        [3]int
	SplitDigest string
	Subset      string
	PeakMemory  int64 // so far, of this process
}

// Work serves requests, one a line, until in ends, and writes replies to out. It returns when the planning process is gone.
func Work(in io.Reader, out io.Writer, methods []*method.Method) error {
	w := &worker{methods: methods, out: json.NewEncoder(out)}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	requests := make(chan request)
	go func() {
		defer close(requests)
		defer cancel() // the planning process has died: stop what is running
		for d := json.NewDecoder(in); ; {
			var r request
			if d.Decode(&r) != nil {
				return
			}
			requests <- r
		}
	}()
	for r := range requests {
		if err := w.serve(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// progressInterval is how often a worker says at most how far a fit is.
const progressInterval = time.Second

type worker struct {
	methods []*method.Method
	out     *json.Encoder

	// The last table and task: jobs come ordered by them.
	table *dataset.Table
	last  taskKey
	task  *task.Task
	truth *task.Truth
	split string
}

type taskKey struct {
	digest     string
	protocol   split.Protocol
	fold       int
	statistics task.Statistics
}

// serve does one job. Only a broken pipe is an error.
func (w *worker) serve(ctx context.Context, r request) error {
	resetPeakMemory()
	runtime.GOMAXPROCS(r.Threads)
	if r.Memory > 0 {
		debug.SetMemoryLimit(r.Memory / 10 * 9)
	}
	end := reply{Done: true}
	if err := w.try(ctx, r); err != nil {
		end.Failure = failure(err)
	}
	return w.send(end)
}

// try runs a job, and turns a panic of a method into an error.
func (w *worker) try(ctx context.Context, r request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &crash{fmt.Sprintf("panic: %v at %s", p, panicSite(debug.Stack()))}
		}
	}()
	return w.run(ctx, r)
}

// crash marks a method that panicked.
type crash struct{ message string }

func (c *crash) Error() string { return c.message }

func (w *worker) send(r reply) error {
	if w.task != nil {
		r.Rows = [3]int{w.task.Train, w.task.Val, w.task.Test}
		r.SplitDigest, r.Subset = w.split, w.table.Subset
	}
	r.PeakMemory = peakMemory()
	return w.out.Encode(r)
}

func (w *worker) run(ctx context.Context, r request) error {
	m := find(w.methods, r.Method)
	if m == nil {
		return fmt.Errorf("method %q is not known to the worker", r.Method)
	}
	if err := w.load(ctx, r); err != nil {
		return err
	}
	t := *w.task
	t.Threads, t.Backend = r.Threads, r.Backend
	t.ModelDir, t.CheckpointDir = r.ModelDir, r.CheckpointDir
	t.Seed = seed.Derive(r.Seed, r.Dataset, task.Canonical(t.Info, r.Protocol, r.Fold), r.Fold)
	var told time.Time
	t.Progress = func(p task.Progress) {
		if time.Since(told) >= progressInterval {
			told = time.Now()
			w.out.Encode(reply{Progress: &p}) // when this fails, so does the next result
		}
	}
	configs := make([]method.Config, len(r.Configs))
	for i, raw := range r.Configs {
		var given map[string]any
		if err := json.Unmarshal(raw, &given); err != nil {
			return err
		}
		c, err := m.Resolve(given, t.Info)
		if err != nil {
			return err
		}
		configs[i] = c
	}
	var broken error
	err := m.Run(ctx, &t, configs, func(res method.Result) {
		if err := w.send(w.scored(&t, res)); err != nil {
			broken = err
		}
	})
	return errors.Join(broken, err)
}

func (w *worker) scored(t *task.Task, res method.Result) reply {
	out := reply{Index: res.Index, FitSeconds: res.Fit.Seconds(), PredictSeconds: res.Predict.Seconds(), Details: res.Details}
	err := res.Err
	if err == nil {
		out.Val, out.Test, err = Score(t, w.truth, res)
	}
	if err != nil {
		out.Failure = failure(err)
	}
	return out
}

// load makes the request's task, or keeps the last one.
func (w *worker) load(ctx context.Context, r request) error {
	key := taskKey{r.Digest, r.Protocol, r.Fold, r.Statistics}
	if w.task != nil && w.last == key {
		return nil
	}
	w.task, w.truth = nil, nil // before the next one takes memory
	if w.table == nil || w.table.Digest != r.Digest {
		w.table = nil
		table, err := r.Library.Load(ctx, r.Dataset)
		if err != nil {
			return err
		}
		if table.Digest != r.Digest {
			return fmt.Errorf("%s has changed since the run was planned: digest %s, planned for %s", r.Dataset, table.Digest, r.Digest)
		}
		w.table = table
	}
	s, err := split.Make(split.RuleOf(w.table), r.Protocol, r.Fold)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Dataset, err)
	}
	w.task, w.truth, err = task.Encode(w.table, s, r.Protocol, r.Fold, r.Statistics)
	w.last, w.split = key, s.Digest()
	return err
}

func find(methods []*method.Method, name string) *method.Method {
	for _, m := range methods {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// interrupted is the kind of a failure that leaves no record: the cell was not finished, and is run next time.
const interrupted = "interrupted"

// failure names the kind of an error.
func failure(err error) *results.Failure {
	kind := "error"
	var d *diverged
	var c *crash
	switch {
	case errors.As(err, &c) || errors.Is(err, method.ErrCrash):
		kind = "crash"
	case errors.Is(err, method.ErrMemory):
		kind = "memory"
	case errors.As(err, &d) || errors.Is(err, method.ErrDiverged):
		kind = "diverged"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		kind = interrupted
	}
	return &results.Failure{Kind: kind, Message: oneLine(err.Error())}
}
