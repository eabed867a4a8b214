package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"nptbench/internal/command"
	"nptbench/internal/filesystem"
	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/subprocess"
	"nptbench/internal/task"
	"nptbench/results"
)

// workerVariable is set in the environment of worker processes.
const workerVariable = "NPTBENCH_WORKER"

// jobMark stands on a worker's standard error where it begins a job: what was printed before explains nothing of it.
const jobMark = 0

// IsWorker reports whether this process was started as a worker: then main calls Serve and nothing else.
func IsWorker() bool { return os.Getenv(workerVariable) != "" }

// repliesDescriptor is the file that a worker writes its replies to.
const repliesDescriptor = subprocess.AnswersDescriptor

// Serve is what main of a worker calls: work with the pipes that the planning process made. It does not return: when the planning process
// has died, or has no more jobs, the worker ends with all that it started in its process group.
func Serve(methods []*method.Method, measurements []*measure.Measurement) {
	syscall.CloseOnExec(repliesDescriptor)
	os.Unsetenv(workerVariable) // what a worker starts is none
	parent, terminated := os.Getppid(), make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(terminated, syscall.SIGHUP)
	}
	go func() {
		for range terminated { // from the kernel, or meant for the planning process, which then stops the worker
			if os.Getppid() != parent {
				endAll()
			}
		}
	}()
	work(os.Stdin, os.NewFile(repliesDescriptor, "replies"), methods, measurements)
	endAll()
}

// endAll ends the worker and what it started.
func endAll() {
	if syscall.Getpgrp() == os.Getpid() { // as startChild starts it
		syscall.Kill(0, syscall.SIGKILL)
	}
	os.Exit(1)
}

// work serves requests, one a line, until in ends, and writes replies to out, until that is broken. When in ends during a job, the run was
// interrupted, or the planning process has died, and the job's results are of no use: but a method that keeps what it has reached when its
// context ends has patience for that.
func work(in io.Reader, out io.Writer, methods []*method.Method, measurements []*measure.Measurement) {
	w := &worker{methods: methods, measurements: measurements, out: json.NewEncoder(out)}
	requests, gone, ended := make(chan request), make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(gone)
		for d := json.NewDecoder(in); ; {
			var r request
			if d.Decode(&r) != nil {
				return
			}
			requests <- r
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for {
		select {
		case r := <-requests:
			go func() { ended <- w.serve(ctx, r) }()
		case <-gone:
			return
		}
		select {
		case err := <-ended:
			if err != nil {
				return
			}
		case <-gone:
			cancel()
			select {
			case <-ended:
			case <-time.After(patience):
			}
			return
		}
	}
}

// progressInterval is how often a worker says at most how far a fit is.
const progressInterval = time.Second

type worker struct {
	methods      []*method.Method
	measurements []*measure.Measurement

	loader task.Loader // jobs come ordered by table and task

	mu  sync.Mutex // methods may report from several goroutines
	out *json.Encoder
}

// A serving is a job that a worker does. It has a method, a task and configurations once these are there.
type serving struct {
	*worker
	request
	method  *method.Method
	task    *task.Task
	truth   *task.Truth
	configs []method.Config

	processor time.Duration // processorTime when the last records were sent, or the fit began
}

// serve does one job. Only a broken pipe is an error.
func (w *worker) serve(ctx context.Context, r request) error {
	os.Stderr.Write([]byte{jobMark})
	w.loader.Keep(r.spec())
	forgetEarlierJobs()
	runtime.GOMAXPROCS(r.Threads)
	if r.Memory > 0 {
		debug.SetMemoryLimit(r.Memory / 10 * 9)
	}
	s := &serving{worker: w, request: r}
	if err := s.send(reply{Began: true}); err != nil {
		return err
	}
	err := guarded(func() error { return s.run(ctx) })
	end := reply{Done: true}
	if err != nil {
		end.Failure = failure(err)
	}
	return s.send(end)
}

// guarded turns a panic of a method or a measurement into an error.
func guarded(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &crash{fmt.Sprintf("panic: %v at %s", p, panicSite(debug.Stack()))}
		}
	}()
	return run()
}

