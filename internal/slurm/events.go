package slurm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/run"
	"nptbench/internal/task"
	"nptbench/results"
)

// An event is what a task tells those who watch it: what an executor tells a run.Watcher, and how the task itself gets on.
type event struct {
	Kind     eventKind        `json:"kind"`
	Job      int              `json:"job"` // its place in the task
	Progress *task.Progress   `json:"progress,omitempty"`
	Cell     *results.ID      `json:"cell,omitempty"`
	Failure  *results.Failure `json:"failure,omitempty"` // of the cell
	Text     string           `json:"text,omitempty"`    // a warning of the cell's fit, why a method was given up or a task is unable to go on, or where it began
}

type eventKind string

const (
	begun    eventKind = "begun"    // the task
	beat     eventKind = "beat"     // nothing else was to be told
	stopped  eventKind = "stopped"  // the task was asked to end
	unable   eventKind = "unable"   // the task cannot go on, for a reason that is none of its jobs': the disk is full, say
	finished eventKind = "finished" // the task has nothing left to do
	started  eventKind = "started"  // the others are calls of a Watcher
	advanced eventKind = "advanced"
	recorded eventKind = "recorded"
	again    eventKind = "again"
	ended    eventKind = "ended"
	givenUp  eventKind = "given up"
)

// A reporter writes events to a file, which nobody else writes, and shows them in the task's log.
type reporter struct {
	*run.Progress
	place  map[results.ID]int // of a cell's job in the task
	failed func(error)        // called when events cannot be written

	mu    sync.Mutex
	file  *os.File
	begin string    // of the next line: what ends one that was written in part
	last  time.Time // when something was written
}

func (r *reporter) write(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line, err := json.Marshal(e)
	if err == nil {
		_, err = fmt.Fprintf(r.file, "%s%s\n", r.begin, line)
	}
	if r.begin = ""; err != nil {
		r.begin = "\n"
		r.failed(fmt.Errorf("the task cannot tell how it gets on: %w", err))
	}
	r.last = time.Now()
}

// beat writes at least once in an interval, until done is closed, and has what was written outlive the machine.
func (r *reporter) beat(interval time.Duration, done <-chan struct{}) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			r.mu.Lock()
			quiet := time.Since(r.last) >= interval/2
			r.mu.Unlock()
			if quiet {
				r.write(event{Kind: beat})
			}
			r.file.Sync()
		}
	}
}

// of is the place of a job in the task. What is left of a job that is run again is another *plan.Job.
func (r *reporter) of(j *plan.Job) int {
	for cell := range plan.CellsOf(j.Configurations) {
		return r.place[cell.ID]
	}
	return 0
}

func (r *reporter) Started(j *plan.Job) {
	r.write(event{Kind: started, Job: r.of(j)})
	r.Progress.Started(j)
}

func (r *reporter) Advanced(j *plan.Job, p task.Progress) {
	r.write(event{Kind: advanced, Job: r.of(j), Progress: &p})
	r.Progress.Advanced(j, p)
}

func (r *reporter) Record(j *plan.Job, record *results.Record) {
	warning, _ := record.Details[method.Warning].(string)
	r.write(event{Kind: recorded, Job: r.of(j), Cell: &record.ID, Failure: record.Failure, Text: warning})
	r.Progress.Record(j, record)
}

func (r *reporter) Again(j, rest *plan.Job) {
	r.write(event{Kind: again, Job: r.of(j)})
	r.Progress.Again(j, rest)
}

func (r *reporter) Ended(j *plan.Job) {
	r.write(event{Kind: ended, Job: r.of(j)})
	r.Progress.Ended(j)
}

func (r *reporter) GivenUp(j *plan.Job, message string) {
	r.write(event{Kind: givenUp, Job: r.of(j), Text: message})
	r.Progress.GivenUp(j, message)
}

// readEvents reads the whole lines of a file of events from an offset on, and returns where they end. There may be no such file.
func readEvents(path string, offset int64) (all []event, end int64, err error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, offset, nil
	} else if err != nil {
		return nil, offset, err
	}
	defer f.Close()
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, offset, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, offset, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	for line := range bytes.Lines(text) {
		var e event
		if json.Unmarshal(line, &e) == nil { // else it was cut off by a crash
			all = append(all, e)
		}
	}
	return all, offset + int64(len(text)), nil
}
