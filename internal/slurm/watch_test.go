package slurm

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/run"
	"nptbench/results"
	"nptbench/results/resultstest"
)

// In which way a task has ended follows from what Slurm says of it, from what it has told itself, and from how long it has been silent.
func TestEnd(t *testing.T) {
	const lease, young = 30 * time.Minute, time.Second
	for name, c := range map[string]struct {
		task      watched
		state     state
		silent    bool // Slurm does not answer
		age       time.Duration
		want      string
		cancelled bool
		runs      bool // it is still taken to run since the time before
	}{
		"waits":                             {state: state{"PENDING", "priority"}, age: 2 * lease},
		"runs":                              {task: watched{begun: true}, state: state{name: "RUNNING"}, age: young},
		"runs, but has not begun":           {state: state{name: "RUNNING"}, age: 2 * lease},
		"has hung":                          {task: watched{begun: true, runs: time.Now().Add(-2 * lease)}, state: state{name: "RUNNING"}, age: 2 * lease, want: "silent for 1h0m0s", cancelled: true},
		"may run, nobody says":              {task: watched{begun: true, runs: time.Now().Add(-2 * lease)}, silent: true, age: 2 * lease, runs: true},
		"runs again since a moment":         {task: watched{begun: true}, state: state{name: "RUNNING"}, age: 2 * lease},
		"is suspended":                      {task: watched{begun: true}, state: state{name: "SUSPENDED"}, age: 2 * lease},
		"has told its end":                  {task: watched{begun: true, finished: true}, state: state{name: "COMPLETING"}, want: "COMPLETED"},
		"has told it to a silent Slurm":     {task: watched{finished: true}, silent: true, want: "COMPLETED"},
		"nobody knows":                      {silent: true, age: 2 * lease},
		"cannot be started":                 {state: state{"PENDING", "launch failed requeued held"}, want: "its node could not start it", cancelled: true},
		"is requeued after its end":         {task: watched{finished: true}, state: state{"PENDING", "launch_failed_requeued_held"}, want: "COMPLETED", cancelled: true},
		"is gone":                           {task: watched{known: true}, age: 2 * beatInterval, want: "forgotten by Slurm"},
		"is gone, but has just told more":   {task: watched{known: true}, age: young},
		"is not there yet":                  {age: lease / 2},
		"was never there":                   {age: lease, want: "unknown to Slurm"},
		"has failed":                        {task: watched{known: true}, state: state{name: "NODE_FAIL"}, want: "NODE_FAIL"},
		"has ended, not all is visible":     {task: watched{known: true}, state: state{name: "COMPLETED"}},
		"has ended, all has become visible": {task: watched{known: true, ended: time.Now().Add(-visible)}, state: state{name: "COMPLETED"}, want: "COMPLETED"},
	} {
		t.Run(name, func(t *testing.T) {
			fake, dir := newFake(t), t.TempDir()
			task := c.task
			task.submission = &submission{path: dir, number: "7"}
			now := time.Now()
			if err := writeJSON(filepath.Join(dir, setupFile), setup{}); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(filepath.Join(dir, setupFile), now, now.Add(-c.age)); err != nil {
				t.Fatal(err)
			}
			r := newWatch(&Cluster{lease: lease}, nil, run.NewProgress(&bytes.Buffer{}, false, nil, 0, 0))
			if got := r.end(t.Context(), &task, c.state, !c.silent, now); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if c.runs && task.runs != c.task.runs {
				t.Errorf("it runs since %v, want %v", task.runs, c.task.runs)
			}
			if text, _ := os.ReadFile(filepath.Join(fake, "cancelled")); (string(text) == "7_0\n") != c.cancelled {
				t.Errorf("scancel was given %q", text)
			}
		})
	}
}

// A task has not ended as long as Slurm may still run it.
func TestActive(t *testing.T) {
	for names, want := range map[string]bool{
		"PENDING RUNNING CONFIGURING COMPLETING SUSPENDED STOPPED SIGNALING STAGE_OUT RESIZING REQUEUED REQUEUE_FED REQUEUE_HOLD RESV_DEL_HOLD SPECIAL_EXIT": true,
		"COMPLETED CANCELLED FAILED TIMEOUT DEADLINE PREEMPTED NODE_FAIL BOOT_FAIL OUT_OF_MEMORY":                                                            false,
	} {
		for _, name := range strings.Fields(names) {
			if (state{name: name}).active() != want {
				t.Errorf("%s: a task may still run: %v, want %v", name, !want, want)
			}
		}
	}
}

