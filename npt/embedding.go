package npt

import "github.com/gomlx/gomlx/core/graph"

// The affine maps of the attributes are computed as one: their matrices are packed row by row into one array, and spread
// over the diagonal blocks of a big matrix when they are used. That replaces hundreds of tiny products, and is exact since
// everything outside of the blocks is zero.

// blockDiagonal spreads the rows of w (rows x e) to rows x (blocks*e): row r lands in the columns of block[r].
func (t *tape) blockDiagonal(w *tensor, block []int, blocks int) *tensor {
	rows, e := w.Shape().Dimensions[0], w.Shape().Dimensions[1]
	place := graph.Reshape(t.oneHot(block, blocks), rows, blocks, 1)
	spread := graph.Mul(graph.Reshape(w.Node, rows, 1, e), place)
	return t.node(graph.Reshape(spread, rows, blocks*e), func(grad *graph.Node) {
		own := graph.Mul(graph.Reshape(grad, rows, blocks, e), place)
		w.accumulate(graph.ReduceSum(own, 1))
	})
}

// rows returns the rows of w with the given indices.
func (t *tape) rows(w *tensor, index []int) *tensor {
	pick := t.oneHot(index, w.Shape().Dimensions[0])
	return t.node(mul(pick, w.Node), func(grad *graph.Node) { w.accumulate(tMul(pick, grad)) })
}

// transpose swaps the axes of a matrix.
func (t *tape) transpose(x *tensor) *tensor {
	return t.node(graph.Transpose(x.Node, 0, 1), func(grad *graph.Node) { x.accumulate(graph.Transpose(grad, 0, 1)) })
}

// oneHot returns a constant matrix (len(index) x depth) with a one at index[i] in row i.
func (t *tape) oneHot(index []int, depth int) *graph.Node {
	values := make([]float64, len(index)*depth)
	for i, j := range index {
		values[i*depth+j] = 1
	}
	return t.constant(values, len(index), depth)
}
