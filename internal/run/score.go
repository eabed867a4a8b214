package run

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/spelling"
	"nptbench/internal/task"
	"nptbench/results"
)

// Score computes the metrics of a prediction for validation and test rows, as records have them. A prediction of the wrong length, or with
// a number that is NaN, infinite, or so large that its square is, or with probabilities of a row that do not have the sum 1, is an error: a
// method that diverged must not get a metric.
func Score(t *task.Task, truth *task.Truth, r method.Result) (val, test results.Metrics, err error) {
	if err := check("validation", r.Val, t.Val, t); err != nil {
		return nil, nil, err
	}
	if test, err = ScoreTest(t, truth, r.Test); err != nil {
		return nil, nil, err
	}
	if t.Info.Problem != dataset.Regression {
		return classification(t, r.Val, t.Labels[t.Train:]), test, nil
	}
	if val, err = regression("validation", t, r.Val, t.Y[t.Train:]); err != nil {
		return nil, nil, err
	}
	return val, test, nil
}

// ScoreTest computes those of a prediction for test rows alone.
func ScoreTest(t *task.Task, truth *task.Truth, p method.Prediction) (results.Metrics, error) {
	if err := check("test", p, t.Test, t); err != nil {
		return nil, err
	}
	if t.Info.Problem == dataset.Regression {
		return regression("test", t, p, truth.Y)
	}
	return classification(t, p, truth.Labels), nil
}

// ProbabilitySlack is how far a row of probabilities may miss one in sum: float32 softmaxes over a few classes do by 1e-6.
const ProbabilitySlack = 1e-3

func check(part string, p method.Prediction, rows int, t *task.Task) error {
	if len(p) != rows*t.Outputs() {
		return fmt.Errorf("%s for %s of %s: want %d", spelling.Count(len(p), "predicted number"), spelling.Count(rows, part+" row"), spelling.Count(t.Outputs(), "output"), rows*t.Outputs())
	}
	for i, x := range p {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return &diverged{fmt.Sprintf("the prediction for %s row %d, counted from 0, is %v", part, i/t.Outputs(), x)}
		}
	}
	if !t.Info.Problem.Classification() {
		return nil
	}
	for row := range rows {
		sum := 0.0
		for _, x := range p[row*t.Outputs() : (row+1)*t.Outputs()] {
			if x < 0 || x > 1+ProbabilitySlack {
				return fmt.Errorf("the prediction for %s row %d, counted from 0, has a probability of %v, want 0 to 1", part, row, x)
			}
			sum += x
		}
		if math.Abs(sum-1) > ProbabilitySlack {
			return fmt.Errorf("the probabilities for %s row %d, counted from 0, sum to %v, want 1", part, row, sum)
		}
	}
	return nil
}

// diverged marks predictions that are not numbers, or too large for their errors to be.
type diverged struct{ message string }

func (d *diverged) Error() string { return d.message }

func regression(part string, t *task.Task, p method.Prediction, y []float64) (results.Metrics, error) {
	m := results.Metrics{}
	mse, se := metric.MeanSquaredError(p, y)
	variance := t.TargetStd * t.TargetStd
	if math.IsInf(mse*variance, 0) {
		return nil, &diverged{fmt.Sprintf("the mean squared error of the predictions for %s rows is too large for a number", part)}
	}
	set(m, metric.StandardisedMSE, mse, math.NaN())
	set(m, metric.MSE, mse*variance, se*variance)
	rmse := math.Sqrt(mse) * t.TargetStd
	set(m, metric.RMSE, rmse, se*variance/(2*rmse)) // to first order
	if t.Copies > 0 {
		set(m, metric.Correlation, stat.Correlation(p, y, nil), math.NaN())
	}
	return m, nil
}

func classification(t *task.Task, p method.Prediction, labels []uint16) results.Metrics {
	m := results.Metrics{}
	classes := t.Outputs()
	value, se := metric.PercentCorrect(p, labels, classes)
	set(m, metric.Accuracy, value, se)
	value, se = metric.LogLoss(p, labels, classes)
	set(m, metric.NLL, value, se)
	if t.Info.Problem == dataset.Binary {
		positive := make([]float64, len(labels))
		for i := range positive {
			positive[i] = p[i*classes+1]
		}
		value, se = metric.AreaUnderROC(positive, labels)
		set(m, metric.AUROC, value, se)
	}
	return m
}

// set notes a metric and its standard error, as far as they are defined.
func set(m results.Metrics, of metric.Metric, value, stderr float64) {
	m.Put(of.Name, value)
	m.Put(of.StdErr(), stderr)
}
