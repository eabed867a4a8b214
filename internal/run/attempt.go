package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nptbench/internal/plan"
	"nptbench/internal/subprocess"
	"nptbench/results"
)

// An attempt is one job in one worker process, as the planning process sees it.
type attempt struct {
	*poolRun
	child    *child
	job      *plan.Job
	request  request
	reported map[results.ID]bool

	ending    bool             // the run ends, for want of a record that could be kept
	succeeded bool             // a cell has a result
	recorded  *results.Failure // of the last cell that has none
	memory    *subprocess.MemoryWatch
	peak      int64 // bytes seen in use by the worker and all it started

	began   bool          // the worker has given back what earlier jobs needed
	looked  time.Time     // at the clock
	loaded  bool          // the worker has the job's task
	loading time.Duration // until then
	used    time.Duration // of the budget of time: since then, the last finished cell, or where a measurement began
	kept    time.Duration // of it, when keepTime wrote it last

	measuring bool // the worker has ended its fit, and measures
}

// lookInterval is how often a worker's memory and time are looked at.
const lookInterval = 100 * time.Millisecond

// keepInterval is how often the time that a fit has used is kept.
const keepInterval = time.Minute

// loadTime is how long a task may take to load under a budget of time, unless that is more: a file of many gigabytes takes minutes, and one
// that cannot be read any more for ever.
const loadTime = time.Hour

// follow watches a job until it is over. It reports whether the worker finished it by itself, and otherwise returns why not:
// nil when ctx or the run ended. The budget of time counts from when the task is loaded to the first finished cell, and from one to the
// next, since a fit may serve many, or from where a measurement begins; that of memory is of the worker and what it started.
func (a *attempt) follow(ctx context.Context) (failure *results.Failure, finished bool) {
	looks := time.NewTicker(lookInterval)
	defer looks.Stop()
	a.looked = time.Now()
	for {
		select {
		case <-ctx.Done():
			a.child.retire()
			return nil, false
		case <-looks.C:
			if err := a.Records.Err(); err != nil { // hours before there is a record to refuse
				a.fail(err)
			}
			if failure := a.look(); failure != nil {
				a.child.kill()
				return failure, false
			}
		case r, ok := <-a.child.replies:
			switch {
			case ctx.Err() != nil && (!ok || r.failed()): // what ended the run may have ended what the worker started, too
				a.child.kill()
				return nil, false
			case !ok:
				return a.child.causeOfDeath(), false
			case r.Number != a.request.Number: // late, of a job that has ended
			case r.Began:
				a.began = true
			case r.Loaded:
				a.loaded, a.looked = true, time.Now()
			case r.Progress != nil:
				a.watcher.Advanced(a.job, *r.Progress)
			case r.Measuring:
				os.Remove(a.timeFile())
				a.measuring, a.used, a.kept = true, 0, 0
			case r.Done:
				return a.ended(r)
			default:
				if a.result(r); a.ending {
					a.child.kill()
					return nil, false
				}
			}
		}
	}
}

// TimeFile has the time that an unfinished fit has used.
const TimeFile = "time-used"

// timeFile lies beside what an unfinished fit has left, and says how much of the budget of time that took. Empty: no folder is for that.
func (a *attempt) timeFile() string {
	if a.request.CheckpointDir == "" || a.job.Method.Command != nil || a.measuring { // commands and measurements begin anew
		return ""
	}
	return filepath.Join(a.request.CheckpointDir, TimeFile)
}

// keepTime writes the file, if the fit has made the folder: what a fit that is killed goes on from has used its time, too.
func (a *attempt) keepTime() {
	a.kept = a.used
	os.WriteFile(a.timeFile(), []byte(a.timeUsed()), 0o666)
}

// finishedCell begins to count anew.
func (a *attempt) finishedCell() {
	if a.used = 0; a.kept > 0 {
		a.keepTime()
	}
}

// timeUsed is what the file says: the time, and what it was for.
func (a *attempt) timeUsed() string {
	return strings.Join(append([]string{a.used.String()}, a.timeFor()...), " ")
}

// timeFor names the backend of a network and the cells. A fit on another backend, or with one cell more, begins anew, or may.
func (a *attempt) timeFor() []string {
	words := strings.Fields(a.request.Backend)
	for cell := range plan.CellsOf(a.job.Configurations) {
		words = append(words, cell.ID.String())
	}
	return words
}

// usedBefore is the time that a file names, and none where that was not for all that this attempt's is for.
func (a *attempt) usedBefore(text string) time.Duration {
	words := strings.Fields(text)
	for _, word := range a.timeFor() {
		if !slices.Contains(words, word) {
			return 0
		}
	}
	used, _ := time.ParseDuration(words[0])
	return used
}

