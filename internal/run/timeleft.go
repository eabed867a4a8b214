package run

import (
	"maps"
	"runtime"
	"slices"
	"time"

	"nptbench/internal/plan"
)

// A kind of job, whose jobs take about as long as one another: the folds of a setting on a data set.
type kind struct {
	dataset, method, fit string
	onDevice             bool // a network, on a device of its own
}

// taken is the time of jobs that have run.
type taken struct {
	jobs     int
	took     time.Duration // all of them
	compared time.Duration // those of which it was known what to expect, and
	expected time.Duration // what that was
}

func (m taken) plus(other taken) taken {
	return taken{m.jobs + other.jobs, m.took + other.took, m.compared + other.compared, m.expected + other.expected}
}

func (g *Progress) kindOf(j *plan.Job) kind {
	return kind{j.Dataset.Info.Name, j.Method.Name, j.Fit, j.Method.Network && g.slots.device > 0}
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

// left is what a job says that it will take from now on.
func (r *started) left(now time.Time) (left time.Duration, known bool) {
	p := r.progress
	if p.Share < 1 && p.Left == 0 {
		return 0, false
	}
	return max(0, p.Left-now.Sub(r.reported)), true
}

// left estimates the time to the end: that of the longest job, or of all jobs shared among the slots. It is 0 while
// there are methods of which nothing is known yet.
func (g *Progress) left(now time.Time) time.Duration {
	left, total, usual := time.Duration(0), map[bool]time.Duration{}, g.durations(now)
	slowdown := g.slowdown()
	for k, jobs := range g.waiting {
		for _, j := range jobs {
			takes, known := g.takes(j, usual, slowdown)
			if !known {
				return 0
			}
			total[k.onDevice] += takes
			left = max(left, takes)
		}
	}
	for j, r := range g.running {
		k := g.kindOf(j)
		own, known := r.left(now)
		if !known {
			own, known = g.takes(j, usual, slowdown)
			own = max(0, own-now.Sub(r.at))
		}
		if !known {
			return 0
		}
		total[k.onDevice] += own
		left = max(left, own)
	}
	for onDevice, t := range total {
		slots := g.slots.of(onDevice)
		if slots == 0 {
			return 0
		}
		left = max(left, t/time.Duration(slots))
	}
	return left
}

// slowdown is how much longer a job takes than alone on a core, by how many of those that are left run at a time.
func (g *Progress) slowdown() float64 {
	jobs := 0
	for j := range g.running {
		if !g.kindOf(j).onDevice {
			jobs++
		}
	}
	for k, waiting := range g.waiting {
		if !k.onDevice {
			jobs += len(waiting)
		}
	}
	return float64(min(jobs, g.slots.processor)) / float64(runtime.GOMAXPROCS(0))
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
			add(g.kindOf(j), taken{compared: now.Sub(r.at), expected: expected})
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
// kind to its own, and before any have by that slowdown; or else what its kind usually takes.
func (g *Progress) takes(j *plan.Job, d durations, slowdown float64) (took time.Duration, known bool) {
	k := g.kindOf(j)
	expected, known := g.expected[j]
	if !known {
		return d.of(k)
	}
	factor := 1.0
	if !k.onDevice {
		factor = slowdown
	}
	for _, k := range slices.Backward(append(wider(k), kind{onDevice: k.onDevice})) {
		m := d[k]
		factor = (m.compared.Seconds() + factor*enough.Seconds()) / (m.expected + enough).Seconds()
	}
	return time.Duration(factor * float64(expected)), true
}
