package plan

import (
	"iter"
	"slices"

	"nptbench/internal/method"
	"nptbench/results"
)

// A Job is what one call of a method's Run serves: cells of one fold whose settings share a fit, and what is measured on their models.
type Job struct {
	Dataset   *Dataset
	Fold      Fold
	Method    *method.Method
	Fit       string      // the same for jobs that differ in data set or fold alone
	Trainings []*Training // all different
}

// A Training is that of a canonical configuration: the cells that have its predictions, and what is to be measured on its model.
type Training struct {
	Config   method.Config
	Cells    []Cell // none where they have records: then only the model is wanted
	Measures []*Measure

	// Where there are Measures: the id of the cell that is trained, the record that this cell has had before (nil: none, or none
	// that is needed), and whether that is a failure.
	ID     results.ID
	Record *results.Record
	Failed bool
}

// A Measure is what is to be measured on the model of a training.
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
	for range CellsOf(j.Trainings) {
		n++
	}
	return n
}

// CellsOf yields the cells of trainings, of each those last that are measured on its model.
func CellsOf(trainings []*Training) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for _, t := range trainings {
			lists := [][]Cell{t.Cells}
			for _, x := range t.Measures {
				lists = append(lists, x.Cells)
			}
			for _, cells := range lists {
				for _, cell := range cells {
					if !yield(cell) {
						return
					}
				}
			}
		}
	}
}

// Without is the job without some of its cells, and without the trainings that have no others.
func (j *Job) Without(done func(results.ID) bool) *Job {
	rest := *j
	rest.Trainings = nil
	undone := func(cells []Cell) []Cell {
		return slices.DeleteFunc(slices.Clone(cells), func(cell Cell) bool { return done(cell.ID) })
	}
	for _, t := range j.Trainings {
		left := *t
		left.Cells, left.Measures = undone(t.Cells), nil
		for _, x := range t.Measures {
			if cells := undone(x.Cells); len(cells) > 0 {
				left.Measures = append(left.Measures, &Measure{Name: x.Name, With: x.With, Cells: cells})
			}
		}
		if len(left.Cells)+len(left.Measures) > 0 {
			rest.Trainings = append(rest.Trainings, &left)
		}
	}
	return &rest
}

// Folder names the folder in which a fit that serves these trainings leaves its checkpoints. Jobs with some of its trainings, or with more,
// have the same.
func Folder(fit string, trainings []*Training) results.ID {
	for cell := range CellsOf(trainings) {
		of := cell.Cell
		of.Config, of.Measure, of.With = results.Config(fit), "", ""
		return of.ID()
	}
	return results.ID{}
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
	jobs, trainings := map[string]*Job{}, map[string]*Training{} // by Setting.fit and Setting.key
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
		t := trainings[s.key]
		if t == nil {
			t = &Training{Config: s.Canonical}
			trainings[s.key] = t
			j.Trainings = append(j.Trainings, t)
		}
		cell := p.cell(g, fold, i)
		of := Cell{ID: cell.ID(), Cell: *cell, Variant: s.Variant}
		if s.Measure == nil {
			t.Cells = append(t.Cells, of)
			continue
		}
		if t.ID == (results.ID{}) || t.Failed { // else an equivalent setting has it
			trained := cell.Training()
			t.ID, t.Failed = trained.ID(), *g.at(fold, s.modelOf) == failed && !p.retry
		}
		x := t.measure(s)
		x.Cells = append(x.Cells, of)
	}
	return all
}

// measure returns what a setting has measured.
func (t *Training) measure(s *Setting) *Measure {
	name, with := s.Key()
	for _, x := range t.Measures {
		if x.Name == name && x.With.JSON() == with {
			return x
		}
	}
	x := &Measure{Name: name, With: s.With}
	t.Measures = append(t.Measures, x)
	return x
}

// Recall gives trainings the records that they have had before, where models are to be measured, and says which have failed. It reads no
// records where nothing asks for one.
func Recall(jobs []*Job, records iter.Seq2[*results.Record, error]) {
	wanted := map[results.ID][]*Training{}
	for _, j := range jobs {
		for _, t := range j.Trainings {
			if len(t.Measures) > 0 && len(t.Cells) == 0 && !t.Failed {
				wanted[t.ID] = append(wanted[t.ID], t)
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
		for _, t := range wanted[r.ID] {
			if t.Failed = r.Status == results.Failed; !t.Failed {
				t.Record = r
			}
		}
	}
}
