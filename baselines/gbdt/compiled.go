package gbdt

import (
	"math"
	"slices"
)

// A compiled ensemble predicts blocks of rows without missing values: every tree in the form that is fastest for it. The
// trees of an output are added in their order, so that the sums are, bit by bit, those of one tree after the other.
type compiled struct {
	features int
	outputs  int
	borders  [][]float32 // of each feature, ascending: those that table trees ask for
	trees    []compiledTree
}

// A compiledTree is one of the two.
type compiledTree struct {
	table *tableTree
	walk  *walkTree
}

// compile returns nil for trees that ask for more than whether a number is above a border.
func compile(trees []tree, features, outputs int) *compiled {
	c := &compiled{features: features, outputs: outputs, borders: make([][]float32, features), trees: make([]compiledTree, len(trees))}
	asked, byNode := make([][]border, len(trees)), make([][]int, len(trees))
	for i := range trees {
		if !trees[i].numeric() {
			return nil
		}
		asked[i], byNode[i] = questionsOf(&trees[i])
		for _, b := range asked[i] {
			c.borders[b.feature] = append(c.borders[b.feature], b.threshold)
		}
	}
	tables := true
	for f, borders := range c.borders {
		slices.Sort(borders)
		c.borders[f] = slices.Compact(borders)
		tables = tables && len(c.borders[f]) < maxBins
	}
	for i := range trees {
		if tables && byNode[i] != nil {
			c.trees[i].table = newTableTree(&trees[i], asked[i], byNode[i], c.borders)
		} else {
			c.trees[i].walk = newWalkTree(&trees[i])
		}
	}
	return c
}

// threshold32 is the largest float32 that is not above a node's threshold: no float32 lies between the two.
func (t *tree) threshold32(node int32) float32 {
	v := float32(t.threshold[node])
	if float64(v) > t.threshold[node] {
		v = math.Nextafter32(v, float32(math.Inf(-1)))
	}
	return v
}

// A compiledBlock is a block of rows on its way through a compiled ensemble.
type compiledBlock struct {
	*compiled
	x       []float32  // row-major
	columns [][]uint64 // of each feature: bins
	sum     []float64  // output by output

	waiting    [4]*[1 << smallQuestions]float64 // tables of trees that are answered but not added
	waits      int
	answers    [2][]uint64 // of the trees that wait, two in a word's bytes
	oneAnswers []uint64    // of a large tree
}

// zeros stands for a tree that is not there.
var zeros [1 << smallQuestions]float64

func (c *compiled) newBlock(rows int) *compiledBlock {
	words := (rows + lanes - 1) / lanes
	b := &compiledBlock{compiled: c, columns: make([][]uint64, c.features)}
	for f := range b.columns {
		if len(c.borders[f]) > 0 {
			b.columns[f] = make([]uint64, words)
		}
	}
	b.answers[0], b.answers[1], b.oneAnswers = make([]uint64, words), make([]uint64, words), make([]uint64, words)
	return b
}

// load takes rows of features.
func (b *compiledBlock) load(x []float32) {
	b.x = x
	words := (len(x)/b.features + lanes - 1) / lanes
	for f, borders := range b.borders {
		if len(borders) > 0 {
			b.columns[f] = b.columns[f][:words]
			bins(b.columns[f], borders, x[f:], b.features)
		}
	}
	b.answers[0], b.answers[1], b.oneAnswers = b.answers[0][:words], b.answers[1][:words], b.oneAnswers[:words]
}

// add adds one output of iterations first to end to the sums, which have room for whole words.
func (b *compiledBlock) add(sum []float64, output, first, end int) {
	b.sum = sum
	rows := len(b.x) / b.features
	for n := first; n < end; n++ {
		t := &b.trees[n*b.outputs+output]
		switch {
		case t.walk != nil:
			b.flush()
			t.walk.addTo(sum[:rows], b.x, b.features)
		case t.table.small != nil:
			b.wait(t.table)
		default:
			b.flush()
			clear(b.oneAnswers)
			t.table.answer(b.oneAnswers, b.columns, 0)
			addLarge(sum, b.oneAnswers, t.table.large)
		}
	}
	b.flush()
}

// wait answers a small tree's questions and has it added together with others.
func (b *compiledBlock) wait(t *tableTree) {
	answers := b.answers[b.waits/2]
	if b.waits%2 == 0 {
		clear(answers)
	}
	t.answer(answers, b.columns, b.waits%2*smallQuestions)
	b.waiting[b.waits] = t.small
	if b.waits++; b.waits == len(b.waiting) {
		b.flush()
	}
}

// flush adds what waits.
func (b *compiledBlock) flush() {
	if b.waits == 0 {
		return
	}
	for i := b.waits; i < len(b.waiting); i++ {
		b.waiting[i] = &zeros
	}
	if b.waits <= 2 {
		clear(b.answers[1])
	}
	b.waits = 0
	addSmall(b.sum, b.answers[0], b.answers[1], b.waiting[0], b.waiting[1], b.waiting[2], b.waiting[3])
}

// addSmall adds four trees, one after the other, to the sums of four rows a word.
func addSmall(sum []float64, ab, cd []uint64, a, b, c, d *[1 << smallQuestions]float64) {
	cd = cd[:len(ab)]
	for w, u := range ab {
		v := cd[w]
		s := sum[4*w : 4*w+4 : 4*w+4]
		s[0] = s[0] + a[uint8(u)] + b[uint8(u>>8)] + c[uint8(v)] + d[uint8(v>>8)]
		s[1] = s[1] + a[uint8(u>>16)] + b[uint8(u>>24)] + c[uint8(v>>16)] + d[uint8(v>>24)]
		s[2] = s[2] + a[uint8(u>>32)] + b[uint8(u>>40)] + c[uint8(v>>32)] + d[uint8(v>>40)]
		s[3] = s[3] + a[uint8(u>>48)] + b[uint8(u>>56)] + c[uint8(v>>48)] + d[uint8(v>>56)]
	}
}

// addLarge adds one tree.
func addLarge(sum []float64, answers []uint64, table []float64) {
	for w, a := range answers {
		s := sum[4*w : 4*w+4 : 4*w+4]
		s[0] += table[uint16(a)]
		s[1] += table[uint16(a>>16)]
		s[2] += table[uint16(a>>32)]
		s[3] += table[uint16(a>>48)]
	}
}
