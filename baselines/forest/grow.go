package forest

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"nptbench/internal/parallel"
)

// A criterion measures splits of a node. Rows are numbered by ascending target, and a node's rows are in that order.
type criterion interface {
	// begin takes the weights of all rows in a new tree: how often each one is in the tree's sample.
	begin(weights []uint16)

	// enter makes the given rows the current node and reports whether all its targets are equal.
	enter(rows []int32) (pure bool)

	// cut finds the best boundary between different codes of the node's keys, which are sorted and not all equal. It
	// returns the number of keys before the boundary; of equally good ones it is the first.
	cut(keys []key) (score float64, at int)

	// tally counts rows of the node by their code in a bundle; untally undoes it.
	tally(b *bundle, rows []int32)
	untally(b *bundle, rows []int32)

	// varies reports whether some of the node's rows, but not all, have the code in the tallied bundle. Pick measures how
	// well they are then told from the others.
	varies(b *bundle, code uint16) bool
	pick(b *bundle, code uint16, rows []int32) (score float64)

	// leaf appends the node's prediction to values and returns its index, or of a pure leaf the complement of its class.
	leaf(rows []int32, values *[]float64) int
}

// A builder grows the trees of a forest; it has what they share: the encoded columns and the targets.
type builder struct {
	options options
	rows    int
	order   []int32 // the row of the data at each place; rows are numbered by ascending target everywhere else
	outputs int
	columns []column
	bundles []bundle

	newCriterion func() criterion
}

func newBuilder(ctx context.Context, d *data, o options) (*builder, error) {
	order := make([]int32, len(d.x)/d.width)
	for i := range order {
		order[i] = int32(i)
	}
	b := &builder{options: o, rows: len(order), order: order, outputs: 1}
	if d.labels != nil {
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(d.labels[a], d.labels[b]) })
		b.outputs = d.classes
	} else {
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(d.y[a], d.y[b]) })
	}
	b.columns, b.bundles = encode(ctx, d.x, d.width, order, o.threads)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.newCriterion = criteria(d, o.criterion, order, b.bundles)
	return b, nil
}

// criteria returns a maker of the named criterion for the targets in the given order.
func criteria(d *data, name string, order []int32, bundles []bundle) func() criterion {
	cells := 0
	for i := range bundles {
		cells += bundles[i].cells()
	}
	if d.labels != nil {
		labels := make([]uint16, len(order))
		for i, row := range order {
			labels[i] = d.labels[row]
		}
		if name == Gini {
			return func() criterion { return newGini(labels, d.classes, cells) }
		}
		table := entropyTable(len(order))
		return func() criterion { return newEntropy(labels, d.classes, cells, table) }
	}
	y := make([]float64, len(order))
	for i, row := range order {
		y[i] = d.y[row]
	}
	fixed := fixedPoint(y)
	if name == MSE {
		return func() criterion { return newMSE(y, fixed, cells) }
	}
	return func() criterion { return newMAE(y, fixed, cells) }
}

// grow returns the trees numbered from first to last-1.
func (b *builder) grow(ctx context.Context, first, last int) ([]tree, error) {
	trees, growers := make([]tree, last-first), make([]*grower, max(1, b.options.threads))
	return trees, parallel.For(ctx, b.options.threads, len(trees), 1, func(worker, i, _ int) {
		if growers[worker] == nil {
			growers[worker] = b.newGrower()
		}
		trees[i] = growers[worker].grow(ctx, first+i)
	})
}

// A grower grows one tree at a time; its fields are reused from tree to tree.
type grower struct {
	*builder
	criterion
	random *rand.PCG

	weights  []uint16 // by row: how often it is in the tree's sample
	sample   []int32  // the rows in the sample; every node is a part of it
	features []int32  // in some order; a node draws from the front
	tallied  []bool   // by bundle: whether the current node has tallied it
	stack    []segment

	constant []bool  // by feature: whether it is known to be constant in the current node
	found    []int32 // the features known to be constant, in the order in which this was found, from the root down

	keys, buffer []key
	presorted    [][]key // by column: the sample in order, split like the sample; nil when nodes sort for themselves
	left         []bool  // by row: where the last split sent it
	aside        []int32 // for the rows that go right, while a node is split
}

// A segment is a node that is still to be split, and its part of the sample.
type segment struct {
	node       int32
	start, end int32
	found      int32 // how many features were found to be constant above the node
}

