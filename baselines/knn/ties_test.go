package knn

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"nptbench/internal/method"
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
			P, K, Leaf_size int
			Algorithm       string
			Out             []float64
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
					c := config(f.K, "uniform", p).With("algorithm", f.Algorithm).With("leaf_size", f.Leaf_size)
					batch = append(batch, c.With("ties", "scikit-learn"), c)
					want = append(want, f.Out, f.Out)
				}
			}
			for i, r := range runAll(t, tk, batch) {
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
