package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"nptbench/internal/dataset"
	"nptbench/results"
)

// Options say how a plan is executed.
type Options struct {
	Library  *dataset.Library
	Records  *results.Writer
	Folders  []string // of the records that the plan knows
	Jobs     int      // worker processes
	Backend  string   // of networks, for task.Task.Backend
	Networks int      // how many train at a time in one more worker process, where the backend has a device of its own; else 0
	FailFast bool     // stop at the first failure
	Progress *Progress

	// Models is the folder for fitted models, Checkpoints the one for what unfinished fits have reached: each job has a
	// folder of its own in it while it is not finished. Empty: neither is kept.
	Models, Checkpoints string
}

// An Outcome counts the cells that an execution finished.
type Outcome struct {
	OK, Failed int
	TakenOver  int // of OK: from the other protocol, under which the task is the same
	Left       int // not run: interrupted, or stopped by the first failure
}

// memoryInterval is how often a worker's resident size is looked at.
const memoryInterval = 100 * time.Millisecond

// Execute runs the plan's jobs and writes a record for every cell they finish. When ctx is done it kills the workers and
// returns; what is finished stays finished. The error is about the harness itself: records that cannot be written, workers
// that cannot be started.
func Execute(ctx context.Context, p *Plan, o Options) (Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e := &execution{plan: p, options: o, cancel: cancel, provenance: describe()}
	if err := e.takeOver(); err != nil {
		return Outcome{Left: p.ToDo()}, err
	}
	processor, device := &lane{processes: max(1, o.Jobs), room: 1}, &lane{processes: 1, room: o.Networks}
	for _, j := range p.jobs {
		if j.method.Network && o.Networks > 0 {
			device.queue = append(device.queue, j)
		} else {
			processor.queue = append(processor.queue, j)
		}
	}
	var workers sync.WaitGroup
	for _, l := range []*lane{processor, device} {
		for range min(l.processes, len(l.queue)) {
			workers.Go(func() { e.work(ctx, l) })
		}
	}
	workers.Wait()
	e.outcome.Left = p.ToDo() - e.outcome.OK - e.outcome.Failed
	return e.outcome, e.err
}

type execution struct {
	plan       *Plan
	options    Options
	cancel     context.CancelCauseFunc
	provenance results.Provenance

	mu      sync.Mutex
	outcome Outcome
	err     error
}

// A lane is a queue of jobs with the worker processes that serve it. Networks on a device of their own have one process,
// which holds that device's memory and compiles for it once, while the processors do other jobs.
type lane struct {
	processes int
	room      int // for jobs at the same time, in each of them

	mu    sync.Mutex
	queue []job
}

// takeOver gives cells whose twins have records those records.
func (e *execution) takeOver() error {
	if len(e.plan.twins) == 0 {
		return nil
	}
	left := maps.Clone(e.plan.twins)
	for r, err := range results.Read(e.options.Folders...) {
		if d := (*results.Damage)(nil); errors.As(err, &d) {
			continue // told when the plan was made
		} else if err != nil {
			return err
		}
		c, ok := left[r.ID]
		if !ok || r.Status != results.OK {
			continue
		}
		delete(left, r.ID)
		if e.options.Checkpoints != "" {
			os.RemoveAll(filepath.Join(e.options.Checkpoints, c.folder)) // of a fit that was interrupted
		}
		if r.TwinOf == "" {
			r.TwinOf = r.ID
		}
		r.ID, r.Protocol, r.Variant, r.Sweep = c.id, c.protocol, c.variant, e.plan.Sweep.Name
		if err := e.options.Records.Append(r); err != nil {
			return err
		}
		e.outcome.OK++
		e.outcome.TakenOver++
	}
	if len(left) > 0 {
		return fmt.Errorf("%d records that were there when the run was planned cannot be read", len(left))
	}
	return nil
}

// next takes a job from the queue, and the number of threads it may use: when fewer jobs remain than can run at a time,
// those share all cores.
func (l *lane) next() (j job, threads int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return job{}, 0, false
	}
	threads = max(1, runtime.NumCPU()/min(l.processes*l.room, len(l.queue)))
	j, l.queue = l.queue[0], l.queue[1:]
	return j, threads, true
}

// fail stops everything because of a fault of the harness.
func (e *execution) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
		e.cancel(err)
	}
}

