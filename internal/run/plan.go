// Package run turns a sweep into cells, runs those that have no record yet, and keeps a record of each.
//
// Work is planned as jobs: the cells of one data set, protocol, fold and method that one fit serves. A fold that is the same
// task under both protocols has jobs for the cells of both, and a cell whose twin under the other protocol has a record
// takes over that. Jobs run in worker processes, one at a time each, so that limits on time and memory are hard, peak memory is
// measured rather than guessed, and a crash costs the cells of one job. Only networks on a device of their own may share a
// process: those that are in it when it dies are run again one by one. The planning process alone writes records.
package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
	"nptbench/sweeps"
)

// A Filter restricts a sweep to some of its data sets and methods, and replaces its protocols. An empty list changes
// nothing.
type Filter struct {
	Datasets, Methods []string
	Protocols         []split.Protocol
}

func (f Filter) protocols(s *sweeps.Sweep) []split.Protocol {
	if len(f.Protocols) > 0 {
		return f.Protocols
	}
	return s.Protocols
}

// A Plan is what a sweep asks for, and what of it is still to do.
type Plan struct {
	Protocols []split.Protocol
	Sweep     *sweeps.Sweep
	Groups    []Group  // by data set and method, in the sweep's order
	Skipped   []Skip   // what cannot be run on this machine, and why
	Subsets   []string // one line for each data set that is only a part of the published table

	options  PlanOptions
	index    results.Index
	asked    map[string]bool // methods, whether they can run here
	jobs     []job
	twins    map[string]cell  // to do, and the same task as a cell of the other protocol with a record, by that one's id
	position map[string]int32 // cell id -> place of its setting among those of its data set and method
}

// A Group counts the cells of one data set and method, over all protocols and folds.
type Group struct {
	Dataset, Method string
	Folds           map[split.Protocol][]int // numbers of the folds, by protocol
	Settings        int                      // cells per fold
	Distinct        int                      // settings whose predictions can differ, per fold
	Fits            int                      // that serve all cells, over all folds
	Cells           int
	Done, Failed    int // cells that have a record, and those of them whose record is a failure
}

// A Skip is a data set, or a method, that cannot be run here.
type Skip struct {
	Name  string
	Err   error
	Extra bool // a method that the paper does not have: without it the sweep still counts as done
}

// LeftOut says what is skipped, in a line for each reason.
func (p *Plan) LeftOut() (lines []string) {
	names := map[string][]string{}
	var reasons []string
	for _, s := range p.Skipped {
		why := strings.TrimPrefix(s.Err.Error(), s.Name+": ")
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], s.Name)
	}
	for _, why := range reasons {
		lines = append(lines, "left out: "+strings.Join(names[why], ", ")+": "+why)
	}
	return lines
}

// A job is what one call of a method's Run serves.
type job struct {
	dataset, digest string
	protocol        split.Protocol
	fold            int
	method          *method.Method
	statistics      task.Statistics
	fit             string // the same for jobs that differ in data set, protocol or fold alone
	settings        []distinctSetting
}

// A distinctSetting is a canonical configuration and the cells that have its predictions.
type distinctSetting struct {
	config method.Config
	cells  []cell
}

type cell struct {
	id       string
	twinOf   string // the cell of the same job, under the other protocol, whose fit this is too
	folder   string // for checkpoints: the same under both protocols where they share the task
	protocol split.Protocol
	config   results.Config
	variant  string
}

// cells counts the cells that the fit is for, without their twins.
func (j *job) cells() int {
	n := 0
	for _, s := range j.settings {
		for _, c := range s.cells {
			if c.twinOf == "" {
				n++
			}
		}
	}
	return n
}

// PlanOptions say what of a sweep is planned.
type PlanOptions struct {
	Filter
	Retry      bool // cells whose record is a failure are to do
	ReportOnly bool // nothing will be run, so methods need not be available, nor data that there are records of
}

