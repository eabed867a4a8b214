package run

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/plan"
	"nptbench/internal/subprocess"
	"nptbench/results"
	"nptbench/sweeps"
)

// A Pool is the executor of this machine: worker processes, each with one job at a time. Networks on a device of their own have processes
// of their own, which keep what they have compiled for it.
type Pool struct {
	Library  *dataset.Library
	Sweep    *sweeps.Sweep // of the jobs
	Records  *results.Writer
	Jobs     int    // worker processes
	Cores    int    // that they share; 0: all of the machine
	Backend  string // of networks, for task.Task.Backend
	Networks int    // how many more processes are for networks alone, where the backend has a device of its own; else 0

	// Models is the folder for fitted models: those that the plan measures something on, with KeepModels all. They are looked
	// for in MoreModels, too. Checkpoints is the folder for what unfinished fits have reached: each job has a folder of its own
	// in it while it is not finished. Empty: neither is kept.
	Models, Checkpoints string
	Name                string // of the pool among those that share the folders at the same time; empty: it is alone
	KeepModels          bool
	MoreModels          []string
}

// Do runs the jobs.
func (p *Pool) Do(ctx context.Context, jobs []*plan.Job, w Watcher) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &poolRun{Pool: p, watcher: w, cancel: cancel, streaks: map[[2]string]*streak{}}
	cores := cmp.Or(p.Cores, runtime.GOMAXPROCS(0))
	processor, device := &queue{cores: cores, processes: max(1, p.Jobs)}, &queue{cores: cores, processes: p.Networks}
	for _, j := range jobs {
		if j.Method.Network && p.Networks > 0 {
			device.jobs = append(device.jobs, j)
		} else {
			processor.jobs = append(processor.jobs, j)
		}
	}
	r.networks = min(device.processes, len(device.jobs))
	defer r.pauseWithUs()()
	var workers sync.WaitGroup
	for _, q := range []*queue{processor, device} {
		for range min(q.processes, len(q.jobs)) {
			workers.Go(func() { r.work(ctx, q) })
		}
	}
	workers.Wait()
	return r.err
}

// A poolRun is one call of Do.
type poolRun struct {
	*Pool
	watcher Watcher
	cancel  context.CancelCauseFunc

	networks int // processes on the device

	mu       sync.Mutex
	err      error
	children []*child              // all that are not known to be gone
	streaks  map[[2]string]*streak // by method and data set
}

func streakOf(j *plan.Job) [2]string { return [2]string{j.Method.Name, j.Dataset.Info.Name} }

// A streak is a number of jobs of a method on a data set in a row that failed at once, all with the same message.
type streak struct {
	message string
	jobs    int
}

// After hopeless such jobs, each of which took less than atOnce, a method is given up on that data set: what it lacks, all its fits there
// lack, and thousands of records of that would have to be run again. Its other jobs there are left for the next run.
const (
	hopeless = 10
	atOnce   = 10 * time.Second
)

// note counts how a job ended; failure is that of the last of its cells, nil when one has a result.
func (r *poolRun) note(j *plan.Job, failure *results.Failure, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.streaks[streakOf(j)]
	switch {
	case s != nil && s.jobs >= hopeless: // it stays given up, as was said, whatever becomes of jobs that still run
	case failure != nil && failure.Message == failedBefore: // nothing was tried
	case failure == nil || took > atOnce || failure.Kind != "error" && failure.Kind != "crash":
		delete(r.streaks, streakOf(j))
	case s == nil || s.message != failure.Message:
		r.streaks[streakOf(j)] = &streak{failure.Message, 1}
	default:
		if s.jobs++; s.jobs == hopeless {
			r.watcher.GivenUp(j, s.message)
		}
	}
}

// givenUp reports whether a job's method is, on its data set.
func (r *poolRun) givenUp(j *plan.Job) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.streaks[streakOf(j)]
	return s != nil && s.jobs >= hopeless
}

// fail stops everything because of a fault of the harness.
func (r *poolRun) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
		r.cancel(err)
	}
}

// start starts a worker process.
func (r *poolRun) start() (*child, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.children = slices.DeleteFunc(r.children, (*child).isGone)
	c, err := startChild()
	if err == nil {
		r.children = append(r.children, c)
	}
	return c, err
}

// pauseWithUs has Ctrl-Z stop the worker processes too, which are not of the terminal's foreground group, until this one goes
// on. The function returned ends that.
func (r *poolRun) pauseWithUs() (end func()) {
	stops, continues, ended := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(stops, syscall.SIGTSTP)
	signal.Notify(continues, syscall.SIGCONT)
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-stops:
				r.signal(syscall.SIGSTOP)
				syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			case <-continues:
				r.signal(syscall.SIGCONT)
			}
		}
	}()
	return func() {
		signal.Stop(stops)
		signal.Stop(continues)
		close(ended)
	}
}

