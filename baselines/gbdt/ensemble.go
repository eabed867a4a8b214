package gbdt

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// An ensemble is a boosted model as LightGBM writes it: trees of all iterations, those of one iteration together, one
// for each raw score. The learning rate and the initial scores are in the leaf values.
type ensemble struct {
	features int
	outputs  int // raw scores per row: the number of classes from three classes on, else 1
	link     link
	trees    []tree
	source   []byte // LightGBM's own text; nil for other libraries
}

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
	missingLeft   = 1 << 1 // rows without a value go left
	zeroIsMissing = 1 << 2 // NaN and zero are no values
	nanIsMissing  = 2 << 2 // NaN is none
)

// numeric reports whether all nodes compare numbers, of which none but NaN stands for a missing value.
func (t *tree) numeric() bool {
	for _, d := range t.decision {
		if d&(categorical|zeroIsMissing) != 0 {
			return false
		}
	}
	return true
}

// root is the first node, or the only leaf.
func (t *tree) root() int32 {
	if len(t.feature) == 0 {
		return ^0
	}
	return 0
}

// score is the tree's value for a row of features: what LightGBM defines it to be, node by node.
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

// addFours adds the values of a tree that compares numbers to the sums of rows without missing values, four at a time, and
// returns how many rows that were. Four rows go side by side: while one waits for a comparison, the others move.
func (t *tree) addFours(sum []float64, x []float32, features int) int {
	r := 0
	for ; r+4 <= len(sum); r += 4 {
		a, b, c, d := x[r*features:][:features], x[(r+1)*features:][:features], x[(r+2)*features:][:features], x[(r+3)*features:][:features]
		i, j, k, l := t.root(), t.root(), t.root(), t.root()
		for i&j&k&l >= 0 { // one is not at its leaf
			i, j, k, l = t.below(i, a), t.below(j, b), t.below(k, c), t.below(l, d)
		}
		s := sum[r : r+4 : r+4]
		s[0] += t.leaf[^i]
		s[1] += t.leaf[^j]
		s[2] += t.leaf[^k]
		s[3] += t.leaf[^l]
	}
	return r
}

// below is the child to which a row goes from a node that compares numbers; a leaf is its own. It takes no branch that
// depends on the row.
func (t *tree) below(at int32, x []float32) int32 {
	node := max(at, 0)
	left, next := t.left[node], t.right[node]
	if float64(x[t.feature[node]]) <= t.threshold[node] {
		next = left
	}
	if at < 0 {
		next = at
	}
	return next
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

// addToFirstTrees adds the initial scores, one per output, to the leaves of the first iteration.
func (e *ensemble) addToFirstTrees(scores []float64) error {
	if len(scores) != e.outputs || len(e.trees) < e.outputs {
		return fmt.Errorf("%d initial scores and %d trees for %d outputs", len(scores), len(e.trees), e.outputs)
	}
	for k, s := range scores {
		for i := range e.trees[k].leaf {
			e.trees[k].leaf[i] += s
		}
	}
	return nil
}

// text is the ensemble in LightGBM's text format, version 3.
func (e *ensemble) text() []byte {
	if e.source != nil {
		return e.source
	}
	var body []byte
	sizes := make([]string, len(e.trees))
	for i := range e.trees {
		start := len(body)
		body = e.trees[i].append(body, i)
		sizes[i] = strconv.Itoa(len(body) - start)
	}
	var b bytes.Buffer
	b.Grow(len(body) + 8*len(sizes) + 64*e.features + 1024)
	fmt.Fprintf(&b, "tree\nversion=v3\nnum_class=%d\nnum_tree_per_iteration=%d\nlabel_index=0\nmax_feature_idx=%d\nobjective=%s\n",
		e.outputs, e.outputs, e.features-1, e.link.objective(e.outputs))
	fmt.Fprintf(&b, "feature_names=%s\n", strings.Join(columnNames(e.features), " "))
	fmt.Fprintf(&b, "feature_infos=%s\n", strings.TrimSpace(strings.Repeat("[-inf:inf] ", e.features)))
	fmt.Fprintf(&b, "tree_sizes=%s\n\n", strings.Join(sizes, " "))
	b.Write(body)
	b.WriteString("end of trees\n")
	return b.Bytes()
}

func columnNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "Column_" + strconv.Itoa(i)
	}
	return names
}

func (t *tree) append(b []byte, index int) []byte {
	b = fmt.Appendf(b, "Tree=%d\nnum_leaves=%d\nnum_cat=0\n", index, len(t.leaf))
	if len(t.feature) > 0 {
		b = appendInts(b, "split_feature", t.feature)
		b = appendFloats(b, "threshold", t.threshold)
		b = appendInts(b, "decision_type", t.decision)
		b = appendInts(b, "left_child", t.left)
		b = appendInts(b, "right_child", t.right)
	}
	b = appendFloats(b, "leaf_value", t.leaf)
	return append(b, "shrinkage=1\n\n"...)
}

func appendInts[T int32 | uint8](b []byte, key string, values []T) []byte {
	b = append(append(b, key...), '=')
	for i, v := range values {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(v), 10)
	}
	return append(b, '\n')
}

// appendFloats prints the shortest digits that read back as the same float64.
func appendFloats(b []byte, key string, values []float64) []byte {
	b = append(append(b, key...), '=')
	for i, v := range values {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return append(b, '\n')
}
