package knn

import (
	"context"
	"slices"
)

// fanout is the number of rows in a block, of blocks in a node and of nodes in the node above. The bound functions
// handle that many at a time.
const fanout = 32

// An index is a tree of bounding boxes over the training rows, after Bentley's k-d tree but with fanout children a node
// and no pointers: order lists the rows so that near ones stand together (see arrange), every fanout consecutive rows
// are a block, every fanout consecutive blocks a node, and so on.
//
// Of a category the index knows the low byte only. Rows that differ in it differ in the category, so a distance counted
// in low bytes is never too large, and lower bounds are all the index is for.
type index struct {
	rows   *rows
	order  []int32
	blocks lanes
	levels []level // [0]: the boxes of blocks, then of the nodes above, up to a level of no more than fanout nodes
}

// A level holds the bounding boxes of n blocks or nodes.
type level struct {
	n         int
	low, high lanes
}

// lanes holds vectors in groups of fanout, transposed: entry j of a group's vectors is contiguous.
type lanes struct {
	numeric []float32 // groups x width x fanout
	codes   []uint8   // groups x features x fanout
}

// group returns one group of fanout vectors.
func (l lanes) group(i int, r *rows) lanes {
	n, c := r.width*fanout, len(r.absent)*fanout
	return lanes{l.numeric[i*n : (i+1)*n], l.codes[i*c : (i+1)*c]}
}

func (r *rows) newLanes(n int) lanes {
	groups := (n + fanout - 1) / fanout
	return lanes{make([]float32, groups*r.width*fanout), make([]uint8, groups*len(r.absent)*fanout)}
}

// newIndex makes the index of the first n rows.
func newIndex(ctx context.Context, r *rows, n, threads int) (*index, error) {
	x := &index{rows: r, order: make([]int32, n), blocks: r.newLanes(n)}
	for i := range x.order {
		x.order[i] = int32(i)
	}
	if r.width > 0 {
		if err := r.arrange(ctx, x.order, threads); err != nil {
			return nil, err
		}
	}
	for i, row := range x.order {
		r.fill(x.blocks, i, int(row))
	}
	x.levels = []level{r.bound(x.blocks, x.blocks, n)}
	for top := x.levels[0]; top.n > fanout; top = x.levels[len(x.levels)-1] {
		x.levels = append(x.levels, r.bound(top.low, top.high, top.n))
	}
	return x, ctx.Err()
}

// fill sets the i-th vector to a row.
func (r *rows) fill(l lanes, i, row int) {
	group, lane := i/fanout, i%fanout
	for j, v := range r.numeric[row*r.width : (row+1)*r.width] {
		l.numeric[(group*r.width+j)*fanout+lane] = v
	}
	features := len(r.absent)
	for j, c := range r.codes[row*features : (row+1)*features] {
		l.codes[(group*features+j)*fanout+lane] = uint8(c)
	}
}

// bound returns the boxes around each group of n boxes; those of points are the points themselves.
func (r *rows) bound(low, high lanes, n int) level {
	groups := (n + fanout - 1) / fanout
	b := level{groups, r.newLanes(groups), r.newLanes(groups)}
	for g := range groups {
		used := min(fanout, n-g*fanout)
		group, lane := g/fanout, g%fanout
		for j := range r.width {
			from, to := (g*r.width+j)*fanout, (group*r.width+j)*fanout+lane
			b.low.numeric[to] = slices.Min(low.numeric[from : from+used])
			b.high.numeric[to] = slices.Max(high.numeric[from : from+used])
		}
		for j := range r.absent {
			from, to := (g*len(r.absent)+j)*fanout, (group*len(r.absent)+j)*fanout+lane
			b.low.codes[to] = slices.Min(low.codes[from : from+used])
			b.high.codes[to] = slices.Max(high.codes[from : from+used])
		}
	}
	return b
}

// limit returns what the lower bound of a row may be at most whose distance is at most d. Bounds are summed in float32:
// it allows for the relative error of each operation, and for an absolute one where squares are too small for it.
func (x *index) limit(d float64) float32 {
	const epsilon = 1.0 / (1 << 23)
	return float32(d*(1+epsilon*float64(x.rows.width+16)) + 1e-36)
}

// within returns the rows of a block whose lower bound is not above the limit, as bits.
func (x *index) within(block int, q *query, limit float32) uint32 {
	mask := blockWithin(x.blocks.group(block, x.rows), q, x.rows.least, limit, x.rows.squared)
	if left := len(x.order) - block*fanout; left < fanout {
		mask &= 1<<left - 1
	}
	return mask
}

// bounds sets the first of out to lower bounds of the distances between a query and the children of a node; what stands
// after the last child means nothing.
func (x *index) bounds(lv *level, node int, q *query, out *[fanout]float32) {
	boxBounds(lv.low.group(node, x.rows), lv.high.group(node, x.rows), q, x.rows.least, x.rows.squared, out)
}
