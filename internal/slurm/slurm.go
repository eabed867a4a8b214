// Package slurm has the jobs of a plan done by a cluster that Slurm manages.
//
// A Cluster is the executor (slurm.go). It packs jobs into tasks (pack.go), writes them into a folder that all nodes see
// (submission.go) and submits them as job arrays, by Slurm's own commands (commands.go). A task is this same program, started by
// Slurm (serve.go): it does its jobs with a run.Pool, which writes records, and tells how it gets on in a file of events (events.go).
// Whoever watches the run reads these (watched.go), asks Slurm (watch.go), and decides what is to be submitted again (settle.go).
//
// Nothing is locked. A file has one writer, which appends to it or renames it into its place; what tasks there are, and how they get
// on, every command reads anew from the folder and from Slurm. So a run outlives whoever started it, and several may watch it. A
// cell is done at least once: twice, if two submit it at the same moment, or if a task comes back that was taken for dead. One of
// its records stands for it then.
package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nptbench/internal/plan"
	"nptbench/internal/run"
	"nptbench/internal/spelling"
)

// A Cluster is an executor whose jobs Slurm's nodes do.
type Cluster struct {
	Dir     string   // the folder of submissions, in a file system that all nodes mount
	Records string   // the folder of records, likewise
	Pool    run.Pool // does the jobs of a task; its Records are for failures that no task is left to record

	Args     []string // for sbatch: partition, account and whatever else the cluster wants
	GPUArgs  []string // more of them, for tasks of networks; empty: those run where all others do
	TaskTime time.Duration
	Estimate func(*plan.Job) (took time.Duration, known bool) // how long a job takes one core

	lease    time.Duration // how long a task may be silent before it counts as lost; 0: the usual
	interval time.Duration // between two looks at first; later a tenth of the time since the first one

	Retry  bool // failures that tasks have recorded before do not count
	Detach bool // Do returns when everything is submitted
}

// usualLease outlives differences of minutes between the clocks of a cluster. Its age is taken by one clock, the file system's.
const usualLease = 15 * beatInterval

// Do submits what is in no task yet, and follows the tasks until all have ended. What they lose is submitted again. When ctx is done
// it returns, and the tasks go on.
func (c *Cluster) Do(ctx context.Context, jobs []*plan.Job, w run.Watcher) error {
	c.lease, c.interval = cmp.Or(c.lease, usualLease), cmp.Or(c.interval, time.Second)
	r := newWatch(c, jobs, w)
	for began := time.Now(); ; {
		err := r.look(ctx)
		if err == nil {
			err = r.submit(ctx)
		}
		switch {
		case ctx.Err() != nil:
			w.Note("the tasks go on in Slurm; the same command follows them, and with -cancel ends them")
			return nil
		case err != nil:
			return err
		case c.Detach || r.inSlurm == 0 && len(r.missing()) == 0:
			_, err := timeOf(c.Records)
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(max(time.Since(began)/10, c.interval), 30*time.Second)):
		}
	}
}

// Cancel ends all tasks in a folder of submissions, and returns how many arrays they were of.
func Cancel(ctx context.Context, dir string) (arrays int, err error) {
	open, err := openSubmissions(dir, nil)
	for _, s := range open {
		if err == nil {
			err = cancel(ctx, "--name="+s.name())
		}
	}
	return len(open), err
}

// Submitted is how many cells of jobs are in tasks in a folder of submissions that nobody has seen end. Slurm is not asked. What cannot be
// read does not count.
func Submitted(dir string, jobs []*plan.Job) (cells int) {
	r := newWatch(nil, jobs, nil)
	open, _ := openSubmissions(dir, nil)
	for _, s := range open {
		r.follow(s)
	}
	for _, c := range r.cells {
		if c.tasks > 0 {
			cells++
		}
	}
	return cells
}

// submit packs jobs into tasks, and submits those.
func (r *watch) submit(ctx context.Context) error {
	jobs := r.missing()
	if len(jobs) == 0 {
		return nil
	}
	most, err := maxArray(ctx)
	if err != nil {
		return r.refuse(err)
	}
	for _, p := range r.pack(jobs) {
		for batches := range slices.Chunk(p.batches, most) {
			switch err := r.submitArray(ctx, p, batches); {
			case ctx.Err() != nil:
				return nil
			case err == errLate:
				return r.submit(ctx) // what the other one has not
			case err != nil:
				return r.refuse(err)
			}
		}
	}
	return nil
}

