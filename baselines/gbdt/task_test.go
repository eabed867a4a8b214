package gbdt

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

var all = []*method.Method{GradientBoosting, XGBoost, LightGBM, CatBoost}

// needPython skips a test that fits when the method's library is not there.
func needPython(t testing.TB, m *method.Method) {
	t.Helper()
	if err := m.Available(); err != nil {
		t.Skip(err)
	}
}

// awkwardTask has features with heavy ties, a constant one, one-hot blocks with all-zero (missing) rows and a
// continuous one. Its target depends on some of them.
func awkwardTask(kind dataset.Problem, classes, train, val, test int) *task.Task {
	rng := rand.New(rand.NewPCG(1, uint64(classes)))
	t := &task.Task{
		Info:  dataset.Info{Name: "awkward", Problem: kind, Classes: classes},
		Train: train, Val: val, Test: test, Width: 8, Threads: 1, TargetStd: 1,
	}
	for i := range t.Rows() {
		row := make([]float32, t.Width)
		row[0] = float32(rng.IntN(4)) / 3
		row[1] = 0.25
		if category := rng.IntN(5); category < 4 {
			row[2+category] = 1
		}
		row[6] = float32(rng.NormFloat64())
		row[7] = float32(math.Round(rng.NormFloat64()*4) / 4)
		t.X = append(t.X, row...)
		if i >= train+val {
			continue
		}
		signal := float64(row[0]) + float64(row[3]) + math.Sin(2*float64(row[6])) + float64(row[7])/2 + rng.NormFloat64()/4
		if kind == dataset.Regression {
			t.Y = append(t.Y, signal)
		} else {
			t.Labels = append(t.Labels, uint16(min(max((signal+2)/5*float64(classes), 0), float64(classes-1))))
		}
	}
	return t
}

func resolve(t testing.TB, m *method.Method, info dataset.Info, rate float64, depth, trees int) method.Config {
	t.Helper()
	c, err := m.Resolve(map[string]any{"learning_rate": rate, "max_depth": depth, "n_estimators": trees}, info)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fitAll runs a method for several numbers of trees and returns the results in that order. Times do not count anything twice.
func fitAll(t testing.TB, m *method.Method, on *task.Task, rate float64, depth int, counts ...int) []method.Result {
	t.Helper()
	var batch []method.Config
	for _, n := range counts {
		batch = append(batch, resolve(t, m, on.Info, rate, depth, n))
	}
	results, start := make([]method.Result, len(batch)), time.Now()
	if err := m.Run(context.Background(), on, batch, func(r method.Result) { results[r.Index] = r }); err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	took := time.Since(start).Seconds()
	if fit, more := results[0].Fit.Seconds(), results[0].Details["overhead_seconds"].(float64); fit+more > took {
		t.Errorf("%s: a fit of %v s and %v s more, of %v s in all", m.Name, fit, more, took)
	}
	return results
}

var kinds = []struct {
	kind    dataset.Problem
	classes int
}{{dataset.Regression, 0}, {dataset.Binary, 2}, {dataset.MultiClass, 4}}
