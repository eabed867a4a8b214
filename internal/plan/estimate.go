package plan

import (
	"encoding/json"
	"iter"
	"math"
	"slices"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/results"
	"nptbench/sweeps"
)

// An Estimate says how long cells take, from records of the same method on the same data set: the mean of those with the same
// configuration; where there are none, of all, or, of a method that knows the work of a configuration, the median of those of the most
// similar work. Where none are of the data set, those of another count. A record's time is that of the processor where a fit of one
// cell has that: it does not grow when others keep the cores. A program of one's own may have taken longer, though. Of networks those
// records count that are of a GPU or a processor, as the plan's would be.
type Estimate struct {
	methods map[string]*method.Method
	infos   map[string]dataset.Info
	onGPU   bool // networks
	totals  map[class]*total
	samples map[string][]sample // by kind
	clock   results.Clock

	Else *Estimate // from other records, for what these say nothing of; may be nil
}

// A class is of cells that are alike, by data set and kind and, if it is not empty, by configuration.
type class struct{ dataset, kind, config string }

// kind names the cells that take about as long as one another: of a method, or what is measured on its models.
func kind(method, measure, with string) string {
	if measure == "" {
		return method
	}
	return method + " " + measure + " " + with
}

// A total is what cells took, each its share of the fit that served it, in seconds of one core, and the size of their tables.
type total struct {
	seconds, size float64
	cells         int
}

func (t *total) mean() float64 { return t.seconds / float64(t.cells) }

// A sample is what a cell took.
type sample struct {
	dataset       string
	work, seconds float64
}

// Estimate learns from records how long the cells of a plan take.
func (p *Plan) Estimate(records iter.Seq2[*results.Record, error]) *Estimate {
	e := &Estimate{onGPU: p.OnGPU, methods: map[string]*method.Method{}, infos: map[string]dataset.Info{}, totals: map[class]*total{}, samples: map[string][]sample{}}
	for _, info := range dataset.Infos() {
		e.infos[info.Name] = info
	}
	for _, g := range p.Groups() {
		e.methods[g.Method.Name], e.infos[g.Dataset.Info.Name] = g.Method, g.Dataset.Info
	}
	for r, err := range records {
		if err == nil && r.Status == results.OK {
			e.add(r)
		}
	}
	for of, t := range e.totals {
		if of.config == "" {
			e.samples[of.kind] = append(e.samples[of.kind], sample{of.dataset, t.size / float64(t.cells), t.mean()})
		}
	}
	return e
}

func (e *Estimate) add(r *results.Record) {
	m, info := e.methods[r.Method], e.infos[r.Dataset]
	if m == nil || info.Name == "" || m.Network && r.Provenance.Accelerated() != e.onGPU {
		return
	}
	var c method.Config // nil: not needed, or none that the method has now
	if m.Work != nil || m.GoesOn {
		var given method.Config
		if json.Unmarshal([]byte(r.Config), &given) == nil {
			c, _ = m.Resolve(given, info)
		}
	}
	goesOn := ""
	if c != nil {
		s := resolve(sweeps.Setting{Method: m, Config: c}, info.Problem)
		goesOn = s.goesOn()
	}
	fit, predict := e.clock.Seconds(r, goesOn)
	seconds := fit + predict
	alone := r.FitCells <= 1 // else the processor's time is of several cells in unequal parts
	if r.ProcessorSeconds > 0 && alone && !r.Provenance.Accelerated() && m.Command == nil {
		seconds = r.ProcessorSeconds
	}
	of := class{r.Dataset, kind(r.Method, r.Measure, string(r.With)), string(r.Config)}
	if goesOn != "" && r.Measure == "" { // which of the fit's cells has how much of it depends on the order of the records
		of.config = goesOn
	}
	e.count(of, seconds, r)
	if m.Work == nil || r.Measure != "" {
		of.config = ""
		e.count(of, seconds, r)
		return
	}
	if c == nil {
		return
	}
	if goesOn != "" { // then the work is also from its beginning
		seconds = r.Provenance.Processors() * (r.FitSeconds + r.PredictSeconds)
	}
	e.samples[m.Name] = append(e.samples[m.Name], sample{info.Name, m.Work(c, info), seconds})
}

func (e *Estimate) count(of class, seconds float64, r *results.Record) {
	if e.totals[of] == nil {
		e.totals[of] = &total{}
	}
	e.totals[of].seconds += seconds
	e.totals[of].size += size(r.Rows[0]+r.Rows[1]+r.Rows[2], e.infos[of.dataset]) // less than the table has, where only a part of it was there
	e.totals[of].cells++
}

// size is what the time of methods that do not know their work is taken to grow with.
func size(rows int, info dataset.Info) float64 { return float64(rows) * float64(info.Columns) }

// Left estimates how long the cells of some groups that are to do take one core; false when there are no records of the kind of some,
// which are left out.
func (p *Plan) Left(e *Estimate, groups ...*Group) (left time.Duration, known bool) {
	known = true
	for _, g := range groups {
		for s, n := range p.ToDo(g) {
			name, with := s.Key()
			each, knows := e.cell(g.Dataset.Info, g.Method, s.Canonical, s.JSON, name, with)
			left, known = left+seconds(each*float64(n)), known && knows
		}
	}
	return left, known
}

// Job estimates how long a job takes one core; false when there are no records of its kind.
func (e *Estimate) Job(j *Job) (took time.Duration, known bool) {
	info, total := j.Dataset.Info, 0.0
	for _, c := range j.Configurations {
		for cell := range CellsOf([]*Configuration{c}) {
			each, known := e.cell(info, j.Method, c.Config, string(cell.Config), cell.Measure, string(cell.With))
			if !known {
				return 0, false
			}
			total += each
		}
	}
	return seconds(total), true
}

// cell estimates how many seconds a cell takes one core: by its configuration as records have it, and the canonical one.
func (e *Estimate) cell(info dataset.Info, m *method.Method, c method.Config, config, measure, with string) (seconds float64, known bool) {
	kind := kind(m.Name, measure, with)
	if m.GoesOn && measure == "" {
		config = resolve(sweeps.Setting{Method: m, Config: c}, info.Problem).fit
	}
	for _, config := range []string{config, c.JSON(), ""} {
		if t := e.totals[class{info.Name, kind, config}]; t != nil {
			return t.mean(), true
		}
	}
	work := size(info.Rows, info)
	if m.Work != nil && measure == "" {
		work = m.Work(c, info)
	}
	rate, known := nearest(e.samples[kind], info.Name, work)
	switch {
	case known:
		return rate * work, true
	case e.Else != nil:
		return e.Else.cell(info, m, c, config, measure, with)
	}
	return 0, false
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// nearest is the median of seconds by work over the samples whose work is the most similar, by its ratio, among those of a data set if
// there are any, and the lower one of two in the middle: other work on their machines may have made some slow, and none fast.
func nearest(samples []sample, on string, work float64) (rate float64, ok bool) {
	var same bool
	distance, rates := math.Inf(1), []float64(nil)
	for _, s := range samples {
		d, is := math.Abs(math.Log(s.work/work)), s.dataset == on
		if is && !same || is == same && d < distance {
			same, distance, rates = is, d, nil
		}
		if is == same && d == distance {
			rates = append(rates, s.seconds/s.work)
		}
	}
	if rates == nil {
		return 0, false
	}
	slices.Sort(rates)
	return rates[(len(rates)-1)/2], true
}
