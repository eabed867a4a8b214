package forest

import "math"

// mae is the mean absolute deviation around the median. The score of a split is what it takes off the node's sum of
// absolute deviations.
//
// The deviations on both sides of every boundary come from removing rows from the node, one after the other: in
// ascending order of the feature, what is left is the right side, in descending order the left one. A node's rows are
// in the order of their targets, so that a linked list through them finds the new median in a few steps.
//
// Up to version 1.7, scikit-learn's absolute_error loses track of the median of weighted rows, and its forests pass
// bootstrap samples as weights (issue 32099): its trees are a few nodes smaller, its scores the same within the spread
// over seeds. This one is the definition, and scikit-learn's on samples with repeated rows.
type mae struct {
	numbers
	list       []entry      // by row+1; the first and the last entry are sentinels
	rows       []int32      // of the current node
	whole      distribution // of the current node
	deviations []int64      // by boundary of a cut: the sum on both sides
}

// An entry is a row in the list of those not removed.
type entry struct {
	target, weighted, weight int64 // target in fixed point, target*weight, weight
	previous, next           int32
}

// A distribution is a multiset of weighted targets, with its median: at most half of the weight is before it, and at
// most half behind.
type distribution struct {
	numberSum
	median int32     // its place in the list
	before numberSum // of those before the median
}

// deviation is the sum of absolute deviations from the median.
func (d *distribution) deviation(list []entry) int64 {
	return d.sum - 2*d.before.sum + list[d.median].target*(2*d.before.weight-d.weight)
}

func newMAE(y []float64, fixed []int64, cells int) *mae {
	return &mae{
		numbers:    newNumbers(y, fixed, cells),
		list:       make([]entry, len(y)+2),
		deviations: make([]int64, len(y)),
	}
}

func (c *mae) begin(weights []uint16) {
	c.weights = weights
	for row, w := range weights {
		e, y := &c.list[row+1], c.fixed[row]
		e.target, e.weighted, e.weight = y, y*int64(w), int64(w)
	}
}

func (c *mae) enter(rows []int32) bool {
	if c.pure(rows) {
		return true
	}
	c.rows = rows
	c.weight, c.sum = 0, 0
	for _, row := range rows {
		e := &c.list[row+1]
		c.weight += e.weight
		c.sum += e.weighted
	}
	d := distribution{numberSum: numberSum{c.sum, c.weight}}
	for _, row := range rows {
		e := &c.list[row+1]
		d.median = row + 1
		if 2*(d.before.weight+e.weight) >= c.weight {
			break
		}
		d.before.weight += e.weight
		d.before.sum += e.weighted
	}
	c.whole = d
	return false
}

// link puts all rows of the node into the list, in their order.
func (c *mae) link() {
	previous := int32(0)
	for _, row := range c.rows {
		c.list[previous].next = row + 1
		c.list[row+1].previous = previous
		previous = row + 1
	}
	last := int32(len(c.list)) - 1
	c.list[previous].next, c.list[last].previous = last, previous
}

func (c *mae) cut(keys []key) (score float64, at int) {
	d := c.deviations[:len(keys)]
	clear(d)
	c.link()
	c.remove(keys, false)
	c.link()
	c.remove(keys, true)
	least := int64(math.MaxInt64)
	for i := 1; i < len(keys); i++ {
		if d[i] < least && keys[i].code() != keys[i-1].code() {
			least, at = d[i], i
		}
	}
	return float64(c.whole.deviation(c.list) - least), at
}

// remove takes the keys' rows off the list, but for the last one, and adds to the deviations of every boundary that of
// the rows that are left on its one side: the right side, or, from the back, the left one.
func (c *mae) remove(keys []key, fromBack bool) {
	list := c.list
	d := c.whole
	for j := range len(keys) - 1 {
		boundary, k := j+1, keys[j]
		if fromBack {
			boundary = len(keys) - 1 - j
			k = keys[boundary]
		}
		i := int32(k.index()) + 1
		e := &list[i]
		list[e.previous].next, list[e.next].previous = e.next, e.previous
		d.weight -= e.weight
		d.sum -= e.weighted
		if i == d.median { // the next one becomes the median, or the previous one if there is none
			d.median = e.next
			if int(d.median) == len(list)-1 {
				d.median = e.previous
				d.before.weight -= list[d.median].weight
				d.before.sum -= list[d.median].weighted
			}
		} else {
			isBefore := int64(i-d.median) >> 63 // all ones or zero: a branch would be mispredicted half of the time
			d.before.weight -= e.weight & isBefore
			d.before.sum -= e.weighted & isBefore
		}
		m := &list[d.median]
		for 2*d.before.weight > d.weight {
			d.median = m.previous
			m = &list[d.median]
			d.before.weight -= m.weight
			d.before.sum -= m.weighted
		}
		for 2*(d.before.weight+m.weight) < d.weight {
			d.before.weight += m.weight
			d.before.sum += m.weighted
			d.median = m.next
			m = &list[d.median]
		}
		c.deviations[boundary] += d.sum - 2*d.before.sum + m.target*(2*d.before.weight-d.weight)
	}
}

func (c *mae) pick(b *bundle, code uint16, rows []int32) float64 {
	part := c.cells[b.first+int(code)]
	rest := numberSum{c.sum - part.sum, c.weight - part.weight}
	d := c.deviationOf(b, code, true, rows, part) + c.deviationOf(b, code, false, rows, rest)
	return float64(c.whole.deviation(c.list) - d)
}

// deviationOf returns the sum of absolute deviations from the median of the rows that have the code, or of those that
// have not, whose sum and weight are given.
func (c *mae) deviationOf(b *bundle, code uint16, has bool, rows []int32, all numberSum) int64 {
	d := distribution{numberSum: all}
	for _, row := range rows {
		if (b.codes[row] == code) != has {
			continue
		}
		e := &c.list[row+1]
		d.median = row + 1
		if 2*(d.before.weight+e.weight) >= all.weight {
			break
		}
		d.before.weight += e.weight
		d.before.sum += e.weighted
	}
	return d.deviation(c.list)
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
