// Package golearn runs the k-NN and the random forest of github.com/sjwhitworth/golearn, as it stands and through its
// public interface, so that its users see where it stands beside scikit-learn's semantics in packages knn and forest. The
// paper does not have these methods; they are extra rows and never enter its rank orders.
//
// # What golearn does otherwise
//
// Tests show most of these, and fail once they are no longer so (v0.0.0-20221228163002-74ae077eafb2).
//
//   - The k-d tree returns wrong neighbours: an empty half of a node counts as a training point at the origin, under the
//     name of the first training row.
//   - Weights are ignored on the default path, linear search with Euclidean distance. Elsewhere a neighbour at distance 0
//     weighs infinitely much, and where two classes have one, the vote is a matter of chance.
//   - Votes that tie are decided by the order of a Go map, which differs from run to run, and so is which of the rows at the
//     same distance are neighbours, in regression too: on Yacht, all categories, no two runs give the same predictions.
//   - The regressor has neither weights nor a tree.
//   - Predictions of classes are labels; there are no probabilities. Here the predicted class has probability 1, which
//     makes the log-loss of a wrong prediction as large as the metric's clipping lets it be.
//   - The forest has no seed: two fits on the same rows differ.
//   - The forest draws features once for every tree, not at every node.
//   - A tree tests each of its features at most once between root and leaf, and stops when one is left: a forest of one
//     feature per tree predicts the most frequent class, whatever the row.
//   - The forest's splits are by entropy only, and it has no regression.
//
// # How it is run
//
// In a process of its own, built from the module in the folder worker by `make golearn`, or any program named by
// NPT_GOLEARN. golearn cannot be imported here: it needs a version of tablewriter that is not this project's, and a C++
// compiler; and it should not be: it prints progress, cannot be stopped, and panics in goroutines where nobody can recover.
package golearn

import (
	"errors"
	"fmt"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
)

// Names of the parameters.
const (
	neighboursParam = "n_neighbors"
	weightsParam    = "weights"
	algorithmParam  = "algorithm"
	metricParam     = "metric"
	optimiseParam   = "allow_optimisations"

	treesParam    = "n_estimators"
	featuresParam = "max_features"
)

// KNN is golearn's KNNClassifier, and its KNNRegressor.
var KNN = &method.Method{
	Name:  "golearn-knn",
	Title: "k-NN (golearn)",
	Doc:   "k nearest neighbours as golearn has them; not in the paper.",
	Params: []method.Param{
		{Name: neighboursParam, Type: method.Int, Default: 5, Min: 1, Max: 1_000_000, Doc: "number of neighbours"},
		{Name: weightsParam, Type: method.Choice, Default: "uniform", Choices: []string{"uniform", "distance"},
			RegressionChoices: []string{"uniform"},
			Doc:               "how neighbours vote; golearn ignores it in a linear search with optimisations"},
		{Name: algorithmParam, Type: method.Choice, Default: "linear", Choices: []string{"linear", "kdtree"},
			RegressionChoices: []string{"linear"},
			Doc:               "search; golearn's k-d tree returns wrong neighbours"},
		{Name: metricParam, Type: method.Choice, Default: "euclidean", Choices: []string{"euclidean", "manhattan"},
			Doc: "distance"},
		{Name: optimiseParam, Type: method.Bool, Default: true,
			Doc: "golearn's vectorised search, for classes, linear search and Euclidean distance"},
	},
	Canonical: canonicalKNN,
	Lazy:      true,
	Run:       runKNN,
	Available: available,
	Extra:     true,
}

// Forest is golearn's RandomForest.
var Forest = &method.Method{
	Name:  "golearn-random-forest",
	Title: "Random Forest (golearn)",
	Doc:   "Random forest as golearn has it, for classes only; not in the paper.",
	Params: []method.Param{
		{Name: treesParam, Type: method.Int, Default: 100, Min: 1, Max: 100_000, Doc: "number of trees"},
		{Name: featuresParam, Type: method.Choice, Default: "sqrt", Choices: []string{"sqrt", "log2", "all"},
			Doc: "features drawn for every tree"},
	},
	Check: func(_ method.Config, info dataset.Info) error {
		if !info.Problem.Classification() {
			return errors.New("predicts classes alone, want a classification")
		}
		return nil
	},
	Run:       runForest,
	Available: available,
	Extra:     true,
}

// canonicalKNN sets what golearn ignores to its default.
func canonicalKNN(c method.Config, kind dataset.Problem) method.Config {
	if !kind.Classification() || c.String(algorithmParam) != "linear" || c.String(metricParam) != "euclidean" {
		return c.With(optimiseParam, true)
	}
	if c.Bool(optimiseParam) {
		return c.With(weightsParam, "uniform")
	}
	return c
}

// checkRows refuses more neighbours than there are rows, where golearn would panic or return nothing.
func checkRows(c method.Config, rows int) error {
	if k := c.Int(neighboursParam); k > rows {
		return fmt.Errorf("%s: %d is more than the %d training rows", neighboursParam, k, rows)
	}
	return nil
}
