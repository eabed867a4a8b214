package run

import (
	"io"
	"math"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/split"
	"nptbench/results"
)

// A fold that both protocols share is called by the protocol of the plan.
func TestDescribeJob(t *testing.T) {
	j := &plan.Job{Dataset: &plan.Dataset{Info: dataset.Info{Name: "yacht"}}, Method: &method.Method{Name: "knn"},
		Fold: plan.Fold{Protocol: split.Published, Under: []split.Protocol{split.Corrected}}}
	if got, want := describeJob(j), "yacht knn corrected fold 0"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A setting is told by what is not at its default, whatever a method of one's own is given included.
func TestDescribeCell(t *testing.T) {
	m := &method.Method{Name: "mine", Command: &method.Command{}, Params: []method.Param{
		{Name: "command", Type: method.Choice, Default: "./mine", Choices: []string{"./mine"}},
		{Name: "size", Type: method.Int, Default: 1},
	}}
	j := &plan.Job{Dataset: &plan.Dataset{Info: dataset.Info{Name: "yacht"}}, Method: m, Fold: plan.Fold{Under: []split.Protocol{split.Corrected}}}
	r := &results.Record{}
	r.Config = `{"command":"./mine","mode":"fast","rate":0.1,"size":2}`
	if got, want := describeCell(j, r), "yacht mine corrected fold 0 size=2 mode=fast rate=0.1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Variant = "quick"
	if got, want := describeCell(j, r), "yacht mine corrected fold 0 quick"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Measure, r.With = "corruption", `{"rows":7}`
	if got, want := describeCell(j, r), `yacht mine corrected fold 0 corruption {"rows":7} quick`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Of ten failures none is left out, of a method without other cells none are left, and a log that cannot be written is said once.
func TestProgressSaysNoMore(t *testing.T) {
	j := &plan.Job{Dataset: &plan.Dataset{Info: dataset.Info{Name: "yacht"}}, Method: &method.Method{Name: "mine"}, Fold: plan.Fold{Under: []split.Protocol{split.Corrected}}}
	other := *j
	var said strings.Builder
	g := NewProgress(&said, false, []*plan.Job{j, &other}, 1, 0)
	defer g.Close()
	g.Log = fullDisk{}
	for _, j := range []*plan.Job{j, &other} {
		g.Started(j)
		for range shownFailures / 2 {
			g.Record(j, &results.Record{Failure: &results.Failure{Kind: "error", Message: "no"}})
		}
		g.Ended(j)
	}
	g.GivenUp(j, "no")
	if text := said.String(); strings.Count(text, "failed (error): ") != 10 || strings.Contains(text, "more failures") || strings.Contains(text, "in a row") ||
		strings.Count(text, "-log: no space left on device; the log has nothing from here on\n") != 1 {
		t.Error(text)
	}
	if g.Record(j, &results.Record{Failure: &results.Failure{Kind: "error", Message: "no"}}); !strings.HasSuffix(said.String(), "\nmore failures are recorded and not shown here; failures.csv in the folder of the report has all\n") {
		t.Error(said.String())
	}
}

// The log has a line for a fit whose cells all have a record, and none for one that was interrupted.
func TestLog(t *testing.T) {
	j := &plan.Job{Dataset: &plan.Dataset{Info: dataset.Info{Name: "yacht"}}, Method: &method.Method{Name: "mine"}, Fold: plan.Fold{Under: []split.Protocol{split.Corrected}},
		Configurations: []*plan.Configuration{{Cells: make([]plan.Cell, 2)}}}
	var log strings.Builder
	g := NewProgress(io.Discard, false, []*plan.Job{j, j}, 1, 0)
	defer g.Close()
	g.Log = &log
	for records, want := range []int{0, 0, 1} {
		g.Started(j)
		for range records {
			g.Record(j, &results.Record{})
		}
		g.Ended(j)
		if lines := strings.Count(log.String(), "yacht mine corrected fold 0: "); lines != want {
			t.Errorf("%d lines in the log of a fit with %d of 2 records", lines, records)
		}
	}
}

// A line of the log says how many cells failed, and of what, and the setting of a fit that serves one cell.
func TestLogOfFailures(t *testing.T) {
	job := func(cells int) *plan.Job {
		return &plan.Job{Dataset: &plan.Dataset{Info: dataset.Info{Name: "yacht"}}, Method: &method.Method{Name: "mine"},
			Fold: plan.Fold{Under: []split.Protocol{split.Corrected}}, Configurations: []*plan.Configuration{{Cells: make([]plan.Cell, cells)}}}
	}
	for _, c := range []struct {
		kinds []string // of failures; empty: none
		want  string
	}{
		{[]string{""}, " yacht mine corrected fold 0 quick: 0s\n"},
		{[]string{"timeout"}, " yacht mine corrected fold 0 quick: 0s, 1 of 1 failed (timeout)\n"},
		{[]string{"error", "", "error", "memory"}, " yacht mine corrected fold 0: 0s, 3 of 4 failed (error, memory)\n"},
		{[]string{"", "timeout", "left"}, " yacht mine corrected fold 0: 0s, 1 of 2 failed (timeout)\n"},
		{[]string{"error", "interrupted"}, " yacht mine corrected fold 0 quick: 0s, 1 of 1 failed (error)\n"},
		{[]string{"", "interrupted"}, ""},
	} {
		var log strings.Builder
		j := job(len(c.kinds))
		g := NewProgress(io.Discard, false, []*plan.Job{j}, 1, 0)
		g.Log = &log
		g.Started(j)
		for _, kind := range c.kinds {
			if kind == "left" {
				g.Again(j, j)
			}
			if kind == "left" || kind == "interrupted" {
				continue
			}
			r := &results.Record{}
			if r.Variant = "quick"; kind != "" {
				r.Failure = &results.Failure{Kind: kind, Message: "no"}
			}
			g.Record(j, r)
		}
		if g.running[j] != nil {
			g.Ended(j)
		}
		g.Close()
		if _, line, _ := strings.Cut(log.String(), "Z"); line != c.want {
			t.Errorf("%q: %q, want %q", c.kinds, line, c.want)
		}
	}
}

// The time left is at first what is expected of all jobs, of so many cores. Then it follows what a job has taken instead, or takes already:
// of its own kind at once, of others only where it was expected to take more than a minute.
func TestTimeLeft(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	for _, c := range []struct {
		knn, took, npt time.Duration // of k-NN expected, and taken by the first; of NPT expected
		left           time.Duration
	}{
		{10 * time.Hour, 30 * time.Hour, 20 * time.Hour, 3 * (9*10 + 20*10) * time.Hour},
		{10 * time.Hour, 5 * time.Hour, 20 * time.Hour, (9*10 + 20*10) * time.Hour / 2},
		{time.Second, 3 * time.Second, 20 * time.Hour, (60 + 3) * 20 * 10 * time.Hour / 61},
	} {
		var jobs []*plan.Job
		for _, name := range []string{"knn", "npt"} {
			for range 10 {
				jobs = append(jobs, &plan.Job{Dataset: &plan.Dataset{Info: dataset.Info{Name: "yacht"}}, Method: &method.Method{Name: name}})
			}
		}
		expect := func(j *plan.Job) (time.Duration, bool) {
			return map[string]time.Duration{"knn": c.knn, "npt": c.npt}[j.Method.Name], true
		}
		g := NewProgress(io.Discard, false, jobs, cores, 0)
		defer g.Close()
		g.Expect(expect)
		left := func(when string, want time.Duration) {
			t.Helper()
			if got := g.left(time.Now()) * time.Duration(cores); math.Abs(float64(got)/float64(want)-1) > 0.02 {
				t.Errorf("%+v, %s: %v of one core, want %v", c, when, got, want)
			}
		}
		left("at first", 10*(c.knn+c.npt))
		g.Started(jobs[0])
		left("begun", 10*(c.knn+c.npt))
		g.Expect(expect)
		left("known only then", 10*(c.knn+c.npt))
		rest := *jobs[0]
		g.Again(jobs[0], &rest)
		left("again", 10*(c.knn+c.npt))
		g.Started(&rest)
		left("begun again", 10*(c.knn+c.npt))
		g.running[&rest].at = time.Now().Add(-c.took)
		if c.took > c.knn {
			left("overdue", c.left)
		}
		g.Ended(&rest)
		left("ended", c.left)
	}
}
