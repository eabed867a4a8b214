// Package plan turns a sweep into cells, finds which of them have a record, and makes the jobs that are left to do.
//
// A cell is one configuration of a method on one fold of a data set. It is known by the protocol that is canonical for its
// fold: where both protocols make the same task of a fold, as of the first one but Kick's, there is one cell, and one record
// serves the tables of both. Package run does the jobs, and package report finds the place of a record by Plan.Places.
//
// Begin with this file; dataset.go finds the tables that cells are of, job.go joins cells that one fit serves, place.go finds
// cells by their ids.
package plan

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
	"nptbench/results"
	"nptbench/sweeps"
)

// Options say what of a sweep is planned.
type Options struct {
	Protocols []split.Protocol // instead of the sweep's; empty: the sweep's

	// Datasets and Methods are those to run; empty: all. Of others the plan has what there are records of, for the report after the run;
	// with ReportOnly it has nothing of others.
	Datasets, Methods []string

	Retry      bool // cells that are run here and whose record is a failure are to do
	ReportOnly bool // nothing will be run, failures neither: whether methods can be run here is not asked
	Absent     bool // what is to do on data sets that are not here counts as if they were
}

// A Plan is what a sweep comes to.
type Plan struct {
	Sweep     *sweeps.Sweep
	Protocols []split.Protocol
	Datasets  []*Dataset // in the sweep's order
	LeftOut   []LeftOut  // what has cells to do and cannot be run here

	// OnGPU: estimates take networks to run on a GPU, one after the other, beside the rest, and to take what they took on one.
	OnGPU bool

	retry, absent bool
}

// A Dataset is a table that the sweep names.
type Dataset struct {
	Info    dataset.Info
	Digest  string // of the table; empty when the table is neither here nor in the catalogue: then its cells are not known
	Subset  string // which part of the published table this is; empty: all
	Missing error  // why the table cannot be loaded here
	Folds   []Fold // by protocol, in the plan's order; one that both make alike is there once
	Groups  []*Group
}

// A Fold is the task that one or both protocols make of a fold.
type Fold struct {
	Protocol split.Protocol   // the canonical one
	Number   int              // from 0
	Under    []split.Protocol // those of the plan that make this task
}

// A Group is one method on one data set: a cell for each fold and setting.
type Group struct {
	Dataset  *Dataset
	Method   *method.Method
	Settings []Setting // in the sweep's order
	Fits     int       // that serve all settings of a fold

	selected bool     // to be run; see Options
	status   []status // of the cells, by fold and then by setting
}

// status says what record a cell has.
type status uint8

const (
	none status = iota
	done
	failed
)

// A Setting is one configuration of a group.
type Setting struct {
	sweeps.Setting
	Canonical method.Config // with the same predictions; settings that have it in common are fitted once

	key, fit string // of the canonical configuration, and of the fit that serves it: see method.Method.FitKey
	modelOf  int    // the place in the group of the setting whose training gives the model that this one measures; else its own place
}

// LeftOut is a data set or a method that cannot be run here.
type LeftOut struct {
	Name   string
	Err    error
	Method bool // it is a method
	Extra  bool // one of ours that the paper does not have: without it the sweep still counts as done
}

// New expands a sweep, for which it fetches and reads the tables whose digests it needs. Cells that the records have are done. It ends early
// with the error of ctx.
func New(ctx context.Context, s *sweeps.Sweep, o Options, lib *dataset.Library, records results.Index) (*Plan, error) {
	if err := o.Check(s); err != nil {
		return nil, err
	}
	p := &Plan{Sweep: s, Protocols: s.Protocols, retry: o.Retry && !o.ReportOnly, absent: o.Absent}
	if len(o.Protocols) > 0 {
		p.Protocols = o.Protocols
	}
	for _, name := range s.Datasets {
		d, err := p.find(ctx, name, o, lib, records)
		if err != nil {
			return nil, err
		}
		d.Groups = slices.DeleteFunc(d.Groups, func(g *Group) bool { return !g.selected && (o.ReportOnly || p.Count(g).Done == 0) })
		if len(d.Groups) > 0 {
			if run := slices.ContainsFunc(d.Groups, func(g *Group) bool { return g.selected }); run && d.Info.Groups != "" && slices.Contains(p.Protocols, split.Published) {
				return nil, fmt.Errorf("%s: published folds would part rows of the same %s; want corrected folds alone", name, d.Info.Groups)
			}
			p.Datasets = append(p.Datasets, d)
			if o.ReportOnly && d.Digest == "" && d.Missing != nil { // without a digest no record is known to be of it
				p.LeftOut = append(p.LeftOut, LeftOut{Name: name, Err: d.Missing})
			}
		}
	}
	p.tellApart()
	if !o.ReportOnly {
		p.leaveOut(o.Methods)
	}
	return p, nil
}

