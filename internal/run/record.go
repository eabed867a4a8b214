package run

import (
	"slices"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
	"nptbench/sweeps"
)

// A request asks a worker for one job, or, with Stop, to stop it.
type request struct {
	Number int // of the job, which replies repeat
	Stop   bool

	Library   dataset.Library
	Dataset   string
	Digest    string // of the table that the plan was made for
	Protocol  split.Protocol
	Fold      int
	Method    string
	Command   *method.Command // of a method of one's own
	Trainings []*plan.Training
	Sweep     string
	Code      string // version of the program, as it was when the planning process began
	Seed      uint64 // of the sweep
	Threads   int
	Backend   string // of networks
	Memory    int64  // budget in bytes, a hint for the garbage collector; 0: none

	Statistics              task.Statistics // of the configurations
	ModelDir, CheckpointDir string          // for the fields of task.Task
	MoreModels              []string        // folders with models that are only read
}

// An outcome is what the training of one configuration came to, or a measurement on its model: then test are the measurement's
// metrics, and predict is all the time that it took.
type outcome struct {
	val, test           results.Metrics
	table               *results.Table
	fit, predict        time.Duration
	fitCells            int // that the fit served
	details             map[string]any
	failure             *results.Failure
	rows                [3]int
	splitDigest, subset string
	peakMemory          int64
}

// trained makes the records of the cells that have the predictions of a training.
func (q *request) trained(training int, o outcome) []*results.Record {
	for _, t := range q.Trainings {
		o.fitCells += len(t.Cells)
	}
	return q.records(q.Trainings[training].Cells, o)
}

// records makes the records of some cells.
func (q *request) records(cells []plan.Cell, o outcome) (all []*results.Record) {
	for _, c := range cells {
		r := &results.Record{
			ID: c.ID, Status: results.OK, Cell: c.Cell, Variant: c.Variant, Failure: o.failure, Val: o.val, Test: o.test,
			Rows: o.rows, SplitDigest: o.splitDigest, Subset: o.subset,
			FitSeconds: o.fit.Seconds(), FitCells: o.fitCells, PredictSeconds: o.predict.Seconds(), PeakMemoryBytes: o.peakMemory,
			Details: o.details, Table: o.table, Sweep: q.Sweep, Provenance: Provenance(),
		}
		if o.failure != nil {
			r.Status = results.Failed
		}
		r.Provenance.Code, r.Provenance.Threads, r.Provenance.Backend = q.Code, q.Threads, q.Backend
		r.Provenance.Finished = time.Now().UTC().Truncate(time.Millisecond)
		all = append(all, r)
	}
	return all
}

// Failures makes the records of all cells of a job, for one reason. It is for executors whose worker has made none.
func Failures(s *sweeps.Sweep, j *plan.Job, f *results.Failure) (all []*results.Record) {
	q := request{Sweep: s.Name, Code: codeVersion()}
	for _, training := range j.Trainings {
		all = append(all, q.records(slices.Collect(training.All()), outcome{failure: f})...)
	}
	return all
}
