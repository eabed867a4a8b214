package report

import (
	"cmp"
	"math"

	"nptbench/internal/metric"
	"nptbench/results"
)

// A Fold is what the settings of one fold came to.
type Fold struct {
	Number int
	OK     int // settings with a result
	Failed int // settings that failed; Failures says how

	// Chosen is the record of the setting with the best validation metric, the first one of the sweep among equals; nil
	// when there is none. Position is its setting's place in the series, Tied the number of settings that are as good.
	Chosen   *results.Record
	Position int
	Tied     int

	Failures   map[int]Failed // by the setting's place in the series
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

// result is a metric of the chosen setting of a complete fold, where it is defined.
func (f *Fold) result(m metric.Metric) (x float64, ok bool) {
	if !f.Complete() || f.Chosen == nil {
		return 0, false
	}
	return finite(f.Chosen.Test, m.Name)
}

// testResults returns a metric of the chosen settings of all complete folds, and the numbers of folds where it is not defined.
func testResults(folds []*Fold, m metric.Metric) (values []float64, undefined []int) {
	for _, f := range folds {
		if x, ok := f.result(m); ok {
			values = append(values, x)
		} else if f.Complete() && f.Chosen != nil {
			undefined = append(undefined, f.Number)
		}
	}
	return values, undefined
}
