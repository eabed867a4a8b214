package dkl

import (
	"math"
	"os"
	"testing"

	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// Where a row has a copy, a process without noise has the copy's target for it, and so has ours from two rows. From 256 it is far from
// that: in the embedding so many rows lie within a fraction of the kernel's length-scale, and the jitter on the diagonal of their
// covariance weighs more than what tells them apart.
func TestInterpolationOfCopies(t *testing.T) {
	if os.Getenv("NPT_LONG_TESTS") == "" {
		t.Skip("takes minutes; NPT_LONG_TESTS=1 runs it")
	}
	table, err := datasettest.Real(t, "lookup").Load(t.Context(), "lookup")
	if err != nil {
		t.Fatal(err)
	}
	on, truth, err := task.FromTable(table, split.Published, 0, task.AllRows)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Method.Resolve(map[string]any{"inducing_points": 64, "max_epochs": 10}, on.Info)
	if err != nil {
		t.Fatal(err)
	}
	tr := newTrainer(on, c, 1)
	if err := tr.train(t.Context()); err != nil {
		t.Fatal(err)
	}
	m, embedded := tr.model, tr.model.embed(on.X, on.Width)
	train, tests := rows(embedded, 0, on.Train), rows(embedded, on.Train+on.Val, on.Train+on.Val+300)
	rmse := func(k int) float64 {
		predicted, err := m.local(t.Context(), on, train, tests, k, 0)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, p := range predicted {
			sum += (p - truth.Y[i]) * (p - truth.Y[i])
		}
		return on.TargetStd * math.Sqrt(sum/float64(len(predicted)))
	}
	farthest := 0.0
	for i := range tests.Rows {
		last := nearest(row(tests, i), train, 256)[255]
		square := 0.0
		for j, x := range row(tests, i) {
			square += (x - row(train, last)[j]) * (x - row(train, last)[j])
		}
		farthest += math.Sqrt(square) / float64(tests.Rows)
	}
	two, many := rmse(2), rmse(256)
	t.Logf("RMSE from 2 rows %.3f, from 256 %.2f; length-scale %.2f, mean distance of the 256th %.3f", two, many, m.lengthscale(), farthest)
	if two > 0.1 || many < 1 || farthest > 0.2*m.lengthscale() {
		t.Error("this is not why")
	}
}
