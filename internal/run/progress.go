package run

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"nptbench/internal/method"
	"nptbench/internal/task"
	"nptbench/results"
)

// Progress shows how a run gets on: a bar with time left on a terminal, a line now and then elsewhere, what long fits have
// to say of themselves, and every failure when it happens, up to a bearable number of them.
type Progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar // nil: plain lines
	slots map[bool]int             // for networks on a device of their own, and for other jobs

	mu       sync.Mutex
	started  time.Time
	total    int
	done     int
	failed   int
	running  map[*job]*started
	waiting  map[kind]int // jobs not started
	finishes map[kind]*mean
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
}

type mean struct {
	sum time.Duration
	n   int
}

const (
	lineInterval  = 10 * time.Second // in the first minute, and then every fitInterval
	fitInterval   = time.Minute
	barInterval   = 500 * time.Millisecond
	shownFailures = 10
)

// NewProgress shows the progress of a plan on w; terminal says that w can redraw a line. jobs and networks are those of
// Options.
func NewProgress(w io.Writer, terminal bool, p *Plan, jobs, networks int) *Progress {
	g := &Progress{
		w: w, slots: map[bool]int{false: jobs, true: networks}, started: time.Now(), total: p.ToDo() - len(p.twins),
		running: map[*job]*started{}, waiting: map[kind]int{}, finishes: map[kind]*mean{}, stop: make(chan struct{}),
	}
	for i := range p.jobs {
		g.waiting[g.kindOf(&p.jobs[i])]++
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

func (g *Progress) kindOf(j *job) kind {
	return kind{j.dataset, j.method.Name, j.fit, j.method.Network && g.slots[true] > 0}
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

func (g *Progress) start(j *job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting[g.kindOf(j)]--
	now := time.Now()
	g.running[j] = &started{at: now, told: now}
}

// fit says how far a job's fit is.
func (g *Progress) fit(j *job, p task.Progress) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.running[j]
	r.progress, r.reported = p, time.Now()
}

func (g *Progress) end(j *job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.finishes[g.kindOf(j)]
	if m == nil {
		m = &mean{}
		g.finishes[g.kindOf(j)] = m
	}
	m.sum += time.Since(g.running[j].at)
	m.n++
	delete(g.running, j)
}

// again says that a started job waits to be started again.
func (g *Progress) again(j *job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting[g.kindOf(j)]++
	delete(g.running, j)
}

// finished counts cells, and says why when they failed.
func (g *Progress) finished(j *job, cells int, c method.Config, failure *results.Failure) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done += cells
	if failure == nil {
		return
	}
	before := g.failed
	g.failed += cells
	if before >= shownFailures {
		return
	}
	g.clear()
	fmt.Fprintf(g.w, "failed (%s): %s %s %s fold %d %s: %s\n",
		failure.Kind, j.dataset, j.method.Name, j.protocol, j.fold, c.JSON(), failure.Message)
	if g.failed >= shownFailures {
		fmt.Fprintln(g.w, "more failures are recorded but not shown here")
	}
}

func (g *Progress) clear() {
	if g.bar != nil {
		g.bar.Clear()
	}
}

func (g *Progress) show(now time.Time) {
	text := fmt.Sprintf("%d running", len(g.running))
	jobs := slices.SortedFunc(maps.Keys(g.running), func(a, b *job) int { return g.running[a].at.Compare(g.running[b].at) })
	if len(jobs) > 0 {
		text += fmt.Sprintf(", %s %s", jobs[0].dataset, jobs[0].method.Name)
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
		line := fmt.Sprintf("%s: %s %s %s fold %d: %s", elapsed, j.dataset, j.method.Name, j.protocol, j.fold, r.progress.Text)
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
	left, total, usual := time.Duration(0), map[bool]time.Duration{}, g.durations()
	for k, n := range g.waiting {
		each, known := usual.of(k)
		if n > 0 && !known {
			return 0
		}
		total[k.onDevice] += time.Duration(n) * each
	}
	for j, r := range g.running {
		k := g.kindOf(j)
		own, known := r.left(now)
		if !known {
			own, known = usual.of(k)
			own = max(0, own-now.Sub(r.at))
		}
		if !known {
			return 0
		}
		total[k.onDevice] += own
		left = max(left, own)
	}
	for onDevice, t := range total {
		left = max(left, t/time.Duration(g.slots[onDevice]))
	}
	return left
}

// durations are how long jobs take on average that are finished or say how far they are: by kind, by data set and method, and
// by method.
type durations map[kind]mean

func (g *Progress) durations() durations {
	d := durations{}
	add := func(k kind, sum time.Duration, n int) {
		for _, k := range wider(k) {
			m := d[k]
			d[k] = mean{m.sum + sum, m.n + n}
		}
	}
	for k, m := range g.finishes {
		add(k, m.sum, m.n)
	}
	for j, r := range g.running {
		if p := r.progress; p.Left > 0 && p.Share < 1 {
			add(g.kindOf(j), time.Duration(float64(p.Left)/(1-p.Share)), 1)
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
		if m := d[k]; m.n > 0 {
			return m.sum / time.Duration(m.n), true
		}
	}
	return 0, false
}
