package gbdt

import (
	"slices"
)

// A tableTree is a tree that asks few different questions: their answers, taken as the bits of a number, are the place of
// the tree's value in a table. CatBoost's oblivious trees are of this kind by birth, trees of depth 3 with their seven
// nodes too. All answers are found by comparing bins instead of features, for four rows with each instruction, or for
// sixteen where vector instructions can be had (wide_simd.go).
type tableTree struct {
	questions []question
	small     *[1 << smallQuestions]float64 // nil: the tree is large
	large     []float64
}

// A question is whether a row's bin is at least a number: whether its feature is above the border with that number.
type question struct {
	feature int
	bin     uint64 // in all four lanes of a word
}

const (
	smallQuestions = 8  // answers fit into a byte
	wideQuestions  = 10 // largest number with a table for sure
	maxQuestions   = 15 // more than that with at most four entries for a leaf
)

// Four bins of 15 bits lie in a word, each below a bit that is set, so that subtracting leaves the bit where the bin was
// not less.
const (
	lanes   = 4
	allBits = 0x8000_8000_8000_8000
	oneEach = 0x0001_0001_0001_0001
	maxBins = 1 << 15
)

// questionsOf lists the different questions of a tree, and which of them each node asks; nothing when a table of the
// answers would be too large.
func questionsOf(t *tree) (asked []border, byNode []int) {
	for node := range t.feature {
		b := border{t.feature[node], t.threshold32(int32(node))}
		i := slices.Index(asked, b)
		if i < 0 {
			i = len(asked)
			asked = append(asked, b)
		}
		if len(asked) > maxQuestions || len(asked) > wideQuestions && 1<<len(asked) > 4*len(t.leaf) {
			return nil, nil
		}
		byNode = append(byNode, i)
	}
	return asked, byNode
}

// A border is a threshold of a feature.
type border struct {
	feature   int32
	threshold float32
}

// newTableTree fills the table; borders are all borders of each feature, ascending.
func newTableTree(t *tree, asked []border, byNode []int, borders [][]float32) *tableTree {
	w := &tableTree{questions: make([]question, len(asked))}
	for i, b := range asked {
		n, _ := slices.BinarySearch(borders[b.feature], b.threshold)
		w.questions[i] = question{int(b.feature), uint64(n+1) * oneEach}
	}
	var table []float64
	if len(asked) <= smallQuestions {
		w.small = new([1 << smallQuestions]float64)
		table = w.small[:1<<len(asked)]
	} else {
		w.large = make([]float64, 1<<len(asked))
		table = w.large
	}
	for answers := range table {
		c := t.root()
		for c >= 0 {
			if answers>>byNode[c]&1 == 0 {
				c = t.left[c]
			} else {
				c = t.right[c]
			}
		}
		table[answers] = t.leaf[^c]
	}
	return w
}

// bins counts the borders below the values of a feature, of four rows a word; x begins with the first of them.
func bins(into []uint64, borders []float32, x []float32, features int) {
	w := 0
	for ; (w*lanes+lanes-1)*features < len(x); w++ {
		at := w * lanes * features
		into[w] = allBits | binsOf(borders, x[at], x[at+features], x[at+2*features], x[at+3*features])
	}
	if w < len(into) { // fewer than four rows are left
		var v [lanes]float32
		for i := range v {
			if at := (w*lanes + i) * features; at < len(x) {
				v[i] = x[at]
			}
		}
		into[w] = allBits | binsOf(borders, v[0], v[1], v[2], v[3])
	}
}

// binsOf searches for four numbers at a time, without a branch that depends on them.
func binsOf(borders []float32, u, v, w, x float32) uint64 {
	var i, j, k, l uint // borders known to be below
	for n := uint(len(borders)); n > 0; {
		half := (n + 1) / 2
		b := borders[half-1:]
		i += half & -one(b[i] < u)
		j += half & -one(b[j] < v)
		k += half & -one(b[k] < w)
		l += half & -one(b[l] < x)
		n -= half
	}
	return uint64(i) | uint64(j)<<16 | uint64(k)<<32 | uint64(l)<<48
}

// one is 1 for true.
func one(b bool) uint {
	if b {
		return 1
	}
	return 0
}

// answer sets bit number first and those above it, in every lane, to the answers to the tree's questions. It takes three at
// a time, and some twice rather than one alone.
func (t *tableTree) answer(answers []uint64, columns [][]uint64, first int) {
	q := t.questions
	if len(q) < 3 {
		for i := range q {
			answer1(answers, columns[q[i].feature], q[i].bin, first+i)
		}
		return
	}
	for done := 0; done < len(q); done += 3 {
		i := min(done, len(q)-3)
		a, b, c := &q[i], &q[i+1], &q[i+2]
		answer3(answers, columns[a.feature], columns[b.feature], columns[c.feature], a.bin, b.bin, c.bin, first+i)
	}
}

func answer1(answers, a []uint64, bin uint64, first int) {
	a = a[:len(answers)]
	shift := 15 - first
	for w := answer1Wide(answers, a, bin, shift); w < len(answers); w++ {
		answers[w] |= (a[w] - bin) & allBits >> (shift & 63)
	}
}

// answer3 leaves just enough in the loop for the processor's registers.
func answer3(answers, a, b, c []uint64, binA, binB, binC uint64, first int) {
	a, b, c = a[:len(answers)], b[:len(answers)], c[:len(answers)]
	shift := 13 - first
	for w := answer3Wide(answers, a, b, c, binA, binB, binC, shift); w < len(answers); w++ {
		bits := (a[w] - binA) & allBits >> 1
		bits = (bits | (b[w]-binB)&allBits) >> 1
		answers[w] |= (bits | (c[w]-binC)&allBits) >> (shift & 63)
	}
}
