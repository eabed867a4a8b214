package optimiser

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/weights"
)

// LAMB (You et al., "Large Batch Optimization for Deep Learning", 2020) as in NPT's published code: no bias correction, the norm of
// the weights capped at 10, every tensor scaled by itself, biases and norms included.
type LAMB struct {
	Clip        float64 // gradients are clamped to [-Clip, Clip], entry by entry; 0 leaves them alone
	WeightDecay float64
}

const (
	lambEpsilon = 1e-6
	maxNorm     = 10
)

// Step returns the weights of an array and their two moments after one step along the gradient. rate is a scalar. For each tensor
//
//	r = m / (√v + ε) + WeightDecay w,  w = w - rate min(|w|, 10)/|r| r
//
// where that quotient of norms, the trust ratio, is 1 if one of them is 0.
func (o LAMB) Step(a weights.Array, w, m, v, grad, rate *graph.Node) (w2, m2, v2 *graph.Node) {
	if o.Clip > 0 {
		grad = graph.ClipScalar(grad, -o.Clip, o.Clip)
	}
	m2, v2 = moments(m, v, grad)
	r := graph.Div(m2, graph.AddScalar(graph.Sqrt(v2), lambEpsilon))
	if o.WeightDecay > 0 {
		r = graph.Add(r, graph.MulScalar(w, o.WeightDecay))
	}
	wNorm := graph.MinScalar(norms(a, w), maxNorm)
	rNorm := norms(a, r)
	either0 := graph.LogicalOr(graph.IsZero(wNorm), graph.IsZero(rNorm))
	trust := graph.Where(either0, graph.OnesLike(rNorm), graph.Div(wNorm, graph.Where(either0, graph.OnesLike(rNorm), rNorm)))
	return graph.Sub(w, graph.Mul(perTensor(a, graph.Mul(trust, rate)), r)), m2, v2
}

// norms returns the Euclidean norm of each of the tensors that the array packs, as a column.
func norms(a weights.Array, x *graph.Node) *graph.Node {
	if a.Group == nil {
		x = graph.Reshape(x, -1)
		return graph.Reshape(graph.Sqrt(graph.Dot(x, x).Product()), 1, 1)
	}
	rows := graph.ReduceAndKeep(graph.Square(graph.Reshape(x, a.Dims[0], -1)), graph.ReduceSum, 1)
	if !rowsAreTensors(a) {
		rows = graph.DotGeneral(groups(a, x), []int{0}, nil, rows, []int{0}, nil)
	}
	return graph.Sqrt(rows)
}

// perTensor brings a column with one number per tensor into a form that broadcasts to the array.
func perTensor(a weights.Array, x *graph.Node) *graph.Node {
	if a.Group == nil {
		return graph.Reshape(x)
	}
	rows := x
	if !rowsAreTensors(a) {
		rows = graph.DotGeneral(groups(a, x), []int{1}, nil, x, []int{0}, nil)
	}
	if len(a.Dims) == 1 {
		return graph.Reshape(rows, a.Dims[0])
	}
	return rows
}

// rowsAreTensors reports whether every entry of the first axis is a tensor of its own.
func rowsAreTensors(a weights.Array) bool {
	for i, tensor := range a.Group {
		if tensor != i {
			return false
		}
	}
	return true
}

// groups is a matrix (entries of the first axis x tensors) with a one where an entry belongs to a tensor.
func groups(a weights.Array, like *graph.Node) *graph.Node {
	return weights.OneHot(like, a.Group, slices.Max(a.Group)+1)
}
