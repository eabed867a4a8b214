package gbdt

import "fmt"

// A scikitModel is the content of scikit-learn's GradientBoostingClassifier or -Regressor: the node arrays of all trees,
// one tree after the other, with children counted from each tree's first node and -1 for none.
type scikitModel struct {
	sizes                []int32 // nodes per tree
	left, right, feature []int32
	threshold, value     []float64
	rate                 float64
	init                 []float64 // initial raw scores
}

// model rewrites the model. scikit-learn compares features cast to float32 with float64 thresholds by <=, as leaves
// does, and adds rate*value tree by tree to the initial score.
func (m *scikitModel) model(features int, link link) (*Model, error) {
	out := &Model{Features: features, Outputs: len(m.init), link: link, trees: make([]tree, len(m.sizes))}
	n := len(m.left)
	if len(m.right) != n || len(m.feature) != n || len(m.threshold) != n || len(m.value) != n {
		return nil, fmt.Errorf("arrays of different lengths: %d, %d, %d, %d, %d", n, len(m.right), len(m.feature), len(m.threshold), len(m.value))
	}
	start := 0
	for i, size := range m.sizes {
		end := start + int(size)
		if size < 1 || end > n {
			return nil, fmt.Errorf("tree %d ends at node %d of %d", i, end, n)
		}
		nodes := binaryTree{
			left: m.left[start:end], right: m.right[start:end], feature: m.feature[start:end],
			split: func(i int32) (float64, uint8) { return m.threshold[start+int(i)], missingLeft },
			value: func(i int32) float64 { return m.rate * m.value[start+int(i)] },
		}
		if err := nodes.copyTo(&out.trees[i], features); err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
		start = end
	}
	return out, out.addToFirstTrees(m.init)
}
