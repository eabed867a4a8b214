package slurm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nptbench/internal/run"
	"nptbench/internal/spelling"
	"nptbench/results"
)

// end says in which way a task has ended; empty: it has not.
func (r *watch) end(ctx context.Context, t *watched, s state, answered bool, now time.Time) string {
	silence := now.Sub(t.touched())
	switch {
	case !answered:
	case s.name != "RUNNING":
		t.runs = time.Time{}
	case t.runs.IsZero(): // what it has told may be of an earlier start, which was long ago
		t.runs = now
	}
	switch {
	case s.unlaunched():
		r.cancel(ctx, t)
		if t.finished { // Slurm has lost sight of it in between
			return "COMPLETED"
		}
		return "its node could not start it"
	case t.finished:
		return "COMPLETED"
	case !answered:
		return ""
	case s.active():
		t.known = true
		if s.name == "RUNNING" && t.begun && min(silence, now.Sub(t.runs)) > r.lease {
			r.cancel(ctx, t)
			return fmt.Sprintf("silent for %v", silence.Round(time.Second))
		}
		return ""
	case s.name == "" && t.known && silence >= min(r.lease, 2*beatInterval):
		return "forgotten by Slurm"
	case s.name == "" && silence < r.lease: // it is about to be submitted, or Slurm shows only one's own
		return ""
	case s.name == "":
		return "unknown to Slurm"
	case s.name == "COMPLETED" && t.known: // its last events may not be visible yet
		if t.ended.IsZero() {
			t.ended = time.Now()
		}
		if time.Since(t.ended) < visible {
			return ""
		}
	}
	return s.name
}

// cancel ends a task, if it is one's own.
func (r *watch) cancel(ctx context.Context, t *watched) {
	if err := cancel(ctx, fmt.Sprintf("%s_%d", t.number, t.index)); err != nil {
		r.Note(fmt.Sprintf("%s cannot be ended: %v", t.title(), err))
	}
}

// visible is after what time a file on a network file system is seen by everybody.
const visible = time.Minute

// settle decides what becomes of the jobs of a task that has ended, and says so where there is anything left of them.
func (r *watch) settle(t *watched, how string) error {
	t.over, r.settled = true, time.Now()
	r.count(t, -1)
	t.sweep(r.Pool.Checkpoints)
	again, failed, left := 0, 0, 0
	for _, fate := range t.fates(how, r.Pool.Checkpoints) {
		f := r.of(fate.cells)
		if f == nil {
			continue // not of this plan
		}
		f.deaths = max(f.deaths, fate.deaths)
		cells := slices.DeleteFunc(fate.cells, func(id results.ID) bool { return r.cells[id] == nil || !r.cells[id].unassigned() })
		if len(cells) == 0 {
			continue // another task has done them, or has them to do
		}
		if (t.first < 0 || t.unable) && how != "CANCELLED" && how != "PREEMPTED" {
			f.badEnds++
		}
		switch {
		case fate.failure != nil:
			failed += len(cells)
			rest := f.Without(func(id results.ID) bool { return !slices.Contains(cells, id) })
			for _, record := range run.Failures(r.Pool.Sweep, rest, fate.failure) {
				if err := r.Pool.Records.Append(record); err != nil {
					return err
				}
				r.cells[record.ID].done = true
				r.Record(f.Job, record)
			}
		case t.known && (t.finished || how == "CANCELLED") || f.badEnds >= mostBadEnds:
			left += len(cells)
			f.left = true
		default:
			again += len(cells)
		}
		if f.running && !r.complete(f) {
			f.running = false
			r.Again(f.Job, f.Job)
		}
	}
	for _, j := range t.jobs { // a task that Slurm starts again does not say that a job has ended whose cells have records by then
		if f := r.of(j.cells); f != nil && f.running && r.complete(f) {
			f.running = false
			r.Ended(f.Job)
		}
	}
	if again+failed+left == 0 || t.finished {
		return nil
	}
	if r.troubles++; r.troubles > shownTroubles {
		return nil
	}
	text := fmt.Sprintf("%s ended: %s", t.title(), how)
	for _, part := range []struct {
		cells int
		what  string
	}{{failed, "recorded as failed"}, {again, "to be submitted again"}, {left, "left for another time"}} {
		if part.cells > 0 {
			text += fmt.Sprintf(", %s %s", spelling.Count(part.cells, "cell"), part.what)
		}
	}
	r.Note(text + "; " + t.lastWords())
	if r.troubles == shownTroubles {
		r.Note("more such tasks are not shown")
	}
	return nil
}

const (
	shownTroubles = 10
	mostBadEnds   = 3 // tasks with a job that end before they begin, or are unable to go on, until it is left
)
