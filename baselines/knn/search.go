package knn

import "math/bits"

// A search looks for the neighbours of a group of up to fanout queries at a time, so that what it reads of the index is
// used for all of them while it is in the cache. One goroutine uses it.
type search struct {
	index   *index
	k       int
	queries [fanout]query
	found   [fanout]nearest
	limit   [fanout]float32 // per query: rows and boxes whose bound exceeds it are skipped
	levels  []visited
}

// A query is a row whose neighbours are looked for, as the bound functions take it.
type query struct {
	row     int
	numeric []float32
	codes   []uint8 // low bytes
}

func (q *query) set(r *rows, row int) {
	q.row = row
	q.numeric = r.numeric[row*r.width : (row+1)*r.width]
	q.codes = q.codes[:0]
	for _, c := range r.codes[row*len(r.absent) : (row+1)*len(r.absent)] {
		q.codes = append(q.codes, uint8(c))
	}
}

// visited is what the search remembers of the node it is in, per level.
type visited struct {
	bounds [fanout][fanout]float32 // query x child
	active [fanout]int             // queries for which a child is visited
}

func newSearch(x *index, k int) *search {
	return &search{index: x, k: k, levels: make([]visited, len(x.levels))}
}

// run finds the k nearest training rows of each of at most fanout rows, and leaves them in s.found.
func (s *search) run(group []int32) {
	var active [fanout]int
	for i, row := range group {
		s.queries[i].set(s.index.rows, int(row))
		s.found[i].reset(s.k)
		s.limit[i] = s.index.limit(s.found[i].worst.distance)
		active[i] = i
	}
	s.visit(len(s.levels)-1, 0, active[:len(group)])
}

// visit searches the children of a node for those queries that may have neighbours in them, nearest children first.
func (s *search) visit(depth, node int, queries []int) {
	boxes, v := &s.index.levels[depth], &s.levels[depth]
	var near [fanout]float32 // summed over queries
	for _, q := range queries {
		s.index.bounds(boxes, node, &s.queries[q], &v.bounds[q])
		for c, b := range v.bounds[q] {
			near[c] += b
		}
	}
	var order [fanout]int
	for _, c := range ascending(&order, near[:min(fanout, boxes.n-node*fanout)]) {
		active := v.active[:0]
		for _, q := range queries {
			if v.bounds[q][c] <= s.limit[q] {
				active = append(active, q)
			}
		}
		switch child := node*fanout + c; {
		case len(active) == 0:
		case depth > 0:
			s.visit(depth-1, child, active)
		default:
			for _, q := range active {
				s.scan(child, q)
			}
		}
	}
}

// scan offers the rows of a block to a query.
func (s *search) scan(block, q int) {
	x, found := s.index, &s.found[q]
	limit := s.limit[q]
	if x.rows.width == 0 && int(found.worst.row) < block*fanout {
		limit = float32(found.worst.distance) - 1 // distances are integers, and rows in order: ties come too late
	}
	for mask := x.within(block, &s.queries[q], limit); mask != 0; mask &= mask - 1 {
		row := x.order[block*fanout+bits.TrailingZeros32(mask)]
		found.add(neighbour{x.rows.distance(s.queries[q].row, int(row)), row})
	}
	s.limit[q] = x.limit(found.worst.distance)
}

// ascending returns the positions of up to fanout numbers, sorted by the number, in a part of order.
func ascending(order *[fanout]int, numbers []float32) []int {
	for i, n := range numbers {
		j := i
		for ; j > 0 && numbers[order[j-1]] > n; j-- {
			order[j] = order[j-1]
		}
		order[j] = i
	}
	return order[:len(numbers)]
}
