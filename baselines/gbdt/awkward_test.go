package gbdt

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// awkward changes an ordinary task into one that may give a library trouble.
var awkward = []struct {
	name   string
	change func(t *task.Task)
}{
	{"all constant", func(t *task.Task) { fill(t, func(int, int) float32 { return 1 }) }},
	{"missing values", func(t *task.Task) {
		fill(t, func(r, f int) float32 {
			if (r*7+f*3)%5 == 0 {
				return float32(math.NaN())
			}
			return t.X[r*t.Width+f]
		})
	}},
	{"a column without values", func(t *task.Task) {
		fill(t, func(r, f int) float32 {
			if f == 2 {
				return float32(math.NaN())
			}
			return t.X[r*t.Width+f]
		})
	}},
	{"infinite", func(t *task.Task) {
		fill(t, func(r, f int) float32 {
			if r%11 == 0 && f == 6 {
				return float32(math.Inf(1 - r%2*2))
			}
			return t.X[r*t.Width+f]
		})
	}},
	{"1e30", func(t *task.Task) { fill(t, func(r, f int) float32 { return t.X[r*t.Width+f] * 1e30 }) }},
	{"almost the largest", func(t *task.Task) { fill(t, func(r, f int) float32 { return t.X[r*t.Width+f] * 6e37 }) }},
	{"denormal", func(t *task.Task) { fill(t, func(r, f int) float32 { return t.X[r*t.Width+f] * 1e-42 }) }},
	{"ties", func(t *task.Task) {
		fill(t, func(r, f int) float32 { return float32(math.Round(float64(t.X[r*t.Width+f]))) })
	}},
	{"neighbours", func(t *task.Task) { // thresholds between them round to one of the two
		fill(t, func(r, f int) float32 {
			v := float32(math.Round(float64(t.X[r*t.Width+f]))) + 1
			if (r+f)%2 == 0 {
				v = math.Nextafter32(v, 2)
			}
			return v
		})
	}},
	{"one feature", func(t *task.Task) {
		x := make([]float32, t.Rows())
		for r := range x {
			x[r] = t.X[r*t.Width+6]
		}
		t.X, t.Width = x, 1
	}},
	{"two rows", func(t *task.Task) { keepTraining(t, 2) }},
	{"one row", func(t *task.Task) { keepTraining(t, 1) }},
	{"no validation rows", func(t *task.Task) {
		t.Test, t.Val = t.Test+t.Val, 0
		if t.Y != nil {
			t.Y = t.Y[:t.Train]
		} else {
			t.Labels = t.Labels[:t.Train]
		}
	}},
	{"equal targets", func(t *task.Task) {
		for i := range t.Y {
			t.Y[i] = 0.5
		}
		clear(t.Labels)
	}},
	{"huge targets", func(t *task.Task) {
		for i := range t.Y {
			t.Y[i] *= 1e30
		}
	}},
	{"classes missing", func(t *task.Task) {
		for i := range t.Labels[:min(t.Train, len(t.Labels))] {
			if t.Labels[i] == 1 {
				t.Labels[i] = 0
			}
		}
	}},
	{"a class of one row", func(t *task.Task) {
		for i := range t.Labels {
			if t.Labels[i] == 1 && i > 0 {
				t.Labels[i] = 0
			}
		}
		if t.Labels != nil {
			t.Labels[0], t.Labels[1] = 1, 0
		}
	}},
}

func fill(t *task.Task, value func(row, feature int) float32) {
	x := make([]float32, len(t.X))
	for r := range t.Rows() {
		for f := range t.Width {
			x[r*t.Width+f] = value(r, f)
		}
	}
	t.X = x
}

// keepTraining leaves the first training rows only, of two classes.
func keepTraining(t *task.Task, n int) {
	gone := t.Train - n
	t.X, t.Train = t.X[gone*t.Width:], n
	if t.Y != nil {
		t.Y = t.Y[gone:]
		return
	}
	t.Labels = t.Labels[gone:]
	for i := range n {
		t.Labels[i] = uint16(i % 2)
	}
}

// On every awkward table each library either predicts, and we as it does, which every fit checks, or the fit fails in one
// line, which is the library's word or ours.
func TestAwkwardTables(t *testing.T) {
	kinds := []struct {
		kind    dataset.Problem
		classes int
	}{{dataset.Regression, 0}, {dataset.Binary, 2}, {dataset.MultiClass, 10}}
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			needPython(t, m)
			for _, k := range kinds {
				for _, a := range awkward {
					on := awkwardTask(k.kind, k.classes, 100, 20, 40)
					a.change(on)
					failure := fitAwkward(t, m, on)
					want := refusal(m.Name, k.kind, a.name)
					if failure != want && (want == "" || !strings.Contains(failure, want)) {
						t.Errorf("%v, %s: %q, want %q", k.kind, a.name, failure, want)
					}
					if strings.Contains(failure, "\n") || strings.Contains(failure, "/src/") {
						t.Errorf("%v, %s: more than a line, or a place in a library: %q", k.kind, a.name, failure)
					}
				}
			}
		})
	}
}

// fitAwkward returns the error of a fit, and checks what it predicts otherwise.
func fitAwkward(t *testing.T, m *method.Method, on *task.Task) string {
	var batch []method.Config
	for _, n := range []int{5, 2} {
		batch = append(batch, resolve(t, m, on.Info, 0.3, 6, n))
	}
	got := 0
	err := m.Run(context.Background(), on, batch, func(r method.Result) {
		got++
		for _, v := range append(append(method.Prediction{}, r.Val...), r.Test...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s predicts %v", m.Name, v)
				return
			}
		}
	})
	if err != nil {
		return err.Error()
	}
	if got != len(batch) {
		t.Errorf("%d results", got)
	}
	return ""
}

// refusal is what is said to a table that a library does not take; empty: it takes it.
func refusal(library string, kind dataset.Problem, table string) string {
	switch {
	case kind != dataset.Regression && (table == "one row" || table == "equal targets" || kind == dataset.Binary && table == "classes missing"):
		return "training rows are of one class, want at least two"
	case library == scikit.method && (table == "missing values" || table == "a column without values"):
		return "ValueError: Input X contains NaN."
	case library == scikit.method && table == "infinite":
		return "ValueError: Input X contains infinity"
	case library == xgboost.method && table == "infinite":
		return "Input data contains `inf`"
	case library == lightgbm.method && table == "one row":
		return "ValueError: Found array with 1 sample(s)"
	case library == catboost.method && (table == "all constant" || table == "one row"):
		return "All features are either constant or ignored."
	case library == catboost.method && kind == dataset.Regression && table == "equal targets":
		return "All train targets are equal"
	}
	return ""
}

// Trees without a limit of depth, on rows enough for deep ones.
func TestDeepTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		m     *method.Method
		depth int
	}{{GradientBoosting, 60}, {XGBoost, 40}, {LightGBM, -1}, {LightGBM, 60}, {CatBoost, 13}} {
		t.Run(fmt.Sprint(c.m.Name, c.depth), func(t *testing.T) {
			needPython(t, c.m)
			on := awkwardTask(dataset.Regression, 0, 1500, 40, 400)
			for i := range on.Y { // a staircase: one row after the other splits off
				on.Y[i] = math.Exp2(float64(i%50)) + rng.Float64()
				on.X[i*on.Width+6] = float32(i % 50)
			}
			fitAll(t, c.m, on, 0.3, c.depth, 4)
		})
	}
}
