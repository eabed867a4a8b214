package dkl

import (
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/floats"

	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// Where a row has a copy, a process without noise has the copy's target for it. Ours has it from two rows, not from many: in the embedding
// so many lie within a fraction of the kernel's length-scale that the jitter on the diagonal of their covariance weighs more than what
// tells them apart. With a smaller jitter they find the copy, too.
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
	rmse := func(k int, jitterThen float64) float64 {
		predicted, err := m.local(t.Context(), on, train, tests, k, jitterThen-jitter)
		if err != nil {
			t.Fatal(err)
		}
		return on.TargetStd * floats.Distance(predicted, truth.Y[:tests.Rows], 2) / math.Sqrt(float64(tests.Rows))
	}
	farthest := 0.0
	for i := range tests.Rows {
		test := rows(tests, i, i+1)
		last := nearest(test.Data, train, 64)[63]
		farthest = max(farthest, math.Sqrt(squaredDistances(test, rows(train, last, last+1)).Data[0])/m.lengthscale())
	}
	two, many, smaller := rmse(2, jitter), rmse(64, jitter), rmse(64, 1e-10)
	t.Logf("RMSE from 2 rows %.3f, from 64 %.2f, with a jitter of 1e-10 %.2f; the 64th row is at most %.2f length-scales away", two, many, smaller, farthest)
	if !(two <= 0.1 && many >= 1 && smaller <= many/5 && farthest <= 0.2) {
		t.Error("copies are missed for another reason than the jitter")
	}
}
