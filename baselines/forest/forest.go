// Package forest grows random forests (Breiman, Machine Learning 45, 2001) as scikit-learn's RandomForestClassifier and
// RandomForestRegressor do with their default settings: bootstrap samples, unlimited depth, a fresh draw of features at
// every node, thresholds halfway between neighbouring values, class probabilities averaged over the trees. Trees by
// mae are those of the definition, where scikit-learn up to 1.7 loses track of the medians of bootstrap samples (median.go).
// Read grow.go first: how a tree grows. The criteria are in classify.go, regress.go and median.go.
//
// The search for splits is exact, like scikit-learn's (a feature with more than 65,536 distinct values is cut into at most 65,536
// bins), but works on values that were ranked once for the whole forest: a node orders small integers instead of sorting numbers
// (order.go), and two-valued columns that never differ from their usual value in the same row, such as one-hot encodings, are
// counted together in one pass (columns.go). Sums are sums of integers, so that the number of threads cannot change a result.
package forest

import (
	"math/bits"

	"nptbench/internal/seed"
	"nptbench/internal/task"
)

// Criteria of impurity. Gini and Entropy are for classification, MSE and MAE for regression; MAE is the mean absolute
// deviation around the median, and predicts medians.
const (
	Gini    = "gini"
	Entropy = "entropy"
	MSE     = "mse"
	MAE     = "mae"
)

// data are the training rows of a forest.
type data struct {
	x     []float32 // features, row-major, rows x width; finite
	width int

	// The targets, one per row: y for regression, or labels below classes.
	y       []float64
	labels  []uint16
	classes int
}

// trainingRows are those of a task.
func trainingRows(t *task.Task) *data {
	d := &data{x: t.TrainX(), width: t.Width, classes: t.Info.Classes}
	if t.Labels != nil {
		d.labels = t.Labels[:t.Train]
	} else {
		d.y = t.Y[:t.Train]
	}
	return d
}

// options say how a forest is grown.
type options struct {
	criterion   string
	maxFeatures int    // how many features a node draws; constant ones count, but at least one other is drawn if there is one
	allRows     bool   // grow every tree on all rows, not on a bootstrap sample
	seed        uint64 // of the forest; tree i depends on seed and i only, so that smaller forests are prefixes of larger ones
	threads     int    // trees that grow at the same time; 0 is 1
}

// treeSeeds returns the two words that seed the generator of one tree.
func treeSeeds(forest uint64, tree int) (uint64, uint64) {
	return seed.Derive(forest, tree, "high"), seed.Derive(forest, tree, "low")
}

// below turns 64 random bits into a number from 0 to n-1; the bias is below n/2^64.
func below(random uint64, n int) int {
	high, _ := bits.Mul64(random, uint64(n))
	return int(high)
}
