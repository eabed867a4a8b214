package measure

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// A dealer deals all test rows, with their copies, into batches of a size; it finds the copy only where the batch is small.
type dealer struct {
	*finder
	small int
}

func (m *dealer) BatchesOf(size int) (all [][]int, err error) {
	m.share = 0.5
	if size <= m.small {
		m.share = 1
	}
	two := m.Batches()
	for _, rows := range two {
		half := len(rows) / 2
		for part := range slices.Chunk(rows[half:], size/2) {
			at := slices.Index(rows, part[0]) - half
			all = append(all, slices.Concat(rows[at:at+len(part)], part))
		}
	}
	return all, nil
}

func TestBatchSize(t *testing.T) {
	on, truth := lookupTask(t, &dataset.Copies{})
	s := &Subject{Task: on, Truth: truth, Model: &dealer{&finder{&smoother{task: on}, 1}, 4}, Check: func(method.Prediction) error { return nil }}
	squares := 0.0
	for _, y := range truth.Y {
		squares += y * y
	}
	half := s.TargetStd * math.Sqrt(squares/float64(on.Test)) / 2
	for size, want := range map[int]float64{4: 0, 6: half} {
		out, err := batchSize.Run(t.Context(), s, method.Config{"size": size})
		if err != nil || !near(measured(t, out, "batch_size_rmse"), want) || !near(out.Metrics["batch_size_r"], 1) {
			t.Errorf("size %d: %v, %v, want an RMSE of %v", size, out, err, want)
		}
	}

	s.Check = func(method.Prediction) error { return errors.New("another model") }
	if _, err := batchSize.Run(t.Context(), s, method.Config{"size": 4}); err == nil {
		t.Error("the model of another training")
	}
	s.Model = &smoother{task: on}
	if _, err := batchSize.Run(t.Context(), s, method.Config{"size": 4}); err == nil {
		t.Error("a model without batches")
	}
}

func TestBatchSizeOfClasses(t *testing.T) {
	on, truth := loadTask(t, "circles")
	s := &Subject{Task: on, Truth: truth, Model: &reader{&rowReader{on}}, Check: func(method.Prediction) error { return nil }}
	out, err := batchSize.Run(t.Context(), s, method.Config{"size": 4})
	if err != nil {
		t.Fatal(err)
	}
	var right []float64
	for i, label := range truth.Labels {
		hit := 0.0
		if s.Model.(*reader).of(on.Row(on.Train + on.Val + i))[label] > 0.5 {
			hit = 100
		}
		right = append(right, hit)
	}
	if !near(out.Metrics["batch_size_accuracy"], stat.Mean(right, nil)) {
		t.Errorf("%v, want accuracy %v", out.Metrics, stat.Mean(right, nil))
	}
	if _, std := stat.MeanStdDev(right, nil); !near(measured(t, out, "batch_size_accuracy_se"), stat.StdErr(std, float64(len(right)))) {
		t.Errorf("%v, want a standard error of %v", out.Metrics, stat.StdErr(std, float64(len(right))))
	}
}

type reader struct{ *rowReader }

func (r *reader) BatchesOf(int) ([][]int, error) { return r.Batches(), nil }

// An inverter predicts the opposite.
type inverter struct{ *dealer }

func (m inverter) Predict(ctx context.Context, batches []*task.Task) ([]method.Prediction, error) {
	all, err := m.dealer.Predict(ctx, batches)
	for _, p := range all {
		for i := range p {
			p[i] = -p[i]
		}
	}
	return all, err
}

// Correlations are those of predictions with targets.
func TestCorrelations(t *testing.T) {
	on, truth := lookupTask(t, &dataset.Copies{})
	s := &Subject{Task: on, Truth: truth, Model: inverter{&dealer{&finder{&smoother{task: on}, 1}, 4}}, Check: func(method.Prediction) error { return nil }}
	for name, run := range map[string]func() (*Outcome, error){
		"batch_size_r":  func() (*Outcome, error) { return batchSize.Run(t.Context(), s, method.Config{"size": 4}) },
		"predictions_r": func() (*Outcome, error) { return predictions.Run(t.Context(), s, method.Config{"rows": 0}) },
		"intervention_r": func() (*Outcome, error) {
			return intervention.Run(t.Context(), s, method.Config{"rows": 9, "values": 4})
		},
	} {
		if out, err := run(); err != nil || !near(measured(t, out, name), -1) {
			t.Errorf("%s: %v, %v, want -1", name, out, err)
		}
	}
}
