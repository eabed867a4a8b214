package measure

import (
	"errors"
	"math"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
)

// What is exported is what the record's metrics are made from: targets in original units, and of classes a probability for each.
func TestPredictions(t *testing.T) {
	on, truth := lookupTask(t, &dataset.Copies{})
	s := &Subject{Task: on, Truth: truth, Model: &finder{&smoother{task: on}, 0.5}, Check: func(method.Prediction) error { return nil }}
	out, err := predictions.Run(t.Context(), s, method.Config{"rows": 0})
	if err != nil || len(out.Table.Lines) != on.Test || !near(out.Metrics["predictions_r"], 1) {
		t.Fatal(err, out)
	}
	for i, line := range out.Table.Lines {
		y := truth.Y[i]
		if line[0] != float64(i) || !(math.Abs(line[1]-s.units(y)) <= 1e-4) || !(math.Abs(line[2]-s.units(y/2)) <= 1e-4) {
			t.Errorf("%v, want target %v and half as far from the mean", line, s.units(y))
		}
	}
	for rows, want := range map[int]int{3: 3, on.Test: on.Test, on.Test + 1: on.Test} {
		out, err := predictions.Run(t.Context(), s, method.Config{"rows": rows})
		if err != nil || len(out.Table.Lines) != want {
			t.Fatalf("rows %d: %v, error %v, want %d lines", rows, out, err, want)
		}
		for i, line := range out.Table.Lines {
			if row := i * on.Test / want; line[0] != float64(row) || !(math.Abs(line[1]-s.units(truth.Y[row])) <= 1e-4) {
				t.Errorf("%v, want row %d of target %v", line, row, s.units(truth.Y[row]))
			}
		}
	}
	refused := errors.New("another model")
	s.Check = func(method.Prediction) error { return refused }
	if _, err := predictions.Run(t.Context(), s, method.Config{"rows": 0}); !errors.Is(err, refused) {
		t.Errorf("%v, want %v", err, refused)
	}
}

func TestPredictionsOfClasses(t *testing.T) {
	on, truth := loadTask(t, "circles")
	model := &rowReader{on}
	s := &Subject{Task: on, Truth: truth, Model: model, Check: func(method.Prediction) error { return nil }}
	out, err := predictions.Run(t.Context(), s, method.Config{"rows": 0})
	if err != nil || len(out.Table.Lines) != on.Test || out.Table.Columns[3] != "class_1" {
		t.Fatal(err, out)
	}
	right := 0.0
	for i, line := range out.Table.Lines {
		p := model.of(on.Row(on.Train + on.Val + i))
		if line[0] != float64(i) || line[1] != float64(truth.Labels[i]) || !(math.Abs(line[2]-p[0]) <= 1e-5) || !(math.Abs(line[3]-p[1]) <= 1e-5) {
			t.Errorf("%v of row %d, want class %d with %v", line, i, truth.Labels[i], p)
		}
		if p[truth.Labels[i]] > 0.5 {
			right += 100 / float64(on.Test)
		}
	}
	if !near(out.Metrics["predictions_accuracy"], right) {
		t.Errorf("%v, want accuracy %v", out.Metrics, right)
	}
}
