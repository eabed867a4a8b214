package run

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/task"
	"nptbench/results"
)

// Progress shows how a run gets on: a bar with time left on a terminal, a line now and then elsewhere, what long fits have
// to say of themselves, and every failure when it happens, the first few of them.
type Progress struct {
	Log io.Writer // gets a line for each finished job; nil: nowhere

	w     io.Writer
	bar   *progressbar.ProgressBar // nil: plain lines
	slots map[bool]int             // for networks on a device of their own, and for other jobs

	mu       sync.Mutex
	started  time.Time
	total    int
	done     int
	failed   int
	running  map[*plan.Job]*started
	waiting  map[kind][]*plan.Job        // not started
	expected map[*plan.Job]time.Duration // of one core, where that is known
	finishes map[kind]taken
	warned   map[*method.Method]bool
	stop     chan struct{}
	stopped  sync.WaitGroup
}

// A kind of job, whose jobs take about as long as one another: the folds of a setting on a data set.
type kind struct {
	dataset, method, fit string
	onDevice             bool // a network, on a device of its own
}

// A started job is running.
type started struct {
	at       time.Time
	progress task.Progress // that the job reported last; zero: none yet
	reported time.Time     // when it did
	told     time.Time     // when a line was last written of it
	records  int           // that it has left
}

// taken is the time of jobs that have run.
type taken struct {
	jobs     int
	took     time.Duration // all of them
	instead  time.Duration // those of which it was known what to expect, and
	expected time.Duration // what that was
}

func (m taken) plus(other taken) taken {
	return taken{m.jobs + other.jobs, m.took + other.took, m.instead + other.instead, m.expected + other.expected}
}

const (
	lineInterval  = 10 * time.Second // in the first minute, and then every fitInterval
	fitInterval   = time.Minute
	barInterval   = 500 * time.Millisecond
	shownFailures = 10
)

// NewProgress shows the progress of jobs on w; terminal says that w can redraw a line. slots and networks are Pool's Jobs and
// Networks; with no slots, how many jobs run at a time is not known, and neither is the time left.
func NewProgress(w io.Writer, terminal bool, jobs []*plan.Job, slots, networks int) *Progress {
	g := &Progress{
		w: w, slots: map[bool]int{false: slots, true: networks}, started: time.Now(), stop: make(chan struct{}),
		running: map[*plan.Job]*started{}, waiting: map[kind][]*plan.Job{}, finishes: map[kind]taken{}, warned: map[*method.Method]bool{},
	}
	for _, j := range jobs {
		g.total += j.Cells()
		g.waiting[g.kindOf(j)] = append(g.waiting[g.kindOf(j)], j)
	}
	interval := lineInterval
	if terminal {
		interval = barInterval
		g.bar = progressbar.NewOptions(g.total, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(24),
			progressbar.OptionSetPredictTime(false), progressbar.OptionClearOnFinish(), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	g.stopped.Go(func() { g.redraw(interval) })
	return g
}

func (g *Progress) kindOf(j *plan.Job) kind {
	return kind{j.Dataset.Info.Name, j.Method.Name, j.Fit, j.Method.Network && g.slots[true] > 0}
}

// Expect has the time left begin with how long jobs are expected to take one core, where that is known before they are run. It is
// corrected by what jobs have taken instead.
func (g *Progress) Expect(estimate func(*plan.Job) (took time.Duration, known bool)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.expected = map[*plan.Job]time.Duration{}
	for _, j := range slices.Concat(slices.Collect(maps.Keys(g.running)), slices.Concat(slices.Collect(maps.Values(g.waiting))...)) {
		if took, known := estimate(j); known {
			g.expected[j] = took
		}
	}
}

func (g *Progress) redraw(interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-g.stop:
			return
		case now := <-tick.C:
			g.mu.Lock()
			g.show(now)
			g.mu.Unlock()
			if interval == lineInterval && now.Sub(g.started) >= fitInterval {
				interval = fitInterval
				tick.Reset(interval)
			}
		}
	}
}

// Close ends the display.
func (g *Progress) Close() {
	close(g.stop)
	g.stopped.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bar != nil {
		g.bar.Clear()
	}
}

// Started says that a job runs.
func (g *Progress) Started(j *plan.Job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	k := g.kindOf(j)
	if len(g.waiting[k]) > 0 { // none are said to wait of a method that was given up
		at := max(0, slices.Index(g.waiting[k], j)) // what is left of a job that has run before is another
		g.waiting[k] = slices.Delete(g.waiting[k], at, at+1)
	}
	now := time.Now()
	g.running[j] = &started{at: now, told: now}
}

