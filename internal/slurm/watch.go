package slurm

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/run"
	"nptbench/results"
)

// A watch is one call of Do: the jobs of a plan, and the tasks that have them.
type watch struct {
	*Cluster
	run.Watcher

	jobs  []*followed
	cells map[results.ID]*cell // of these jobs

	submissions map[string]*submission // by path
	inSlurm     int                    // tasks that wait or run, with cells of this plan that have no record
	looked      bool
	summary     string    // the last one that was said
	silent      bool      // Slurm does not answer, which was said
	refused     string    // why Slurm took no more tasks, which was said
	settled     time.Time // when a task was last seen to have ended
	troubles    int
}

// A followed job is one of the plan.
type followed struct {
	*plan.Job
	running bool // as the Watcher was told
	deaths  int  // of tasks at it
	badEnds int  // tasks that ended in a bad way before they came to it, or were unable to go on
	left    bool // it is not submitted again
}

// A cell is one that the plan has to do. Two who submit in the same moment may both have a task for it.
type cell struct {
	job   *followed
	tasks int32 // that wait or run and have the cell
	done  bool  // it has a record
}

// unassigned reports whether a cell is left to be done by a task that is not there yet.
func (c *cell) unassigned() bool { return c.tasks == 0 && !c.done }

func newWatch(c *Cluster, jobs []*plan.Job, w run.Watcher) *watch {
	r := &watch{Cluster: c, Watcher: w, cells: map[results.ID]*cell{}, submissions: map[string]*submission{}}
	for _, j := range jobs {
		f := &followed{Job: j}
		r.jobs = append(r.jobs, f)
		for planned := range plan.CellsOf(j.Configurations) {
			r.cells[planned.ID] = &cell{job: f}
		}
	}
	return r
}

// follow adds a submission.
func (r *watch) follow(s *submission) {
	r.submissions[s.path] = s
	for _, t := range s.tasks {
		r.count(t, 1)
		if r.awaits(t) {
			r.inSlurm++
		}
	}
}

// cells yields the cells of a task.
func (t *watched) cells() iter.Seq[results.ID] {
	return func(yield func(results.ID) bool) {
		for _, j := range t.jobs {
			for _, id := range j.cells {
				if !yield(id) {
					return
				}
			}
		}
	}
}

// count adds a task, or takes one away, where the plan's cells in it are.
func (r *watch) count(t *watched, n int32) {
	for id := range t.cells() {
		if c := r.cells[id]; c != nil {
			c.tasks += n
		}
	}
}

// awaits reports whether a task has cells that the plan has to do and that nobody has recorded.
func (r *watch) awaits(t *watched) bool {
	for id := range t.cells() {
		if c := r.cells[id]; c != nil && !c.done {
			return true
		}
	}
	return false
}

// look reads how all tasks get on.
func (r *watch) look(ctx context.Context) error {
	now, err := timeOf(r.Dir)
	if err != nil {
		return err
	}
	found, err := openSubmissions(r.Dir, r.submissions)
	if err != nil {
		return err
	}
	for _, s := range found {
		r.follow(s)
	}
	states, answered := r.ask(ctx)
	if ctx.Err() != nil {
		return nil
	}
	paths := slices.Sorted(maps.Keys(r.submissions))
	for _, path := range paths {
		s := r.submissions[path]
		s.readNumber()
		for _, t := range s.tasks {
			if t.over {
				continue
			}
			events, err := t.read()
			if err != nil {
				return err
			}
			for _, e := range events {
				r.replay(t, e)
			}
		}
	}
	counts := map[string]int{}
	r.inSlurm = 0
	for _, path := range paths {
		s := r.submissions[path]
		left := 0
		for _, t := range s.tasks {
			if t.over {
				continue
			}
			of := states[taskName{s.name(), t.index}]
			if how := r.end(ctx, t, of, answered, now); how != "" {
				if err := r.settle(t, how); err != nil {
					return err
				}
				continue
			}
			left++
			if r.awaits(t) {
				r.inSlurm++
				counts[of.text()]++
			}
		}
		if left == 0 {
			delete(r.submissions, path)
			os.WriteFile(filepath.Join(path, overFile), []byte("over\n"), 0o666) // another watcher may have done so
		}
	}
	r.looked = true
	r.sum(counts)
	return nil
}

// ask asks Slurm for the states of all tasks; it may not answer for a while.
func (r *watch) ask(ctx context.Context) (states map[taskName]state, answered bool) {
	if len(r.submissions) == 0 {
		return nil, true
	}
	var names []string
	for _, s := range r.submissions {
		names = append(names, s.name())
	}
	states, err := queued(ctx, names)
	if err != nil {
		if !r.silent && ctx.Err() == nil {
			r.Note(fmt.Sprintf("Slurm does not answer, tasks that run go on: %v", err))
		}
		r.silent = true
		return nil, false
	}
	r.silent = false
	var unknown []string
	for _, s := range r.submissions {
		if slices.ContainsFunc(s.tasks, func(t *watched) bool { return !t.over && states[taskName{s.name(), t.index}].name == "" }) {
			unknown = append(unknown, s.name())
		}
	}
	if len(unknown) > 0 {
		for name, s := range accounted(ctx, unknown, time.Now().AddDate(0, -1, 0)) {
			if _, ok := states[name]; !ok {
				states[name] = s
			}
		}
	}
	return states, true
}