// look compares what the job has used with its budget. It returns why the worker must be killed, or nil.
func (a *attempt) look() *results.Failure {
	budget := a.Sweep.Budget
	// While this process was stopped, by Ctrl-Z say, so were its workers, or their replies were not read.
	now := time.Now()
	passed := min(now.Sub(a.looked), 10*lookInterval)
	a.looked = now
	if a.began {
		used := a.memory.Resident()
		a.peak = max(a.peak, used)
		if budget.Memory > 0 && used > budget.Memory {
			return &results.Failure{Kind: "memory", Message: fmt.Sprintf("%s used, the budget is %s", gibibytes(used), gibibytes(budget.Memory))}
		}
	}
	if !a.loaded {
		a.loading += passed
		if most := max(loadTime, budget.Time); budget.Time > 0 && a.loading >= most {
			return &results.Failure{Kind: "timeout", Message: fmt.Sprintf("its data were not loaded within %v", most)}
		}
		return nil
	}
	a.used += passed
	if a.used > a.kept+keepInterval {
		a.keepTime()
	}
	if budget.Time > 0 && a.used >= budget.Time {
		return &results.Failure{Kind: "timeout", Message: fmt.Sprintf("not finished within the budget of %v", budget.Time)}
	}
	return nil
}

func gibibytes(n int64) string { return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30)) }

// ended is the end of a job as its worker reports it.
func (a *attempt) ended(r reply) (failure *results.Failure, finished bool) {
	switch {
	case r.Failure != nil && r.Failure.Kind == diskFull:
		a.end(noRoom(a.job, r.Failure))
		return nil, false
	case r.Failure == nil:
		r.Failure = &results.Failure{Kind: "error", Message: a.job.Method.Name + " returned without a result for this configuration"}
	}
	return r.Failure, true
}

// end ends the run. What the job had reached stays, for the next one.
func (a *attempt) end(err error) {
	a.ending = true
	a.fail(err)
}

func noRoom(j *plan.Job, f *results.Failure) error {
	return fmt.Errorf("%s: %s: the run ends here, and goes on once there is room", describeJob(j), f.Message)
}

// rest is the job without what was reported.
func (a *attempt) rest() *plan.Job {
	return a.job.Without(func(id results.ID) bool { return a.reported[id] })
}

// blamed are the cells that a failure is of: all that are left, where the worker finished the job, and else what it was doing, which is
// a fit, with all that it serves, as long as nothing has come of it or where it goes on from one configuration to another in an order of
// its own, else one configuration after the other, then one measurement. What comes after that has not been tried.
func (a *attempt) blamed(finished bool) []plan.Cell {
	rest := a.rest().Configurations
	var fits, models []*plan.Configuration // those without a result yet, and those of which only the model is wanted
	for _, c := range rest {
		if len(c.Cells) > 0 {
			fits = append(fits, c)
		} else {
			models = append(models, c)
		}
	}
	switch {
	case finished:
		return slices.Collect(plan.CellsOf(rest))
	case len(models) > 0 && (a.measuring || len(fits) == 0 && len(a.reported) > 0):
		return models[0].Measures[0].Cells
	case len(fits) == 0: // lost models are fitted again
		return slices.Collect(plan.CellsOf(models))
	case len(a.reported) == 0 || a.job.Method.GoesOn:
		return slices.Collect(plan.CellsOf(fits))
	}
	return fits[0].Cells
}

// failed gives cells a record of the failure.
func (a *attempt) failed(cells []plan.Cell, f *results.Failure) {
	for _, cell := range cells {
		a.result(reply{Records: a.request.records([]plan.Cell{cell}, outcome{failure: f})})
	}
}

// configurationOf is the one that a cell has its predictions from; nil when it is a measurement.
func (a *attempt) configurationOf(id results.ID) *plan.Configuration {
	for _, c := range a.job.Configurations {
		if slices.ContainsFunc(c.Cells, func(cell plan.Cell) bool { return cell.ID == id }) {
			return c
		}
	}
	return nil
}

// result keeps the records of one configuration, or of a measurement.
func (a *attempt) result(r reply) {
	if f := r.Records[0].Failure; f != nil && f.Kind == diskFull {
		a.end(noRoom(a.job, f))
		return
	}
	if a.reported[r.Records[0].ID] {
		j := a.job
		a.end(fmt.Errorf("%s called done twice for one configuration, on %s, %s fold %d: the run ends here, and goes on once that is put right",
			j.Method.Name, j.Dataset.Info.Name, j.Fold.Protocol, j.Fold.Number))
		return
	}
	if f := r.Records[0].Failure; f != nil {
		a.recorded = f
	} else {
		a.succeeded = true
	}
	if c := a.configurationOf(r.Records[0].ID); c != nil { // what is left of the job is measured on its model
		c.Record, c.Failed = r.Records[0], r.Records[0].Failure != nil
	}
	for _, record := range r.Records {
		a.reported[record.ID] = true
		record.PeakMemoryBytes = max(record.PeakMemoryBytes, a.peak)
		err := a.Records.Append(record)
		if errors.Is(err, results.ErrTooLong) {
			record.Fail(&results.Failure{Kind: "error", Message: err.Error()})
			a.recorded = record.Failure
			err = a.Records.Append(record)
		}
		if err != nil {
			a.end(err)
			return
		}
		a.watcher.Record(a.job, record)
	}
	a.finishedCell()
}
