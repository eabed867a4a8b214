package gbdt

import (
	"slices"
)

// A tableTree is a tree that asks few different questions: their answers, taken as the bits of a number, are the place of
// the tree's value in a table. CatBoost's oblivious trees are of this kind by birth, trees of depth 3 with their seven
// nodes too. All answers are found by comparing bins instead of features, for four rows with each instruction.
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

// bins counts the borders below each of the values of a feature: value(r) of row r, four rows a word.
func bins(into []uint64, borders []float32, x []float32, features int) {
	for w := range into {
		word := uint64(allBits)
		for lane := range lanes {
			r := w*lanes + lane
			if r*features >= len(x) {
				break
			}
			word |= uint64(binOf(borders, x[r*features])) << (16 * lane)
		}
		into[w] = word
	}
}

// binOf is the number of borders below v, found without a branch that depends on v.
func binOf(borders []float32, v float32) int {
	below := 0
	for n := len(borders); n > 0; {
		half := (n + 1) / 2
		step := 0
		if borders[below+half-1] < v {
			step = half
		}
		below += step
		n -= half
	}
	return below
}

// answer sets bit number first and those above it, in every lane, to the answers to the tree's questions.
func (t *tableTree) answer(answers []uint64, columns [][]uint64, first int) {
	q := t.questions
	if len(q)%2 == 1 {
		column, bin, shift := columns[q[0].feature][:len(answers)], q[0].bin, 15-first
		for w, v := range column {
			answers[w] |= (v - bin) & allBits >> (shift & 63)
		}
		q = q[1:]
		first++
	}
	for ; len(q) > 0; q = q[2:] {
		a, b := columns[q[0].feature][:len(answers)], columns[q[1].feature][:len(answers)]
		binA, binB, shift := q[0].bin, q[1].bin, 15-first
		for w, v := range a {
			answers[w] |= (v-binA)&allBits>>(shift&63) | (b[w]-binB)&allBits>>((shift-1)&63)
		}
		first += 2
	}
}
