// Package measure measures fitted models beyond their predictions of the test rows, as in section 4 of the paper: what
// a measurement is called, its parameters, its metrics, and how it is made. A measurement has a file here, and a line in All.
//
// A sweep names measurements beside a method's settings; each is a cell of its own, with a record, of the model that the setting's
// training gives on a fold (packages plan and run). Begin with this file; refit.go has models of methods that keep none.
package measure

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/stats"
	"nptbench/internal/task"
	"nptbench/results"
)

// A Measurement is made on a fitted model.
type Measurement struct {
	Name   string // as in sweeps, records and reports
	Doc    string // one sentence for -help
	Params []method.Param

	// Metrics are those that it gives on a data set, as records have them.
	Metrics func(info dataset.Info) []metric.Metric

	// Check refuses a method, a configuration or a data set that it cannot be made on; the error says why, in a line. Nil refuses nothing.
	Check func(m *method.Method, c method.Config, info dataset.Info) error

	// Plot draws the table of a record; Caption says what is seen. Nil: there is no picture.
	Plot    func(*results.Table) (*plot.Plot, error)
	Caption string

	// Run makes it. What is random in it comes from s.Seed. It checks ctx often.
	Run func(ctx context.Context, s *Subject, with method.Config) (*Outcome, error)
}

// An Outcome is what was measured.
type Outcome struct {
	Metrics results.Metrics // with standard errors over rows, "NAME_se", where they are defined
	Table   *results.Table  // what they are made from, row by row; nil: nothing further
}

// A Subject is what a measurement is made on: a fitted model, and the task that it was fitted on.
type Subject struct {
	*task.Task
	Truth *task.Truth
	Model method.Model
	Seed  uint64 // of this measurement on this model

	// Check refuses predictions of all test rows that are not those that the record of the training was made from: then this is
	// another model.
	Check func(test method.Prediction) error
}

// All returns the measurements that sweeps may name.
func All() []*Measurement {
	return []*Measurement{corruption, deletion, attention, intervention, predictions, batchSize}
}

// Resolve completes the given parameters by defaults and checks them, as a method's.
func (m *Measurement) Resolve(given map[string]any, info dataset.Info) (method.Config, error) {
	return (&method.Method{Name: m.Name, Params: m.Params}).Resolve(given, info)
}

// predictions returns those of the test rows of batches, which have to be finite: no metric is made from others, and no record holds them.
func (s *Subject) predictions(ctx context.Context, batches []*task.Task) ([]method.Prediction, error) {
	all, err := s.Model.Predict(ctx, batches)
	if err != nil {
		return nil, err
	}
	for b, p := range all {
		if i := slices.IndexFunc(p, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }); i >= 0 {
			return nil, fmt.Errorf("the model predicts %v for test row %d of batch %d, counted from 0: want a finite number", p[i], i/s.Outputs(), b)
		}
	}
	return all, nil
}

// predict returns the predictions of one batch.
func (s *Subject) predict(ctx context.Context, batch *task.Task) (method.Prediction, error) {
	out, err := s.predictions(ctx, []*task.Task{batch})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// predictAll returns the predictions of all test rows, from these batches.
func (s *Subject) predictAll(ctx context.Context, batches [][]int) (method.Prediction, error) {
	all, outputs := make(method.Prediction, s.Test*s.Outputs()), s.Outputs()
	for _, rows := range batches {
		p, err := s.predict(ctx, s.Select(rows))
		if err != nil {
			return nil, err
		}
		for at, row := range s.TestRows(rows) {
			copy(all[row*outputs:], p[at*outputs:(at+1)*outputs])
		}
	}
	return all, nil
}

// clean returns the predictions of all test rows as they are, once these are checked.
func (s *Subject) clean(ctx context.Context) (method.Prediction, error) {
	clean, err := s.predictAll(ctx, s.Model.Batches())
	if err != nil {
		return nil, err
	}
	return clean, s.Check(clean)
}

// asked yields the batches of the model that have any of the test rows that are asked for, ascending, each with the places of these among
// its test rows.
func (s *Subject) asked(rows []int) iter.Seq2[[]int, []int] {
	return func(yield func([]int, []int) bool) {
		for _, batch := range s.Model.Batches() {
			var places []int
			for at, row := range s.TestRows(batch) {
				if _, asked := slices.BinarySearch(rows, row); asked {
					places = append(places, at)
				}
			}
			if len(places) > 0 && !yield(batch, places) {
				return
			}
		}
	}
}

// rowsParam is the parameter of measurements that can be made for some test rows alone.
var rowsParam = method.Param{Name: "rows", Type: method.Int, Default: 0, Min: 0, Doc: "test rows that it is done for, evenly spread; 0: all"}

// rows are the test rows that a measurement is made for: evenly spread, since they come in the order of the data set's file, which need not
// be without meaning (the first 15,120 rows of Forest Cover have as many of each class).
func (s *Subject) rows(with method.Config) []int {
	n := with.Int("rows")
	if n == 0 {
		n = s.Test
	}
	rows := make([]int, min(n, s.Test))
	for i := range rows {
		rows[i] = i * s.Test / len(rows)
	}
	return rows
}

// advance says how many of so many rows are done.
func (s *Subject) advance(done, rows int) {
	if s.Progress != nil {
		s.Progress(task.Progress{Share: float64(done) / float64(rows)})
	}
}

// units undoes the standardisation of a target.
func (s *Subject) units(y float64) float64 { return y*s.TargetStd + s.TargetMean }

// newOutcome has a table with these columns, and nothing in it yet.
func newOutcome(columns ...string) *Outcome {
	return &Outcome{Metrics: results.Metrics{}, Table: &results.Table{Columns: columns}}
}

// addLine adds a line to the table.
func (o *Outcome) addLine(numbers ...float64) { o.Table.Lines = append(o.Table.Lines, numbers) }

// putMean notes the mean of a metric over rows, with its standard error.
func (o *Outcome) putMean(m metric.Metric, rows []float64) {
	mean, se := stats.MeanStdErr(rows)
	o.putMetric(m, mean, se)
}

// putMetric notes a metric and its standard error, as far as they are finite.
func (o *Outcome) putMetric(m metric.Metric, value, se float64) {
	o.Metrics.Put(m.Name, value)
	o.Metrics.Put(m.StdErr(), se)
}

// sixDigits rounds to six digits: what tables in records need.
func sixDigits(x float64) float64 { return round(x, 6) }

// rounded is a target in its units, to six digits and as many more as the targets' mean is powers of ten larger than their deviation: around
// the mean to a ten-thousandth of that, or better.
func (s *Subject) rounded(y float64) float64 {
	more := max(0, math.Floor(math.Log10(math.Abs(s.TargetMean)/s.TargetStd)))
	return round(s.units(y), 6+int(more))
}

// round rounds to significant digits.
func round(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return y
}
