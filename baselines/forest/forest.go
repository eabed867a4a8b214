// Package forest grows random forests (Breiman, Machine Learning 45, 2001) as scikit-learn's RandomForestClassifier and
// RandomForestRegressor do with their default settings: bootstrap samples, unlimited depth, a fresh draw of features at
// every node, thresholds halfway between neighbouring values, class probabilities averaged over the trees.
// Read grow.go first: how a tree grows. The criteria are in classify.go, regress.go and median.go.
//
// The search for splits is exact, like scikit-learn's, but works on values that were ranked once for the whole forest: a
// node orders small integers instead of sorting numbers (order.go), and two-valued columns that never differ from their
// usual value in the same row, such as one-hot encodings, are counted together in one pass (columns.go). Sums are sums of
// integers, so that neither the order of rows nor the number of threads can change a result.
package forest

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"nptbench/internal/seed"
)

// Criteria of impurity. Gini and Entropy are for classification, MSE and MAE for regression; MAE is the mean absolute
// deviation around the median, and predicts medians.
const (
	Gini    = "gini"
	Entropy = "entropy"
	MSE     = "mse"
	MAE     = "mae"
)

// Data are the training rows of a forest.
type Data struct {
	X     []float32 // features, row-major, rows x Width; finite
	Width int

	// The targets, one per row: Y for regression, or Labels below Classes.
	Y       []float64
	Labels  []uint16
	Classes int
}

func (d *Data) rows() int {
	if d.Labels != nil {
		return len(d.Labels)
	}
	return len(d.Y)
}

// Options say how a forest is grown.
type Options struct {
	Criterion   string
	Trees       int
	MaxFeatures int    // how many features a node draws; constant ones count, but at least one other is drawn if there is one
	AllRows     bool   // grow every tree on all rows, not on a bootstrap sample
	Seed        uint64 // of the forest; tree i depends on Seed and i only, so that smaller forests are prefixes of larger ones
	Threads     int    // trees that grow at the same time; 0 is 1
}

// A Forest predicts by the mean of its trees.
type Forest struct {
	Width   int // number of features
	Outputs int // numbers per prediction: 1 for regression, else the number of classes
	trees   []tree
}

// Fit grows a forest. The error is ctx's, or one line about what is wrong with the data or the options.
func Fit(ctx context.Context, data Data, o Options) (*Forest, error) {
	n, err := newBuilder(ctx, &data, o)
	if err != nil {
		return nil, err
	}
	f := &Forest{Width: data.Width, Outputs: n.outputs}
	f.trees, err = n.grow(ctx, 0, o.Trees)
	return f, err
}

// Predict returns, for rows of Width features, row-major, the predicted numbers or the probabilities of the classes,
// rows x Outputs. It panics when x does not hold whole rows.
func (f *Forest) Predict(x []float32, threads int) []float64 {
	if len(x)%f.Width != 0 {
		panic(fmt.Sprintf("forest: Predict: %d values are not rows of %d", len(x), f.Width))
	}
	s := newSum(x, f.Width, f.Outputs)
	s.add(context.Background(), f.trees, threads)
	return s.mean(len(f.trees))
}

// check says in one line what is wrong with the data or the options.
func check(d *Data, o *Options) error {
	rows := d.rows()
	classification := o.Criterion == Gini || o.Criterion == Entropy
	switch {
	case !classification && o.Criterion != MSE && o.Criterion != MAE:
		return fmt.Errorf("forest: criterion %q: want gini, entropy, mse or mae", o.Criterion)
	case classification != (d.Labels != nil):
		return fmt.Errorf("forest: criterion %s does not fit the targets: gini and entropy need Labels, mse and mae Y", o.Criterion)
	case rows == 0:
		return fmt.Errorf("forest: no training rows, want at least one")
	case rows > math.MaxInt32:
		return fmt.Errorf("forest: %d training rows, want at most %d", rows, math.MaxInt32)
	case d.Width < 1:
		return fmt.Errorf("forest: %d feature columns, want at least one", d.Width)
	case len(d.X) != rows*d.Width:
		return fmt.Errorf("forest: %d feature values for %d rows, want %d columns each", len(d.X), rows, d.Width)
	case o.Trees < 1:
		return fmt.Errorf("forest: %d trees, want at least 1", o.Trees)
	case o.MaxFeatures < 1:
		return fmt.Errorf("forest: %d features per node, want at least 1", o.MaxFeatures)
	}
	for i, v := range d.X {
		if v-v != 0 { // NaN or infinite
			return fmt.Errorf("forest: training row %d, column %d is %v, want a finite number", i/d.Width, i%d.Width, v)
		}
	}
	for i, y := range d.Y {
		if y-y != 0 {
			return fmt.Errorf("forest: the target of training row %d is %v, want a finite number", i, y)
		}
	}
	for i, c := range d.Labels {
		if int(c) >= d.Classes {
			return fmt.Errorf("forest: the label of training row %d is %d, want one below %d", i, c, d.Classes)
		}
	}
	return nil
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
