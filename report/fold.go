package report

import (
	"cmp"
	"math"

	"nptbench/internal/dataset"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/results"
)

// A Group holds the folds of one data set, protocol and series.
type Group struct {
	Info     dataset.Info
	Protocol split.Protocol
	Series   *Series
	Settings int           // cells per fold; 0 where the paper has a row and the plan has not
	Select   metric.Metric // of validation rows, that chooses among them
	Folds    []*Fold       // those of the plan, in its order

	sizes    sizes // of the settings on this data set
	distinct int   // how many of the paper's settings can differ in their predictions; 0: not known, or as many as there are here
	cost     cost
}

func (g *Group) newFold(number int) *Fold {
	return &Fold{Number: number, group: g, Failures: map[int]Failed{}, seeds: map[uint64]*Fold{}}
}

// metrics are those of the group's numbers.
func (g *Group) metrics() []metric.Metric {
	if m := g.Series.Measure; m != nil {
		return m.Metrics(g.Info)
	}
	metrics := metric.Of(g.Info.Problem)
	if g.Info.Copies != nil {
		metrics = append(metrics, metric.Correlation)
	}
	return metrics
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

	Failures   map[int]Failed // by the setting's place in the sweep
	Unselected int            // settings with a result that lacks a finite validation metric

	group *Group
	seeds map[uint64]*Fold // the same under other seeds than the sweep's
}

// under returns the fold under a seed.
func (f *Fold) under(seed uint64) *Fold {
	if f.seeds[seed] == nil {
		f.seeds[seed] = f.group.newFold(f.Number)
	}
	return f.seeds[seed]
}

// Missing is the number of the fold's settings that have no record.
func (f *Fold) Missing() int { return f.group.Settings - f.OK - f.Failed }

// Complete reports whether every setting has a record, of success or of failure.
func (f *Fold) Complete() bool { return f.Missing() == 0 }

// add counts the record of a setting, with its failure if it is one.
func (f *Fold) add(rec *results.Record, failure *results.Failure, position int) {
	if failure != nil {
		f.Failed++
		f.Failures[position] = Failed{failure, rec.ID, rec.Config}
		return
	}
	f.OK++
	f.consider(rec, position)
}

// consider makes the record the chosen one of its fold if its validation metric is better, or equal and its setting
// earlier in the sweep.
func (f *Fold) consider(rec *results.Record, position int) {
	by := f.group.Select
	value, ok := finite(rec.Val, by.Name)
	if !ok {
		if _, imported := results.ImportedTitle(rec.Config); imported { // there is no other setting, and its validation rows need no prediction
			f.Chosen, f.Position, f.Tied = rec, position, 1
		} else {
			f.Unselected++
		}
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
		f.Chosen, f.Position = rec, position
	}
}

// Failed is a cell that failed.
type Failed struct {
	*results.Failure
	Record results.ID
	Config results.Config
}

// finite returns the named metric if it is there and a number.
func finite(m results.Metrics, name string) (float64, bool) {
	x, ok := m[name]
	return x, ok && !math.IsNaN(x) && !math.IsInf(x, 0)
}
