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
	"sync"
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

// A request asks a worker for one job, or, with Stop, to stop it.
type request struct {
	Number int // of the job, which replies repeat
	Stop   bool

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
	Number   int
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

// Work serves requests, one a line, until in ends, each as it comes, and writes replies to out. It returns when the planning
// process is gone.
func Work(in io.Reader, out io.Writer, methods []*method.Method) error {
	w := &worker{methods: methods, out: json.NewEncoder(out), stops: map[int]context.CancelFunc{}}
	ctx, cancel := context.WithCancelCause(context.Background())
	var jobs sync.WaitGroup
	for d := json.NewDecoder(in); ; {
		var r request
		if d.Decode(&r) != nil {
			break
		}
		if r.Stop {
			w.stop(r.Number)
			continue
		}
		ctx := w.stoppable(ctx, r.Number)
		jobs.Go(func() {
			defer w.stop(r.Number)
			if err := w.serve(ctx, r); err != nil {
				cancel(err)
			}
		})
	}
	cancel(nil) // when jobs are left, the planning process has died
	jobs.Wait()
	if err := context.Cause(ctx); err != context.Canceled {
		return err
	}
	return nil
}

// progressInterval is how often a worker says at most how far a fit is.
const progressInterval = time.Second

type worker struct {
	methods []*method.Method

	loader task.Loader // jobs come ordered by table and task

	mu      sync.Mutex
	out     *json.Encoder
	stops   map[int]context.CancelFunc // of jobs, by number
	threads int                        // of all jobs that run
	memory  int64
}

// stoppable returns the context of a job.
func (w *worker) stoppable(ctx context.Context, number int) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	ctx, w.stops[number] = context.WithCancel(ctx)
	return ctx
}

// stop ends the context of a job, if it has not been.
func (w *worker) stop(number int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if stop := w.stops[number]; stop != nil {
		stop()
		delete(w.stops, number)
	}
}

// share adds to what all jobs that run may use together.
func (w *worker) share(threads int, memory int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.threads += threads
	w.memory += memory
	if w.threads > 0 {
		runtime.GOMAXPROCS(w.threads)
	}
	if w.memory > 0 {
		debug.SetMemoryLimit(w.memory / 10 * 9)
	}
}

// A serving is a job that a worker does.
type serving struct {
	*worker
	request
	task  *task.Task // nil while it is not there
	truth *task.Truth
}

// serve does one job. Only a broken pipe is an error.
func (w *worker) serve(ctx context.Context, r request) error {
	resetPeakMemory()
	s := &serving{worker: w, request: r}
	end := reply{Done: true}
	w.share(r.Threads, r.Memory)
	err := s.try(ctx)
	w.share(-r.Threads, -r.Memory)
	if err != nil {
		end.Failure = failure(err)
	}
	return s.send(end)
}

// try runs the job, and turns a panic of a method into an error.
func (s *serving) try(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &crash{fmt.Sprintf("panic: %v at %s", p, panicSite(debug.Stack()))}
		}
	}()
	return s.run(ctx)
}

// crash marks a method that panicked.
type crash struct{ message string }

func (c *crash) Error() string { return c.message }

func (s *serving) send(r reply) error {
	if s.task != nil {
		r.Rows = [3]int{s.task.Train, s.task.Val, s.task.Test}
		r.SplitDigest, r.Subset = s.task.Split, s.task.Subset
	}
	r.PeakMemory = peakMemory()
	return s.write(r)
}

func (s *serving) write(r reply) error {
	r.Number = s.Number
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Encode(r)
}

func (s *serving) run(ctx context.Context) error {
	m := find(s.methods, s.Method)
	if m == nil {
		return fmt.Errorf("method %q is not known to the worker", s.Method)
	}
	var err error
	spec := task.Spec{Dataset: s.Dataset, Protocol: s.Protocol, Fold: s.Fold, Statistics: s.Statistics}
	if s.task, s.truth, err = s.loader.Load(ctx, &s.Library, spec); err != nil {
		return err
	}
	if s.task.Digest != s.Digest {
		return fmt.Errorf("%s has changed since the run was planned: digest %s, planned for %s", s.Dataset, s.task.Digest, s.Digest)
	}
	t := *s.task
	t.Threads, t.Backend = s.Threads, s.Backend
	t.ModelDir, t.CheckpointDir = s.ModelDir, s.CheckpointDir
	t.Seed = seed.Derive(s.Seed, s.Dataset, task.Canonical(t.Info, s.Protocol, s.Fold), s.Fold)
	var told time.Time
	t.Progress = func(p task.Progress) {
		if time.Since(told) >= progressInterval {
			told = time.Now()
			s.write(reply{Progress: &p}) // when this fails, so does the next result
		}
	}
	configs := make([]method.Config, len(s.Configs))
	for i, raw := range s.Configs {
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
	err = m.Run(ctx, &t, configs, func(res method.Result) {
		if err := s.send(s.scored(&t, res)); err != nil {
			broken = err
		}
	})
	return errors.Join(broken, err)
}

func (s *serving) scored(t *task.Task, res method.Result) reply {
	out := reply{Index: res.Index, FitSeconds: res.Fit.Seconds(), PredictSeconds: res.Predict.Seconds(), Details: res.Details}
	err := res.Err
	if err == nil {
		out.Val, out.Test, err = Score(t, s.truth, res)
	}
	if err != nil {
		out.Failure = failure(err)
	}
	return out
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
