package knn

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// vectors are predictions of scikit-learn; see testdata/vectors.py.
type vector struct {
	Name             string
	X                [][]float32
	Widths           []int
	Train, Val, Test int
	Classes          int
	Y                []float64
	Fits             []struct {
		K, P    int
		Weights string
		Out     []float64
	}
}

func readVectors(t *testing.T) (vectors []vector) {
	t.Helper()
	b, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(b, &vectors)
	}
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

// newTask makes a task of rows whose features have the given widths, 0 for continuous ones.
func newTask(x [][]float32, widths []int, train, val int, classes int, y []float64) *task.Task {
	t := &task.Task{Train: train, Val: val, Test: len(x) - train - val, TargetStd: 1, Threads: 2}
	for i, w := range widths {
		f := task.Feature{Name: fmt.Sprint("f", i), Type: dataset.Categorical, Offset: t.Width, Width: w}
		if w == 0 {
			f.Type, f.Width = dataset.Continuous, 1
		}
		t.Features = append(t.Features, f)
		t.Width += f.Width
	}
	for _, row := range x {
		t.X = append(t.X, row...)
	}
	t.Y = y
	if t.Info.Classes = classes; classes > 0 {
		t.Info.Problem, t.Y = dataset.MultiClass, nil
		for _, c := range y {
			t.Labels = append(t.Labels, uint16(c))
		}
	}
	return t
}

func config(k int, weights string, p int) method.Config {
	c, err := Method.Resolve(map[string]any{"n_neighbors": k, "weights": weights, "p": p}, dataset.Info{})
	if err != nil {
		panic(err)
	}
	return c
}

// runAll runs a batch and returns the results in the order of the batch.
func runAll(t testing.TB, tk *task.Task, batch []method.Config) []method.Result {
	t.Helper()
	out := make([]method.Result, len(batch))
	seen := 0
	err := Method.Run(context.Background(), tk, batch, func(r method.Result) {
		out[r.Index] = r
		seen++
	})
	if err != nil || seen != len(batch) {
		t.Fatalf("%d results of %d, error %v", seen, len(batch), err)
	}
	return out
}

func TestScikitLearn(t *testing.T) {
	for _, v := range readVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			tk := newTask(v.X, v.Widths, v.Train, v.Val, v.Classes, v.Y)
			for _, p := range []int{1, 2} {
				var batch []method.Config
				var want [][]float64
				for _, f := range v.Fits {
					if f.P == p {
						batch = append(batch, config(f.K, f.Weights, f.P))
						want = append(want, f.Out)
					}
				}
				for i, r := range runAll(t, tk, batch) {
					got := append(append([]float64{}, r.Val...), r.Test...)
					if len(got) != len(want[i]) || len(r.Val) != v.Val*tk.Outputs() {
						t.Fatalf("%v: %d + %d predictions, want %d", batch[i], len(r.Val), len(r.Test), len(want[i]))
					}
					for j := range got {
						if !(math.Abs(got[j]-want[i][j]) <= 1e-9) {
							t.Errorf("%v: prediction %d is %v, want %v", batch[i], j, got[j], want[i][j])
						}
					}
				}
			}
		})
	}
}

func TestTooManyNeighbours(t *testing.T) {
	v := readVectors(t)[0]
	tk := newTask(v.X, v.Widths, v.Train, v.Val, v.Classes, v.Y)
	batch := []method.Config{config(v.Train+1, "uniform", 2), config(5, "uniform", 2)}
	r := runAll(t, tk, batch)
	if r[0].Err == nil || r[0].Err.Error() != "n_neighbors: 91 is more than the 90 training rows" {
		t.Errorf("error %v", r[0].Err)
	}
	if r[1].Err != nil || len(r[1].Val) != v.Val {
		t.Errorf("the other configuration: error %v, %d predictions", r[1].Err, len(r[1].Val))
	}
	if r := runAll(t, tk, batch[:1]); r[0].Err == nil {
		t.Error("alone: no error")
	}
}

func TestCancelled(t *testing.T) {
	v := readVectors(t)[0]
	tk := newTask(v.X, v.Widths, v.Train, v.Val, v.Classes, v.Y)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := Method.Run(ctx, tk, []method.Config{config(5, "uniform", 2)}, func(method.Result) { t.Error("done") })
	if err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

func TestCanonical(t *testing.T) {
	for _, tt := range []struct {
		ties     string
		distinct int
	}{{"first", 40}, {"scikit-learn", 360}} {
		all := grid(small, both, algorithms, []int{10, 30, 50, 100}, []int{1, 2}, tt.ties)
		distinct, fits := map[string]bool{}, map[string]bool{}
		for _, c := range all {
			c = Method.Canonical(c, dataset.Regression)
			distinct[c.JSON()] = true
			fits[Method.FitKey(c, dataset.Regression)] = true
		}
		if len(all) != 480 || len(distinct) != tt.distinct || len(fits) != 2 {
			t.Errorf("ties %s: %d settings are %d distinct ones in %d fits, want 480, %d and 2",
				tt.ties, len(all), len(distinct), len(fits), tt.distinct)
		}
	}
}
