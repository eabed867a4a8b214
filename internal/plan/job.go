package plan

import (
	"cmp"
	"iter"
	"slices"

	"nptbench/internal/method"
	"nptbench/results"
)

// A Job is what one call of a method's Run serves: cells of one fold whose settings share a fit, and what is measured on their models.
type Job struct {
	Dataset        *Dataset
	Fold           Fold
	Method         *method.Method
	Fit            string           // the same for jobs that differ in data set or fold alone
	Configurations []*Configuration // canonical, all different
}

// A Configuration is one of those that a fit trains: the cells that have its predictions, and what is to be measured on its model.
type Configuration struct {
	Config   method.Config
	Cells    []Cell // none where they have records: then only the model is wanted
	Measures []*Measure

	// Where there are Measures: the id of the cell that is trained, the record that this cell has had before (nil: none, or none
	// that is needed), and whether that is a failure.
	ID     results.ID
	Record *results.Record
	Failed bool
}

// A Measure is what is to be measured on the model of a configuration.
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
	for range CellsOf(j.Configurations) {
		n++
	}
	return n
}

// CellsOf yields the cells of configurations, of each those last that are measured on its model.
func CellsOf(configurations []*Configuration) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for _, c := range configurations {
			lists := [][]Cell{c.Cells}
			for _, x := range c.Measures {
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

// Without is the job without some of its cells, and without the configurations that have no others.
func (j *Job) Without(done func(results.ID) bool) *Job {
	rest := *j
	rest.Configurations = nil
	undone := func(cells []Cell) []Cell {
		return slices.DeleteFunc(slices.Clone(cells), func(cell Cell) bool { return done(cell.ID) })
	}
	for _, c := range j.Configurations {
		left := *c
		left.Cells, left.Measures = undone(c.Cells), nil
		for _, x := range c.Measures {
			if cells := undone(x.Cells); len(cells) > 0 {
				left.Measures = append(left.Measures, &Measure{Name: x.Name, With: x.With, Cells: cells})
			}
		}
		if len(left.Cells)+len(left.Measures) > 0 {
			rest.Configurations = append(rest.Configurations, &left)
		}
	}
	return &rest
}

// Folder names the folder in which a fit that serves these configurations leaves its checkpoints. Jobs with some of them, or with more,
// have the same.
func Folder(fit string, configurations []*Configuration) results.ID {
	for cell := range CellsOf(configurations) {
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
	jobs, configurations := map[string]*Job{}, map[string]*Configuration{} // by Setting.fit and Setting.key
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
		c := configurations[s.key]
		if c == nil {
			c = &Configuration{Config: s.Canonical}
			configurations[s.key] = c
			j.Configurations = append(j.Configurations, c)
		}
		cell := p.cell(g, fold, i)
		of := Cell{ID: cell.ID(), Cell: *cell, Variant: s.Variant}
		if s.Measure == nil {
			c.Cells = append(c.Cells, of)
			continue
		}
		if c.ID == (results.ID{}) || c.Failed { // else an equivalent setting has it
			trained := cell.Training()
			c.ID, c.Failed = trained.ID(), *g.at(fold, s.modelOf) == failed && !p.retry
		}
		x := c.measure(s)
		x.Cells = append(x.Cells, of)
	}
	return all
}

// measure returns what a setting has measured.
func (c *Configuration) measure(s *Setting) *Measure {
	name, with := s.Key()
	for _, x := range c.Measures {
		if x.Name == name && x.With.JSON() == with {
			return x
		}
	}
	x := &Measure{Name: name, With: s.With}
	c.Measures = append(c.Measures, x)
	return x
}

// Recall gives configurations the records that they have had before, where models are to be measured and no record is there yet, and sets
// Failed where that is one. It reads no records where nothing asks for one. The error is that of records that cannot be read, where one
// that is asked for was not found.
func Recall(jobs []*Job, records iter.Seq2[*results.Record, error]) error {
	wanted := map[results.ID][]*Configuration{}
	for _, j := range jobs {
		for _, c := range j.Configurations {
			if len(c.Measures) > 0 && len(c.Cells) == 0 && c.Record == nil && !c.Failed {
				wanted[c.ID] = append(wanted[c.ID], c)
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	var unreadable error
	found := map[results.ID]bool{}
	for r, err := range records {
		if err != nil {
			unreadable = cmp.Or(unreadable, err)
			continue
		}
		for _, c := range wanted[r.ID] {
			found[r.ID] = true
			if c.Failed = r.Status == results.Failed; !c.Failed {
				c.Record = r
			}
		}
	}
	if len(found) < len(wanted) {
		return unreadable
	}
	return nil
}