// What a task has given up, of a method on a data set, is left, but not where it was so in an earlier run.
func TestGivenUp(t *testing.T) {
	var jobs []*plan.Job
	methods, datasets := []*method.Method{{Name: "m"}, {Name: "n"}}, []*plan.Dataset{{Info: dataset.Info{Name: "c"}}, {Info: dataset.Info{Name: "d"}}}
	for i := range 5 { // of m on c, m on d, n on c, n on d, and m on c again
		cell := plan.Cell{ID: results.ID{byte(i)}}
		jobs = append(jobs, &plan.Job{Method: methods[i/2%2], Dataset: datasets[i%2], Configurations: []*plan.Configuration{{Cells: []plan.Cell{cell}}}})
	}
	shown := run.NewProgress(io.Discard, false, jobs, 0, 0)
	defer shown.Close()
	r := newWatch(&Cluster{}, jobs, shown)
	task := &watched{jobs: []watchedJob{{cells: []results.ID{{0}}}}}
	for _, c := range []struct {
		looked bool
		want   []*plan.Job
	}{{false, jobs}, {true, jobs[1:4]}} {
		r.looked = c.looked
		if r.replay(task, event{Kind: givenUp}); !slices.EqualFunc(r.missing(), c.want, func(a, b *plan.Job) bool {
			return a.Configurations[0].Cells[0].ID == b.Configurations[0].Cells[0].ID
		}) {
			t.Errorf("looked %v: %d jobs are submitted, want %d", c.looked, len(r.missing()), len(c.want))
		}
	}
}

// Why a task waits is said where that is not the rule.
func TestStateText(t *testing.T) {
	for s, want := range map[state]string{
		{"PENDING", "Priority"}: "pending", {"PENDING", "None"}: "pending", {"RUNNING", "node1"}: "running", {}: "",
		{"PENDING", "PartitionTimeLimit"}: "pending (PartitionTimeLimit)",
	} {
		if got := s.text(); got != want {
			t.Errorf("%+v is %q, want %q", s, got, want)
		}
	}
}

// Of two who submit cells in the same moment the one with the later name gives way, and no one does to a submission of other cells.
func TestGivesWay(t *testing.T) {
	w := newWorld(t, 3, "{number: [1, 10]}")
	jobs := w.plan(plan.Options{})
	dir := filepath.Join(w.out, "slurm")
	submit := func(jobs []*plan.Job) *submission {
		var task []*job
		for _, j := range jobs {
			task = append(task, &job{Method: j.Method.Name, Fit: j.Fit, Configurations: j.Configurations})
		}
		path, err := writeSubmission(dir, setup{}, [][]*job{task})
		if err != nil {
			t.Fatal(err)
		}
		s := &submission{path: path}
		s.tasks = []*watched{newWatched(s, 0, task)}
		return s
	}
	first, second, other := submit(jobs[:4]), submit(jobs[3:5]), submit(jobs[5:])
	for _, c := range []struct {
		of   *submission
		want bool
	}{{first, false}, {second, true}, {other, false}} {
		shown := run.NewProgress(io.Discard, false, jobs, 0, 0)
		defer shown.Close()
		r := newWatch(&Cluster{Dir: dir}, jobs, shown)
		if got, err := r.giveWay(c.of); err != nil || got != c.want {
			t.Errorf("%s gives way: %v, %v", c.of.name(), got, err)
		}
		if _, own := r.submissions[c.of.path]; own || len(r.submissions) != 2 {
			t.Errorf("%s: follows %d others, itself: %v", c.of.name(), len(r.submissions), own)
		}
		mine := slices.Collect(c.of.tasks[0].cells())
		for _, j := range jobs {
			for planned := range plan.CellsOf(j.Configurations) {
				if r.cells[planned.ID].unassigned() && !slices.Contains(mine, planned.ID) {
					t.Errorf("%s would submit a cell of another", c.of.name())
				}
			}
		}
	}
}

// Where nobody waits for others to end, a refusal is an error at once.
func TestRefusedWhileDetached(t *testing.T) {
	fake := newFake(t)
	w := newWorld(t, 1, "{number: [1], mode: [NODE_FAIL, ok]}")
	detached := func(c *Cluster) { c.Detach = true }
	w.mustRun(run.Counts{Left: 2}, detached)
	for states := []byte(nil); !bytes.Contains(states, []byte("NODE_FAIL")); {
		if time.Sleep(10 * time.Millisecond); t.Context().Err() != nil {
			t.Fatal("the task has not ended")
		}
		for _, path := range tasksOf(fake, "*") {
			states, _ = os.ReadFile(path)
		}
	}
	wish(t, fake, "refuse", "Invalid account")
	if _, err := w.run(detached); err == nil || !strings.Contains(err.Error(), "Invalid account") {
		t.Errorf("%v; said:\n%s", err, w.said.String())
	}
}

// A cluster may limit how many tasks a user has: the rest is submitted when others have ended, those that end just now included.
func TestLimitOfTasks(t *testing.T) {
	fake := newFake(t)
	w := newWorld(t, 3, "{number: [1, 10, 20], mode: [slow]}")
	wish(t, fake, "one at a time", "yes")
	wish(t, fake, "epilog", "yes")
	w.mustRun(run.Counts{OK: 9}, func(c *Cluster) { c.TaskTime = time.Second }) // nine tasks
	if n, said := len(submitted(t, fake)), strings.Count(w.said.String(), "not all is submitted yet: sbatch: error: AssocMaxSubmitJobLimit"); n < 3 || said != 1 {
		t.Errorf("%d arrays; said %d times:\n%s", n, said, w.said.String())
	}
	done := map[results.ID]int{}
	for _, r := range resultstest.Records(t, w.records()) {
		done[r.ID]++
	}
	if len(lines(t, w.records())) != 9 || len(done) != 9 {
		t.Errorf("%d records of %d cells", len(lines(t, w.records())), len(done))
	}
}