func selects(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }

// addGroups resolves the settings that a sweep has for a data set, by method.
func (d *Dataset) addGroups(s *sweeps.Sweep, o Options) {
	groups := map[string]*Group{}
	fits := map[string]bool{}
	for _, setting := range s.Settings(d.Info.Name) {
		m := setting.Method
		g := groups[m.Name]
		if g == nil {
			g = &Group{Dataset: d, Method: m, selected: selects(o.Datasets, d.Info.Name) && selects(o.Methods, m.Name)}
			groups[m.Name] = g
			d.Groups = append(d.Groups, g)
		}
		r := resolve(setting, d.Info.Problem)
		if r.modelOf = len(g.Settings); setting.Measure != nil {
			r.modelOf = g.Settings[r.modelOf-1].modelOf // which the sweep has before what is measured on its model
		}
		g.Settings = append(g.Settings, r)
		if !fits[r.fit] {
			fits[r.fit] = true
			g.Fits++
		}
	}
}

func resolve(s sweeps.Setting, problem dataset.Problem) Setting {
	m := s.Method
	r := Setting{Setting: s, Canonical: s.Config}
	if m.Canonical != nil {
		r.Canonical = m.Canonical(s.Config, problem)
	}
	r.key = m.Name + " " + r.Canonical.JSON()
	r.fit = r.key
	if m.FitKey != nil {
		r.fit = fmt.Sprint(m.Name, " ", m.FitKey(r.Canonical, problem), " ", m.StatisticsOf(r.Canonical))
	}
	return r
}

// goesOn names the fit that serves a setting if its method's go on after that, for results.Clock.
func (s *Setting) goesOn() string {
	if !s.Method.GoesOn {
		return ""
	}
	return s.fit
}

// addStatus looks for the records of a data set's cells, and counts the cells that have one.
func (p *Plan) addStatus(ctx context.Context, d *Dataset, records results.Index) (recorded int, err error) {
	for _, g := range d.Groups {
		g.status = make([]status, len(d.Folds)*len(g.Settings))
		if d.Digest == "" {
			continue
		}
		for fold := range d.Folds {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			for setting := range g.Settings {
				switch records[p.cell(g, fold, setting).ID()] {
				case results.OK:
					*g.at(fold, setting) = done
				case results.Failed:
					*g.at(fold, setting) = failed
				default:
					continue
				}
				recorded++
			}
		}
	}
	return recorded, nil
}

// cell is the identity of a cell.
func (p *Plan) cell(g *Group, fold, setting int) *results.Cell {
	f, s := g.Dataset.Folds[fold], &g.Settings[setting]
	name, with := s.Key()
	return &results.Cell{
		Dataset: g.Dataset.Info.Name, DataDigest: g.Dataset.Digest, Protocol: f.Protocol, Fold: f.Number,
		Method: g.Method.Name, Config: results.Config(s.JSON), Seed: p.Sweep.Seed, Measure: name, With: results.Config(with),
	}
}

// at is the status of a cell.
func (g *Group) at(fold, setting int) *status { return &g.status[fold*len(g.Settings)+setting] }

// leaveOut lists data sets that are missing, and asks methods whether they can be run here, as far as they have cells to do. Of named
// methods none is an extra.
func (p *Plan) leaveOut(named []string) {
	asked := map[*method.Method]bool{}
	for _, d := range p.Datasets {
		toDo := false
		for _, g := range d.Groups {
			if !g.selected || !slices.ContainsFunc(g.status, p.isToDo) {
				continue
			}
			toDo = true
			if m := g.Method; m.Available != nil && !asked[m] {
				asked[m] = true
				if err := m.Available(); err != nil {
					extra := m.Extra && m.Command == nil && !slices.Contains(named, m.Name)
					p.LeftOut = append(p.LeftOut, LeftOut{Name: m.Name, Err: err, Method: true, Extra: extra})
				}
			}
		}
		if toDo && d.Missing != nil {
			p.LeftOut = append(p.LeftOut, LeftOut{Name: d.Info.Name, Err: d.Missing})
		}
	}
}

