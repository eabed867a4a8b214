package gbdt

import (
	"bytes"
	"fmt"
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
}

// A tree has node 0 as its root. A child c < 0 is leaf ^c.
type tree struct {
	feature     []int32
	threshold   []float64 // a row goes left when its feature <= threshold
	decision    []uint8
	left, right []int32
	leaf        []float64
}

// Bits of a node's decision.
const (
	nanGoesLeft = 1 << 1
	nanIsAsked  = 2 << 2 // rows without a value go where nanGoesLeft says; without this bit, NaN counts as zero
)

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

// text writes the ensemble in LightGBM's text format, version 3.
func (e *ensemble) text() []byte {
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
