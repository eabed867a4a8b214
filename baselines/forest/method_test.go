package forest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/task"
)

// grid returns the paper's configurations, resolved and canonical, each distinct one once.
func grid(t testing.TB, info dataset.Info) []method.Config {
	t.Helper()
	criteria := []string{MSE, MAE}
	if info.Problem.Classification() {
		criteria = []string{Gini, Entropy}
	}
	var out []method.Config
	seen := map[string]bool{}
	for _, criterion := range criteria {
		for _, rule := range []string{"auto", "sqrt", "log2"} {
			for _, size := range []int{50, 100, 500, 1000} {
				c, err := Method.Resolve(map[string]any{"criterion": criterion, "max_features": rule, "n_estimators": size}, info)
				if err != nil {
					t.Fatal(err)
				}
				c = Method.Canonical(c, info.Problem)
				if !seen[c.JSON()] {
					seen[c.JSON()] = true
					out = append(out, c)
				}
			}
		}
	}
	return out
}

func TestDistinctSettings(t *testing.T) {
	for kind, want := range map[dataset.Problem][2]int{
		dataset.Regression: {24, 6}, dataset.Binary: {16, 4}, dataset.MultiClass: {16, 4},
	} {
		fits := map[string]bool{}
		configs := grid(t, dataset.Info{Problem: kind})
		for _, c := range configs {
			fits[Method.FitKey(c, kind)] = true
		}
		if got := [2]int{len(configs), len(fits)}; got != want {
			t.Errorf("%v: %d distinct settings from %d fits, want %d", kind, got[0], got[1], want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for want, given := range map[string]map[string]any{
		`criterion: "mae" is not allowed, want one of gini, entropy`:          {"criterion": "mae"},
		`n_estimators: 0 is not allowed, want integer from 1 to 1000000`:      {"n_estimators": 0},
		`max_features: "all" is not allowed, want one of auto, sqrt, log2`:    {"max_features": "all"},
		`trees: random-forest has no such parameter; known: criterion, n_est`: {"trees": 3},
	} {
		_, err := Method.Resolve(given, dataset.Info{Problem: dataset.Binary})
		if err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
}

// small makes a task of 60 training, 20 validation and 20 test rows.
func small(classification bool) *task.Task {
	d := noisy(100, classification)
	t := &task.Task{X: d.x, Width: d.width, Train: 60, Val: 20, Test: 20, TargetStd: 1, Seed: 5, Threads: 2}
	if classification {
		t.Info = dataset.Info{Problem: dataset.MultiClass, Classes: d.classes}
		t.Labels = d.labels[:80]
	} else {
		t.Y = d.y[:80]
	}
	return t
}

// A batch gives for every size what a forest of that size, with the seed of its fit, predicts. Times are those of all its trees.
func TestRunEqualsForest(t *testing.T) {
	// The first three numbers of the largest forest are fixed for ever: other trees would be other results under the same cell.
	pinned := map[bool][]float64{false: {-0.9449359968628397, 0.8717380337661936, -1.204216926090647}, true: {96. / 120, 11. / 120, 13. / 120}}
	for _, classification := range []bool{false, true} {
		tk := small(classification)
		c, err := Method.Resolve(map[string]any{"max_features": "sqrt"}, tk.Info)
		if err != nil {
			t.Fatal(err)
		}
		sizes := []int{120, 3, 118, 1}
		var batch []method.Config
		for _, n := range sizes {
			batch = append(batch, c.With("n_estimators", n))
		}
		var order []int
		before := method.Result{}
		err = Method.Run(context.Background(), tk, batch, func(r method.Result) {
			order = append(order, sizes[r.Index])
			criterion := c.String("criterion")
			f := fit(t, *trainingRows(tk), options{
				criterion: criterion, maxFeatures: 2,
				seed: seed.Derive(tk.Seed, "random-forest", criterion, "sqrt"),
			}, sizes[r.Index])
			if !slices.Equal(r.Val, f.predict(tk.ValX(), 1)) || !slices.Equal(r.Test, f.predict(tk.TestX(), 1)) {
				t.Errorf("%d trees: predictions differ from those of a forest of that size", sizes[r.Index])
			}
			if r.Err != nil || r.Fit <= before.Fit || r.Predict <= before.Predict {
				t.Errorf("%d trees: error %v, fit %v, predict %v, before %v and %v", sizes[r.Index], r.Err, r.Fit, r.Predict, before.Fit, before.Predict)
			}
			before = r
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range pinned[classification] {
			if got := before.Val[i]; !(math.Abs(got-want) <= 1e-9) {
				t.Errorf("classification %v: number %d is %v, want %v", classification, i, got, want)
			}
		}
		if !slices.Equal(order, []int{1, 3, 118, 120}) {
			t.Errorf("reported in the order %d", order)
		}
	}
}

// The time of a fit has that of ranking the values, here nearly all of it: the tree is one leaf.
func TestFitRanks(t *testing.T) {
	const rows, width = 50_000, 20
	tk := &task.Task{Train: rows, Width: width, X: make([]float32, rows*width), Labels: make([]uint16, rows), Threads: 1,
		Info: dataset.Info{Problem: dataset.Binary, Classes: 2}}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range tk.X {
		tk.X[i] = rng.Float32()
	}
	start := time.Now()
	err := Method.Run(t.Context(), tk, []method.Config{{"criterion": Gini, "max_features": "sqrt", "n_estimators": 1}}, func(r method.Result) {
		if took := time.Since(start); r.Fit < took/2 {
			t.Errorf("a fit of %v, of %v in all", r.Fit, took)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRunStops(t *testing.T) {
	tk := small(true)
	ctx, cancel := context.WithCancel(context.Background())
	reported := 0
	err := Method.Run(ctx, tk, []method.Config{
		{"criterion": Gini, "max_features": "sqrt", "n_estimators": 2},
		{"criterion": Gini, "max_features": "sqrt", "n_estimators": 1_000_000},
	}, func(method.Result) { reported++; cancel() })
	if !errors.Is(err, context.Canceled) || reported != 1 {
		t.Errorf("%d reported, error %v", reported, err)
	}
}
