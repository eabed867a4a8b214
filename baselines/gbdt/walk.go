package gbdt

import "math"

// A walkTree is a tree with its nodes in one array, for many rows at a time: both children of a node lie side by side, so
// that a comparison gives the place of the next node without a branch, and a leaf is its own next node, so that rows whose
// leaves lie at different depths can go the same number of steps together.
type walkTree struct {
	nodes   []walkNode
	value   []float64 // of each node; 0 unless it is a leaf
	deepest int       // steps to the deepest leaf
	nearest int       // and to the nearest one
}

type walkNode struct {
	threshold float32
	feature   uint32
	left      uint32 // the right child is the next one
}

func (n *walkNode) next(x []float32) uint32 {
	right := uint32(0)
	if x[n.feature] > n.threshold {
		right = 1
	}
	return n.left + right
}

// newWalkTree arranges a tree without missing values in mind: features are numbers.
func newWalkTree(t *tree) *walkTree {
	w := &walkTree{
		nodes: make([]walkNode, 1, 2*len(t.leaf)-1), value: make([]float64, 2*len(t.leaf)-1), nearest: math.MaxInt,
	}
	level := []int32{t.root()} // the tree's nodes and leaves of one depth; at is the place of the first of them
	for at, depth := 0, 0; len(level) > 0; depth++ {
		var below []int32
		first := len(w.nodes)
		for i, c := range level {
			n := &w.nodes[at+i]
			if c < 0 {
				*n = walkNode{threshold: float32(math.Inf(1)), left: uint32(at + i)}
				w.value[at+i] = t.leaf[^c]
				w.deepest, w.nearest = depth, min(w.nearest, depth)
				continue
			}
			*n = walkNode{threshold: t.threshold32(c), feature: uint32(t.feature[c]), left: uint32(first + len(below))}
			below = append(below, t.left[c], t.right[c])
		}
		w.nodes = w.nodes[:first+len(below)]
		at, level = first, below
	}
	return w
}

// addTo adds the tree's values for rows of features to their sums. Four rows go side by side: while one waits for memory,
// the others move.
func (t *walkTree) addTo(sum []float64, x []float32, features int) {
	nodes, value := t.nodes, t.value
	r := 0
	for ; r+4 <= len(sum); r += 4 {
		a, b, c, d := x[r*features:][:features], x[(r+1)*features:][:features], x[(r+2)*features:][:features], x[(r+3)*features:][:features]
		var i, j, k, l uint32
		for range t.nearest {
			i, j, k, l = nodes[i].next(a), nodes[j].next(b), nodes[k].next(c), nodes[l].next(d)
		}
		for range t.deepest - t.nearest {
			i0, j0, k0, l0 := i, j, k, l
			i, j, k, l = nodes[i].next(a), nodes[j].next(b), nodes[k].next(c), nodes[l].next(d)
			if (i^i0)|(j^j0)|(k^k0)|(l^l0) == 0 {
				break
			}
		}
		s := sum[r : r+4 : r+4]
		s[0] += value[i]
		s[1] += value[j]
		s[2] += value[k]
		s[3] += value[l]
	}
	for ; r < len(sum); r++ {
		row := x[r*features:][:features]
		i := uint32(0)
		for range t.deepest {
			i = nodes[i].next(row)
		}
		sum[r] += value[i]
	}
}
