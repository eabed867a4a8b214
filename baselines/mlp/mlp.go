// Package mlp is the multi-layer perceptron of the comparison, with the semantics of scikit-learn's MLPRegressor and
// MLPClassifier (0.24 to 1.2) as the official implementation of the paper used them: ReLU, Adam, L2, mini-batches, and
// early stopping on a tenth of the training rows.
//
// What follows scikit-learn where one might expect otherwise: training stops after eleven epochs without improvement, not
// ten; an improvement has to reach 1e-4; the held-out rows are stratified for two classes only; the L2 factor is divided by
// the number of rows of the batch and spares the biases; batches larger than the table are clipped; learning-rate
// schedules act under SGD only, so under Adam they change nothing; a class that does not occur in the training rows is
// never predicted; arithmetic and probabilities are float32.
//
// What does not: of rows that belong together, such as those of a patient (task.Task.Groups), a tenth of the groups is held out, not of the
// rows, or more until their targets vary; a class with a single row makes the held-out draw a plain one instead of an error; where one row is
// held out, as of tables of ten rows or fewer, whose R² is not defined, its squared error counts; R² of held-out targets that are all equal is
// 0 (or 1), where scikit-learn's is, for most targets, the squared error over the rounding error of their mean, so that
// it does not stop as early there.
//
// One network is trained on one thread; the harness trains as many at once as it has jobs.
//
// Random numbers are not scikit-learn's, so results agree in distribution over seeds, not number by number. By vectors and by plain
// Go they have other bits; details name the kernel.
package mlp

import (
	"context"
	"fmt"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/task"
)

// Method is the multi-layer perceptron.
var Method = &method.Method{
	Name:  "mlp",
	Title: "MLP",
	Doc:   "Multi-layer perceptron trained by Adam with early stopping, after scikit-learn.",
	Params: []method.Param{
		{Name: "hidden_layer_sizes", Type: method.Ints, Default: []int{100}, Min: 1, Max: 10_000,
			Doc: "units of each hidden layer"},
		{Name: "alpha", Type: method.Float, Default: 1e-4,
			Doc: "L2 penalty: half of alpha times the squared weights, over the rows of a batch, is added to its mean loss"},
		{Name: "batch_size", Type: method.Int, Default: 200, Min: 1,
			Doc: "rows of a mini-batch; at most all of the rows that are trained on"},
		{Name: "learning_rate", Type: method.Choice, Default: "constant",
			Choices: []string{"constant", "invscaling", "adaptive"},
			Doc:     "schedule of the learning rate: without effect, because Adam does not use one"},
		{Name: "learning_rate_init", Type: method.Float, Default: 1e-3, Min: 1e-12,
			Doc: "learning rate of Adam"},
	},
	Canonical: func(c method.Config, _ dataset.Problem) method.Config {
		return c.With("learning_rate", "constant")
	},
	EntryBytes: 5,
	Run:        run,
}

// run trains one network per configuration, one after the other: the harness gives every one a batch of its own.
func run(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
	if t.Train < 2 {
		return fmt.Errorf("mlp: %d training rows, want at least 2, because one is held out for early stopping", t.Train)
	}
	for i, c := range batch {
		r := fit(ctx, t, c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.Index = i
		done(r)
	}
	return nil
}

// fit trains one configuration and predicts validation and test rows.
func fit(ctx context.Context, t *task.Task, c method.Config) method.Result {
	start := time.Now()
	out := newOutput(t)
	if out == nil {
		only := int(t.Labels[0])
		return method.Result{Val: certain(only, t.Outputs(), t.Val), Test: certain(only, t.Outputs(), t.Test), Fit: time.Since(start)}
	}
	rng := seed.Rand(t.Seed, "mlp", c.JSON())
	m, err := train(ctx, t, c, out, rng)
	if err != nil {
		return method.Result{Err: fmt.Errorf("mlp: %w", err)}
	}
	r := method.Result{Fit: time.Since(start)}
	r.Details = map[string]any{"epochs": m.epochs, "best_epoch": m.bestEpoch, "held_out_score": m.bestScore, "kernel": m.network.kernel.Name}
	start = time.Now()
	if r.Val, r.Err = m.predict(ctx, t, t.Train, t.Val); r.Err == nil {
		r.Test, r.Err = m.predict(ctx, t, t.Train+t.Val, t.Test)
	}
	r.Predict = time.Since(start)
	return r
}

// certain predicts the same class for n rows.
func certain(class, classes, n int) method.Prediction {
	p := make(method.Prediction, n*classes)
	for i := range n {
		p[i*classes+class] = 1
	}
	return p
}