// refuse says once that Slurm takes no more tasks now, because of a limit on what a user may submit, say: it is asked again as long as
// there are others to wait for, or some that have just ended, which Slurm may still count. Else, and where nobody waits, that is an error.
func (r *watch) refuse(err error) error {
	if r.inSlurm == 0 && (r.Detach || time.Since(r.settled) > epilog) {
		return err
	}
	if err.Error() != r.refused {
		r.refused = err.Error()
		r.Note("not all is submitted yet: " + r.refused)
	}
	return nil
}

// epilog is for how long Slurm may count a task that has ended: until its node is ready for another.
const epilog = 2 * time.Minute

// taskMemory is what a task needs beyond the budget of a cell, in MiB.
const taskMemory = 512

// asksMemory reports whether an argument of sbatch says how much memory a task may have.
func asksMemory(arg string) bool {
	return arg == "--mem" || strings.HasPrefix(arg, "--mem=") || strings.HasPrefix(arg, "--mem-per-")
}

// sbatchArgs are the arguments of sbatch for a submission. The last of equal ones counts: the user's are behind what they may change, and
// before what the tasks are found by.
func (c *Cluster) sbatchArgs(s *submission, p *packing) []string {
	args, asked := []string{"--requeue", "--ntasks=1"}, c.Args
	if p.gpu {
		asked = slices.Concat(asked, c.GPUArgs)
	}
	if p.limit > 0 {
		args = append(args, fmt.Sprintf("--time=%d", int(p.limit.Minutes())))
	}
	if memory := c.Pool.Sweep.Budget.Memory; memory > 0 && !slices.ContainsFunc(asked, asksMemory) {
		if p.gpu || len(c.GPUArgs) == 0 { // else there are no networks among these jobs
			memory *= int64(max(1, c.Pool.Networks)) // so many train at a time
		}
		args = append(args, fmt.Sprintf("--mem=%dM", memory>>20+taskMemory))
	}
	path := strings.ReplaceAll(s.path, "%", "%%") // by which sbatch begins what it replaces in the names of files
	return slices.Concat(args, asked,
		[]string{"--job-name=" + s.name(), "--output=" + filepath.Join(path, logFile("%a")), "--open-mode=append"})
}

// errLate says that somebody else has just submitted some of the cells.
var errLate = errors.New("submitted by another")

// submitArray submits batches of jobs as one array.
func (r *watch) submitArray(ctx context.Context, p *packing, batches []batch) error {
	s := setup{Pool: r.Pool, Records: r.Records, GPU: p.gpu}
	s.Pool.Records = nil
	library := *s.Pool.Library
	library.Log = nil
	s.Pool.Library = &library
	var tasks [][]*job
	for _, b := range batches {
		var jobs []*job
		for _, j := range b.jobs {
			jobs = append(jobs, &job{
				Dataset: j.Dataset.Info.Name, Digest: j.Dataset.Digest, Fold: j.Fold, Method: j.Method.Name, Command: j.Method.Command,
				Fit: j.Fit, Configurations: j.Configurations, Deaths: r.deaths(j),
			})
		}
		tasks = append(tasks, jobs)
	}
	path, err := writeSubmission(r.Dir, s, tasks)
	if err != nil {
		return err
	}
	made := &submission{path: path}
	for i, jobs := range tasks {
		t := newWatched(made, i, jobs)
		t.known = true
		made.tasks = append(made.tasks, t)
	}
	if late, err := r.giveWay(made); err != nil || late {
		os.RemoveAll(path)
		return cmp.Or(err, errLate)
	}
	made.number, err = submit(ctx, len(tasks), filepath.Join(path, scriptFile), r.sbatchArgs(made, p)...)
	if errors.Is(err, errNoAnswer) { // the folder stays, for tasks that there may be: they are found by its name
		return fmt.Errorf("%w; if Slurm has taken the tasks all the same, the same command follows them", err)
	}
	if err != nil {
		os.RemoveAll(path)
		return err
	}
	if err := os.WriteFile(filepath.Join(path, numberFile), []byte(made.number), 0o666); err != nil {
		return err
	}
	r.follow(made)
	r.Note(fmt.Sprintf("submitted %s: job %s", spelling.Count(len(tasks), "task"), made.number))
	return nil
}