// NewPlan expands the sweep. Cells that the index has are done. Data sets and methods that this machine lacks are left out
// and listed as skipped.
func NewPlan(s *sweeps.Sweep, o PlanOptions, lib *dataset.Library, index results.Index) (*Plan, error) {
	if err := o.check(s); err != nil {
		return nil, err
	}
	p := &Plan{Sweep: s, Protocols: o.protocols(s), options: o, index: index, position: map[string]int32{}, asked: map[string]bool{}, twins: map[string]cell{}}
	for _, name := range s.Datasets {
		if !selects(o.Datasets, name) {
			continue
		}
		location, err := locate(lib, name)
		if o.ReportOnly && (err != nil || p.records(location) == 0) {
			if at, ok := p.recorded(name); ok {
				location, err = at, nil
			}
		}
		if err != nil {
			p.Skipped = append(p.Skipped, Skip{Name: name, Err: err})
			continue
		}
		if location.Subset != "" {
			p.Subsets = append(p.Subsets, name+": "+location.Subset)
		}
		p.addDataset(location)
	}
	return p, nil
}

// locate finds a data set and its digest, by reading the table where the file's checksum is not a known one.
func locate(lib *dataset.Library, name string) (dataset.Location, error) {
	location, err := lib.Find(name)
	if err != nil || location.Digest != "" {
		return location, err
	}
	table, err := lib.Load(context.Background(), name)
	if err != nil {
		return location, err
	}
	location.Digest, location.Subset = table.Digest, table.Subset
	return location, nil
}

// recorded returns, of the tables that a data set is known to have, the one with most records; false when none has any.
func (p *Plan) recorded(name string) (best dataset.Location, ok bool) {
	known, err := dataset.Known(name)
	if err != nil {
		return best, false
	}
	most := 0
	for _, at := range known {
		if n := p.records(at); n > most {
			best, most = at, n
		}
	}
	return best, most > 0
}

// records counts the cells of a table that have a record.
func (p *Plan) records(at dataset.Location) int {
	trial := &Plan{
		Sweep: p.Sweep, Protocols: p.Protocols, options: p.options, index: p.index,
		position: map[string]int32{}, asked: map[string]bool{}, twins: map[string]cell{},
	}
	trial.addDataset(at)
	return trial.Cells() - trial.ToDo()
}

func selects(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }

// prepared is a setting with all that does not depend on the fold.
type prepared struct {
	sweeps.Setting
	config     results.Config // of the cell
	canonical  method.Config
	key        string // names the method and the canonical configuration
	fit        string // names the method and the fit: cells of equal fit go into one job
	statistics task.Statistics
	group      int // in Plan.Groups
	place      int // among the settings of the group
}

func (p *Plan) prepare(info dataset.Info) []prepared {
	var out []prepared
	groups := map[string]int{}
	distinct := map[string]bool{}
	for _, s := range p.Sweep.Settings(info.Name) {
		m := s.Method
		if !selects(p.options.Methods, m.Name) || !p.available(m) {
			continue
		}
		c := prepared{Setting: s, config: results.Config(s.JSON), canonical: s.Config}
		if m.Canonical != nil {
			c.canonical = m.Canonical(s.Config, info.Problem)
		}
		c.key = m.Name + " " + c.canonical.JSON()
		if m.Statistics != nil {
			c.statistics = m.Statistics(c.canonical)
		}
		c.fit = c.key
		if m.FitKey != nil {
			c.fit = fmt.Sprint(m.Name, " ", m.FitKey(c.canonical, info.Problem), " ", c.statistics)
		}
		group, ok := groups[m.Name]
		if !ok {
			group = len(p.Groups)
			groups[m.Name] = group
			p.Groups = append(p.Groups, Group{Dataset: info.Name, Method: m.Name, Folds: map[split.Protocol][]int{}})
		}
		c.group, c.place = group, p.Groups[group].Settings
		p.Groups[group].Settings++
		if !distinct[c.key] {
			distinct[c.key] = true
			p.Groups[group].Distinct++
		}
		out = append(out, c)
	}
	return out
}

// available asks a method once whether it can run here.
func (p *Plan) available(m *method.Method) bool {
	ok, asked := p.asked[m.Name]
	if !asked {
		var err error
		if m.Available != nil && !p.options.ReportOnly {
			err = m.Available()
		}
		if ok = err == nil; !ok {
			p.Skipped = append(p.Skipped, Skip{Name: m.Name, Err: err, Extra: m.Extra})
		}
		p.asked[m.Name] = ok
	}
	return ok
}

