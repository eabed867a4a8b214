package gbdt

import (
	"fmt"
	"math"
)

// A tree has node 0 as its root. A child c < 0 is leaf ^c.
type tree struct {
	feature     []int32
	threshold   []float64 // a row goes left when its feature <= threshold
	decision    []uint8
	left, right []int32
	leaf        []float64

	// Bit c%32 of categories[i][c/32] says that category c goes left; a categorical node's threshold is i.
	categories [][]uint32
}

// Bits of a node's decision. Without zeroIsMissing and nanIsMissing, NaN counts as zero.
const (
	categorical   = 1 << 0
	missingLeft   = 1 << 1 // missing values go left
	zeroIsMissing = 1 << 2 // NaN and zero are missing values
	nanIsMissing  = 2 << 2 // NaN is a missing value
)

// root is the first node, or the only leaf.
func (t *tree) root() int32 {
	if len(t.feature) == 0 {
		return ^0
	}
	return 0
}

// score is the tree's value for a row of features, as LightGBM defines it.
func (t *tree) score(x []float32) float64 {
	c := t.root()
	for c >= 0 {
		if t.goesLeft(c, float64(x[t.feature[c]])) {
			c = t.left[c]
		} else {
			c = t.right[c]
		}
	}
	return t.leaf[^c]
}

// almostZero is the largest number that LightGBM takes for zero where zero is missing.
const almostZero = float64(float32(1e-35))

func (t *tree) goesLeft(node int32, v float64) bool {
	decision := t.decision[node]
	if decision&categorical != 0 {
		set := t.categories[int(t.threshold[node])]
		return v > -1 && v < float64(32*len(set)) && set[int(v)/32]>>(int(v)%32)&1 == 1
	}
	if math.IsNaN(v) && decision&nanIsMissing == 0 {
		v = 0
	}
	if decision&zeroIsMissing != 0 && math.Abs(v) <= almostZero || decision&nanIsMissing != 0 && math.IsNaN(v) {
		return decision&missingLeft != 0
	}
	return v <= t.threshold[node]
}

func (t *tree) addSplit(feature int32, threshold float64, decision uint8) (node int32) {
	t.feature = append(t.feature, feature)
	t.threshold = append(t.threshold, threshold)
	t.decision = append(t.decision, decision)
	t.left = append(t.left, 0)
	t.right = append(t.right, 0)
	return int32(len(t.feature) - 1)
}

func (t *tree) addLeaf(value float64) (child int32) {
	t.leaf = append(t.leaf, value)
	return ^int32(len(t.leaf) - 1)
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
