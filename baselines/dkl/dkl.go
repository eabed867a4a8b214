// Package dkl is deep kernel learning (Wilson et al., 2016), the row DKL of the paper's Table 3: a network embeds every row by
// itself, and a Gaussian process with an RBF kernel predicts from the distances between embedded rows.
//
// The model is a sparse variational Gaussian process with inducing points in the space of the embedding, trained by the evidence
// lower bound in mini-batches (Hensman et al., 2015): the paper's batches of 128 rows rule out the collapsed bound, which needs
// all rows in every step. Bound, parametrisation and starting values are those of GPyTorch, which the paper used: whitened
// inducing values (whose means begin at 0, where GPyTorch draws them within some thousandths of it), softplus for positive
// parameters, noise of at least 1e-4, jitter of 1e-6 on the diagonal of covariances.
// The defaults are the paper's (appendix B.1.2). It does not name the optimiser; here it is Adam. The official code has SGD with
// a hundredth of the rate for the kernel, which at the paper's rate of 1e-4 would leave the kernel as it began.
//
// The paper predicts by a Gaussian process that is built anew at test time, from the training rows with the learned embedding and
// kernel. The parameter prediction has that, with the learned noise (exact) and without (interpolation), beside the variational
// posterior (inducing); all three come from one training. A process on all 80,000 rows of the lookup task would take 51 GB and
// 170 TFLOP: each row is predicted from its nearest training rows in the embedding instead, and exactly where the table has no
// more than these. That the paper's RMSE is 0.00 where a row has a copy says that it interpolated there: with noise no copy is
// trusted alone. Ours does not have it there: the nearest rows lie so close to each other in the embedding that the jitter weighs more than
// what tells them apart (TestInterpolationOfCopies); from two neighbours it does.
//
// Everything is float64 and on the processor, with products and Cholesky factors by gonum and gradients by hand (bound.go,
// network.go). gonum's products use all of GOMAXPROCS, which the harness sets to the task's Threads, and a Cholesky factor is not
// interrupted. Begin with dkl.go; train.go trains, predict.go predicts.
package dkl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/spelling"
	"nptbench/internal/task"
)

// How rows are predicted.
const (
	inducing      = "inducing"
	exact         = "exact"
	interpolation = "interpolation"
)

const defaultNeighbours = 256

// Method is deep kernel learning.
var Method = &method.Method{
	Name:  "dkl",
	Title: "DKL",
	Doc:   "Deep kernel learning: a network under a variational Gaussian process with inducing points; regression only.",
	Params: []method.Param{
		{Name: "hidden_layer_sizes", Type: method.Ints, Default: []int{100, 100}, Min: 1, Max: 10_000, Doc: "units of each hidden layer"},
		{Name: "features", Type: method.Int, Default: 8, Min: 1, Max: 1000, Doc: "dimension of the embedding"},
		{Name: "inducing_points", Type: method.Int, Default: 256, Min: 1, Max: 4096, Doc: "at most the number of training rows"},
		{Name: "batch_size", Type: method.Int, Default: 128, Min: 1, Doc: "rows of a mini-batch; at most all training rows"},
		{Name: "learning_rate", Type: method.Float, Default: 1e-4, Min: 1e-12, Doc: "learning rate of Adam"},
		{Name: "max_epochs", Type: method.Int, Default: 30_000, Min: 1, Doc: "passes over the training rows at most"},
		{Name: "patience", Type: method.Int, Default: 20, Min: 1,
			Doc: "training ends after that many epochs without a lower validation loss, the negative log density of the targets"},
		{Name: "prediction", Type: method.Choice, Default: exact, Choices: []string{inducing, exact, interpolation},
			Doc: "from the inducing points, or from the nearest training rows (see neighbours), with (exact) or without the learned noise (interpolation)"},
		{Name: "neighbours", Type: method.Int, Default: defaultNeighbours, Min: 1, Max: 4096,
			Doc: "training rows that a row is predicted from, the nearest in the embedding; without effect on prediction inducing"},
	},
	Check: func(_ method.Config, info dataset.Info) error {
		if info.Problem != dataset.Regression {
			return errors.New("predicts numbers alone, want a regression")
		}
		return nil
	},
	Canonical: func(c method.Config, _ dataset.Problem) method.Config {
		if c.String("prediction") == inducing {
			c = c.With("neighbours", defaultNeighbours)
		}
		return c
	},
	FitKey: func(c method.Config, _ dataset.Problem) string { return training(c).JSON() },
	Work:   work,
	Run:    run,
	Extra:  true,

	Semiparametric: true,
}

// training returns a configuration without what concerns prediction alone.
func training(c method.Config) method.Config { return c.Without("prediction").Without("neighbours") }

// work counts the multiplications of max_epochs epochs: six products of the inducing points with a batch, taken for
// triangular, three of the inducing points with themselves, and the network's.
func work(c method.Config, info dataset.Info) float64 {
	rows, m, batch := float64(info.Rows), float64(c.Int("inducing_points")), float64(c.Int("batch_size"))
	weights, width := 0.0, float64(info.Columns)
	for _, units := range append(c.Ints("hidden_layer_sizes"), c.Int("features")) {
		weights += width * float64(units)
		width = float64(units)
	}
	return float64(c.Int("max_epochs")) * rows * (3*m*m + 1.2*m*m*m/batch + 3*weights)
}

// run trains once and predicts in every way that the batch asks for.
func run(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
	if t.Val < 1 {
		return fmt.Errorf("dkl: no validation rows, want at least one, for early stopping")
	}
	c := training(batch[0])
	size := shapeOf(t, c).size()
	large := fmt.Sprintf("hidden_layer_sizes: %v makes %s parameters", c.Ints("hidden_layer_sizes"), spelling.Thousands(size))
	if err := method.CheckMemory(6*8*float64(size), large); err != nil { // theta, its gradient, two moments, the best, and what updates them
		return fmt.Errorf("dkl: %w", err)
	}
	tr := newTrainer(t, c, seed.Derive(t.Seed, "dkl", c.JSON()))
	refused := tr.load()
	if err := tr.train(ctx); err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("dkl: %w", err))
	}
	fit := tr.elapsed()
	m := tr.model
	details := map[string]any{
		"epochs": tr.Epoch, "best_epoch": tr.BestEpoch, "validation_loss": tr.BestLoss, "parameters": len(m.theta),
		"lengthscale": m.lengthscale(), "output_scale": m.outputScale(), "noise": m.noise(),
	}
	method.Warn(details, "the training began anew", refused)
	method.Warn(details, "a checkpoint cannot be written", tr.checkpoint.Err)
	embedded := m.embed(t.X, t.Width)
	for i, c := range batch {
		start := time.Now()
		predicted, err := m.predict(ctx, t, embedded, c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			err = fmt.Errorf("dkl: prediction %s: %w", c.String("prediction"), err)
		}
		r := method.Result{Index: i, Fit: fit, Predict: time.Since(start), Details: details, Err: err}
		if err == nil {
			r.Val, r.Test = predicted[:t.Val], predicted[t.Val:]
		}
		done(r)
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