func (b *builder) newGrower() *grower {
	g := &grower{
		builder:   b,
		criterion: b.newCriterion(),
		weights:   make([]uint16, b.rows),
		sample:    make([]int32, 0, b.rows),
		features:  make([]int32, len(b.columns)),
		tallied:   make([]bool, len(b.bundles)),
		constant:  make([]bool, len(b.columns)),
		keys:      make([]key, b.rows),
		buffer:    make([]key, b.rows),
		left:      make([]bool, b.rows),
		aside:     make([]int32, b.rows),
	}
	if float64(b.options.maxFeatures) >= presortShare*float64(len(b.columns)) {
		g.presorted = make([][]key, len(b.columns))
	}
	return g
}

const (
	// presortShare is the part of the columns that nodes must draw for it to pay to sort all of them once for every tree and
	// to split what is sorted: where all are drawn, a fifth to a third of a fit on Boston Housing and Protein.
	presortShare = 0.5

	// smallNode is up to how many rows a node sorts for itself in any case.
	smallNode = 5

	// checkEvery is after how many rows of nodes a grower looks whether it should stop: a small part of a second's work.
	checkEvery = 1 << 18
)

// grow grows the numbered tree. When ctx is done it returns early; the tree is of no use then.
func (g *grower) grow(ctx context.Context, number int) tree {
	g.random = rand.NewPCG(treeSeeds(g.options.seed, number))
	for i := range g.features {
		g.features[i] = int32(i)
	}
	g.draw()
	g.begin(g.weights)
	g.presort()
	g.forget(0)
	t := tree{nodes: make([]node, 1, 2*len(g.sample))}
	g.stack = append(g.stack[:0], segment{end: int32(len(g.sample))})
	work := 0
	for len(g.stack) > 0 {
		s := g.stack[len(g.stack)-1]
		g.stack = g.stack[:len(g.stack)-1]
		if work += int(s.end - s.start); work > checkEvery {
			if work = 0; ctx.Err() != nil {
				return tree{}
			}
		}
		g.split(&t, s)
	}
	t.nodes, t.values = slices.Clone(t.nodes), slices.Clone(t.values)
	return t
}

// draw draws the tree's sample: as many rows as there are, with replacement.
func (g *grower) draw() {
	clear(g.weights)
	for i := range g.weights {
		if g.options.allRows {
			g.weights[i] = 1
		} else {
			g.weights[below(g.random.Uint64(), g.rows)]++
		}
	}
	g.sample = g.sample[:0]
	for row, w := range g.weights {
		if w > 0 {
			g.sample = append(g.sample, int32(row))
		}
	}
}

// presort orders the sample by every column of many values.
func (g *grower) presort() {
	for i := range g.presorted {
		if c := &g.columns[i]; c.many() {
			g.presorted[i] = append(g.presorted[i][:0], g.sort(c, g.sample)...)
		}
	}
}

// split makes a node a leaf, or gives it a test and two children, which it puts on the stack.
func (g *grower) split(t *tree, s segment) {
	rows := g.sample[s.start:s.end]
	g.forget(s.found)
	best := candidate{score: -1}
	if pure := g.enter(rows); !pure && len(rows) > 1 {
		best = g.search(s)
	}
	if best.score < 0 {
		t.nodes[s.node] = node{feature: -1, child: int32(g.leaf(rows, &t.values))}
		return
	}
	child := int32(len(t.nodes))
	t.nodes[s.node] = node{best.feature, g.columns[best.feature].threshold(best.code, best.next), child}
	t.nodes = append(t.nodes, node{}, node{})
	middle := s.start + g.partition(s, best)
	found := int32(len(g.found))
	g.stack = append(g.stack, segment{child + 1, middle, s.end, found}, segment{child, s.start, middle, found})
}

// A candidate is a split: rows whose value has at most the code go left, and the next code in the node goes right.
type candidate struct {
	score      float64 // the larger, the better; negative: no split
	feature    int32
	code, next int
}

// search draws features, without replacement, and returns the best split. As in scikit-learn, features that are
// constant in the node count, but the search goes on until one that is not was found or all were drawn.
func (g *grower) search(s segment) candidate {
	best, varies := candidate{score: -1}, false
	for i := range g.features {
		if varies && (i >= g.options.maxFeatures || s.end-s.start == 2) {
			break // with two rows, one feature that tells them apart is as good as another
		}
		j := i + below(g.random.Uint64(), len(g.features)-i)
		g.features[i], g.features[j] = g.features[j], g.features[i]
		c := g.measure(g.features[i], s)
		varies = varies || !g.constant[g.features[i]]
		if c.score > best.score {
			best = c
		}
	}
	for i, tallied := range g.tallied {
		if tallied {
			g.untally(&g.bundles[i], g.sample[s.start:s.end])
			g.tallied[i] = false
		}
	}
	return best
}

