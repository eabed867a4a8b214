package slurm

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nptbench/internal/filesystem"
	"nptbench/internal/plan"
	"nptbench/internal/run"
	"nptbench/results"
)

// A watched task is what its events say of it. Slurm may start a task more than once: each start has a file of events.
type watched struct {
	*submission
	index int
	jobs  []watchedJob
	size  int // cells of the jobs

	start    int   // the last one that is known
	offset   int64 // that its events were read to
	recorded map[results.ID]bool

	// Of the last start:
	node     string
	begun    bool
	first    int          // the job that it began with
	open     map[int]bool // jobs that have begun and not ended
	stopped  bool         // it was asked to end
	unable   bool         // it could not go on, for a reason that is none of its jobs'
	finished bool         // it had nothing left to do

	over  bool
	ended time.Time // when it was first seen to have ended
	known bool      // it was seen to wait or run
	runs  time.Time // since when it has been seen to run without a break, by the clock of the file system; zero: it does not
}

// A watchedJob is what watchers know of a job.
type watchedJob struct {
	cells      []results.ID
	checkpoint results.ID // the name of its folder
	deaths     int
}

func newWatched(s *submission, index int, jobs []*job) *watched {
	t := &watched{submission: s, index: index, recorded: map[results.ID]bool{}, open: map[int]bool{}, first: -1}
	for _, j := range jobs {
		w := watchedJob{deaths: j.Deaths, checkpoint: plan.Folder(j.Fit, j.Configurations)}
		for cell := range plan.CellsOf(j.Configurations) {
			w.cells = append(w.cells, cell.ID)
		}
		t.jobs = append(t.jobs, w)
		t.size += len(w.cells)
	}
	return t
}

// read reads what the task has told since the last time. A job at which an earlier start died, neither asked to end nor unable to go on, has
// one death more.
func (t *watched) read() (all []event, err error) {
	for {
		events, end, err := readEvents(filepath.Join(t.path, eventsFile(t.index, t.start)), t.offset)
		if err != nil {
			return all, err
		}
		t.offset = end
		for _, e := range events {
			t.add(e)
		}
		all = append(all, events...)
		if _, err := os.Stat(filepath.Join(t.path, eventsFile(t.index, t.start+1))); err != nil {
			return all, nil
		}
		for i := range t.open {
			if !t.stopped && !t.unable {
				t.jobs[i].deaths++
			}
		}
		t.start, t.offset, t.begun, t.first, t.stopped, t.unable, t.finished = t.start+1, 0, false, -1, false, false, false
		clear(t.open)
	}
}

func (t *watched) add(e event) {
	switch e.Kind {
	case begun:
		t.begun, t.node = true, e.Text
	case started:
		if t.first < 0 {
			t.first = e.Job
		}
		t.open[e.Job] = true
	case ended, again:
		if e.Kind == again || !slices.ContainsFunc(t.jobs[e.Job].cells, t.lacks) { // else it was cut short
			delete(t.open, e.Job)
		}
	case recorded:
		t.recorded[*e.Cell] = true
		t.finished = len(t.recorded) == t.size
	case stopped:
		t.stopped = true
	case unable:
		t.unable = true
	case finished:
		t.finished = true
	}
}

// lacks reports whether a cell has no record.
func (t *watched) lacks(id results.ID) bool { return !t.recorded[id] }

// touched is when the task last gave a sign of life, by the clock of the file system.
func (t *watched) touched() (at time.Time) {
	for _, name := range []string{setupFile, eventsFile(t.index, t.start)} {
		if info, err := os.Stat(filepath.Join(t.path, name)); err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	return at
}

// log is the path of what the task prints.
func (t *watched) log() string { return filepath.Join(t.path, logFile(fmt.Sprint(t.index))) }

// lastWords are the last line that the task printed.
func (t *watched) lastWords() string {
	text, err := os.ReadFile(t.log())
	if err != nil {
		return fmt.Sprintf("it left no log, %s; does the node see that folder?", t.log())
	}
	lines := strings.Split(string(bytes.TrimSpace(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return fmt.Sprintf("%s; log: %s", last, t.log())
	}
	return "log: " + t.log()
}

// title names the task to a person.
func (t *watched) title() string {
	if t.number == "" {
		return fmt.Sprintf("task %d of %s", t.index, t.name())
	}
	title := fmt.Sprintf("task %s_%d", t.number, t.index)
	if t.begun {
		title += " on " + t.node
	}
	return title
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// gained reports whether a job has left something newer than the submission in its folder.
func (t *watched) gained(folder string) bool {
	submitted, err := os.Stat(filepath.Join(t.path, setupFile))
	if err != nil {
		return false
	}
	files, _ := os.ReadDir(folder)
	return slices.ContainsFunc(files, func(f os.DirEntry) bool {
		info, err := f.Info()
		return err == nil && f.Name() != run.TimeFile && info.ModTime().After(submitted.ModTime())
	})
}

// poolName tells the folders of a task's commands from those of other tasks.
func poolName(submission string, index int) string {
	return fmt.Sprintf("%s-%d", filepath.Base(submission), index)
}

// sweep removes what commands of the task have left.
func (t *watched) sweep(checkpoints string) {
	for _, name := range filesystem.Glob(checkpoints, "*-"+poolName(t.path, t.index)) {
		os.RemoveAll(filepath.Join(checkpoints, name))
	}
}

// mostDeaths is how many tasks may die at a job without a reason that is the job's, before it is recorded as a crash.
const mostDeaths = 3

// A fate is what becomes of a job whose task has ended without records of all its cells.
type fate struct {
	cells   []results.ID
	failure *results.Failure // of these cells; nil: they are to be submitted again
	deaths  int              // of tasks at the job, if so
}

// fates says what becomes of the jobs of a task that has ended in the way that Slurm gives a name. A task that ran out of memory did
// so with the job that it was at, which would do so again; so for time, if the job had all of the task's and left nothing to go on
// from, or nothing new three times in all. Other deaths may be anybody's fault: the job is tried again, a few times. A task that was asked
// to end earlier, as by sbatch's --signal, has FAILED: that is no death of a job which reached something, or had not all of the task's time.
func (t *watched) fates(how string, checkpoints string) (all []fate) {
	for i, j := range t.jobs {
		f := fate{deaths: j.deaths, cells: slices.DeleteFunc(slices.Clone(j.cells), func(id results.ID) bool { return !t.lacks(id) })}
		if len(f.cells) == 0 {
			continue
		}
		if t.open[i] {
			folder := filepath.Join(checkpoints, j.checkpoint.String())
			excused := i != t.first || len(f.cells) < len(j.cells) || checkpoints != "" && t.gained(folder)
			fail := func(kind string) {
				f.failure = &results.Failure{Kind: kind, Message: fmt.Sprintf("Slurm ended its task: %s; %s", how, t.lastWords())}
			}
			switch how {
			case "OUT_OF_MEMORY":
				fail("memory")
			case "TIMEOUT", "DEADLINE":
				if excused {
					break
				}
				if f.deaths++; checkpoints == "" || f.deaths >= mostDeaths || !isFolder(folder) {
					fail("timeout")
				}
			case "CANCELLED", "PREEMPTED":
			default:
				if t.unable || t.stopped && excused {
					break
				}
				if f.deaths++; f.deaths >= mostDeaths {
					fail("crash")
				}
			}
		}
		all = append(all, f)
	}
	return all
}