// Advanced says how far a job's fit is.
func (g *Progress) Advanced(j *plan.Job, p task.Progress) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.running[j]
	r.progress, r.reported = p, time.Now()
}

// Ended says that a job does not run any more.
func (g *Progress) Ended(j *plan.Job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	took, records := time.Since(g.running[j].at), g.running[j].records
	k := g.kindOf(j)
	g.finishes[k] = g.finishes[k].plus(g.measure(j, took))
	delete(g.running, j)
	if g.Log != nil && records > 0 { // else it was interrupted
		fmt.Fprintf(g.Log, "%s %s: %s\n", time.Now().UTC().Format(time.RFC3339), describeJob(j), took.Round(time.Second))
	}
}

// Again says that a started job waits to be started again.
func (g *Progress) Again(j *plan.Job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting[g.kindOf(j)] = append(g.waiting[g.kindOf(j)], j)
	delete(g.running, j)
}

// Record counts a cell, and says why when it failed.
func (g *Progress) Record(j *plan.Job, r *results.Record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done++
	if r := g.running[j]; r != nil {
		r.records++
	}
	if warning, _ := r.Details[method.Warning].(string); warning != "" && !g.warned[j.Method] {
		g.warned[j.Method] = true // others say much the same
		g.clear()
		fmt.Fprintf(g.w, "warning: %s: %s\n", describeCell(j, r), warning)
	}
	if r.Failure == nil {
		return
	}
	if g.failed++; g.failed > shownFailures {
		return
	}
	g.clear()
	fmt.Fprintf(g.w, "failed (%s): %s: %s\n", r.Failure.Kind, describeCell(j, r), r.Failure.Message)
	if g.failed == shownFailures {
		fmt.Fprintln(g.w, "more failures are recorded but not shown here")
	}
}

// GivenUp says that the other jobs of a method are left.
func (g *Progress) GivenUp(j *plan.Job, message string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clear()
	fmt.Fprintf(g.w, "%s failed %d times in a row with the same message, its other cells are left for the next run: %s\n", j.Method.Name, hopeless, message)
	for k := range g.waiting {
		if k.method == j.Method.Name {
			delete(g.waiting, k)
		}
	}
}

// Note shows a line.
func (g *Progress) Note(line string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clear()
	fmt.Fprintln(g.w, line)
}

// describeJob names a job to a person, by the first of the plan's protocols that make its fold.
func describeJob(j *plan.Job) string {
	return fmt.Sprintf("%s %s %s fold %d", j.Dataset.Info.Name, j.Method.Name, j.Fold.Under[0], j.Fold.Number)
}

// describeCell names a cell to a person: its setting by the name that the sweep gives it, else by what is not at its default.
func describeCell(j *plan.Job, r *results.Record) string {
	text := describeJob(j)
	if r.Measure != "" {
		text += " " + r.Measure
	}
	if r.Variant != "" {
		return text + " " + r.Variant
	}
	var config map[string]any
	json.Unmarshal([]byte(r.Config), &config)                                           // that of a cell is valid
	defaults, _ := j.Method.Resolve(nil, dataset.Info{Problem: j.Dataset.Info.Problem}) // which the data set may not allow
	names := j.Method.ParamNames()
	for _, name := range slices.Sorted(maps.Keys(config)) { // what a method of one's own is given
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if value := config[name]; value != nil && fmt.Sprint(value) != fmt.Sprint(defaults[name]) {
			text += fmt.Sprintf(" %s=%v", name, value)
		}
	}
	return text
}

func (g *Progress) clear() {
	if g.bar != nil {
		g.bar.Clear()
	}
}

func (g *Progress) show(now time.Time) {
	text := fmt.Sprintf("%d running", len(g.running))
	jobs := slices.SortedFunc(maps.Keys(g.running), func(a, b *plan.Job) int { return g.running[a].at.Compare(g.running[b].at) })
	if len(jobs) > 0 {
		text += fmt.Sprintf(", %s %s", jobs[0].Dataset.Info.Name, jobs[0].Method.Name)
		if share := g.running[jobs[0]].progress.Share; share > 0 {
			text += fmt.Sprintf(" %.0f %%", 100*share)
		}
	}
	if g.failed > 0 {
		text = fmt.Sprintf("%d failed, %s", g.failed, text)
	}
	if left := g.left(now); left > 0 {
		text += ", about " + left.Round(time.Second).String() + " left"
	}
	elapsed := now.Sub(g.started).Round(time.Second)
	if g.bar == nil {
		fmt.Fprintf(g.w, "%s: %d of %d cells (%s)\n", elapsed, g.done, g.total, text)
	}
	for _, j := range jobs {
		r := g.running[j]
		if r.progress.Text == "" || now.Sub(r.told) < fitInterval-lineInterval/2 { // ticks may come a little early
			continue
		}
		r.told = now
		g.clear()
		line := fmt.Sprintf("%s: %s: %s", elapsed, describeJob(j), r.progress.Text)
		if left, known := r.left(now); known && left > 0 {
			line += ", about " + left.Round(time.Second).String() + " left"
		}
		fmt.Fprintln(g.w, line)
	}
	if g.bar != nil {
		g.bar.Describe(text)
		g.bar.Set(g.done)
	}
}

