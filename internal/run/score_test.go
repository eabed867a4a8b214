package run

import (
	"maps"
	"math"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
	"nptbench/results"
)

// Errors of 1 and 7 in units of the target have the squares 1 and 49: their mean is 25, with a standard error of 24. The RMSE is their root,
// 5, and moves by 1/(2*5) of that.
func TestScoreOfRegression(t *testing.T) {
	on := &task.Task{Info: dataset.Info{Problem: dataset.Regression}, Val: 2, Test: 2, Y: []float64{1, 2}, TargetMean: 3, TargetStd: 2}
	p := method.Prediction{1.5, -1.5} // standardised, as targets are
	val, test, err := Score(on, &task.Truth{Y: on.Y}, method.Result{Val: p, Test: p})
	if err != nil {
		t.Fatal(err)
	}
	want := results.Metrics{"mse_standardised": 6.25, "mse": 25, "mse_se": 24, "rmse": 5, "rmse_se": 2.4}
	if !maps.Equal(val, want) || !maps.Equal(test, want) {
		t.Errorf("validation %v, test %v, want %v", val, test, want)
	}
}

// Of four rows three are right: 75 %, where percentages of 100 and 0 have a standard error of 25. The losses are log 4/3 and log 2, two of
// each. Of the pairs of a positive and a negative row three are in order and one is a tie: A = 7/8, and by Hanley and McNeil Q1 = A/(2-A) =
// 7/9 and Q2 = 2A²/(1+A) = 49/60.
func TestScoreOfClassification(t *testing.T) {
	labels := []uint16{0, 0, 1, 1}
	on := &task.Task{Info: dataset.Info{Problem: dataset.Binary, Classes: 2}, Train: 1, Val: 4, Test: 4, Labels: append([]uint16{1}, labels...)}
	p := method.Prediction{0.75, 0.25, 0.5, 0.5, 0.25, 0.75, 0.5, 0.5}
	val, test, err := Score(on, &task.Truth{Labels: labels}, method.Result{Val: p, Test: p})
	if err != nil {
		t.Fatal(err)
	}
	want := results.Metrics{
		"accuracy": 75, "accuracy_se": 25, "nll": math.Log(8./3) / 2, "nll_se": math.Log(3./2) / math.Sqrt(12),
		"auroc": 7. / 8, "auroc_se": math.Sqrt((7./64 + 7./9 - 49./64 + 49./60 - 49./64) / 4),
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }
	if !maps.EqualFunc(val, want, near) || !maps.EqualFunc(test, want, near) {
		t.Errorf("validation %v, test %v, want %v", val, test, want)
	}
}
