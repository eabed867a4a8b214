package knn

import (
	"context"
	"math"

	"nptbench/internal/task"
)

// A binaryTree finds neighbours as the trees of scikit-learn 0.24 do, tied ones included. It is for its ties alone; the
// search for neighbours is that of an index.
//
// Each half has half of the rows, split at the median of the column with the widest range. There are as many levels as
// make the leaves hold from leaf_size to twice as many rows.
type binaryTree struct {
	x       []float32 // training rows, all columns
	width   int
	squared bool
	ball    bool
	order   []int32
	nodes   []binaryNode // the halves of node i are 2i+1 and 2i+2
}

type binaryNode struct {
	from, to  int       // its rows in order
	low, high []float64 // k-d tree: the box around the rows
	centre    []float64 // ball tree: their mean
	radius    float64   // and the distance of the farthest from it
}

func newBinaryTree(ctx context.Context, t *task.Task, ball bool, leafSize, p int) (*binaryTree, error) {
	levels := 1 + int(math.Log2(max(1, float64(t.Train-1)/float64(leafSize))))
	b := &binaryTree{x: t.TrainX(), width: t.Width, squared: p == 2, ball: ball}
	b.order, b.nodes = make([]int32, t.Train), make([]binaryNode, 1<<levels-1)
	for i := range b.order {
		b.order[i] = int32(i)
	}
	b.build(ctx, 0, 0, t.Train)
	return b, ctx.Err()
}

func (b *binaryTree) row(i int32) []float32 { return b.x[int(i)*b.width:][:b.width] }

func (b *binaryTree) leaf(node int) bool { return 2*node+1 >= len(b.nodes) }

func (b *binaryTree) build(ctx context.Context, node, from, to int) {
	n := &b.nodes[node]
	n.from, n.to = from, to
	low, high := b.box(b.order[from:to])
	if b.ball {
		n.centre, n.radius = b.sphere(b.order[from:to])
	} else {
		n.low, n.high = low, high
	}
	if b.leaf(node) {
		return
	}
	widest := 0
	for j := range low {
		if high[j]-low[j] > high[widest]-low[widest] {
			widest = j
		}
	}
	middle := (to - from) / 2
	b.partition(ctx, b.order[from:to], widest, middle)
	b.build(ctx, 2*node+1, from, from+middle)
	b.build(ctx, 2*node+2, from+middle, to)
}

func (b *binaryTree) box(rows []int32) (low, high []float64) {
	low, high = make([]float64, b.width), make([]float64, b.width)
	for i, row := range rows {
		for j, v := range b.row(row) {
			if v := float64(v); i == 0 {
				low[j], high[j] = v, v
			} else {
				low[j], high[j] = min(low[j], v), max(high[j], v)
			}
		}
	}
	return low, high
}

func (b *binaryTree) sphere(rows []int32) (centre []float64, radius float64) {
	centre = make([]float64, b.width)
	for _, row := range rows {
		for j, v := range b.row(row) {
			centre[j] += float64(v)
		}
	}
	for j := range centre {
		centre[j] /= float64(len(rows))
	}
	for _, row := range rows {
		radius = max(radius, b.power(centre, b.row(row)))
	}
	return centre, b.root(radius)
}

// partition puts the rows with the smallest values of a column before the middle: quickselect with Lomuto's partition
// and the last element as pivot, which takes quadratic time where most values are the same.
func (b *binaryTree) partition(ctx context.Context, rows []int32, column, middle int) {
	value := func(i int) float32 { return b.row(rows[i])[column] }
	left, right := 0, len(rows)-1
	for ctx.Err() == nil {
		store := left
		for i := left; i < right; i++ {
			if value(i) < value(right) {
				rows[i], rows[store] = rows[store], rows[i]
				store++
			}
		}
		rows[store], rows[right] = rows[right], rows[store]
		switch {
		case store == middle:
			return
		case store < middle:
			left = store + 1
		default:
			right = store - 1
		}
	}
}

// power is the Manhattan or the squared Euclidean distance, and root makes the distance of it.
func (b *binaryTree) power(point []float64, row []float32) float64 {
	sum := 0.0
	for j, v := range point {
		if d := v - float64(row[j]); b.squared {
			sum += float64(d * d)
		} else {
			sum += math.Abs(d)
		}
	}
	return sum
}

func (b *binaryTree) root(power float64) float64 {
	if b.squared {
		return math.Sqrt(power)
	}
	return power
}

// nearest returns the k nearest rows of a query, in no particular order, in the memory of list.
func (b *binaryTree) nearest(query []float32, k int, list []neighbour) []neighbour {
	q := treeQuery{tree: b, row: query, point: make([]float64, b.width), heap: list[:0]}
	for j, v := range query {
		q.point[j] = float64(v)
	}
	for range k {
		q.heap = append(q.heap, neighbour{distance: math.Inf(1)})
	}
	q.visit(0, q.bound(0))
	return q.heap
}

type treeQuery struct {
	tree  *binaryTree
	row   []float32
	point []float64 // the same
	heap  []neighbour
}

func (q *treeQuery) visit(node int, bound float64) {
	b := q.tree
	if bound > q.heap[0].distance {
		return
	}
	if b.leaf(node) {
		for _, row := range b.order[b.nodes[node].from:b.nodes[node].to] {
			q.push(neighbour{b.power(q.point, b.row(row)), row})
		}
		return
	}
	near, far := 2*node+1, 2*node+2
	nearBound, farBound := q.bound(near), q.bound(far)
	if nearBound > farBound {
		near, far, nearBound, farBound = far, near, farBound, nearBound
	}
	q.visit(near, nearBound)
	q.visit(far, farBound)
}

// bound is the power of the least distance that a row in the node can have.
func (q *treeQuery) bound(node int) float64 {
	b, n := q.tree, &q.tree.nodes[node]
	if b.ball {
		d := max(0, b.root(b.power(n.centre, q.row))-n.radius)
		if b.squared {
			d *= d
		}
		return d
	}
	sum := 0.0
	for j, v := range q.point {
		if d := max(n.low[j]-v, v-n.high[j], 0); b.squared {
			sum += float64(d * d)
		} else {
			sum += d
		}
	}
	return sum
}

// push puts a neighbour in the place of the farthest, which is the first, if it is nearer.
func (q *treeQuery) push(n neighbour) {
	h := q.heap
	if n.distance >= h[0].distance {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1].distance > h[child].distance {
			child++
		}
		if child >= len(h) || h[child].distance <= n.distance {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = n
}