// work runs jobs in a worker process, as many at the same time as there is room for. The process is replaced when it dies.
// That, and a lack of memory, may be the fault of any job that was in it: those are run again, one at a time, before any other.
func (e *execution) work(ctx context.Context, l *lane) {
	var c *child
	var again []job
	running, room, ended := 0, l.room, make(chan *job)
	for {
		for ctx.Err() == nil && running < room && (running == 0 || !c.isGone()) {
			j, threads, ok := job{}, runtime.NumCPU(), true
			if len(again) > 0 {
				j, again = again[0], again[1:]
			} else {
				j, threads, ok = l.next()
			}
			if !ok {
				break
			}
			if c == nil || c.isGone() {
				var err error
				if c, err = startChild(); err != nil {
					e.fail(err)
					return
				}
			}
			running++
			go func() { ended <- e.run(ctx, c, j, threads) }()
		}
		if running == 0 {
			break
		}
		if j := <-ended; j != nil {
			again, room = append(again, *j), 1
		}
		if running--; running == 0 && len(again) == 0 {
			room = l.room
		}
	}
	if c != nil {
		c.retire()
	}
}

// run does one job. It returns what of it is to be run again, or nil.
func (e *execution) run(ctx context.Context, c *child, j job, threads int) (again *job) {
	w := &watch{execution: e, job: &j, threads: threads, reported: make([]bool, len(j.settings))}
	e.options.Progress.start(&j)
	w.child, w.call = c, c.call(e.request(&j, threads))
	end, finished := w.follow(ctx)
	if finished { // else what the job had reached stays, for another attempt, for the same command, or for -retry-failed
		os.RemoveAll(e.checkpointDir(&j))
	}
	if rest := w.rest(); !finished && w.perhapsAnothers(end.Failure) && len(rest.settings) > 0 {
		e.options.Progress.again(&j)
		return rest
	}
	if end.Failure == nil || end.Failure.Kind != interrupted {
		w.finish(end)
	}
	e.options.Progress.end(&j)
	return nil
}

// checkpointDir names the folder for a job's checkpoints.
func (e *execution) checkpointDir(j *job) string {
	if e.options.Checkpoints == "" {
		return ""
	}
	return filepath.Join(e.options.Checkpoints, j.settings[0].cells[0].folder)
}

func (e *execution) request(j *job, threads int) request {
	r := request{
		Library: *e.options.Library, Dataset: j.dataset, Digest: j.digest, Protocol: j.protocol, Fold: j.fold,
		Method: j.method.Name, Statistics: j.statistics, Seed: e.plan.Sweep.Seed, Threads: threads, Backend: e.options.Backend,
		Memory: e.plan.Sweep.Budget.Memory, ModelDir: e.options.Models, CheckpointDir: e.checkpointDir(j),
	}
	r.Library.Log = nil
	for _, s := range j.settings {
		r.Configs = append(r.Configs, json.RawMessage(s.config.JSON()))
	}
	return r
}

// A watch follows one job and records its cells.
type watch struct {
	*execution
	child    *child
	call     *call
	job      *job
	threads  int
	reported []bool // by setting
	last     reply  // for what the job's replies have in common
	peak     int64  // bytes seen in use by the worker and all it started
}

// together returns how many jobs the worker had at most at the same time while it had this one.
func (w *watch) together() int { return w.child.together(w.call) }

