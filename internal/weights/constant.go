package weights

import "github.com/gomlx/gomlx/core/graph"

// Indices returns 0, 1, ..., n-1: as a Group, every entry is a tensor of its own.
func Indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// OneHot returns a constant matrix (len(index) x depth) of the graph and type of like, with a one at index[i] in row i.
func OneHot(like *graph.Node, index []int, depth int) *graph.Node {
	values := make([]float64, len(index)*depth)
	for i, j := range index {
		values[i*depth+j] = 1
	}
	return Constant(like, values, len(index), depth)
}

// Constant returns an array of the graph and type of like.
func Constant(like *graph.Node, values []float64, dims ...int) *graph.Node {
	return graph.ConvertDType(graph.Reshape(graph.Const(like.Graph(), values), dims...), like.DType())
}