// sum says how many tasks there are, when that has changed.
func (r *watch) sum(counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[name], cmp.Or(name, "of which it says nothing")))
	}
	if text := "tasks in Slurm: " + strings.Join(parts, ", "); text != r.summary {
		r.summary = text
		r.Note(text)
	}
}

// replay passes on what a task has told.
func (r *watch) replay(t *watched, e event) {
	if e.Kind == recorded {
		r.record(t, e)
		return
	}
	f := r.of(t.jobs[e.Job].cells)
	switch {
	case f == nil:
	case e.Kind == started && !f.running:
		f.running = true
		r.Started(f.Job)
	case e.Kind == advanced && f.running:
		r.Advanced(f.Job, *e.Progress)
	case e.Kind == again && f.running:
		f.running = false
		r.Again(f.Job, f.Job)
	case e.Kind == ended && f.running:
		f.running = false
		r.Ended(f.Job)
	case e.Kind == givenUp && !f.left && r.looked: // else it was in an earlier run
		for _, other := range r.jobs {
			other.left = other.left || other.Method == f.Method && other.Dataset == f.Dataset
		}
		r.GivenUp(f.Job, e.Text)
	}
}

// of is the job of the plan that has one of these cells; nil when there is none.
func (r *watch) of(cells []results.ID) *followed {
	for _, id := range cells {
		if c := r.cells[id]; c != nil {
			return c.job
		}
	}
	return nil
}

// complete reports whether all cells of a job have records.
func (r *watch) complete(f *followed) bool {
	for planned := range plan.CellsOf(f.Configurations) {
		if !r.cells[planned.ID].done {
			return false
		}
	}
	return true
}

// record notes that a cell has a record. What of that is shown is made up again.
func (r *watch) record(t *watched, e event) {
	c := r.cells[*e.Cell]
	if c == nil || c.done || e.Failure != nil && r.Retry && !r.looked {
		return
	}
	c.done = true
	record := &results.Record{ID: *e.Cell, Status: results.OK, Details: map[string]any{method.Warning: e.Text}}
	for planned := range plan.CellsOf(c.job.Configurations) {
		if planned.ID == record.ID {
			record.Cell, record.Variant = planned.Cell, planned.Variant
		}
	}
	if e.Failure != nil {
		record.Status = results.Failed
		record.Failure = e.Failure
		if !strings.Contains(e.Failure.Message, t.log()) {
			record.Failure = &results.Failure{Kind: e.Failure.Kind, Message: e.Failure.Message + "; log: " + t.log()}
		}
	}
	r.Record(c.job.Job, record)
}

// missing are the jobs of the plan with cells that are in no task.
func (r *watch) missing() (jobs []*plan.Job) {
	for _, f := range r.jobs {
		if f.left {
			continue
		}
		if rest := f.Without(func(id results.ID) bool { return !r.cells[id].unassigned() }); len(rest.Configurations) > 0 {
			jobs = append(jobs, rest)
		}
	}
	return jobs
}

// deaths is how many tasks died at a job.
func (r *watch) deaths(j *plan.Job) int {
	for planned := range plan.CellsOf(j.Configurations) {
		return r.cells[planned.ID].job.deaths
	}
	return 0
}

// giveWay follows what others have submitted since the last look, and reports whether a submission is to give way to one of those:
// of two that have cells in common, which two people made at the same moment, to the one that has the earlier name.
func (r *watch) giveWay(made *submission) (yes bool, err error) {
	found, err := openSubmissions(r.Dir, r.submissions)
	ours := map[results.ID]bool{}
	for _, t := range made.tasks {
		for id := range t.cells() {
			ours[id] = true
		}
	}
	for _, s := range found {
		if s.path == made.path {
			continue
		}
		r.follow(s)
		for _, t := range s.tasks {
			for id := range t.cells() {
				yes = yes || ours[id] && s.name() < made.name()
			}
		}
	}
	return yes, err
}

// timeOf is the time by the clock of the file system that has the folder, which is made where it is not there. On a network that
// also makes what others have written there visible.
func timeOf(dir string) (time.Time, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return time.Time{}, fmt.Errorf("the shared folder: %w", err)
	}
	f, err := os.CreateTemp(dir, ".time-")
	if err != nil {
		return time.Time{}, fmt.Errorf("the shared folder: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, fmt.Errorf("the shared folder: %w", err)
	}
	return info.ModTime(), nil
}
