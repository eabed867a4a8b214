package run

import (
	"maps"
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
