package plan

import (
	"nptbench/internal/method"
	"nptbench/results"
)

// A Job is what one call of a method's Run serves: cells of one fold whose settings share a fit.
type Job struct {
	Dataset *Dataset
	Fold    Fold
	Method  *method.Method
	Fit     string    // the same for jobs that differ in data set or fold alone
	Configs []*Config // all different
}

// A Config is a canonical configuration and the cells that have its predictions.
type Config struct {
	method.Config
	Cells []Cell
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
		n += len(c.Cells)
	}
	return n
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
		c.Cells = append(c.Cells, Cell{ID: cell.ID(), Cell: *cell, Variant: s.Variant})
	}
	return all
}
