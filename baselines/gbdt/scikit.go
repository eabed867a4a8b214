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

// ensemble rewrites the model. scikit-learn compares features cast to float32 with float64 thresholds by <=, as leaves
// does, and adds rate*value tree by tree to the initial score.
func (m *scikitModel) ensemble(features int, link link) (*ensemble, error) {
	e := &ensemble{features: features, outputs: len(m.init), link: link, trees: make([]tree, len(m.sizes))}
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
		if err := nodes.copyTo(&e.trees[i], features); err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
		start = end
	}
	return e, e.addToFirstTrees(m.init)
}

// A binaryTree has its nodes in arrays, node 0 as its root and -1 as both children of a leaf.
type binaryTree struct {
	left, right, feature []int32
	split                func(node int32) (threshold float64, decision uint8)
	value                func(leaf int32) float64
}

// copyTo appends the nodes that can be reached from the root to an empty tree.
func (b *binaryTree) copyTo(t *tree, features int) error {
	left := len(b.left) // nodes that may still be met: more means a cycle
	var grow func(i int32) (int32, error)
	grow = func(i int32) (int32, error) {
		if i < 0 || int(i) >= len(b.left) || left == 0 {
			return 0, fmt.Errorf("node %d has no place in a tree of %d nodes", i, len(b.left))
		}
		left--
		if b.left[i] == -1 {
			return t.addLeaf(b.value(i)), nil
		}
		if f := b.feature[i]; f < 0 || int(f) >= features {
			return 0, fmt.Errorf("node %d asks feature %d of %d", i, f, features)
		}
		threshold, decision := b.split(i)
		node := t.addSplit(b.feature[i], threshold, decision)
		var err error
		if t.left[node], err = grow(b.left[i]); err != nil {
			return 0, err
		}
		t.right[node], err = grow(b.right[i])
		return node, err
	}
	_, err := grow(0)
	return err
}
