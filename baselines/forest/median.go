package forest

import "math"

// mae is the mean absolute deviation around the median. The score of a split is what it takes off the node's sum of
// absolute deviations.
//
// The deviations on both sides of every boundary come from removing rows from the node, one after the other: in
// ascending order of the feature, what is left is the right side, in descending order the left one. A node's rows are
// in the order of their targets, so that a linked list through them finds the new median in a few steps.
type mae struct {
	numbers
	node      []numberSum // of the current node, by position+1: target and weight, with a sentinel on either side
	full      medianState // of the whole node
	deviation int64       // of the whole node
	list      []link
	right     []int64 // by boundary: the deviation to its right
}

func newMAE(y []float64, fixed []int64, cells int) *mae {
	return &mae{
		numbers: newNumbers(y, fixed, cells),
		node:    make([]numberSum, len(y)+2),
		list:    make([]link, len(y)+2),
		right:   make([]int64, len(y)),
	}
}

// A link is the place of a row in the list of those not removed.
type link struct{ previous, next int32 }

// A medianState is a multiset of weighted targets, with its median: at most half of the weight is before it, and at
// most half behind.
type medianState struct {
	median              int32 // index in node
	weight, sum         int64 // of all
	weightBefore, below int64 // weight and weighted sum of those before the median
}

func (c *mae) enter(rows []int32) bool {
	if c.pure(rows) {
		return true
	}
	n := len(rows)
	c.node = c.node[:n+2]
	s := medianState{median: 1}
	for i, row := range rows {
		m := numberSum{c.fixed[row], int64(c.weights[row])}
		c.node[i+1] = m
		s.weight += m.weight
		s.sum += m.sum * m.weight
	}
	c.resetList(n)
	s.settle(c.node, c.list)
	c.full, c.weight, c.sum = s, s.weight, s.sum
	c.deviation = s.deviation(c.node)
	return false
}

func (c *mae) resetList(n int) {
	c.list = c.list[:n+2]
	for i := range c.list {
		c.list[i] = link{int32(i) - 1, int32(i) + 1}
	}
}

// settle moves the median to where it belongs.
func (s *medianState) settle(node []numberSum, list []link) {
	for 2*s.weightBefore > s.weight {
		s.median = list[s.median].previous
		m := node[s.median]
		s.weightBefore -= m.weight
		s.below -= m.weight * m.sum
	}
	for m := node[s.median]; 2*(s.weightBefore+m.weight) < s.weight; m = node[s.median] {
		s.weightBefore += m.weight
		s.below += m.weight * m.sum
		s.median = list[s.median].next
	}
}

// deviation is the sum of absolute deviations from the median.
func (s *medianState) deviation(node []numberSum) int64 {
	return s.sum - 2*s.below + node[s.median].sum*(2*s.weightBefore-s.weight)
}

// remove takes a row out of the multiset, which must not become empty.
func (s *medianState) remove(i int32, node []numberSum, list []link) {
	m, l := node[i], list[i]
	list[l.previous].next, list[l.next].previous = l.next, l.previous
	s.weight -= m.weight
	s.sum -= m.weight * m.sum
	switch {
	case i < s.median:
		s.weightBefore -= m.weight
		s.below -= m.weight * m.sum
	case i == s.median && int(l.next) < len(node)-1:
		s.median = l.next
	case i == s.median:
		s.median = l.previous
		m = node[s.median]
		s.weightBefore -= m.weight
		s.below -= m.weight * m.sum
	}
	s.settle(node, list)
}

func (c *mae) cut(keys []key) (score float64, at int) {
	n := len(keys)
	c.resetList(n)
	s := c.full
	for i := range n - 1 {
		s.remove(int32(keys[i].index())+1, c.node, c.list)
		if keys[i].code() != keys[i+1].code() {
			c.right[i] = s.deviation(c.node)
		}
	}
	c.resetList(n)
	s = c.full
	least := int64(math.MaxInt64)
	for i := n - 1; i > 0; i-- {
		s.remove(int32(keys[i].index())+1, c.node, c.list)
		if keys[i].code() == keys[i-1].code() {
			continue
		}
		if d := s.deviation(c.node) + c.right[i-1]; d <= least {
			least, at = d, i
		}
	}
	return float64(c.deviation - least), at
}

func (c *mae) pick(b *bundle, code uint16, rows []int32) (float64, bool) {
	part := c.cells[b.first+int(code)]
	if part.weight == 0 || part.weight == c.weight {
		return 0, false
	}
	rest := numberSum{c.sum - part.sum, c.weight - part.weight}
	d := c.deviationOf(b, code, true, rows, part) + c.deviationOf(b, code, false, rows, rest)
	return float64(c.deviation - d), true
}

// deviationOf returns the sum of absolute deviations from the median of the rows that have the code, or of those that
// have not, whose sum and weight are given.
func (c *mae) deviationOf(b *bundle, code uint16, has bool, rows []int32, all numberSum) int64 {
	before := numberSum{}
	for i, row := range rows {
		if (b.codes[row] == code) != has {
			continue
		}
		m := c.node[i+1]
		if 2*(before.weight+m.weight) >= all.weight {
			return all.sum - 2*before.sum + m.sum*(2*before.weight-all.weight)
		}
		before.weight += m.weight
		before.sum += m.weight * m.sum
	}
	panic("unreachable: half of the weight is reached before the last row")
}

// leaf returns the weighted median, halfway between the middle two when the weight divides evenly between them.
func (c *mae) leaf(rows []int32, values *[]float64) int {
	total := int64(0)
	for _, row := range rows {
		total += int64(c.weights[row])
	}
	before, i := int64(0), 0
	for 2*(before+int64(c.weights[rows[i]])) < total {
		before += int64(c.weights[rows[i]])
		i++
	}
	median := c.y[rows[i]]
	if 2*(before+int64(c.weights[rows[i]])) == total {
		median = median/2 + c.y[rows[i+1]]/2
	}
	*values = append(*values, median)
	return len(*values) - 1
}
