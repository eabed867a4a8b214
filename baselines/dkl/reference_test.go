package dkl

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"nptbench/internal/task"
)

// A reference is what testdata/reference.py writes: a model with random parameters, a mini-batch, and what GPyTorch makes of them.
type reference struct {
	Inputs, Hidden, Features, Points, Rows, Total int
	X, Y, Theta                                   []float64
	Losses, Gradient                              []float64 // of 20 steps of Adam; at the first one
	Rate                                          float64
	Mean, Variance                                []float64 // of the variational posterior at X
	Exact                                         []float64 // the process observed at the first half of the rows, at the second
}

func (r *reference) model() *model {
	m := newModel(shape{[]int{r.Inputs, r.Hidden, r.Hidden, r.Features}, r.Points})
	copy(m.theta, r.Theta)
	return m
}

// check compares everything with GPyTorch; differences are relative to the largest number, or absolute where that is below 1.
func (r *reference) check(t *testing.T, tolerance float64) {
	near := func(what string, got, want []float64) {
		t.Helper()
		scale := 1.0
		for _, v := range want {
			scale = max(scale, v, -v)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
		}
		worst := 0.0 // not by floats.Distance, which skips what is no number
		for i := range got {
			if d := math.Abs(got[i]-want[i]) / scale; d > worst || math.IsNaN(d) {
				worst = d
			}
		}
		if !(worst <= tolerance) {
			t.Errorf("%s: differs by %.2g", what, worst)
		} else {
			t.Logf("%s: differs by %.2g", what, worst)
		}
	}
	m := r.model()
	if len(m.theta) != len(r.Theta) {
		t.Fatalf("%d parameters, GPyTorch has %d", len(m.theta), len(r.Theta))
	}
	x := matrix(r.Rows, r.Inputs)
	copy(x.Data, r.X)
	embedded := func() blas64.General { a := forward(m.layers, x); return a[len(a)-1] }
	mean, vars, err := m.posterior(t.Context(), embedded())
	if err != nil {
		t.Fatal(err)
	}
	near("mean", mean, r.Mean)
	near("variance", vars, r.Variance)
	half := r.Rows / 2
	got, err := m.conditioned(t.Context(), rows(embedded(), 0, half), r.Y[:half], rows(embedded(), half, r.Rows), m.noise())
	if err != nil {
		t.Fatal(err)
	}
	near("exact", got, r.Exact)

	n := len(m.theta)
	tr := &trainer{task: &task.Task{Train: r.Total}, model: m, grad: r.model(), rate: r.Rate, m: make([]float64, n), v: make([]float64, n)}
	var losses []float64
	for step := range r.Losses {
		loss, err := tr.gradient(x, r.Y)
		if err != nil {
			t.Fatal(err)
		}
		if losses = append(losses, loss); step == 0 {
			near("gradient", tr.grad.theta, r.Gradient)
		}
		tr.adam(step + 1)
	}
	near("losses", losses, r.Losses)
}

func readReference(t *testing.T, text []byte) *reference {
	t.Helper()
	r := &reference{}
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Bound, gradient, steps of Adam and posteriors of a small model are GPyTorch's.
func TestGPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	readReference(t, text).check(t, 1e-8)
}

// So are those of models of other sizes, the paper's among them, in a longer check with GPyTorch at hand (make check-dkl).
func TestGPyTorchSizes(t *testing.T) {
	python := os.Getenv("NPT_GPYTORCH_PYTHON")
	if python == "" {
		t.Skip("NPT_GPYTORCH_PYTHON is not set: see make check-dkl")
	}
	for i, size := range []string{"9 100 8 256 128", "9 100 8 64 128", "13 20 3 40 17", "1 7 1 1 2", "64 30 10 100 246"} {
		t.Run(size, func(t *testing.T) {
			command := fmt.Sprintf("%s testdata/reference.py %d %s", python, i+1, size)
			text, err := exec.Command("sh", "-c", command).Output()
			if err != nil {
				t.Fatal(err)
			}
			readReference(t, text).check(t, 1e-6)
		})
	}
}
