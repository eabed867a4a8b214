package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"nptbench/baselines/forest"
	"nptbench/baselines/knn"
	"nptbench/baselines/mlp"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// An awkwardTable is one that testdata/awkward.py made, with scikit-learn's scores.
type awkwardTable struct {
	Name    string
	Classes int
	Train   int
	K       int
	Tied    bool
	X       [][]float32
	Y       []float64
	Scores  map[string][]*float64 // by method and setting, seed by seed; nil where training diverged
}

// settings are what awkward.py gave scikit-learn.
func (a *awkwardTable) settings() map[string]struct {
	method *method.Method
	given  map[string]any
} {
	net := map[string]any{"hidden_layer_sizes": []int{20}, "batch_size": 16, "learning_rate_init": 0.01}
	forests := func(criterion string) map[string]any {
		return map[string]any{"n_estimators": 30, "criterion": criterion}
	}
	return map[string]struct {
		method *method.Method
		given  map[string]any
	}{
		"knn uniform":           {knn.Method, map[string]any{"n_neighbors": a.K}},
		"knn distance":          {knn.Method, map[string]any{"n_neighbors": a.K, "weights": "distance"}},
		"random-forest gini":    {forest.Method, forests(forest.Gini)},
		"random-forest entropy": {forest.Method, forests(forest.Entropy)},
		"random-forest mse":     {forest.Method, forests(forest.MSE)},
		"mlp":                   {mlp.Method, net},
	}
}

func (a *awkwardTable) task() (*task.Task, *task.Truth) {
	t := &task.Task{Train: a.Train, Test: len(a.X) - a.Train, Width: len(a.X[0]), TargetStd: 1, Threads: 2}
	truth := &task.Truth{}
	for i, row := range a.X {
		t.X = append(t.X, row...)
		if a.Classes > 0 && i >= a.Train {
			truth.Labels = append(truth.Labels, uint16(a.Y[i]))
		} else if a.Classes > 0 {
			t.Labels = append(t.Labels, uint16(a.Y[i]))
		}
	}
	for j := range t.Width {
		t.Features = append(t.Features, task.Feature{Type: dataset.Continuous, Offset: j, Width: 1})
	}
	if a.Classes == 0 {
		t.Y, truth.Y = a.Y[:a.Train], a.Y[a.Train:]
		return t, truth
	}
	t.Info = dataset.Info{Problem: dataset.MultiClass, Classes: a.Classes}
	if a.Classes == 2 {
		t.Info.Problem = dataset.Binary
	}
	return t, truth
}

// On tables with constant columns, ties, duplicates, a class that does not occur, few rows, and values that are huge, our
// scores are scikit-learn's: to the last digits where nothing is drawn, else within the spread over seeds. Where
// scikit-learn gives no result, ours is finite or a clear error.
func TestAwkwardTables(t *testing.T) {
	b, err := os.ReadFile("testdata/awkward.json")
	if err != nil {
		t.Fatal(err)
	}
	var tables []awkwardTable
	if err := json.Unmarshal(b, &tables); err != nil {
		t.Fatal(err)
	}
	for i := range tables {
		a := &tables[i]
		settings := a.settings()
		for name, want := range a.Scores {
			s, ok := settings[name]
			if !ok {
				t.Fatalf("%s: scores of %q, which we have no setting for", a.Name, name)
			}
			ours := a.measure(t, s.method, s.given, len(want))
			if complaint := differ(ours, want, a.Tied && s.method == knn.Method); complaint != "" {
				t.Errorf("%s, %d classes, %s: %s", a.Name, a.Classes, name, complaint)
			}
		}
	}
}

// measure returns the finite scores over the seeds.
func (a *awkwardTable) measure(t *testing.T, m *method.Method, given map[string]any, seeds int) (scores []float64) {
	t.Helper()
	tk, truth := a.task()
	c, err := resolve(m, given, tk.Info)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range seeds {
		tk.Seed = uint64(seed)
		var result method.Result
		err := errors.Join(m.Run(t.Context(), tk, []method.Config{c}, func(r method.Result) { result = r }), result.Err)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), " ") {
				t.Errorf("%s, %s: the error is not one clear line: %v", a.Name, m.Name, err)
			}
			continue
		}
		for _, v := range result.Test {
			if v-v != 0 {
				t.Errorf("%s, %s predicts %v", a.Name, m.Name, v)
			}
		}
		if s := score(result.Test, truth, a.Classes); s-s == 0 {
			scores = append(scores, s)
		}
	}
	return scores
}

// vast is where a score says no more than that training went wrong.
const vast = 1e3

// differ says in what our scores are not scikit-learn's.
func differ(ours []float64, want []*float64, tied bool) string {
	var theirs []float64
	for _, v := range want {
		if v != nil {
			theirs = append(theirs, *v)
		}
	}
	if len(theirs) == 0 {
		return ""
	}
	if len(ours) < len(theirs) && worst(theirs) <= vast {
		return fmt.Sprintf("%d results for %d; scikit-learn's are %s", len(ours), len(theirs), spread(theirs))
	}
	if len(ours) == 0 {
		return ""
	}
	if worst(ours) > vast && worst(theirs) > vast {
		return ""
	}
	mean, variance := moments(ours)
	meanTheirs, varianceTheirs := moments(theirs)
	allowed := 1e-5 * (1 + math.Abs(meanTheirs)) // the reference has six digits
	if tied {
		allowed = 0.35 * (1 + math.Abs(meanTheirs)) // other neighbours are as right
	}
	allowed += 4 * math.Sqrt(variance/float64(len(ours))+varianceTheirs/float64(len(theirs)))
	if !(math.Abs(mean-meanTheirs) <= allowed) {
		return spread(ours) + ", scikit-learn's " + spread(theirs)
	}
	return ""
}

func worst(x []float64) (w float64) {
	for _, v := range x {
		w = max(w, v)
	}
	return w
}

func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(max(1, len(x)-1))
	}
	return mean, variance
}
