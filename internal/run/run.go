// Package run runs the jobs of a plan.
//
// An Executor does the jobs; Pool, the one for this machine, has worker processes do them, so that limits on time and memory
// are hard, peak memory is measured rather than guessed, and a crash costs the cells of one job. Workers make whole records;
// the planning process watches them, writes their records down, and makes those of cells whose worker died:
//
//	planning process                              worker process
//	Pool  >  attempt  >  child   -- request -->   work  >  serve  >  run  >  do  >  method.Run
//	                             <-- reply ----
//	pool.go  attempt.go  child.go   messages.go    worker.go                 model.go
//
// Begin with this file, then pool.go.
package run

import (
	"context"

	"nptbench/internal/plan"
	"nptbench/internal/task"
	"nptbench/results"
)

// An Executor does jobs. It tells the watcher of every record when that is kept safe. It returns when nothing is left to do or
// ctx is done; the error is about the executor itself, such as records that cannot be written.
type Executor interface {
	Do(ctx context.Context, jobs []*plan.Job, w Watcher) error
}

// A Watcher is told how jobs get on, from several goroutines.
type Watcher interface {
	Started(*plan.Job)
	Advanced(*plan.Job, task.Progress)
	Record(*plan.Job, *results.Record)
	Again(j, rest *plan.Job) // it has ended without all its records, and what is left of it, which may be all, will be started
	Ended(*plan.Job)
	GivenUp(j *plan.Job, message string) // a method fails always in the same way on a data set, as this job did: its other jobs there are left
	Note(line string)                    // what else there is to say
}

// Counts are of the cells of a plan.
type Counts struct {
	OK, Failed int // that have a new record
	Left       int // to do: interrupted, stopped by the first failure, or of a method that was given up
}

// Execute has the jobs of a plan done. With failFast the first failure stops it. When ctx is done it returns; what is finished
// stays finished.
func Execute(ctx context.Context, jobs []*plan.Job, e Executor, failFast bool, shown *Progress) (Counts, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if failFast {
		shown.onFailure = cancel
	}
	err := e.Do(ctx, jobs, shown)
	return shown.counts(), err
}