func (r *poolRun) signal(s syscall.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.children {
		if !c.isGone() {
			c.signal(s)
		}
	}
}

// A queue of jobs and the worker processes that serve it.
type queue struct {
	cores     int
	processes int

	mu   sync.Mutex
	jobs []*plan.Job
}

// next takes a job from the queue, and the number of threads it may use: when fewer remain than can run at a time, the cores are shared by
// those alone. What still runs has its threads beside them until it ends, so that no core is idle for as long as the last job takes.
func (q *queue) next() (j *plan.Job, threads int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return nil, 0, false
	}
	threads = max(1, q.cores/min(q.processes, len(q.jobs)))
	j, q.jobs = q.jobs[0], q.jobs[1:]
	return j, threads, true
}

// work runs the jobs of a queue in a worker process, one after the other, and replaces the process when it dies. What a job has left that
// was not yet tried then comes next.
func (r *poolRun) work(ctx context.Context, q *queue) {
	var c *child
	defer func() {
		if c != nil {
			c.retire()
		}
	}()
	for ctx.Err() == nil {
		j, threads, ok := q.next()
		if !ok {
			return
		}
		for j != nil && ctx.Err() == nil && !r.givenUp(j) {
			if c == nil || c.isGone() {
				var err error
				if c, err = r.start(); err != nil {
					r.fail(err)
					return
				}
			}
			j = r.attempt(ctx, c, j, threads)
		}
	}
}

// attempt does one job. It returns what of it was not yet tried when its worker ended, which may be the job itself, or nil.
func (r *poolRun) attempt(ctx context.Context, c *child, j *plan.Job, threads int) (rest *plan.Job) {
	a := &attempt{poolRun: r, child: c, job: j, request: r.request(j, threads), reported: map[results.ID]bool{},
		memory: subprocess.WatchMemory(c.cmd.Process.Pid)}
	r.watcher.Started(j)
	started := time.Now()
	if before, err := os.ReadFile(a.timeFile()); err == nil { // of the attempt that this one goes on from
		a.used = a.usedBefore(string(before))
		a.kept = a.used
	}
	c.ask(&a.request)
	failure, finished := a.follow(ctx)
	if failure != nil && !a.began && c.asked > 1 { // a worker died of earlier jobs: a new one does this one
		r.watcher.Again(j, j)
		return j
	}
	if finished || j.Method.Command != nil {
		os.RemoveAll(a.request.CheckpointDir) // else what the job had reached stays, for another attempt or the next run
	}
	if failure == nil { // interrupted, or the run ends
		a.keepTime()
		r.watcher.Ended(j)
		return nil
	}
	os.Remove(a.timeFile()) // who has it tried again gives it more time
	a.kept = 0
	a.failed(a.blamed(finished), failure)
	if rest = a.rest(); len(rest.Configurations) > 0 {
		r.watcher.Again(j, rest)
	} else {
		r.watcher.Ended(j)
		rest = nil
	}
	if failure = a.recorded; a.succeeded {
		failure = nil
	}
	r.note(j, failure, time.Since(started))
	return rest
}

func (r *poolRun) request(j *plan.Job, threads int) request {
	q := request{
		Library: *r.Library, Dataset: j.Dataset.Info.Name, Digest: j.Dataset.Digest, Protocol: j.Fold.Protocol, Fold: j.Fold.Number,
		Method: j.Method.Name, Command: j.Method.Command, Configurations: j.Configurations, Sweep: r.Sweep.Name, Code: CodeVersion(), Seed: r.Sweep.Seed,
		Statistics: j.Method.StatisticsOf(j.Configurations[0].Config), Threads: threads, Memory: r.Sweep.Budget.Memory,
	}
	if measured := slices.ContainsFunc(j.Configurations, func(c *plan.Configuration) bool { return len(c.Measures) > 0 }); r.KeepModels || measured && j.Method.Model != nil {
		q.ModelDir, q.MoreModels = r.Models, r.MoreModels
	}
	q.Library.Log = nil
	if j.Method.Network {
		q.Backend = r.Backend
		if r.networks > 1 {
			q.Networks = r.networks
		}
	}
	if r.Checkpoints != "" {
		q.CheckpointDir = filepath.Join(r.Checkpoints, plan.Folder(j.Fit, j.Configurations).String())
		if j.Method.Command != nil && r.Name != "" { // which empties its folder to begin with
			q.CheckpointDir += "-" + r.Name
		}
	}
	return q
}
