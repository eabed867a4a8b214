// Package knn is the k-nearest-neighbours baseline: exact search, Euclidean or Manhattan distance, uniform or distance
// weights, with the semantics of scikit-learn's KNeighborsClassifier and KNeighborsRegressor.
//
// One search, for the largest k, serves every k and both weightings. Of several training rows at the same distance the
// one that comes first in the task counts as nearer, so predictions do not depend on how the search is done, on the
// machine, or on the number of threads. In tables with massive ties, such as Yacht's, another choice among them gives
// other predictions; ties=scikit-learn makes the one that the paper's numbers were made with (see tieRule).
//
// Distances are those between the rows of Task.X, summed in float64. A categorical feature's one-hot columns add 2 to
// the squared Euclidean and to the Manhattan distance alike when two rows differ, and 1 when it is missing in one of
// them; the search compares the categories instead of the columns. It goes through a tree of bounding boxes (see index)
// and refuses most rows by a vectorised lower bound of their distance; only the rest is measured.
package knn

import (
	"context"
	"fmt"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// Method is k-NN. The paper's has ties "scikit-learn".
var Method = &method.Method{
	Name:  "knn",
	Title: "k-NN",
	Doc:   "k nearest neighbours in the encoded features, exact search",
	Params: []method.Param{
		{Name: "n_neighbors", Type: method.Int, Default: 5, Min: 1,
			Doc: "neighbours per prediction, at most the number of training rows"},
		{Name: "weights", Type: method.Choice, Default: "uniform", Choices: []string{"uniform", "distance"},
			Doc: "weight of a neighbour: the same for all, or the inverse of its distance (those at distance 0 count alone)"},
		{Name: "algorithm", Type: method.Choice, Default: "auto", Choices: []string{"auto", "ball_tree", "kd_tree", "brute"},
			Doc: "search structure of scikit-learn; all are exact, so this matters only to its ties"},
		{Name: "leaf_size", Type: method.Int, Default: 30, Min: 1,
			Doc: "rows per leaf of scikit-learn's trees; matters only to its ties"},
		{Name: "p", Type: method.Int, Default: 2, Min: 1, Max: 2,
			Doc: "power of the Minkowski distance: 1 is Manhattan, 2 Euclidean"},
		{Name: "ties", Type: method.Choice, Default: "first", Choices: []string{"first", "scikit-learn"},
			Doc: "which rows at the k-th distance count: the first ones, or those that scikit-learn 0.24 takes"},
	},
	Canonical:     canonical,
	FitKey:        func(c method.Config, _ dataset.Problem) string { return fmt.Sprintf("p=%d", c.Int("p")) },
	Deterministic: true,
	Lazy:          true,
	EntryBytes:    8,
	Run:           run,
}

// canonical drops what decides nothing: every search is exact, so only scikit-learn's ties depend on its algorithm.
func canonical(c method.Config, _ dataset.Problem) method.Config {
	if c.String("ties") == "first" {
		c = c.With("algorithm", "auto")
	}
	if c.String("ties") == "first" || c.String("algorithm") == "brute" {
		c = c.With("leaf_size", 30)
	}
	return c
}

func run(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
	start := time.Now()
	models, err := newModels(ctx, t, batch, done)
	if err != nil || len(models) == 0 {
		return err
	}
	threads := max(1, t.Threads)
	rows, err := newRows(ctx, t, batch[0].Int("p"), threads)
	if err != nil {
		return err
	}
	idx, err := newIndex(ctx, rows, t.Train, threads)
	if err != nil {
		return err
	}
	fit := time.Since(start)

	start = time.Now()
	if err := predict(ctx, t, idx, models, threads); err != nil {
		return err
	}
	took := time.Since(start)
	for i, m := range models {
		models[i] = nil // frees the predictions once the harness is done with them
		n := t.Val * t.Outputs()
		for _, index := range m.configs {
			done(method.Result{Index: index, Val: m.out[:n:n], Test: m.out[n:], Fit: fit, Predict: took})
		}
	}
	return nil
}