func (p *Plan) addDataset(at dataset.Location) {
	info := at.Info
	settings := p.prepare(info)
	for i, protocol := range p.Protocols {
		for _, fold := range p.Sweep.Folds(info) {
			protocols := []split.Protocol{protocol}
			if task.Shared(info, fold) {
				if i > 0 {
					continue // done with the first protocol
				}
				protocols = p.Protocols
			}
			p.addFold(info, at.Digest, protocols, fold, settings)
		}
	}
}

// addFold adds the cells of a fold under protocols that make it the same task.
func (p *Plan) addFold(info dataset.Info, digest string, protocols []split.Protocol, fold int, settings []prepared) {
	jobs := map[string]int{}     // by method and fit
	places := map[string]int{}   // of settings in their jobs, by method and canonical configuration
	counted := map[string]bool{} // methods under protocols, and methods with fits
	for _, s := range settings {
		g := &p.Groups[s.group]
		if !counted[s.fit] {
			counted[s.fit] = true
			g.Fits++
		}
		for _, protocol := range protocols {
			if !counted[string(protocol)+s.Method.Name] {
				counted[string(protocol)+s.Method.Name] = true
				g.Folds[protocol] = append(g.Folds[protocol], fold)
			}
			id := func(protocol split.Protocol) string {
				return (&results.Cell{
					Dataset: info.Name, DataDigest: digest, Protocol: protocol, Fold: fold,
					Method: s.Method.Name, Config: s.config, Seed: p.Sweep.Seed,
				}).ID()
			}
			c := cell{protocol: protocol, config: s.config, variant: s.Variant}
			c.id = id(c.protocol)
			p.position[c.id] = int32(s.place)
			g.Cells++
			switch status := p.index[c.id]; {
			case status == results.Failed && !p.options.Retry:
				g.Failed++
				fallthrough
			case status == results.OK:
				g.Done++
				continue
			}
			c.folder = c.id
			if canonical := task.Canonical(info, c.protocol, fold); canonical != c.protocol {
				c.folder = id(canonical)
			}
			if task.Shared(info, fold) {
				if other := id(c.protocol.Other()); p.index[other] == results.OK {
					p.twins[other] = c
					continue
				}
			}
			at, ok := jobs[s.fit]
			if !ok {
				at = len(p.jobs)
				jobs[s.fit] = at
				p.jobs = append(p.jobs, job{
					dataset: info.Name, digest: digest, protocol: c.protocol, fold: fold,
					method: s.Method, statistics: s.statistics, fit: s.fit,
				})
			}
			j := &p.jobs[at]
			place, ok := places[s.key]
			if !ok {
				place = len(j.settings)
				places[s.key] = place
				j.settings = append(j.settings, distinctSetting{config: s.canonical})
			}
			j.settings[place].add(c)
		}
	}
}

// add adds a cell, after its twin when both are in the job.
func (s *distinctSetting) add(c cell) {
	for _, before := range s.cells {
		if before.config == c.config && before.protocol != c.protocol {
			c.twinOf = before.id
		}
	}
	s.cells = append(s.cells, c)
}

// Position returns the place of a cell's setting among those of its data set and method; false when the cell is not part
// of the plan.
func (p *Plan) Position(cellID string) (int, bool) {
	at, ok := p.position[cellID]
	return int(at), ok
}

// Cells counts all cells of the plan, and ToDo those without a record.
func (p *Plan) Cells() int { return p.sum(func(g Group) int { return g.Cells }) }
func (p *Plan) ToDo() int  { return p.sum(func(g Group) int { return g.Cells - g.Done }) }

// FailedBefore counts the cells whose record is a failure and that are not run again.
func (p *Plan) FailedBefore() int { return p.sum(func(g Group) int { return g.Failed }) }

// Networks reports whether a job that is to do runs a network, which needs a backend.
func (p *Plan) Networks() bool {
	return slices.ContainsFunc(p.jobs, func(j job) bool { return j.method.Network })
}

func (p *Plan) sum(count func(Group) int) int {
	n := 0
	for _, g := range p.Groups {
		n += count(g)
	}
	return n
}

// check refuses names that the sweep does not have.
func (f Filter) check(s *sweeps.Sweep) error {
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
	}{{"data set", f.Datasets, s.Datasets}, {"method", f.Methods, methods}} {
		for _, name := range c.asked {
			if !slices.Contains(c.known, name) {
				return fmt.Errorf("sweep %s has no %s %q%s", s.Name, c.what, name, spelling.Hint(name, c.known))
			}
		}
	}
	return nil
}
