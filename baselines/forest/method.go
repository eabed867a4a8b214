package forest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/task"
)

// Names of the method's parameters.
const (
	criterionParam   = "criterion"
	sizeParam        = "n_estimators"
	maxFeaturesParam = "max_features"
)

// Method is the random forest of the paper's comparison.
var Method = &method.Method{
	Name:  "random-forest",
	Title: "Random Forest",
	Doc:   "Random forest with scikit-learn's semantics: bootstrap, unlimited depth, features drawn at every node.",
	Params: []method.Param{
		{
			Name: criterionParam, Type: method.Choice,
			Default: Gini, Choices: []string{Gini, Entropy},
			RegressionDefault: MSE, RegressionChoices: []string{MSE, MAE},
			Doc: "impurity that splits reduce; mae is the mean absolute deviation around the median",
		},
		{
			Name: sizeParam, Type: method.Int, Default: 100, Min: 1, Max: 1_000_000,
			Doc: "number of trees; all sizes of a sweep are cut from one forest",
		},
		{
			Name: maxFeaturesParam, Type: method.Choice,
			Default: "auto", Choices: []string{"auto", "sqrt", "log2"},
			Doc: "features drawn at every node; auto is sqrt for classification and all features for regression",
		},
	},
	Canonical: canonical,
	FitKey: func(c method.Config, _ dataset.Problem) string {
		return c.String(criterionParam) + " " + c.String(maxFeaturesParam)
	},
	GoesOn:     true,
	EntryBytes: 9,
	Run:        run,
}

func canonical(c method.Config, kind dataset.Problem) method.Config {
	if kind.Classification() && c.String(maxFeaturesParam) == "auto" {
		return c.With(maxFeaturesParam, "sqrt")
	}
	return c
}

// MaxFeatures returns the number of features that a rule stands for: "sqrt", "log2", or all.
func MaxFeatures(rule string, width int) int {
	switch rule {
	case "sqrt":
		return max(1, int(math.Sqrt(float64(width))))
	case "log2":
		return max(1, int(math.Log2(float64(max(1, width)))))
	}
	return max(1, width)
}

// wave is how many trees are kept at the same time. They are added to the predictions and dropped.
const wave = 50

// run grows the largest forest of the batch and reports each smaller one when it is reached.
func run(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
	rule, name := batch[0].String(maxFeaturesParam), batch[0].String(criterionParam)
	order := make([]int, len(batch)) // of the batch, by size
	for i := range order {
		order[i] = i
	}
	size := func(i int) int { return batch[i].Int(sizeParam) }
	slices.SortFunc(order, func(a, b int) int { return size(a) - size(b) })

	started := time.Now()
	n, err := newBuilder(ctx, trainingRows(t), options{
		criterion:   name,
		maxFeatures: MaxFeatures(rule, t.Width),
		seed:        seed.Derive(t.Seed, "random-forest", name, rule),
		threads:     t.Threads,
	})
	if err != nil {
		return err
	}
	fit, predict := time.Since(started), time.Duration(0)
	val, test := newSum(t.ValX(), t.Width, n.outputs), newSum(t.TestX(), t.Width, n.outputs)
	grown := 0
	for _, i := range order {
		for grown < size(i) {
			started = time.Now()
			trees, err := n.grow(ctx, grown, min(grown+wave, size(i)))
			if err != nil {
				return err
			}
			fit += time.Since(started)
			started = time.Now()
			if err := cmp.Or(val.add(ctx, trees, t.Threads), test.add(ctx, trees, t.Threads)); err != nil {
				return err
			}
			predict += time.Since(started)
			grown += len(trees)
		}
		done(method.Result{Index: i, Val: val.mean(grown), Test: test.mean(grown), Fit: fit, Predict: predict})
	}
	return nil
}
