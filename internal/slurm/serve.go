package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/run"
	"nptbench/results"
)

// taskVariable is set in the environment of a task, to the folder of its submission.
const taskVariable = "NPTBENCH_SLURM_TASK"

// IsTask reports whether this process was started as a task: then main calls Serve and nothing else.
func IsTask() bool { return os.Getenv(taskVariable) != "" }

// Serve does the jobs of a task, with a pool of one worker. choose returns the backend of networks on this node. The task ends
// early when Slurm asks it to; then what is not recorded yet is done by another one. An error is about the node or the folder.
func Serve(methods []*method.Method, choose func(ctx context.Context, asked string) (string, error)) error {
	dir := os.Getenv(taskVariable)
	os.Unsetenv(taskVariable) // what a task starts is none
	index, err := strconv.Atoi(os.Getenv("SLURM_ARRAY_TASK_ID"))
	if err != nil {
		return fmt.Errorf("SLURM_ARRAY_TASK_ID is %q, want the number of a task of %s", os.Getenv("SLURM_ARRAY_TASK_ID"), dir)
	}
	asked, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	node, _ := os.Hostname()
	if name := os.Getenv("SLURMD_NODENAME"); name != "" {
		node = name
	}

	var s setup
	if err := readJSON(filepath.Join(dir, setupFile), &s); err != nil {
		return fmt.Errorf("node %s does not see the folder of the run: %w", node, err)
	}
	var written []*job
	if err := readJSON(filepath.Join(dir, taskFile(index)), &written); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(asked)
	defer cancel(nil)
	file, err := createEvents(dir, index)
	if err != nil {
		return err
	}
	defer file.Close()
	r := &reporter{place: map[results.ID]int{}, failed: cancel, file: file}
	r.write(event{Kind: begun, Text: node})
	tellStopped := sync.OnceFunc(func() { r.write(event{Kind: stopped}) })
	context.AfterFunc(asked, tellStopped) // at once: what is running may take longer to end than Slurm waits
	before := newWatched(&submission{path: dir}, index, written)
	if _, err := before.read(); err != nil {
		return err
	}
	pool := s.Pool
	pool.Jobs, pool.Cores, pool.Name = 1, coresOfTask(), poolName(dir, index)
	pool.Records = results.NewWriter(s.Records)
	jobs, err := prepare(written, methods, &pool, before, recordedMeanwhile(ctx, s.Records, filepath.Join(dir, setupFile)), r)
	err = cmp.Or(err, plan.Recall(jobs, results.Read(ctx, s.Records)))
	if err == nil && slices.ContainsFunc(jobs, func(j *plan.Job) bool { return j.Method.Network }) {
		if pool.Backend, err = choose(ctx, pool.Backend); err == nil && s.GPU && !method.Accelerated(pool.Backend) {
			err = fmt.Errorf("networks were sent to GPUs, and here they run on %s", pool.Backend)
		}
	}
	if err != nil {
		if closed := pool.Records.Close(); closed != nil {
			err = fmt.Errorf("%w; %w", err, closed)
		}
		return fmt.Errorf("node %s: %w", node, err)
	}
	if !method.Accelerated(pool.Backend) {
		pool.Networks = 0
	}
	r.Progress = run.NewProgress(os.Stdout, false, jobs, 1, pool.Networks)
	done := make(chan struct{})
	go r.beat(beatInterval, done)
	err = pool.Do(ctx, jobs, r)
	close(done)
	r.Close()
	err = cmp.Or(err, pool.Records.Close(), context.Cause(ctx)) // the last: why events could not be written
	switch {
	case asked.Err() != nil:
		tellStopped()
		return fmt.Errorf("asked to end; what is not recorded is done by another task")
	case err == nil:
		r.write(event{Kind: finished})
	default:
		r.write(event{Kind: unable, Text: err.Error()})
	}
	return err
}

// beatInterval is how often a task gives a sign of life at least.
const beatInterval = time.Minute

// createEvents makes the file of events of this start of a task, the first that is not there.
func createEvents(dir string, index int) (*os.File, error) {
	for start := 0; ; start++ {
		f, err := os.OpenFile(filepath.Join(dir, eventsFile(index, start)), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// prepare returns the jobs of a task that neither earlier starts nor, while it waited, another run has done. It records as failures those at
// which too many have died.
func prepare(written []*job, methods []*method.Method, pool *run.Pool, before *watched, index results.Index, r *reporter) (jobs []*plan.Job, err error) {
	for i, one := range written {
		j, err := one.planned(methods, pool.Library)
		if err != nil {
			return nil, err
		}
		seen := before.jobs[i]
		for _, id := range seen.cells {
			r.place[id] = i
			if !before.recorded[id] && index[id] == results.OK {
				before.recorded[id] = true
				r.write(event{Kind: recorded, Job: i, Cell: &id})
			}
		}
		j = j.Without(func(id results.ID) bool { return before.recorded[id] })
		switch {
		case len(j.Configurations) == 0:
		case seen.deaths < mostDeaths:
			jobs = append(jobs, j)
		default:
			failure := &results.Failure{Kind: "crash", Message: fmt.Sprintf("%d tasks died at it; log: %s", seen.deaths, before.log())}
			for _, record := range run.Failures(pool.Sweep, j, failure) {
				if err := pool.Records.Append(record); err != nil {
					return nil, err
				}
				r.write(event{Kind: recorded, Job: i, Cell: &record.ID, Failure: failure})
			}
		}
	}
	return jobs, nil
}

// recordedMeanwhile are the cells in those segments of a folder that are younger than the file of a submission, which others have written
// since. What cannot be read is no reason not to begin.
func recordedMeanwhile(ctx context.Context, records, submission string) results.Index {
	at, err := os.Stat(submission)
	if err != nil {
		return nil
	}
	segments, _ := results.Segments(records)
	younger := slices.DeleteFunc(segments, func(file string) bool {
		of, err := os.Stat(file)
		return err != nil || !of.ModTime().After(at.ModTime())
	})
	store, err := results.Open(ctx, younger...)
	if err != nil {
		fmt.Printf("what others have done meanwhile is not known: %v\n", err)
		return nil
	}
	return store.Index()
}

// coresOfTask is how many cores Slurm has given the task.
func coresOfTask() int {
	for _, name := range []string{"SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
			return n
		}
	}
	return runtime.GOMAXPROCS(0)
}
