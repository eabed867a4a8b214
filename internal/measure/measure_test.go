package measure

import (
	"math"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// From the rows of a table its RMSE comes out, also where targets are far from 0, such as seconds since 1970.
func TestRowsFarFromZero(t *testing.T) {
	on, truth := lookupTask(t, &dataset.Copies{})
	on.TargetMean, on.TargetStd = 1.7e9, 1e4
	s := &Subject{Task: on, Truth: truth, Model: &finder{&smoother{task: on}, 0.9}, Check: func(method.Prediction) error { return nil }}
	rmse := func(o *Outcome, target, prediction string) float64 {
		squares, predicted := 0.0, o.Table.Column(prediction)
		for i, y := range o.Table.Column(target) {
			squares += math.Pow(y-predicted[i], 2)
		}
		return math.Sqrt(squares / float64(len(predicted)))
	}
	clean, squares := make(method.Prediction, on.Test), 0.0
	for i, y := range truth.Y {
		clean[i] = 0.9 * y
		squares += 0.01 * y * y / float64(on.Test)
	}
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-3*want) {
			t.Errorf("%s: the rows have an RMSE of %v, want %v", what, got, want)
		}
	}
	out, err := predictions.Run(t.Context(), s, method.Config{"rows": 0})
	if err != nil {
		t.Fatal(err)
	}
	near("predictions", rmse(out, "target", "prediction"), 1e4*math.Sqrt(squares))
	rows := s.rows(method.Config{"rows": 0})
	out = s.compare(rows, clean, make(method.Prediction, on.Test))
	near("clean", rmse(out, "target", "clean"), out.Metrics["clean_rmse"])
	near("corrupted", rmse(out, "target", "corrupted"), out.Metrics["corrupted_rmse"])
	out, err = intervention.Run(t.Context(), s, method.Config{"rows": 9, "values": 4})
	if err != nil {
		t.Fatal(err)
	}
	near("intervention", rmse(out, "follow", "prediction"), out.Metrics["intervention_rmse"])
}

// Six digits are enough where the deviation is more than a tenth of the mean, as of all of the paper's targets: records of these have had six.
func TestRounded(t *testing.T) {
	for _, c := range []struct{ mean, std, y, want float64 }{
		{35.8179, 16.6977, 0.123456789, 37.8793}, {0, 1, 0.123456789, 0.123457}, {-99, 10, 0.123456789, -97.7654}, {-101, 10, 0.123456789, -99.76543},
		{1998, 11, 0.123456789, 1999.358}, {1.7e9, 1e4, 0.123456789, 1700001234.6}, {1e300, 1, 0, 1e300},
	} {
		s := &Subject{Task: &task.Task{TargetMean: c.mean, TargetStd: c.std}}
		if got := s.rounded(c.y); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