// WhyLeftOut has a line for each reason why something cannot be run here.
func (p *Plan) WhyLeftOut() (lines []string) {
	names := map[string][]string{}
	var reasons []string
	for _, l := range p.LeftOut {
		why := strings.TrimPrefix(l.Err.Error(), l.Name+": ")
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], l.Name)
	}
	for _, why := range reasons {
		lines = append(lines, "left out: "+strings.Join(names[why], ", ")+": "+why)
	}
	return lines
}

// Unseen has a line for each command with records and without files: whether its program has changed since cannot be seen.
func (p *Plan) Unseen() (lines []string) {
	for _, g := range p.Groups() {
		if c := g.Method.Command; c == nil || c.Digest != "" || !g.selected || p.Count(g).Done == 0 {
			continue
		}
		line := g.Method.Name + ": has records, and the content of its program is not looked at: if that has changed since, count a version in its params"
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// runs reports whether a group's cells are to be run, and can be here.
func (p *Plan) runs(g *Group) bool {
	return g.selected && !slices.ContainsFunc(p.LeftOut, func(l LeftOut) bool {
		if l.Method {
			return l.Name == g.Method.Name
		}
		return l.Name == g.Dataset.Info.Name && !p.absent
	})
}

func (p *Plan) isToDo(s status) bool { return s == none || s == failed && p.retry }

// ToDo yields the settings of a group that have cells to be run, and how many.
func (p *Plan) ToDo(g *Group) iter.Seq2[*Setting, int] {
	return func(yield func(*Setting, int) bool) {
		if !p.runs(g) {
			return
		}
		for i := range g.Settings {
			n := 0
			for fold := range g.Dataset.Folds {
				if p.isToDo(*g.at(fold, i)) {
					n++
				}
			}
			if n > 0 && !yield(&g.Settings[i], n) {
				return
			}
		}
	}
}

// A Count says how many cells there are, and what of them has a record.
type Count struct {
	Cells, Done, Failed int // Failed of Done: the record is a failure, which stays
	ToDo                int // to be run: without a record, or with a failure that is to be tried again
}

// Count counts the cells of some groups.
func (p *Plan) Count(groups ...*Group) (n Count) {
	for _, g := range groups {
		runs := p.runs(g)
		n.Cells += len(g.status)
		for _, s := range g.status {
			switch {
			case runs && p.isToDo(s):
				n.ToDo++
			case s == failed:
				n.Failed++
				n.Done++
			case s == done:
				n.Done++
			}
		}
	}
	return n
}

// Groups lists all groups, by data set and then by method.
func (p *Plan) Groups() (all []*Group) {
	for _, d := range p.Datasets {
		all = append(all, d.Groups...)
	}
	return all
}

// Failures names those of some groups that have cells whose record is a failure and that are not tried again, with their number.
func (p *Plan) Failures(groups ...*Group) (lines []string) {
	for _, g := range groups {
		if n := p.Count(g).Failed; n > 0 {
			lines = append(lines, fmt.Sprintf("%s on %s: %d", g.Method.Name, g.Dataset.Info.Name, n))
		}
	}
	return lines
}

// Check refuses names that the sweep does not have.
func (o *Options) Check(s *sweeps.Sweep) error {
	var methods []string
	for _, d := range s.Datasets {
		for _, setting := range s.Settings(d) {
			if !slices.Contains(methods, setting.Method.Name) {
				methods = append(methods, setting.Method.Name)
			}
		}
	}
	for _, c := range []struct {
		what         string
		asked, known []string
	}{{"data set", o.Datasets, s.Datasets}, {"method", o.Methods, methods}} {
		for _, name := range c.asked {
			if !slices.Contains(c.known, name) {
				return fmt.Errorf("sweep %s has no %s %q%s", s.Name, c.what, name, spelling.Hint(name, c.known))
			}
		}
	}
	return nil
}