// measure returns the best split by one feature, or one of negative score when the feature is constant or when, as in
// scikit-learn, all neighbouring values are too close to each other for a split, however far apart the first and the last
// are. Only constant features are remembered: below the node there may be wider gaps.
func (g *grower) measure(feature int32, s segment) candidate {
	c := &g.columns[feature]
	switch {
	case g.constant[feature]:
		return candidate{score: -1}
	case c.many():
		keys := g.sorted(feature, s)
		if c.close {
			keys = g.fuse(c, keys)
		}
		if keys[0].code() == keys[len(keys)-1].code() {
			first, last := c.codes[keys[0].index()], c.codes[keys[len(keys)-1].index()]
			if first != last && c.largest[last] > c.smallest[first]+indistinct {
				return candidate{score: -1} // not constant, but without a gap that is wide enough
			}
			break // to be constant: below the node, too, its rows have one value or share a bin
		}
		score, at := g.cut(keys)
		return candidate{score, feature, int(c.codes[keys[at-1].index()]), int(c.codes[keys[at].index()])}
	case c.bundle >= 0:
		rows, b := g.sample[s.start:s.end], &g.bundles[c.bundle]
		if !g.tallied[c.bundle] {
			g.tally(b, rows)
			g.tallied[c.bundle] = true
			if len(b.columns) < len(rows) {
				g.findConstant(b)
			}
		}
		if g.varies(b, c.code) {
			return candidate{g.pick(b, c.code, rows), feature, 0, 1}
		}
	}
	g.remember(feature)
	return candidate{score: -1}
}

// findConstant looks for constant columns in a tallied bundle, to save later tallies: a fifth of a fit on Kick.
func (g *grower) findConstant(b *bundle) {
	for i, feature := range b.columns {
		if !g.constant[feature] && !g.varies(b, uint16(i+1)) {
			g.remember(feature)
		}
	}
}

// remember notes that a feature is constant in this node, and thus below it.
func (g *grower) remember(feature int32) {
	if !g.constant[feature] {
		g.constant[feature] = true
		g.found = append(g.found, feature)
	}
}

// forget goes back to what was known when that many features were found to be constant.
func (g *grower) forget(found int32) {
	for _, feature := range g.found[found:] {
		g.constant[feature] = false
	}
	g.found = g.found[:found]
}

// sorted returns a node's keys in a column of many values, in order.
func (g *grower) sorted(feature int32, s segment) []key {
	if g.presorted != nil && s.end-s.start > smallNode {
		return g.presorted[feature][s.start:s.end]
	}
	return g.sort(&g.columns[feature], g.sample[s.start:s.end])
}

func (g *grower) sort(c *column, rows []int32) []key {
	keys := g.keys[:len(rows)]
	low, high := uint32(maxCodes), uint32(0)
	for i, row := range rows {
		code := uint32(c.codes[row])
		low, high = min(low, code), max(high, code)
		keys[i] = makeKey(code, int(row))
	}
	return sortKeys(keys, g.buffer[:len(rows)], low, high)
}

// fuse gives sorted keys with too close values the same code.
func (g *grower) fuse(c *column, keys []key) []key {
	fused := g.keys[:len(keys)]
	code, last := keys[0].code(), keys[0].code()
	for i, k := range keys {
		if k.code() != last && c.smallest[k.code()] > c.largest[last]+indistinct {
			code = k.code()
		}
		last = k.code()
		fused[i] = makeKey(code, int(k.index()))
	}
	return fused
}

// partition puts a node's rows that go left before the others, keeps the order otherwise, and returns their number.
func (g *grower) partition(s segment, split candidate) int32 {
	c := &g.columns[split.feature]
	rows := g.sample[s.start:s.end]
	left, right := 0, 0
	for _, row := range rows {
		goesLeft := int(c.codes[row]) <= split.code
		if c.bundle >= 0 {
			goesLeft = (c.codes[row] == c.code) != c.rareHigh
		}
		g.left[row] = goesLeft
		rows[left], g.aside[right] = row, row
		if goesLeft {
			left++
		} else {
			right++
		}
	}
	copy(rows[left:], g.aside[:right])
	if max(left, right) > smallNode {
		for _, keys := range g.presorted {
			if keys != nil {
				g.partitionKeys(keys[s.start:s.end])
			}
		}
	}
	return int32(left)
}

// partitionKeys does with sorted keys what was done with their rows.
func (g *grower) partitionKeys(keys []key) {
	aside := g.buffer[:len(keys)]
	left, right := 0, 0
	for _, k := range keys {
		keys[left], aside[right] = k, k
		step := 0
		if g.left[k.index()] {
			step = 1
		}
		left += step
		right += 1 - step
	}
	copy(keys[left:], aside[:right])
}
