package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/results"
)

// A Summary is what a report needs to know of the records of a plan.
type Summary struct {
	Plan       Plan
	Groups     []*Group // in the plan's order: data set, protocol, method
	Provenance Provenance

	Records    int // of the plan's cells, duplicates left out
	Duplicates int // further records of a cell that has one
	OutOfPlan  int // records of other cells

	Unreadable      int     // parts of the records that could not be read
	FirstUnreadable []error // the first few of them
}

// firstUnreadable is how many errors a summary keeps.
const firstUnreadable = 10

// A Group holds the folds of one data set, protocol and method.
type Group struct {
	Info     dataset.Info
	Protocol string
	Method   *method.Method
	Settings int     // cells per fold
	Select   string  // validation metric that chooses among them
	Folds    []*Fold // those that the plan expects, in its order
}

// A Fold is what the settings of one fold came to.
type Fold struct {
	Number int
	OK     int // settings with a result
	Failed int // settings that failed; Failures says how

	// Chosen is the record of the setting with the best validation metric, the first one of the sweep among equals; nil
	// when there is none. Position is its setting's place in the sweep, Tied the number of settings that are as good.
	Chosen   *results.Record
	Position int
	Tied     int

	Failures   map[int]*results.Failure // by the setting's place in the sweep
	Unselected int                      // settings with a result that lacks a finite validation metric

	ok []bool // by the setting's place in the sweep
}

// Missing is the number of the fold's settings that have no record.
func (f *Fold) Missing() int { return len(f.ok) - f.OK - f.Failed }

// Complete reports whether every setting has a record, of success or of failure.
func (f *Fold) Complete() bool { return f.Missing() == 0 }

// Collect reads the records of a plan. It keeps one record per fold and a byte per cell, however many records there are.
// Of several records of one cell the first successful one counts. An error among the records says that a part of them
// could not be read: it is counted and shown, and the rest is used.
func Collect(records iter.Seq2[*results.Record, error], p Plan) (*Summary, error) {
	c, err := newCollector(p)
	if err != nil {
		return nil, err
	}
	for rec, err := range records {
		if err != nil {
			c.Unreadable++
			if c.Unreadable <= firstUnreadable {
				c.FirstUnreadable = append(c.FirstUnreadable, err)
			}
			continue
		}
		if err := c.add(rec); err != nil {
			return nil, err
		}
	}
	c.Provenance = c.origins.provenance()
	return c.Summary, nil
}

type foldKey struct {
	dataset, protocol, method string
	fold                      int
}

type foldPlace struct {
	fold   *Fold
	metric string // that chooses
}

type collector struct {
	*Summary
	places   map[foldKey]foldPlace
	failures map[results.Failure]*results.Failure // each distinct one is kept once
	origins  *origins
}

func newCollector(p Plan) (*collector, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	c := &collector{
		Summary:  &Summary{Plan: p},
		places:   map[foldKey]foldPlace{},
		failures: map[results.Failure]*results.Failure{},
		origins:  newOrigins(),
	}
	for _, e := range p.Expected {
		g := &Group{
			Info: p.Datasets[p.datasetIndex(e.Dataset)], Protocol: e.Protocol,
			Method: p.Methods[p.methodIndex(e.Method)], Settings: e.Settings,
		}
		g.Select = p.selectionMetric(g.Info.Problem)
		for _, n := range e.Folds {
			key := foldKey{e.Dataset, e.Protocol, e.Method, n}
			if _, twice := c.places[key]; twice {
				return nil, fmt.Errorf("report: plan expects fold %d of %s on %s (%s) twice", n, e.Method, e.Dataset, e.Protocol)
			}
			f := &Fold{Number: n, Failures: map[int]*results.Failure{}, ok: make([]bool, e.Settings)}
			g.Folds = append(g.Folds, f)
			c.places[key] = foldPlace{f, g.Select}
		}
		c.Groups = append(c.Groups, g)
	}
	slices.SortStableFunc(c.Groups, func(a, b *Group) int {
		return cmp.Or(
			cmp.Compare(p.datasetIndex(a.Info.Name), p.datasetIndex(b.Info.Name)),
			cmp.Compare(b.Protocol, a.Protocol), // published before corrected
			cmp.Compare(p.methodIndex(a.Method.Name), p.methodIndex(b.Method.Name)))
	})
	return c, nil
}

func (c *collector) add(rec *results.Record) error {
	position, under, planned := c.Plan.Position(rec.ID)
	if !planned {
		c.OutOfPlan++
		return nil
	}
	for _, protocol := range under {
		if err := c.place(rec, protocol, position); err != nil {
			return err
		}
	}
	return nil
}

// place gives a record its place in the folds of a protocol.
func (c *collector) place(rec *results.Record, protocol split.Protocol, position int) error {
	at, expected := c.places[foldKey{rec.Dataset, string(protocol), rec.Method, rec.Fold}]
	if !expected {
		c.OutOfPlan++
		return nil
	}
	f := at.fold
	if position < 0 || position >= len(f.ok) {
		return fmt.Errorf("report: plan gives cell %s place %d among %d settings", rec.ID, position, len(f.ok))
	}
	_, failedBefore := f.Failures[position]
	switch {
	case f.ok[position] || failedBefore && rec.Status != results.OK:
		c.Duplicates++
		return nil
	case failedBefore:
		c.Duplicates++
		delete(f.Failures, position)
		f.Failed--
	default:
		c.Records++
	}
	c.origins.add(rec)
	if rec.Status != results.OK {
		f.Failed++
		f.Failures[position] = c.distinct(rec.Failure)
		return nil
	}
	f.OK++
	f.ok[position] = true
	f.consider(rec, position, metric.Named(at.metric))
	return nil
}

// distinct returns the one copy that is kept of a failure.
func (c *collector) distinct(failure *results.Failure) *results.Failure {
	if failure == nil {
		failure = &results.Failure{Kind: "error", Message: "the record does not say why"}
	}
	if kept, ok := c.failures[*failure]; ok {
		return kept
	}
	kept := *failure
	c.failures[kept] = &kept
	return &kept
}

// consider makes the record the chosen one of its fold if its validation metric is better, or equal and its setting
// earlier in the sweep.
func (f *Fold) consider(rec *results.Record, position int, by metric.Metric) {
	value, ok := finite(rec.Val, by.Name)
	if !ok {
		f.Unselected++
		return
	}
	order := -1 // against the chosen one: -1 better, 0 equal, 1 worse
	if f.Chosen != nil {
		order = cmp.Compare(value, f.Chosen.Val[by.Name])
		if by.Larger {
			order = -order
		}
	}
	switch {
	case order < 0:
		f.Tied = 1
	case order == 0:
		f.Tied++
	}
	if order < 0 || order == 0 && position < f.Position {
		f.Chosen, f.Position = keep(rec), position
	}
}

// keep copies a record, because its reader may reuse it.
func keep(rec *results.Record) *results.Record {
	kept := *rec
	kept.Val, kept.Test = maps.Clone(rec.Val), maps.Clone(rec.Test)
	kept.Details = nil // reports do not show them
	return &kept
}

// finite returns the named metric if it is there and a number.
func finite(m results.Metrics, name string) (float64, bool) {
	x, ok := m[name]
	return x, ok && !math.IsNaN(x) && !math.IsInf(x, 0)
}

func (p *Plan) datasetIndex(name string) int {
	return slices.IndexFunc(p.Datasets, func(d dataset.Info) bool { return d.Name == name })
}

func (p *Plan) methodIndex(name string) int {
	return slices.IndexFunc(p.Methods, func(m *method.Method) bool { return m.Name == name })
}
