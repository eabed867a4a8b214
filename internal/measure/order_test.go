package measure

import (
	"maps"
	"math"
	"slices"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
	"nptbench/results"
)

// reversed has the features of a task, or its training rows and likewise their copies, in the opposite order.
func reversed(t *task.Task, features, rows bool) *task.Task {
	of := *t
	of.X, of.Y = slices.Clone(t.X), slices.Clone(t.Y)
	own := t.Train - t.Copies
	for i := range t.Rows() {
		from := i
		switch {
		case rows && i < own:
			from = own - 1 - i
		case rows && t.Copies > 0 && i < 2*own: // the copies of these rows come behind them in their order
			from = 3*own - 1 - i
		}
		copy(of.Row(i), t.Row(from))
		if i < len(of.Y) {
			of.Y[i] = t.Y[from]
		}
		if features {
			slices.Reverse(of.Row(i))
		}
	}
	return &of
}

// In which order features and training rows stand changes no number that is measured. Deletion and corruption draw rows and features by
// their places: of deletion the order of features is changed alone.
func TestOrderChangesNothing(t *testing.T) {
	run := func(m *Measurement, on *task.Task, truth *task.Truth, given map[string]any) results.Metrics {
		s := &Subject{Task: on, Truth: truth, Model: &finder{&smoother{task: on, width: 1}, 0.5}, Seed: 5, Check: func(method.Prediction) error { return nil }}
		if m == deletion {
			s.Model = &smoother{task: on, width: 1}
		}
		with, err := m.Resolve(given, on.Info)
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Run(t.Context(), s, with)
		if err != nil {
			t.Fatal(err)
		}
		return out.Metrics
	}
	for _, c := range []struct {
		measure *Measurement
		copies  *dataset.Copies
		given   map[string]any
	}{
		{attention, nil, map[string]any{"nearest": 3}},
		{attention, &dataset.Copies{}, map[string]any{"batches": 2}},
		{intervention, &dataset.Copies{Add: 1}, map[string]any{"rows": 9}},
		{predictions, &dataset.Copies{}, nil},
		{deletion, nil, map[string]any{"rows": 4}},
	} {
		on, truth := lookupTask(t, c.copies)
		if c.copies == nil {
			on.Info.Copies = &dataset.Copies{} // for finder.Predict
		}
		want := run(c.measure, on, truth, c.given)
		others := []*task.Task{reversed(on, true, false), reversed(on, false, true), reversed(on, true, true)}
		if c.measure == deletion {
			others = others[:1]
		}
		for _, other := range others {
			if got := run(c.measure, other, truth, c.given); len(want) == 0 ||
				!maps.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) < 1e-9*max(1, math.Abs(y)) }) {
				t.Errorf("%s, copies %v: %v, and in another order %v", c.measure.Name, c.copies, want, got)
			}
		}
	}
}

// Predictions are given in the units of the target.
func TestUnits(t *testing.T) {
	s := &Subject{Task: &task.Task{TargetMean: 10, TargetStd: 2}}
	if got := s.units(3); got != 16 {
		t.Error(got)
	}
}

// A row is not among those nearest to it.
func TestNearestAreOthers(t *testing.T) {
	s := &Subject{Task: &task.Task{Train: 3, Test: 1, Width: 1, X: []float32{9, 1, 4, 0}}}
	if got := s.lookupPlaces([]int{0, 1, 2, 3}, 3, 2); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("%v", got)
	}
}
