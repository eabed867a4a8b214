package forest

import (
	"math"
	"math/bits"
)

// classes is what the criteria of classification have in common. All counts are sums of weights.
type classes struct {
	classes int
	members []member // by row, in the current tree

	total       []int64 // of the current node, by class
	weight      int64   // of the current node
	left, right []int64 // while a boundary moves through the node, by class
	cells       []int32 // tallies: by cell of the bundles and class
}

type member struct{ label, weight uint16 }

func newClasses(labels []uint16, n, cells int) classes {
	members := make([]member, len(labels))
	for row, label := range labels {
		members[row].label = label
	}
	return classes{
		classes: n,
		members: members,
		total:   make([]int64, n),
		left:    make([]int64, n),
		right:   make([]int64, n),
		cells:   make([]int32, cells*n),
	}
}

func (c *classes) begin(weights []uint16) {
	for row, w := range weights {
		c.members[row].weight = w
	}
}

func (c *classes) enter(rows []int32) bool {
	clear(c.total)
	c.weight = 0
	for _, row := range rows {
		m := c.members[row]
		c.total[m.label] += int64(m.weight)
		c.weight += int64(m.weight)
	}
	return c.total[c.members[rows[0]].label] == c.weight
}

func (c *classes) tally(b *bundle, rows []int32) {
	cells := c.cells[b.first*c.classes:]
	for _, row := range rows {
		m := c.members[row]
		cells[int(b.codes[row])*c.classes+int(m.label)] += int32(m.weight)
	}
}

func (c *classes) untally(b *bundle, rows []int32) {
	cells := c.cells[b.first*c.classes : (b.first+b.cells())*c.classes]
	if len(rows) >= len(cells) {
		clear(cells)
		return
	}
	for _, row := range rows {
		cells[int(b.codes[row])*c.classes+int(c.members[row].label)] = 0
	}
}

func (c *classes) varies(b *bundle, code uint16) bool {
	weight := int64(0)
	cell := (b.first + int(code)) * c.classes
	for _, n := range c.cells[cell : cell+c.classes] {
		weight += int64(n)
	}
	return weight != 0 && weight != c.weight
}

// separate sets left to the counts of the rows with the code and right to those of the others. It returns the weight
// of the former.
func (c *classes) separate(b *bundle, code uint16) int64 {
	weight := int64(0)
	cell := (b.first + int(code)) * c.classes
	for k, n := range c.cells[cell : cell+c.classes] {
		c.left[k], c.right[k] = int64(n), c.total[k]-int64(n)
		weight += int64(n)
	}
	return weight
}

// leaf keeps the shares of the classes, but of pure leaves, which are most of them, the class alone.
func (c *classes) leaf(rows []int32, values *[]float64) int {
	if label := int(c.members[rows[0]].label); c.total[label] == c.weight {
		return ^label
	}
	for _, n := range c.total {
		*values = append(*values, float64(n)/float64(c.weight))
	}
	return len(*values) - c.classes
}

// gini is the Gini impurity, 1 - sum of squared shares. The score of a split is the part of the weighted impurity that
// depends on it, with the sign changed: for both sides the sum of squared counts divided by the sum of counts.
type gini struct{ classes }

func newGini(labels []uint16, n, cells int) *gini { return &gini{newClasses(labels, n, cells)} }

func (c *gini) cut(keys []key) (best float64, at int) {
	best = -1
	left, right := c.left, c.right
	copy(right, c.total)
	clear(left)
	squaresLeft, squaresRight := int64(0), sumSquares(right)
	weight := int64(0)
	for i := range len(keys) - 1 {
		m := c.members[keys[i].index()]
		w, l, r := int64(m.weight), left[m.label], right[m.label]
		squaresLeft += w * (2*l + w)
		squaresRight -= w * (2*r - w)
		left[m.label], right[m.label] = l+w, r-w
		weight += w
		if keys[i].code() == keys[i+1].code() {
			continue
		}
		if s := float64(squaresLeft)/float64(weight) + float64(squaresRight)/float64(c.weight-weight); s > best {
			best, at = s, i+1
		}
	}
	return best, at
}

func (c *gini) pick(b *bundle, code uint16, _ []int32) float64 {
	weight := c.separate(b, code)
	return float64(sumSquares(c.left))/float64(weight) + float64(sumSquares(c.right))/float64(c.weight-weight)
}

func sumSquares(counts []int64) int64 {
	s := int64(0)
	for _, n := range counts {
		s += n * n
	}
	return s
}

// entropy is the entropy of the shares of the classes. The score of a split is the weight of the node times the
// information that it gives, from a table of x log2 x in fixed point, so that sums are exact.
type entropy struct {
	classes
	table []int64 // of x log2 x
}

// entropyTable returns x log2 x for x up to n, as integers on a common scale on which sums over a node cannot overflow.
func entropyTable(n int) []int64 {
	table := make([]int64, n+1)
	largest := max(1, float64(n)*math.Log2(float64(n)))
	scale := 58 - bits.Len64(uint64(largest))
	for x := 2; x <= n; x++ {
		table[x] = int64(math.Round(math.Ldexp(float64(x)*math.Log2(float64(x)), scale)))
	}
	return table
}

func newEntropy(labels []uint16, n, cells int, table []int64) *entropy {
	return &entropy{newClasses(labels, n, cells), table}
}

func (c *entropy) cut(keys []key) (best float64, at int) {
	left, right, table := c.left, c.right, c.table
	copy(right, c.total)
	clear(left)
	inside := c.sum(right) // of both sides, over the classes
	whole := inside - table[c.weight]
	most := int64(math.MinInt64)
	weight := int64(0)
	for i := range len(keys) - 1 {
		m := c.members[keys[i].index()]
		w, l, r := int64(m.weight), left[m.label], right[m.label]
		inside += table[l+w] - table[l] + table[r-w] - table[r]
		left[m.label], right[m.label] = l+w, r-w
		weight += w
		if keys[i].code() == keys[i+1].code() {
			continue
		}
		if s := inside - table[weight] - table[c.weight-weight]; s > most {
			most, at = s, i+1
		}
	}
	return c.score(most, whole), at
}

func (c *entropy) pick(b *bundle, code uint16, _ []int32) float64 {
	whole := c.sum(c.total) - c.table[c.weight]
	weight := c.separate(b, code)
	parts := c.sum(c.left) + c.sum(c.right) - c.table[weight] - c.table[c.weight-weight]
	return c.score(parts, whole)
}

// score is never negative but for the rounding of the table.
func (c *entropy) score(parts, whole int64) float64 { return float64(max(0, parts-whole)) }

func (c *entropy) sum(counts []int64) int64 {
	s := int64(0)
	for _, n := range counts {
		s += c.table[n]
	}
	return s
}