// follow records replies until the job is over. The budget of time counts from one finished cell to the next, since a fit may
// serve many; that of memory is the process's, once for each of its jobs. When the job does not finish by itself, the worker
// is killed, unless it has had other jobs beside it and stops this one when asked to.
func (w *watch) follow(ctx context.Context) (end reply, finished bool) {
	broken := func(kind, format string, a ...any) (reply, bool) {
		end := w.last
		end.Failure = &results.Failure{Kind: kind, Message: fmt.Sprintf(format, a...)}
		return end, false
	}
	budget := w.plan.Sweep.Budget
	timeout := func() (reply, bool) {
		return broken("timeout", "not finished within the budget of %v", budget.Time)
	}
	var deadline <-chan time.Time // nil: never
	if budget.Time > 0 {
		deadline = time.After(budget.Time)
	}
	overdue := false             // the worker was asked to stop the job
	var crowded *results.Failure // for want of memory beside other jobs, so not recorded: alone there may be enough
	look := time.NewTicker(memoryInterval)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			w.child.kill()
			return broken(interrupted, "interrupted")
		case <-deadline:
			if overdue || w.together() == 1 {
				w.child.kill()
				return timeout()
			}
			w.child.stop(w.call)
			overdue, deadline = true, time.After(patience)
		case <-look.C:
			used, limit := residentMemory(w.child.cmd.Process.Pid), budget.Memory*int64(w.together())
			w.peak = max(w.peak, used)
			if limit > 0 && used > limit {
				w.child.kill()
				return broken("memory", "%s used, the budget is %s", gibibytes(used), gibibytes(limit))
			}
		case reply, ok := <-w.call.replies:
			switch {
			case !ok:
				w.child.kill() // what it started
				if overdue {
					return timeout()
				}
				return broken("crash", "%s", w.child.obituary())
			case reply.Progress != nil:
				w.options.Progress.fit(w.job, *reply.Progress)
				continue
			case overdue && reply.Done:
				return timeout()
			case overdue:
				continue // too late
			}
			w.last = reply
			if f := reply.Failure; f != nil && f.Kind == "memory" && w.together() > 1 {
				crowded = f
			} else if !reply.Done {
				w.setting(reply.Index, reply)
			}
			switch {
			case reply.Done && crowded != nil:
				return broken(crowded.Kind, "%s", crowded.Message)
			case reply.Done:
				return reply, true
			}
			if budget.Time > 0 {
				deadline = time.After(budget.Time)
			}
		}
	}
}

// perhapsAnothers reports whether the failure of a job that did not finish may be the fault of one that was beside it.
func (w *watch) perhapsAnothers(f *results.Failure) bool {
	return w.together() > 1 && (f.Kind == "memory" || f.Kind == "crash")
}

// rest is the job without the settings that were reported.
func (w *watch) rest() *job {
	rest := *w.job
	rest.settings = nil
	for i, s := range w.job.settings {
		if !w.reported[i] {
			rest.settings = append(rest.settings, s)
		}
	}
	return &rest
}

// finish gives the settings that were not reported the job's failure.
func (w *watch) finish(end reply) {
	if end.Failure == nil {
		end.Failure = &results.Failure{Kind: "error", Message: w.job.method.Name + " returned without a result for this configuration"}
	}
	for i, reported := range w.reported {
		if !reported {
			w.setting(i, end)
		}
	}
}

// setting records the cells of one distinct setting.
func (w *watch) setting(i int, r reply) {
	if w.reported[i] {
		w.fail(fmt.Errorf("%s reported setting %d of a job twice", w.job.method.Name, i))
		return
	}
	w.reported[i] = true
	for _, c := range w.job.settings[i].cells {
		if err := w.options.Records.Append(w.recordOf(c, r)); err != nil {
			w.fail(err)
			return
		}
	}
	w.count(len(w.job.settings[i].cells), r.Failure)
	w.options.Progress.finished(w.job, len(w.job.settings[i].cells), w.job.settings[i].config, r.Failure)
}

func (w *watch) count(cells int, failure *results.Failure) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if failure == nil {
		w.outcome.OK += cells
		return
	}
	w.outcome.Failed += cells
	if w.options.FailFast {
		w.cancel(nil)
	}
}

func (w *watch) recordOf(c cell, r reply) *results.Record {
	j := w.job
	record := &results.Record{
		ID: c.id, TwinOf: c.twinOf, Status: results.OK,
		Cell: results.Cell{
			Dataset: j.dataset, DataDigest: j.digest, Protocol: c.protocol, Fold: j.fold,
			Method: j.method.Name, Config: c.config, Seed: w.plan.Sweep.Seed,
		},
		Variant: c.variant, Val: r.Val, Test: r.Test,
		Rows: r.Rows, SplitDigest: r.SplitDigest, Subset: r.Subset,
		FitSeconds: r.FitSeconds, FitCells: j.cells(), PredictSeconds: r.PredictSeconds, PeakMemoryBytes: max(r.PeakMemory, w.peak),
		Details: r.Details, Sweep: w.plan.Sweep.Name, Provenance: w.provenance,
	}
	record.Provenance.Threads = w.threads
	if n := w.together(); n > 1 {
		record.Provenance.Networks, record.PeakMemoryBytes = n, 0 // whose memory it is cannot be told
	}
	if j.method.Network {
		record.Provenance.Backend = w.options.Backend
	}
	record.Provenance.Finished = time.Now().UTC().Truncate(time.Millisecond)
	if r.Failure != nil {
		record.Status, record.Failure = results.Failed, r.Failure
	}
	return record
}

func gibibytes(n int64) string { return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30)) }
