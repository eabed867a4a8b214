package knn

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"nptbench/internal/method"
	"nptbench/internal/task"
)

// ties.json holds predictions of scikit-learn 0.24.2 from tables in which nearly every distance is tied; see
// testdata/ties.py.
func TestTies(t *testing.T) {
	var vectors []struct {
		Name   string
		X      [][]float32
		Widths []int
		Train  int
		Y      []float64
		Fits   []struct {
			P, K, Leaf_size    int
			Algorithm, Weights string // uniform, where there is none
			Out                []float64
		}
	}
	b, err := os.ReadFile("testdata/ties.json")
	if err == nil {
		err = json.Unmarshal(b, &vectors)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		tk := newTask(v.X, v.Widths, v.Train, 0, 0, v.Y)
		differ := 0
		for p := 1; p <= 2; p++ {
			var batch []method.Config
			var want [][]float64
			for _, f := range v.Fits {
				if f.P == p {
					c := config(f.K, cmp.Or(f.Weights, "uniform"), p).With("algorithm", f.Algorithm).With("leaf_size", f.Leaf_size)
					batch = append(batch, c.With("ties", "scikit-learn"), c)
					want = append(want, f.Out, f.Out)
				}
			}
			for i, r := range runAll(t, tk, batch) {
				if alone := runAll(t, tk, batch[i:i+1])[0]; !slices.Equal(alone.Test, r.Test) { // its k is the largest there
					t.Errorf("%s, %v: other predictions than in a batch with larger k", v.Name, batch[i])
				}
				for j, got := range r.Test {
					same := math.Abs(got-want[i][j]) < 1e-9
					if batch[i].String("ties") == "first" {
						if !same {
							differ++
						}
					} else if !same {
						t.Errorf("%s, %v: prediction %d is %v, want %v", v.Name, batch[i], j, got, want[i][j])
					}
				}
			}
		}
		if differ < 1000 {
			t.Errorf("%s: only %d predictions depend on the tie rule", v.Name, differ)
		}
	}
}

// Up to 15 columns, and for k of less than half the rows, algorithm auto is a tree, whose leaf size matters. Else leaf sizes share a model.
func TestAutoTies(t *testing.T) {
	for _, c := range []struct {
		width, k int
		tree     bool
		models   int
	}{{15, 2, true, 2}, {16, 2, false, 1}, {15, 3, false, 1}} {
		tk := &task.Task{Train: 6, Width: c.width, X: make([]float32, 6*c.width)}
		auto := config(c.k, "uniform", 2).With("ties", "scikit-learn")
		models, err := newModels(t.Context(), tk, []method.Config{auto.With("leaf_size", 2), auto.With("leaf_size", 4)}, nil)
		if err != nil || len(models) != c.models || (models[0].ties.tree != nil) != c.tree {
			t.Errorf("%+v: %d models, error %v", c, len(models), err)
		}
	}
}
