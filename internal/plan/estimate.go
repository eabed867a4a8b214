package plan

import (
	"encoding/json"
	"iter"
	"math"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/results"
)

// An Estimate says how long cells take, from records of the same method on the same data set: their mean, or, of a method that knows
// the work of a configuration, the one of the most similar work. Where there are none, the most similar of another data set counts. A
// record's time is that of the processor where a fit of one cell has that and no GPU: it does not grow when others keep the cores.
type Estimate struct {
	methods map[string]*method.Method
	infos   map[string]dataset.Info
	same    map[[2]string]*share // by data set and kind, where the work is not known
	others  map[string][]sample  // by kind

	Else *Estimate // from other records, for what these say nothing of; may be nil
}

// kind names the cells that take about as long as one another: of a method, or what is measured on its models.
func kind(method, measure, with string) string {
	if measure == "" {
		return method
	}
	return method + " " + measure + " " + with
}

// A share is what cells took of the fits that served them, in seconds of one core, and the size of their tables.
type share struct {
	seconds, size float64
	cells         int
}

func (s *share) mean() float64 { return s.seconds / float64(s.cells) }

// A sample is what a cell took.
type sample struct {
	dataset       string
	work, seconds float64
}

// Estimate learns from records how long the cells of a plan take.
func (p *Plan) Estimate(records iter.Seq2[*results.Record, error]) *Estimate {
	e := &Estimate{methods: map[string]*method.Method{}, infos: map[string]dataset.Info{}, same: map[[2]string]*share{}, others: map[string][]sample{}}
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
	for key, s := range e.same {
		e.others[key[1]] = append(e.others[key[1]], sample{key[0], s.size / float64(s.cells), s.mean()})
	}
	return e
}

func (e *Estimate) add(r *results.Record) {
	m, info := e.methods[r.Method], e.infos[r.Dataset]
	if m == nil || info.Name == "" {
		return
	}
	seconds := (r.FitSeconds/float64(max(1, r.FitCells)) + r.PredictSeconds) * float64(max(1, r.Provenance.Threads))
	if r.ProcessorSeconds > 0 && r.FitCells <= 1 && r.Provenance.GPU == "" { // else it is of several cells in unequal parts, or not what the fit took
		seconds = r.ProcessorSeconds
	}
	if m.Work == nil || r.Measure != "" {
		key := [2]string{r.Dataset, kind(r.Method, r.Measure, string(r.With))}
		if e.same[key] == nil {
			e.same[key] = &share{}
		}
		e.same[key].seconds += seconds
		e.same[key].size += size(r.Rows[0]+r.Rows[1]+r.Rows[2], info) // less than the table has, where only a part of it was there
		e.same[key].cells++
		return
	}
	var given map[string]any
	if json.Unmarshal([]byte(r.Config), &given) != nil {
		return
	}
	if c, err := m.Resolve(given, info); err == nil {
		e.others[m.Name] = append(e.others[m.Name], sample{info.Name, m.Work(c, info), seconds})
	}
}

// size is what the time of methods that do not know their work is taken to grow with.
func size(rows int, info dataset.Info) float64 { return float64(rows) * float64(info.Columns) }

// Left estimates how long the cells of a group that are to do take one core; false when there are no records of the kind of some, which
// are left out.
func (p *Plan) Left(e *Estimate, g *Group) (left time.Duration, known bool) {
	known = true
	for s, n := range p.ToDo(g) {
		name, with := s.Key()
		each, knows := e.cell(g.Dataset.Info, g.Method, s.Canonical, name, with)
		left, known = left+seconds(each*float64(n)), known && knows
	}
	return left, known
}

// Job estimates how long a job takes one core; false when there are no records of its kind.
func (e *Estimate) Job(j *Job) (took time.Duration, known bool) {
	info, total := j.Dataset.Info, 0.0
	for _, c := range j.Models {
		each, known := e.cell(info, j.Method, c.Config, "", "")
		if !known {
			return 0, false
		}
		total += each * float64(len(c.Cells))
		for _, m := range c.Measures {
			if each, known = e.cell(info, j.Method, c.Config, m.Name, m.With.JSON()); !known {
				return 0, false
			}
			total += each * float64(len(m.Cells))
		}
	}
	return seconds(total), true
}

// cell estimates how many seconds a cell with a canonical configuration takes one core.
func (e *Estimate) cell(info dataset.Info, m *method.Method, c method.Config, measure, with string) (seconds float64, known bool) {
	kind := kind(m.Name, measure, with)
	if s := e.same[[2]string{info.Name, kind}]; s != nil {
		return s.mean(), true
	}
	work := size(info.Rows, info)
	if m.Work != nil && measure == "" {
		work = m.Work(c, info)
	}
	near, known := nearest(e.others[kind], info.Name, work)
	switch {
	case known:
		return near.seconds * work / near.work, true
	case e.Else != nil:
		return e.Else.cell(info, m, c, measure, with)
	}
	return 0, false
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// nearest is the sample whose work is the most similar, by its ratio, among those of a data set if there are any.
func nearest(samples []sample, on string, work float64) (best sample, ok bool) {
	distance := math.Inf(1)
	for _, s := range samples {
		d := math.Abs(math.Log(s.work / work))
		if had, has := best.dataset == on, s.dataset == on; has && !had || has == had && d < distance {
			best, distance = s, d
		}
	}
	return best, len(samples) > 0
}