// crash marks what panicked.
type crash struct{ message string }

func (c *crash) Error() string { return c.message }

func (s *serving) send(r reply) error {
	r.Number = s.Number
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Encode(r)
}

// report sends records, which have the processor time since the last ones, in equal parts, and more than the 0 of what is not measured:
// what began in another process.
func (s *serving) report(all []*results.Record, measured bool) error {
	now := processorTime()
	for _, r := range all {
		if measured {
			r.ProcessorSeconds = max(time.Nanosecond, now-s.processor).Seconds() / float64(len(all))
		}
	}
	s.processor = now
	err := s.send(reply{Records: all})
	if unsupported := (*json.UnsupportedValueError)(nil); errors.As(err, &unsupported) { // nothing was sent
		for _, r := range all {
			r.Fail(failure(&diverged{"what it gave has a number that is " + unsupported.Str}))
		}
		return s.send(reply{Records: all})
	}
	return err
}

func (s *serving) run(ctx context.Context) (err error) {
	if s.method, err = command.Find(s.methods, s.Method, s.Command); err != nil {
		return err
	}
	loaded, truth, err := s.loader.Load(ctx, &s.Library, s.spec())
	if err != nil {
		return err
	}
	if loaded.Digest != s.Digest {
		return fmt.Errorf("%s has changed since the run was planned: digest %s, planned for %s", s.Dataset, loaded.Digest, s.Digest)
	}
	if err := s.send(reply{Loaded: true}); err != nil {
		return err
	}
	for _, c := range s.Configurations { // which came as JSON
		config, err := s.method.Resolve(c.Config, loaded.Info)
		if err != nil {
			return err
		}
		s.configs = append(s.configs, config)
	}
	t := *loaded
	t.Threads, t.Backend = s.Threads, s.Backend
	t.ModelDir, t.CheckpointDir = s.ModelDir, s.CheckpointDir
	t.Seed, t.SweepSeed = seed.Derive(s.Seed, s.Dataset, s.Protocol, s.Fold), s.Seed
	var told time.Time
	t.Progress = func(p task.Progress) {
		if time.Since(told) >= progressInterval {
			told = time.Now()
			s.send(reply{Progress: &p}) // when this fails, so does the next result
		}
	}
	s.task, s.truth = &t, truth
	return s.do(ctx)
}

// outcome is one of which nothing but the task is known yet.
func (s *serving) outcome() outcome {
	return outcome{rows: [3]int{s.task.Train, s.task.Val, s.task.Test}, splitDigest: s.task.Split, subset: s.task.Subset}
}

func (s *serving) scored(res method.Result) outcome {
	o := s.outcome()
	o.fit, o.predict, o.details, o.peakMemory = res.Fit, res.Predict, res.Details, peakMemory()
	err := res.Err
	if err == nil {
		o.val, o.test, err = Score(s.task, s.truth, res)
	}
	if err != nil {
		o.failure = failure(err)
	}
	return o
}

// diskFull is the kind of a failure that is none of a method's, and of which there is no record: the run ends.
const diskFull = "disk full"

// failure names the kind of an error. That a context ended is no kind of its own: it is a deadline of the method's own.
func failure(err error) *results.Failure {
	kind := "error"
	var d *diverged
	var c *crash
	switch {
	case errors.As(err, &c) || errors.Is(err, method.ErrCrash):
		kind = "crash"
	case errors.Is(err, method.ErrMemory):
		kind = "memory"
	case filesystem.IsFull(err):
		kind = diskFull
	case errors.As(err, &d) || errors.Is(err, method.ErrDiverged):
		kind = "diverged"
	}
	return &results.Failure{Kind: kind, Message: oneLine(err.Error())}
}
