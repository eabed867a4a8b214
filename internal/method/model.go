package method

import (
	"context"

	"nptbench/internal/task"
)

// A Model is fitted, and can be asked for more predictions than those of its task.
type Model interface {
	// Batches are the rows of the fitted task that test rows were predicted from, ascending, with a list for each batch; a test row
	// is in one of them.
	Batches() [][]int

	// Predict predicts the test rows of tasks like the fitted one, each of them as one batch. The result has a prediction for each.
	Predict(ctx context.Context, batches []*task.Task) ([]Prediction, error)
}

// A Batched model can be asked for other batches than those it was trained in.
type Batched interface {
	Model

	// BatchesOf are Batches of so many rows each, or a few less. It is an error where one would hold no row whose target is known, and rows
	// attend to others.
	BatchesOf(size int) ([][]int, error)
}

// An Attentive model can be asked what rows attend to.
type Attentive interface {
	Model

	// Attention returns the weights of the layers between datapoints, in their order, when the test rows of a batch are predicted.
	Attention(ctx context.Context, batch *task.Task) ([]Attention, error)
}

// An Attention has the weights of a layer: Heads x n x n for the n rows of a batch, in their order; the last axis, who is attended
// to, sums to 1.
type Attention struct {
	Layer   int // from 0, among all layers of the network
	Heads   int
	Weights []float64
}
