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
	Fit     string   // the same for jobs that differ in data set or fold alone
	Models  []*Model // all different
}

// A Model is a canonical configuration, the cells that have its predictions, and what is to be measured on its model.
type Model struct {
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
	for _, m := range j.Models {
		for range m.All() {
			n++
		}
	}
	return n
}

// All yields the cells of a model, those of its training first.
func (m *Model) All() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for _, cell := range m.Cells {
			if !yield(cell) {
				return
			}
		}
		for _, x := range m.Measures {
			for _, cell := range x.Cells {
				if !yield(cell) {
					return
				}
			}
		}
	}
}

// Without is the job without some of its cells, and without the models that have no others.
func (j *Job) Without(done func(results.ID) bool) *Job {
	rest := *j
	rest.Models = nil
	undone := func(cells []Cell) []Cell {
		return slices.DeleteFunc(slices.Clone(cells), func(cell Cell) bool { return done(cell.ID) })
	}
	for _, m := range j.Models {
		left := *m
		left.Cells, left.Measures = undone(m.Cells), nil
		for _, x := range m.Measures {
			if cells := undone(x.Cells); len(cells) > 0 {
				left.Measures = append(left.Measures, &Measure{Name: x.Name, With: x.With, Cells: cells})
			}
		}
		if len(left.Cells)+len(left.Measures) > 0 {
			rest.Models = append(rest.Models, &left)
		}
	}
	return &rest
}

// Folder is the id by which the folder is known in which an unfinished fit leaves what it needs to go on.
func (m *Model) Folder() results.ID {
	if len(m.Cells) > 0 {
		return m.Cells[0].ID
	}
	return m.Training
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
	jobs, models := map[string]*Job{}, map[string]*Model{} // by Setting.fit and Setting.key
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
		m := models[s.key]
		if m == nil {
			m = &Model{Config: s.Canonical}
			models[s.key] = m
			j.Models = append(j.Models, m)
		}
		cell := p.cell(g, fold, i)
		of := Cell{ID: cell.ID(), Cell: *cell, Variant: s.Variant}
		if s.Measure == nil {
			m.Cells = append(m.Cells, of)
			continue
		}
		training := cell.Training()
		m.Training, m.Failed = training.ID(), *g.at(fold, s.training) == failed && !p.retry
		x := m.measure(s)
		x.Cells = append(x.Cells, of)
	}
	return all
}

// measure returns what a setting has measured.
func (m *Model) measure(s *Setting) *Measure {
	name, with := s.Key()
	for _, x := range m.Measures {
		if x.Name == name && x.With.JSON() == with {
			return x
		}
	}
	x := &Measure{Name: name, With: s.With}
	m.Measures = append(m.Measures, x)
	return x
}

// Recall gives jobs the records of trainings that were made before, where models are to be measured. It reads no records where
// nothing asks for one.
func Recall(jobs []*Job, records iter.Seq2[*results.Record, error]) {
	wanted := map[results.ID][]*Model{}
	for _, j := range jobs {
		for _, m := range j.Models {
			if len(m.Measures) > 0 && len(m.Cells) == 0 && !m.Failed {
				wanted[m.Training] = append(wanted[m.Training], m)
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
		for _, m := range wanted[r.ID] {
			m.Trained = r
		}
	}
}
