package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"nptbench/baselines/forest"
	"nptbench/baselines/internal/papergrid"
	"nptbench/baselines/knn"
	"nptbench/baselines/mlp"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// A benchmark is what is measured: a method on a table, with some settings, each with its own fit.
type benchmark struct {
	table   string // a data set, or "28 numbers"
	rows    int    // at most that many training rows; 0: all
	queries int    // at most that many test rows are predicted; 0: all
	long    bool   // only with -long

	method    string
	k         int // k-NN
	criterion string
	rule      string
	trees     int // of each of the forests
	seeds     int // forests
	step      int // MLP: every how many settings of the small grid one is taken
}

// benchmarks are those of the document. Where scikit-learn would take long, there are few trees, queries or settings: time
// is proportional to them.
var benchmarks = []benchmark{
	{method: "knn", table: "protein", k: 100},
	{method: "knn", table: numbers, rows: 100_000, k: 25, queries: 2000},
	{method: "knn", table: "forest-cover", k: 25, queries: 1000},

	{method: "random-forest", table: "boston-housing", criterion: forest.MSE, rule: "auto", trees: 50, seeds: 8},
	{method: "random-forest", table: "boston-housing", criterion: forest.MSE, rule: "sqrt", trees: 50, seeds: 8},
	{method: "random-forest", table: "boston-housing", criterion: forest.MAE, rule: "auto", trees: 50, seeds: 4},
	{method: "random-forest", table: "breast-cancer", criterion: forest.Gini, rule: "sqrt", trees: 50, seeds: 8},
	{method: "random-forest", table: "breast-cancer", criterion: forest.Entropy, rule: "sqrt", trees: 50, seeds: 8},
	{method: "random-forest", table: "protein", criterion: forest.MSE, rule: "auto", trees: 10, seeds: 2},
	{method: "random-forest", table: "protein", criterion: forest.MSE, rule: "sqrt", trees: 20, seeds: 2},
	{method: "random-forest", table: "protein", rows: 2000, criterion: forest.MAE, rule: "auto", trees: 5, seeds: 3},
	{method: "random-forest", table: "protein", criterion: forest.MAE, rule: "sqrt", trees: 1, seeds: 1, long: true},
	{method: "random-forest", table: "kick", criterion: forest.Gini, rule: "sqrt", trees: 10, seeds: 2},
	{method: "random-forest", table: "kick", criterion: forest.Entropy, rule: "sqrt", trees: 10, seeds: 2, long: true},
	{method: "random-forest", table: "income", criterion: forest.Gini, rule: "sqrt", trees: 10, seeds: 2},
	{method: "random-forest", table: "poker-hand", criterion: forest.Gini, rule: "sqrt", trees: 25, seeds: 2},
	{method: "random-forest", table: "poker-hand", criterion: forest.Entropy, rule: "log2", trees: 25, seeds: 2, long: true},
	{method: "random-forest", table: "forest-cover", criterion: forest.Gini, rule: "sqrt", trees: 10, seeds: 2},
	{method: "random-forest", table: "forest-cover", criterion: forest.Entropy, rule: "sqrt", trees: 10, seeds: 2, long: true},

	{method: "mlp", table: "yacht", step: 211},
	{method: "mlp", table: "boston-housing", step: 211},
	{method: "mlp", table: "concrete", step: 211},
	{method: "mlp", table: "breast-cancer", step: 211},
}

// setting describes a benchmark in a few words.
func (b *benchmark) setting() string {
	switch b.method {
	case knn.Method.Name:
		return fmt.Sprintf("k = %d", b.k)
	case forest.Method.Name:
		return fmt.Sprintf("%s, %s, %d × %d trees", b.criterion, b.rule, b.seeds, b.trees)
	}
	return fmt.Sprintf("%d of the grid's settings", len(b.mlpSettings()))
}

// numbers is a generated table of 28 standard normal columns, as many as Higgs has, and two classes.
const numbers = "28 numbers"

