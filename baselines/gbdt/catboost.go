package gbdt

import (
	"fmt"
	"slices"
)

// readCatBoost rewrites a model in CatBoost's own binary format (cbm), for models of oblivious trees over float
// features, which is what CatBoost fits unless asked for something else.
//
// An oblivious tree asks one question at each depth: question j sets bit j of the leaf's number when feature > border,
// both float32. The prediction is scale * (sum of leaf values) + bias.
func readCatBoost(a *fitAnswer, features int, link link) (*Model, error) {
	scale, bias := a.float64s("scale"), a.float64s("bias")
	if len(scale) != 1 {
		return nil, fmt.Errorf("%d scales, want one", len(scale))
	}
	c, err := decodeCatBoost(a.bytes("model"))
	if err != nil {
		return nil, err
	}
	if c.outputs != len(bias) {
		return nil, fmt.Errorf("%d outputs, but %d biases", c.outputs, len(bias))
	}
	m := &Model{Features: features, Outputs: c.outputs, link: link}
	splits, leaves := c.splits, c.leaves
	for i, depth := range c.depths {
		if depth < 0 || depth > maxCatBoostDepth || int(depth) > len(splits) || c.outputs<<depth > len(leaves) {
			return nil, fmt.Errorf("tree %d of depth %d does not fit %d splits and %d leaf values", i, depth, len(splits), len(leaves))
		}
		questions := make([]catBoostQuestion, depth)
		for j, s := range splits[:depth] {
			if s < 0 || int(s) >= len(c.questions) || c.questions[s].feature < 0 || int(c.questions[s].feature) >= features {
				return nil, fmt.Errorf("tree %d: no split %d over %d features", i, s, features)
			}
			questions[j] = c.questions[s]
		}
		for k := range c.outputs {
			grower := obliviousGrower{questions: questions, leaves: leaves, stride: c.outputs, output: k, scale: scale[0]}
			m.trees = append(m.trees, grower.grow())
		}
		splits, leaves = splits[depth:], leaves[c.outputs<<depth:]
	}
	return m, m.addToFirstTrees(bias)
}

const maxCatBoostDepth = 16 // CatBoost's own limit

// A catBoostQuestion is one border of one feature.
type catBoostQuestion struct {
	feature  int32
	border   float32
	nanRight bool // a missing value answers yes; otherwise no
}

// An obliviousGrower expands one output of one oblivious tree. Questions that earlier ones have answered are left out,
// and so are those with equal leaves on both sides, which is most of them when the tree has more leaves than rows.
type obliviousGrower struct {
	questions []catBoostQuestion
	leaves    []float64
	stride    int // outputs per leaf
	output    int
	scale     float64
	tree      tree
}

// A subtree is a node of the grown tree or, until it is known to be needed, a leaf.
type subtree struct {
	isLeaf bool
	value  float64
	node   int32
}

func (g *obliviousGrower) grow() tree {
	if root := g.below(len(g.questions), 0); root.isLeaf {
		g.tree.addLeaf(root.value)
	}
	g.tree.reverse()
	return g.tree
}

// below grows what the first n questions decide when the others have set the high bits of the leaf's number.
func (g *obliviousGrower) below(n, leaf int) subtree {
	if n == 0 {
		return subtree{isLeaf: true, value: g.scale * g.leaves[leaf*g.stride+g.output]}
	}
	last := n - 1
	yes, known := g.answer(last, leaf)
	if known && yes {
		return g.below(last, leaf|1<<last)
	}
	no := g.below(last, leaf)
	if known {
		return no
	}
	right := g.below(last, leaf|1<<last)
	if no.isLeaf && right.isLeaf && no.value == right.value {
		return no
	}
	q := g.questions[last]
	decision := uint8(nanIsMissing)
	if !q.nanRight {
		decision |= missingLeft
	}
	node := g.tree.addSplit(q.feature, float64(q.border), decision)
	g.tree.left[node], g.tree.right[node] = g.attach(no), g.attach(right)
	return subtree{node: node}
}

// answer says whether the questions asked before question j, which are those after it in the list, decide it.
func (g *obliviousGrower) answer(j, leaf int) (yes, known bool) {
	q := g.questions[j]
	for i := j + 1; i < len(g.questions); i++ {
		before := g.questions[i]
		if before.feature != q.feature {
			continue
		}
		above := leaf>>i&1 == 1 // feature > before.border
		if above && q.border <= before.border || !above && q.border >= before.border {
			return above, true
		}
	}
	return false, false
}

func (g *obliviousGrower) attach(s subtree) int32 {
	if s.isLeaf {
		return g.tree.addLeaf(s.value)
	}
	return s.node
}

// reverse renumbers the nodes so that the last one, which was added when both of its sides were complete, is the root.
func (t *tree) reverse() {
	slices.Reverse(t.feature)
	slices.Reverse(t.threshold)
	slices.Reverse(t.decision)
	slices.Reverse(t.left)
	slices.Reverse(t.right)
	for _, children := range [][]int32{t.left, t.right} {
		for i, c := range children {
			if c >= 0 {
				children[i] = int32(len(children)) - 1 - c
			}
		}
	}
}