// left is what a job says that it will take from now on.
func (r *started) left(now time.Time) (left time.Duration, known bool) {
	p := r.progress
	if p.Share < 1 && p.Left == 0 {
		return 0, false
	}
	return max(0, p.Left-now.Sub(r.reported)), true
}

// left estimates the time to the end: that of the longest job that runs, or of all jobs shared among the slots. It is 0 while
// there are methods of which nothing is known yet.
func (g *Progress) left(now time.Time) time.Duration {
	left, total, usual := time.Duration(0), map[bool]time.Duration{}, g.durations(now)
	for k, jobs := range g.waiting {
		for _, j := range jobs {
			takes, known := g.takes(j, usual)
			if !known {
				return 0
			}
			total[k.onDevice] += takes
		}
	}
	for j, r := range g.running {
		k := g.kindOf(j)
		own, known := r.left(now)
		if !known {
			own, known = g.takes(j, usual)
			own = max(0, own-now.Sub(r.at))
		}
		if !known {
			return 0
		}
		total[k.onDevice] += own
		left = max(left, own)
	}
	for onDevice, t := range total {
		if g.slots[onDevice] == 0 {
			return 0
		}
		left = max(left, t/time.Duration(g.slots[onDevice]))
	}
	return left
}

// measure is what a job takes, beside what was expected of it.
func (g *Progress) measure(j *plan.Job, took time.Duration) taken {
	expected, known := g.expected[j]
	if !known {
		return taken{jobs: 1, took: took}
	}
	return taken{1, took, took, expected}
}

// durations are how long jobs take that are finished, say how far they are, or have taken longer than expected: by kind, by data set and
// method, by method, and all.
type durations map[kind]taken

func (g *Progress) durations(now time.Time) durations {
	d := durations{}
	add := func(k kind, m taken) {
		for _, k := range append(wider(k), kind{onDevice: k.onDevice}) {
			d[k] = d[k].plus(m)
		}
	}
	for k, m := range g.finishes {
		add(k, m)
	}
	for j, r := range g.running {
		if p := r.progress; p.Left > 0 && p.Share < 1 {
			add(g.kindOf(j), g.measure(j, time.Duration(float64(p.Left)/(1-p.Share))))
		} else if expected, known := g.expected[j]; known && now.Sub(r.at) > expected {
			add(g.kindOf(j), taken{instead: now.Sub(r.at), expected: expected})
		}
	}
	return d
}

// wider returns a kind, and those of which it is a part.
func wider(k kind) []kind {
	return []kind{k, {dataset: k.dataset, method: k.method, onDevice: k.onDevice}, {method: k.method, onDevice: k.onDevice}}
}

// of returns how long a job of that kind takes, by the narrowest kind of which that is known.
func (d durations) of(k kind) (took time.Duration, known bool) {
	for _, k := range wider(k) {
		if m := d[k]; m.jobs > 0 {
			return m.took / time.Duration(m.jobs), true
		}
	}
	return 0, false
}

// enough is the expected time of jobs from which on what they took instead counts more than what a wider kind of jobs did.
const enough = time.Minute

// takes is how long a job takes: what is expected, corrected by what others took instead of what was expected of them, from the widest
// kind to its own, and before any have by the share of a core that a slot has; or else what its kind usually takes.
func (g *Progress) takes(j *plan.Job, d durations) (took time.Duration, known bool) {
	k := g.kindOf(j)
	expected, known := g.expected[j]
	if !known {
		return d.of(k)
	}
	factor := 1.0
	if !k.onDevice {
		factor = float64(g.slots[false]) / float64(runtime.NumCPU())
	}
	for _, k := range slices.Backward(append(wider(k), kind{onDevice: k.onDevice})) {
		m := d[k]
		factor = (m.instead.Seconds() + factor*enough.Seconds()) / (m.expected + enough).Seconds()
	}
	return time.Duration(factor * float64(expected)), true
}
