package experiment

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"nptbench/internal/backends"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/program"
	"nptbench/internal/run"
	"nptbench/internal/slurm"
	"nptbench/internal/spelling"
	"nptbench/results"
)

// execute does what there is to do, and says how it went. An error is about this machine or the records, not about a cell.
func (o *options) execute(ctx context.Context, e program.Env, p *plan.Plan, store *results.Store, log io.Writer) (counts run.Counts, exit int, err error) {
	jobs := p.Jobs()
	pool := &run.Pool{
		Library: o.library(e), Sweep: p.Sweep, Jobs: o.Jobs, Records: results.NewWriter(o.recordFolders()[0]),
		Checkpoints: filepath.Join(o.Out, "checkpoints"), Models: filepath.Join(o.Out, "models"), KeepModels: o.KeepModels,
	}
	for _, dir := range o.With { // in the folder of the records, or, as a run leaves them, beside it
		pool.MoreModels = append(pool.MoreModels, filepath.Join(dir, "models"), filepath.Join(filepath.Dir(filepath.Clean(dir)), "models"))
	}
	if err := plan.Recall(jobs, until(ctx, store.Records())); err != nil {
		return counts, program.ExitFailed, err
	}
	var executor run.Executor = pool
	slots, onDevice := o.Jobs, 0
	if o.Slurm { // how many tasks run at a time is not known
		executor, err = o.cluster(ctx, p, store, pool)
		slots = 0
	} else if titles := networks(p); titles != nil {
		if pool.Backend, err = chooseBackend(ctx, o.Backend, strings.Join(titles, ", "), e); err == nil {
			if p.OnGPU = method.Accelerated(pool.Backend); p.OnGPU {
				pool.Networks, onDevice = o.Networks, o.Networks
			}
		}
	}
	if err == nil && !backends.Automatic(pool.Backend) {
		err = checkBackend(p, pool.Backend)
	}
	if err != nil {
		return counts, program.ExitBadInput, err
	}
	before := p.Count(p.Groups()...)
	if o.KeepModels && before.Done > 0 {
		fmt.Fprintf(e.Stderr, "-keep-models: %d cells have records and are not fitted again; their models are there only if they were kept then\n", before.Done)
	}
	shown := run.NewProgress(e.Stderr, e.Terminal, jobs, slots, onDevice)
	shown.Log = log
	stop := func() {}
	if !o.Slurm {
		if cells := slurm.Submitted(o.slurmFolder(), jobs); cells > 0 {
			shown.Note(fmt.Sprintf("%s may be done twice, here and by tasks of Slurm, unless these have ended or were cancelled; -executor slurm follows them, and with -cancel ends them",
				spelling.Count(cells, "cell")))
		}
		stop = o.expect(ctx, p, store, shown)
	}
	counts, err = run.Execute(ctx, jobs, executor, o.FailFast, shown)
	stop()
	shown.Close()
	os.Remove(pool.Checkpoints) // when nothing is left in it
	if closed := pool.Records.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return counts, program.ExitFailed, err
	}
	fmt.Fprintf(e.Stderr, "%d cells done, %d failed", counts.OK, counts.Failed)
	if counts.Left > 0 {
		fmt.Fprintf(e.Stderr, ", %d left: the same command goes on from here", counts.Left)
	}
	fmt.Fprintln(e.Stderr)
	if left, _ := os.ReadDir(pool.Checkpoints); len(left) > 0 && counts.Left == 0 {
		of := "that this run has not"
		if counts.Failed+before.Failed > 0 {
			of = "that failed, from which -retry-failed goes on, or " + of
		}
		fmt.Fprintf(e.Stderr, "%s has checkpoints of %s %s\n", pool.Checkpoints, spelling.Count(len(left), "fit"), of)
	}
	if before.Failed > 0 {
		fmt.Fprintf(e.Stderr, "%d cells failed in earlier runs; -retry-failed runs those again that are selected:\n", before.Failed)
		for _, line := range p.Failures(p.Groups()...) {
			fmt.Fprintln(e.Stderr, "  "+line)
		}
	}
	switch {
	case ctx.Err() != nil:
		return counts, program.ExitInterrupted, nil
	case counts.Failed+counts.Left+before.Failed > 0, slices.ContainsFunc(p.LeftOut, func(l plan.LeftOut) bool { return !l.Extra }):
		return counts, program.ExitFailed, nil
	}
	return counts, program.ExitOK, nil
}

// cluster is the executor that has Slurm's nodes do the jobs, each task by such a pool. Which backend networks have there is chosen there.
func (o *options) cluster(ctx context.Context, p *plan.Plan, store *results.Store, pool *run.Pool) (*slurm.Cluster, error) {
	dir, err := filepath.Abs(o.slurmFolder())
	if err != nil {
		return nil, err
	}
	estimate, _, err := o.estimate(ctx, p, store)
	if err != nil {
		return nil, err
	}
	pool.Backend, pool.Networks = "auto", o.Networks
	if !backends.Automatic(o.Backend) {
		if pool.Backend, err = backends.Resolve(o.Backend); err != nil {
			return nil, err
		}
	}
	records := o.recordFolders()[0]
	paths := []*string{&records, &pool.Checkpoints, &pool.Models, &pool.Library.CacheDir} // a task may be sent to another working directory
	for _, several := range [][]string{pool.MoreModels, pool.Library.Dirs} {
		for i := range several {
			paths = append(paths, &several[i])
		}
	}
	for _, path := range paths {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	return &slurm.Cluster{
		Dir: dir, Records: records, Pool: *pool, Args: o.Cluster, GPUArgs: o.GPU, TaskTime: o.TaskTime,
		Estimate: estimate.Job, Retry: o.Plan.Retry, Detach: o.Detach,
	}, ctx.Err()
}

// expect tells the display how long jobs take on this machine, once it has learned that from records, which may take seconds: the jobs
// do not wait for it. stop ends that. Errors have been said when the plan was made, or are of records that nobody asked for.
func (o *options) expect(ctx context.Context, p *plan.Plan, store *results.Store, shown *run.Progress) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var learning sync.WaitGroup
	learning.Go(func() {
		select {
		case <-ctx.Done(): // those that end at once need no estimate
		case <-time.After(time.Second):
			if estimate, _, err := o.estimate(ctx, p, store); err == nil && ctx.Err() == nil {
				shown.Expect(estimate.Job)
			}
		}
	})
	return func() { cancel(); learning.Wait() }
}
