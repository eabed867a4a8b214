package run

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
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
	Log io.Writer // gets a line for each finished job, with how many of its cells failed; nil: nowhere

	onFailure func() // nil: nothing is called

	w     io.Writer
	bar   *progressbar.ProgressBar // nil: plain lines
	slots slots

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

// Slots are how many jobs run at a time on the processor, in Slurm 0, and networks on a device of their own.
type slots struct{ processor, device int }

func (s slots) of(onDevice bool) int {
	if onDevice {
		return s.device
	}
	return s.processor
}

// A started job is running.
type started struct {
	at       time.Time
	progress task.Progress // that the job reported last; zero: none yet
	reported time.Time     // when it did
	told     time.Time     // when a line was last written of it
	records  int           // that it has left
	last     *results.Record
	failed   int      // of these records
	kinds    []string // of their failures
}

const (
	lineInterval  = 10 * time.Second // in the first minute, and then every fitInterval
	fitInterval   = time.Minute
	barInterval   = 500 * time.Millisecond
	shownFailures = 10
)

// NewProgress shows the progress of jobs on w; terminal says that w can redraw a line. jobsAtATime and networks are Pool's Jobs and
// Networks; in Slurm the first is 0: then it is not known, and neither is the time left.
func NewProgress(w io.Writer, terminal bool, jobs []*plan.Job, jobsAtATime, networks int) *Progress {
	g := &Progress{
		w: w, slots: slots{jobsAtATime, networks}, started: time.Now(), stop: make(chan struct{}),
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
	if len(g.waiting[k]) > 0 { // none are said to wait of what was given up
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
	r := g.running[j]
	k := g.kindOf(j)
	g.finishes[k] = g.finishes[k].plus(g.measure(j, time.Since(r.at)))
	delete(g.running, j)
	slurm := g.slots.processor == 0 // where other tasks may have done a part of the job; elsewhere one without all its records was interrupted
	if r.records > 0 && (slurm || r.failed > 0 || r.records >= j.Cells()) {
		g.log(j, r)
	}
}

// log writes the line of a job, of which other cells may be left.
func (g *Progress) log(j *plan.Job, s *started) {
	if g.Log == nil {
		return
	}
	line := fmt.Sprintf("%s %s: %s", time.Now().UTC().Format(time.RFC3339), s.describe(j), time.Since(s.at).Round(time.Second))
	if s.failed > 0 {
		line += fmt.Sprintf(", %d of %d failed (%s)", s.failed, s.records, strings.Join(s.kinds, ", "))
	}
	if _, err := fmt.Fprintln(g.Log, line); err != nil {
		g.clear()
		fmt.Fprintf(g.w, "-log: %v; the log has nothing from here on\n", err)
		g.Log = nil
	}
}

// Again says that what is left of a started job waits to be started, and takes it to take as long. The log has what failed of it.
func (g *Progress) Again(j, rest *plan.Job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.running[j]; s != nil && s.failed > 0 {
		g.log(j, s)
	}
	g.waiting[g.kindOf(j)] = append(g.waiting[g.kindOf(j)], rest)
	if e, known := g.expected[j]; known {
		g.expected[rest] = e
	}
	delete(g.running, j)
}

// Record counts a cell, and says why when it failed.
func (g *Progress) Record(j *plan.Job, r *results.Record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done++
	if s := g.running[j]; s != nil {
		s.records++
		s.last = r
		if r.Failure != nil {
			s.failed++
			if !slices.Contains(s.kinds, r.Failure.Kind) {
				s.kinds = append(s.kinds, r.Failure.Kind)
			}
		}
	} else if r.Failure != nil { // of a job whose task on a cluster has died
		g.log(j, &started{at: time.Now(), records: 1, last: r, failed: 1, kinds: []string{r.Failure.Kind}})
	}
	if warning, _ := r.Details[method.Warning].(string); warning != "" && !g.warned[j.Method] {
		g.warned[j.Method] = true // others say much the same
		g.clear()
		fmt.Fprintf(g.w, "warning: %s: %s\n", describeCell(j, r), warning)
	}
	if r.Failure == nil {
		return
	}
	if g.onFailure != nil {
		g.onFailure()
	}
	switch g.failed++; {
	case g.failed <= shownFailures:
		g.clear()
		fmt.Fprintf(g.w, "failed (%s): %s: %s\n", r.Failure.Kind, describeCell(j, r), r.Failure.Message)
	case g.failed == shownFailures+1:
		g.clear()
		fmt.Fprintln(g.w, "more failures are recorded and not shown here; failures.csv in the folder of the report has all")
	}
}

// counts are those of the cells so far.
func (g *Progress) counts() Counts {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Counts{OK: g.done - g.failed, Failed: g.failed, Left: g.total - g.done}
}

// GivenUp says that the other jobs of a method on a data set are left, if there are any.
func (g *Progress) GivenUp(j *plan.Job, message string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	left := 0
	for k, jobs := range g.waiting {
		if k.method == j.Method.Name && k.dataset == j.Dataset.Info.Name {
			left += len(jobs)
			delete(g.waiting, k)
		}
	}
	if left == 0 {
		return
	}
	g.clear()
	fmt.Fprintf(g.w, "%s failed %d times in a row on %s with the same message, its other cells there are left for the next run: %s\n",
		j.Method.Name, hopeless, j.Dataset.Info.Name, message)
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

// describe names a job that has records to a person, with its setting where there is one.
func (s *started) describe(j *plan.Job) string {
	if s.records == 1 {
		return describeCell(j, s.last)
	}
	return describeJob(j)
}

// describeCell names a cell to a person: a measurement with its parameters, and its setting by the name that the sweep gives it, else by what
// is not at its default.
func describeCell(j *plan.Job, r *results.Record) string {
	text := describeJob(j)
	if r.Measure != "" {
		text += fmt.Sprintf(" %s %s", r.Measure, r.With)
	}
	if r.Variant != "" {
		return text + " " + r.Variant
	}
	var config method.Config
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
