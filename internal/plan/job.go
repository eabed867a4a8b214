package plan

import (
	"iter"
	"slices"

	"nptbench/internal/method"
	"nptbench/results"
)

// A Job is what one call of a method's Run serves: cells of one fold whose settings share a fit, and what is measured on their models.
type Job struct {
	Dataset *Dataset
	Fold    Fold
	Method  *method.Method
	Fit     string    // the same for jobs that differ in data set or fold alone
	Configs []*Config // all different
}

// A Config is a canonical configuration, the cells that have its predictions, and what is to be measured on its model.
type Config struct {
	method.Config
	Cells    []Cell // none where the training has a record: then only its model is wanted
	Measures []*Measure

	// Training is the cell whose model is measured. Trained is its record, where it has had one before, and Failed says that this
	// is a failure.
	Training results.ID
	Trained  *results.Record
	Failed   bool
}

// A Measure is what is to be measured on a model.
type Measure struct {
	Name  string
	With  method.Config
	Cells []Cell // that have the same model
}

// A Cell is one that is to be run.
type Cell struct {
	ID results.ID
	results.Cell
	Variant string // the name that the sweep gives the setting
}

// Cells counts the cells that a job serves.
func (j *Job) Cells() (n int) {
	for _, c := range j.Configs {
		for range c.All() {
			n++
		}
	}
	return n
}

// All yields the cells of a configuration, those of its training first.
func (c *Config) All() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for _, cell := range c.Cells {
			if !yield(cell) {
				return
			}
		}
		for _, m := range c.Measures {
			for _, cell := range m.Cells {
				if !yield(cell) {
					return
				}
			}
		}
	}
}

// Without is the job without some of its cells, and without the configurations that have no others.
func (j *Job) Without(done func(results.ID) bool) *Job {
	rest := *j
	rest.Configs = nil
	undone := func(cells []Cell) []Cell {
		return slices.DeleteFunc(slices.Clone(cells), func(c Cell) bool { return done(c.ID) })
	}
	for _, c := range j.Configs {
		left := *c
		left.Cells, left.Measures = undone(c.Cells), nil
		for _, m := range c.Measures {
			if cells := undone(m.Cells); len(cells) > 0 {
				left.Measures = append(left.Measures, &Measure{Name: m.Name, With: m.With, Cells: cells})
			}
		}
		if len(left.Cells)+len(left.Measures) > 0 {
			rest.Configs = append(rest.Configs, &left)
		}
	}
	return &rest
}

// Folder is the id by which the folder is known in which an unfinished fit leaves what it needs to go on.
func (c *Config) Folder() results.ID {
	if len(c.Cells) > 0 {
		return c.Cells[0].ID
	}
	return c.Training
}

// Jobs joins the cells to do into jobs, by data set and fold, so that neighbours are of the same task.
func (p *Plan) Jobs() (all []*Job) {
	for _, d := range p.Datasets {
		for fold := range d.Folds {
			for _, g := range d.Groups {
				if p.runs(g) {
					all = append(all, p.jobs(g, fold)...)
				}
			}
		}
	}
	return all
}

func (p *Plan) jobs(g *Group, fold int) (all []*Job) {
	jobs, configs := map[string]*Job{}, map[string]*Config{} // by Setting.fit and Setting.key
	for i := range g.Settings {
		if !p.isToDo(*g.at(fold, i)) {
			continue
		}
		s := &g.Settings[i]
		j := jobs[s.fit]
		if j == nil {
			j = &Job{Dataset: g.Dataset, Fold: g.Dataset.Folds[fold], Method: g.Method, Fit: s.fit}
			jobs[s.fit] = j
			all = append(all, j)
		}
		c := configs[s.key]
		if c == nil {
			c = &Config{Config: s.Canonical}
			configs[s.key] = c
			j.Configs = append(j.Configs, c)
		}
		cell := p.cell(g, fold, i)
		of := Cell{ID: cell.ID(), Cell: *cell, Variant: s.Variant}
		if s.Measure == nil {
			c.Cells = append(c.Cells, of)
			continue
		}
		training := cell.Training()
		c.Training, c.Failed = training.ID(), *g.at(fold, s.training) == failed && !p.retry
		m := c.measure(s)
		m.Cells = append(m.Cells, of)
	}
	return all
}

// measure returns what a setting has measured.
func (c *Config) measure(s *Setting) *Measure {
	name, with := s.Key()
	for _, m := range c.Measures {
		if m.Name == name && m.With.JSON() == with {
			return m
		}
	}
	m := &Measure{Name: name, With: s.With}
	c.Measures = append(c.Measures, m)
	return m
}

// Recall gives jobs the records of trainings that were made before, where models are to be measured. It reads no records where
// nothing asks for one.
func Recall(jobs []*Job, records iter.Seq2[*results.Record, error]) {
	wanted := map[results.ID][]*Config{}
	for _, j := range jobs {
		for _, c := range j.Configs {
			if len(c.Measures) > 0 && len(c.Cells) == 0 && !c.Failed {
				wanted[c.Training] = append(wanted[c.Training], c)
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	for r, err := range records {
		if err != nil {
			continue // said when they were indexed
		}
		for _, c := range wanted[r.ID] {
			c.Trained = r
		}
	}
}
