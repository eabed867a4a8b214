package methods

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// Which methods look at training rows when they predict: corruption would find nothing in one that is not marked and keeps no model. And
// which are deterministic: of these one seed stands for all.
func TestMarksOfMethods(t *testing.T) {
	lazy, semiparametric, model := []string{"knn", "golearn-knn"}, []string{"dkl"}, []string{"npt"}
	deterministic := []string{"knn", "xgboost"}
	for _, m := range All() {
		if m.Deterministic != slices.Contains(deterministic, m.Name) {
			t.Errorf("%s: deterministic %t", m.Name, m.Deterministic)
		}
		if m.Lazy != slices.Contains(lazy, m.Name) || m.Semiparametric != slices.Contains(semiparametric, m.Name) || (m.Model != nil) != slices.Contains(model, m.Name) {
			t.Errorf("%s: lazy %t, semiparametric %t, keeps a model %t", m.Name, m.Lazy, m.Semiparametric, m.Model != nil)
		}
	}
}

// Methods predict many rows a part at a time. What they predict for a row does not depend on where it stands: of test rows that are the
// same twenty again and again the predictions repeat, too. NPT, which is not so, and boosted trees have tests of their own.
func TestPredictionsInParts(t *testing.T) {
	const train, different, test = 120, 20, 20_000
	given := map[string]map[string]any{
		"knn":           {"n_neighbors": 3},
		"random-forest": {"n_estimators": 10},
		"mlp":           {"hidden_layer_sizes": []int{10}, "batch_size": 32},
		"tabnet":        {"max_epochs": 2, "batch_size": 64, "virtual_batch_size": 32, "n_d": 4, "n_a": 4, "n_steps": 2},
		"dkl":           {"hidden_layer_sizes": []int{8}, "features": 2, "inducing_points": 20, "batch_size": 32, "max_epochs": 2, "neighbours": 20},
	}
	for _, problem := range []dataset.Problem{dataset.Regression, dataset.MultiClass} {
		tk := repeating(problem, train, different, test)
		for _, m := range All() {
			params, asked := given[m.Name]
			if !asked || m.Available != nil && m.Available() != nil || m.Name == "dkl" && problem.Classification() {
				continue
			}
			t.Run(m.Name+" "+problem.String(), func(t *testing.T) {
				c, err := m.Resolve(params, tk.Info)
				if err != nil {
					t.Fatal(err)
				}
				r, start := method.Result{}, time.Now()
				if err := m.Run(t.Context(), tk, []method.Config{c}, func(got method.Result) { r = got }); err != nil || r.Err != nil || len(r.Test) != test*tk.Outputs() {
					t.Fatalf("%v, %v, %d predictions", err, r.Err, len(r.Test))
				}
				if took := time.Since(start); r.Fit <= 0 || r.Predict <= 0 || r.Fit+r.Predict > took {
					t.Errorf("a fit of %v and predictions of %v, of %v in all", r.Fit, r.Predict, took)
				}
				period := different * tk.Outputs()
				for i, x := range r.Test {
					if first := r.Test[i%period]; !(math.Abs(x-first) <= 1e-5) {
						t.Fatalf("test row %d: %v, and %v when it stands among the first", i/tk.Outputs(), x, first)
					}
				}
			})
		}
	}
}

// repeating is a task of two features whose test rows are so many different ones, again and again.
func repeating(problem dataset.Problem, train, different, test int) *task.Task {
	rng := rand.New(rand.NewPCG(1, 2))
	t := &task.Task{Train: train, Val: different, Test: test, Width: 2, TargetStd: 1, Threads: 2, Seed: 1,
		Info: dataset.Info{Name: "repeating", Problem: problem, Columns: 3, Rows: train + different + test}}
	if problem.Classification() {
		t.Info.Classes = 3
	}
	for i := range 2 {
		t.Features = append(t.Features, task.Feature{Name: string(rune('a' + i)), Type: dataset.Continuous, Offset: i, Width: 1})
	}
	for i := range train + 2*different {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		t.X = append(t.X, float32(a), float32(b))
		switch {
		case i >= train+different:
		case problem.Classification():
			t.Labels = append(t.Labels, uint16(i%3))
			t.X[2*i] += float32(i % 3)
		default:
			t.Y = append(t.Y, a+b*b)
		}
	}
	first := t.X[2*(train+different):]
	for range test/different - 1 {
		t.X = append(t.X, first[:2*different]...)
	}
	return t
}
