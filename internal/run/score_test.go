package run

import (
	"io/fs"
	"maps"
	"math"
	"strings"
	"syscall"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/task"
	"nptbench/results"
)

// Errors of 1, 1 and -5 in units of the target have the squares 1, 1 and 25: their mean is 9, with a standard error of 8. The RMSE is their
// root, 3, and moves by 1/(2*3) of that. Predictions are 0, 1 and -1 from their mean, targets -1, 0 and 1: r, which is asked for where rows
// have copies, is -1/2.
func TestScoreOfRegression(t *testing.T) {
	on := &task.Task{Info: dataset.Info{Problem: dataset.Regression}, Val: 3, Test: 3, Y: []float64{1, 2, 3}, TargetMean: 3, TargetStd: 2}
	p := method.Prediction{1.5, 2.5, 0.5} // standardised, as targets are
	want := results.Metrics{"mse_standardised": 2.25, "mse": 9, "mse_se": 8, "rmse": 3, "rmse_se": 8. / 6}
	for on.Copies = range 2 {
		if on.Copies > 0 {
			want["correlation"] = -0.5
		}
		val, test, err := Score(on, &task.Truth{Y: on.Y}, method.Result{Val: p, Test: p})
		if err != nil || !maps.Equal(val, want) || !maps.Equal(test, want) {
			t.Errorf("%d copies: validation %v, test %v, %v, want %v", on.Copies, val, test, err, want)
		}
	}
}

// What are no probabilities, logits say, gets no metrics, be it of validation or of test rows.
func TestScoreOfNoProbabilities(t *testing.T) {
	on := &task.Task{Info: dataset.Info{Problem: dataset.Binary, Classes: 2}, Val: 2, Test: 2, Labels: []uint16{0, 1}}
	good := method.Prediction{0.5, 0.5, 0.2, 0.8}
	for want, p := range map[string]method.Prediction{
		"row 1, counted from 0, sum to 1.4, want 1":                     {0.5, 0.5, 0.7, 0.7},
		"row 0, counted from 0, has a probability of -0.1, want 0 to 1": {-0.1, 1, 0.5, 0.5},
		"row 0, counted from 0, has a probability of 1.1, want 0 to 1":  {1.1, 0, 0.5, 0.5},
	} {
		for part, r := range map[string]method.Result{"validation ": {Val: p, Test: good}, "test ": {Val: good, Test: p}} {
			if val, test, err := Score(on, &task.Truth{Labels: on.Labels}, r); err == nil || !strings.HasSuffix(err.Error(), part+want) {
				t.Errorf("%v: %v and %v, %v, want %s", p, val, test, err, part+want)
			}
		}
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

// A record says of which rows, of which split and of which part of the published table its metrics are.
func TestRowsOfRecord(t *testing.T) {
	s := &serving{worker: &worker{}, task: &task.Task{Train: 1, Val: 2, Test: 3, Split: "ab", Subset: "a part"}}
	r := s.records([]plan.Cell{{}}, s.outcome())[0]
	if r.Rows != [3]int{1, 2, 3} || r.SplitDigest != "ab" || r.Subset != "a part" {
		t.Errorf("%v rows, split %q, subset %q", r.Rows, r.SplitDigest, r.Subset)
	}
}

// A full disk is told from other errors, and so is a quota that is used up.
func TestFailureOfFullDisk(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{syscall.ENOSPC: diskFull, syscall.EDQUOT: diskFull, syscall.EROFS: "error"} {
		if f := failure(&fs.PathError{Op: "write", Path: "train_x.csv", Err: errno}); f.Kind != want {
			t.Errorf("%+v, want %s", f, want)
		}
	}
}