// generated makes such a table.
func generated(train, test int) (*task.Task, *task.Truth) {
	const width = 28
	rng := rand.New(rand.NewPCG(28, uint64(train)))
	t := &task.Task{
		Info:  dataset.Info{Name: numbers, Problem: dataset.Binary, Classes: 2},
		Train: train, Test: test, Width: width, TargetStd: 1,
		X: make([]float32, (train+test)*width),
	}
	labels := make([]uint16, train+test)
	for i := range labels {
		x := t.Row(i)
		for j := range x {
			x[j] = float32(rng.NormFloat64())
		}
		if float64(x[0]*x[1]+x[2]+x[3]*x[4])+rng.NormFloat64() > 0 {
			labels[i] = 1
		}
	}
	for j := range width {
		t.Features = append(t.Features, task.Feature{Name: fmt.Sprint(j), Type: dataset.Continuous, Offset: j, Width: 1})
	}
	t.Labels = labels[:train:train]
	return t, &task.Truth{Labels: labels[train:]}
}

// load returns the first fold of a data set under the corrected protocol, or a generated table.
func load(ctx context.Context, library *dataset.Library, name string, rows int) (*task.Task, *task.Truth, error) {
	if name == numbers {
		t, truth := generated(rows, 2000)
		return t, truth, nil
	}
	t, truth, err := new(task.Loader).Load(ctx, library, task.Spec{Dataset: name, Protocol: split.Corrected})
	if err == nil && rows > 0 && rows < t.Train {
		t = part(t, rows)
	}
	return t, truth, err
}

// part returns the task with the first of its training rows only.
func part(t *task.Task, rows int) *task.Task {
	return t.Select(where(t, func(row int) bool { return row < rows || row >= t.Train }))
}

// withoutVal returns the task without validation rows, and with the first test rows only.
func withoutVal(t *task.Task, truth *task.Truth, queries int) (*task.Task, *task.Truth) {
	if queries == 0 || queries > t.Test {
		queries = t.Test
	}
	answers := *truth
	if t.Labels != nil {
		answers.Labels = truth.Labels[:queries]
	} else {
		answers.Y = truth.Y[:queries]
	}
	tests := t.Train + t.Val
	return t.Select(where(t, func(row int) bool { return row < t.Train || row >= tests && row < tests+queries })), &answers
}

// where lists the rows of a task of which it is so.
func where(t *task.Task, is func(row int) bool) (rows []int) {
	for row := range t.Rows() {
		if is(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// mlpSettings takes every step-th of the paper's settings for small tables.
func (b *benchmark) mlpSettings() (out []map[string]any) {
	for i, setting := range papergrid.SmallMLP() {
		if (i+1)%b.step == 0 {
			out = append(out, setting)
		}
	}
	return out
}

// jobs are the runs of our method: a task and the settings for it.
func (b *benchmark) jobs(t *task.Task) (m *method.Method, tasks []*task.Task, given []map[string]any) {
	switch b.method {
	case knn.Method.Name:
		return knn.Method, []*task.Task{t}, []map[string]any{{"n_neighbors": b.k, "weights": "distance"}}
	case forest.Method.Name:
		for seed := range b.seeds {
			s := *t
			s.Seed = uint64(seed)
			tasks = append(tasks, &s)
			given = append(given, map[string]any{"criterion": b.criterion, "max_features": b.rule, "n_estimators": b.trees})
		}
		return forest.Method, tasks, given
	}
	given = b.mlpSettings()
	return mlp.Method, slices.Repeat([]*task.Task{t}, len(given)), given
}

// resolve returns the canonical configuration, as the harness would hand it to the method.
func resolve(m *method.Method, given map[string]any, info dataset.Info) (method.Config, error) {
	c, err := m.Resolve(given, info)
	if err == nil && m.Canonical != nil {
		c = m.Canonical(c, info.Problem)
	}
	return c, err
}

// score is the RMSE of the standardised target, or the log-loss.
func score(p method.Prediction, truth *task.Truth, classes int) float64 {
	if truth.Labels == nil {
		mse, _ := metric.MeanSquaredError(p, truth.Y)
		return math.Sqrt(mse)
	}
	loss, _ := metric.LogLoss(p, truth.Labels, classes)
	return loss
}
