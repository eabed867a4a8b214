package gbdt

import "fmt"

// readScikit rewrites scikit-learn's GradientBoostingClassifier or -Regressor, of which the node arrays of all trees come, one tree after
// the other, with children counted from each tree's first node and -1 for none. sizes has the nodes per tree, init the initial raw scores.
//
// scikit-learn compares features cast to float32 with float64 thresholds by <=, as leaves does, and adds rate*value tree by tree to the
// initial score.
func readScikit(a *fitAnswer, features int, link link) (*Model, error) {
	sizes, left, right, feature := a.int32s("sizes"), a.int32s("left"), a.int32s("right"), a.int32s("feature")
	threshold, values, init := a.float64s("threshold"), a.float64s("value"), a.float64s("init")
	rate := 0.0
	if r := a.float64s("rate"); len(r) == 1 {
		rate = r[0]
	}
	m := &Model{Features: features, Outputs: len(init), link: link, trees: make([]tree, len(sizes))}
	n := len(left)
	if len(right) != n || len(feature) != n || len(threshold) != n || len(values) != n {
		return nil, fmt.Errorf("arrays of different lengths: %d, %d, %d, %d, %d", n, len(right), len(feature), len(threshold), len(values))
	}
	start := 0
	for i, size := range sizes {
		end := start + int(size)
		if size < 1 || end > n {
			return nil, fmt.Errorf("tree %d ends at node %d of %d", i, end, n)
		}
		nodes := binaryTree{
			left: left[start:end], right: right[start:end], feature: feature[start:end],
			split: func(i int32) (float64, uint8) { return threshold[start+int(i)], missingLeft },
			value: func(i int32) float64 { return rate * values[start+int(i)] },
		}
		if err := nodes.copyTo(&m.trees[i], features); err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
		start = end
	}
	return m, m.addToFirstTrees(init)
}
