package gbdt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// XGBoost's binary format before JSON (dmlc streams of packed structs, src/learner.cc and src/tree/tree_model.cc of its
// version 1.7) is what XGBoost writes in a hundredth of the time of its JSON forms, which would be some percent of the
// time of a small fit. Sizes in bytes:
const (
	xgbLearnerSize = 136 // base score, number of features, number of classes, ...
	xgbBoosterSize = 160 // number of trees, ...
	xgbTreeSize    = 148 // unused, number of nodes, ...
	xgbNodeSize    = 20  // parent, left, right, feature with the default side in the highest bit, threshold or leaf value
	xgbStatSize    = 16
)

// readXGBoost rewrites a model that XGBoost 1.7 saved in the format "deprecated".
//
// XGBoost goes left when feature < threshold, both float32; for float32 features that is feature <= the float64 next
// below the threshold. It adds leaf values, which contain the learning rate, to the base score.
//
// Where ones[f] is 1, feature f had its zeros left out, which went left, as missing values do. Thresholds between zero and
// one say the same of a row that has them; 0.5 is what XGBoost has for a feature that is whole.
func readXGBoost(a *fitAnswer, features int, link link) (*Model, error) {
	model, ones := a.bytes("model"), a.bytes("ones")
	r := packed{rest: model}
	if string(r.take(4)) != "binf" {
		return nil, errors.New("not an XGBoost model in its binary format: it does not begin with binf")
	}
	learner := r.take(xgbLearnerSize)
	r.text() // the objective
	if booster := r.text(); booster != "gbtree" {
		return nil, fmt.Errorf("the booster is %q, want gbtree", booster)
	}
	trees := r.int32At(r.take(xgbBoosterSize), 0)
	m := &Model{Features: features, Outputs: 1, link: link}
	if link == softmax {
		m.Outputs = int(r.int32At(learner, 2))
	}
	for i := int32(0); i < trees && !r.failed; i++ {
		t, err := readXGBoostTree(&r, ones, features)
		if err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
		m.trees = append(m.trees, t)
	}
	if r.failed || m.Outputs < 1 || len(m.trees)%m.Outputs != 0 {
		return nil, fmt.Errorf("damaged XGBoost model of %d bytes with %d trees", len(model), len(m.trees))
	}
	base := float64(math.Float32frombits(uint32(r.int32At(learner, 0))))
	if link == logistic { // it is saved as a probability
		base = -math.Log(1/base - 1)
	}
	return m, m.addToFirstTrees(slices.Repeat([]float64{base}, m.Outputs))
}

func readXGBoostTree(r *packed, ones []byte, features int) (t tree, err error) {
	n := int(r.int32At(r.take(xgbTreeSize), 1))
	if n < 1 || n > len(r.rest)/(xgbNodeSize+xgbStatSize) {
		return t, fmt.Errorf("%d nodes", n)
	}
	nodes := r.take(n * xgbNodeSize)
	r.take(n * xgbStatSize)
	field := func(i int32, number int) int32 { return r.int32At(nodes[int(i)*xgbNodeSize:], number) }
	value := func(i int32) float64 { return float64(math.Float32frombits(uint32(field(i, 4)))) }

	b := binaryTree{left: make([]int32, n), right: make([]int32, n), feature: make([]int32, n), value: value}
	for i := range int32(n) {
		b.left[i], b.right[i], b.feature[i] = field(i, 1), field(i, 2), field(i, 3)&math.MaxInt32
	}
	var odd error
	b.split = func(i int32) (float64, uint8) {
		threshold, decision := value(i), uint8(nanIsMissing)
		if field(i, 3) < 0 {
			decision |= missingLeft
		}
		if f := int(b.feature[i]); f < len(ones) && ones[f] == 1 {
			if decision&missingLeft == 0 || threshold > 1 {
				odd = fmt.Errorf("node %d asks feature %d, of which the fit saw ones alone, whether it is below %v", i, f, threshold)
			}
			threshold = 0.5
		}
		return math.Nextafter(threshold, math.Inf(-1)), decision
	}
	if err := b.copyTo(&t, features); err != nil {
		return t, err
	}
	return t, odd
}

// packed reads structs that follow each other. After a read beyond the end failed is true and everything is zero.
type packed struct {
	rest   []byte
	failed bool
}

func (p *packed) take(n int) []byte {
	if p.failed || n < 0 || n > len(p.rest) {
		p.failed = true
		return nil
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b
}

// int32At returns one of the 32-bit fields that a struct begins with.
func (p *packed) int32At(b []byte, number int) int32 {
	if len(b) < 4*number+4 {
		p.failed = true
		return 0
	}
	return int32(binary.LittleEndian.Uint32(b[4*number:]))
}

// text reads a string after its length.
func (p *packed) text() string {
	b := p.take(8)
	if b == nil {
		return ""
	}
	return string(p.take(int(binary.LittleEndian.Uint64(b))))
}
