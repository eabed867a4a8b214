package run

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"nptbench/internal/method"
	"nptbench/results"
)

// Progress shows how a run gets on: a bar with time left on a terminal, a line now and then elsewhere, and every failure
// when it happens, up to a bearable number of them.
type Progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar // nil: plain lines
	slots map[bool]int             // for networks on a device of their own, and for other jobs

	mu       sync.Mutex
	started  time.Time
	total    int
	done     int
	failed   int
	running  map[*job]time.Time
	waiting  map[kind]int // jobs not started
	finishes map[kind]*mean
	stop     chan struct{}
	stopped  sync.WaitGroup
}

// A kind of job, whose jobs take about as long as one another.
type kind struct {
	dataset, method string
	onDevice        bool // a network, on a device of its own
}

type mean struct {
	sum time.Duration
	n   int
}

const (
	lineInterval  = 10 * time.Second
	barInterval   = 500 * time.Millisecond
	shownFailures = 10
)

// NewProgress shows the progress of a plan on w; terminal says that w can redraw a line. jobs and networks are those of
// Options.
func NewProgress(w io.Writer, terminal bool, p *Plan, jobs, networks int) *Progress {
	g := &Progress{
		w: w, slots: map[bool]int{false: jobs, true: networks}, started: time.Now(), total: p.ToDo() - len(p.twins),
		running: map[*job]time.Time{}, waiting: map[kind]int{}, finishes: map[kind]*mean{}, stop: make(chan struct{}),
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
	return kind{j.dataset, j.method.Name, j.method.Network && g.slots[true] > 0}
}

func (g *Progress) redraw(interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-g.stop:
			return
		case <-tick.C:
			g.mu.Lock()
			g.show()
			g.mu.Unlock()
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
	g.running[j] = time.Now()
}

func (g *Progress) end(j *job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.finishes[g.kindOf(j)]
	if m == nil {
		m = &mean{}
		g.finishes[g.kindOf(j)] = m
	}
	m.sum += time.Since(g.running[j])
	m.n++
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

func (g *Progress) show() {
	text := fmt.Sprintf("%d running", len(g.running))
	for j := range g.running {
		text += fmt.Sprintf(", %s %s", j.dataset, j.method.Name)
		break
	}
	if g.failed > 0 {
		text = fmt.Sprintf("%d failed, %s", g.failed, text)
	}
	if left := g.left(); left > 0 {
		text += ", about " + left.Round(time.Second).String() + " left"
	}
	if g.bar != nil {
		g.bar.Describe(text)
		g.bar.Set(g.done)
		return
	}
	fmt.Fprintf(g.w, "%s: %d of %d cells (%s)\n", time.Since(g.started).Round(time.Second), g.done, g.total, text)
}

// left estimates the time to the end from the jobs that are finished: those of the same data set and method, else of the
// same method, else of any.
func (g *Progress) left() time.Duration {
	total := map[bool]float64{}
	for k, n := range g.waiting {
		total[k.onDevice] += float64(n) * g.expected(k)
	}
	for j, since := range g.running {
		k := g.kindOf(j)
		total[k.onDevice] += max(0, g.expected(k)-float64(time.Since(since)))
	}
	left := 0.0
	for onDevice, t := range total {
		left = max(left, t/float64(g.slots[onDevice]))
	}
	return time.Duration(left)
}

func (g *Progress) expected(k kind) float64 {
	if m := g.finishes[k]; m != nil {
		return float64(m.sum) / float64(m.n)
	}
	var same, any mean
	for other, m := range g.finishes {
		any.sum, any.n = any.sum+m.sum, any.n+m.n
		if other.method == k.method {
			same.sum, same.n = same.sum+m.sum, same.n+m.n
		}
	}
	if same.n > 0 {
		return float64(same.sum) / float64(same.n)
	}
	return float64(any.sum) / float64(max(1, any.n))
}
