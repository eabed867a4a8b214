package run

import (
	"slices"
	"time"

	"nptbench/internal/plan"
	"nptbench/results"
	"nptbench/sweeps"
)

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

// predicted makes the records of the cells that have the predictions of a configuration.
func (q *request) predicted(configuration int, o outcome) []*results.Record {
	for _, c := range q.Configurations {
		o.fitCells += len(c.Cells)
	}
	return q.records(q.Configurations[configuration].Cells, o)
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
		r.Provenance.Networks = q.Networks
		r.Provenance.Finished = time.Now().UTC().Truncate(time.Millisecond)
		all = append(all, r)
	}
	return all
}

// Failures makes the records of all cells of a job, for one reason. It is for executors whose worker has made none.
func Failures(s *sweeps.Sweep, j *plan.Job, f *results.Failure) []*results.Record {
	q := request{Sweep: s.Name, Code: CodeVersion()}
	return q.records(slices.Collect(plan.CellsOf(j.Configurations)), outcome{failure: f})
}
