package run

import (
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
)

// A request asks a worker for one job, or, with Stop, to stop it.
type request struct {
	Number int // of the job, which replies repeat
	Stop   bool

	Library  dataset.Library
	Dataset  string
	Digest   string // of the table that the plan was made for
	Protocol split.Protocol
	Fold     int
	Method   string
	Command  *method.Command // of a method of one's own
	Configs  []*plan.Config
	Sweep    string
	Seed     uint64 // of the sweep
	Threads  int
	Backend  string // of networks
	Memory   int64  // budget in bytes, a hint for the garbage collector; 0: none

	Statistics              task.Statistics // of the configurations
	ModelDir, CheckpointDir string          // for the fields of task.Task
}

// An outcome is what one configuration came to.
type outcome struct {
	val, test           results.Metrics
	fit, predict        time.Duration
	details             map[string]any
	failure             *results.Failure
	rows                [3]int
	splitDigest, subset string
	peakMemory          int64
}

// records makes the records of all cells of a configuration.
func (q *request) records(config int, o outcome) (all []*results.Record) {
	fitCells := 0
	for _, c := range q.Configs {
		fitCells += len(c.Cells)
	}
	for _, c := range q.Configs[config].Cells {
		r := &results.Record{
			ID: c.ID, Status: results.OK, Cell: c.Cell, Variant: c.Variant, Failure: o.failure, Val: o.val, Test: o.test,
			Rows: o.rows, SplitDigest: o.splitDigest, Subset: o.subset,
			FitSeconds: o.fit.Seconds(), FitCells: fitCells, PredictSeconds: o.predict.Seconds(), PeakMemoryBytes: o.peakMemory,
			Details: o.details, Sweep: q.Sweep, Provenance: provenance(),
		}
		if o.failure != nil {
			r.Status = results.Failed
		}
		r.Provenance.Threads, r.Provenance.Backend = q.Threads, q.Backend
		r.Provenance.Finished = time.Now().UTC().Truncate(time.Millisecond)
		all = append(all, r)
	}
	return all
}
