package npt

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// LAMB as in the published code: no bias correction, the norm of the weights capped at 10, every tensor scaled by itself,
// biases and norms included.
const (
	lambBeta1   = 0.9
	lambBeta2   = 0.999
	lambEpsilon = 1e-6
	lambMaxNorm = 10
)

// lambStep returns the weights and the two moments after one step along the gradient.
func lambStep(p param, w, m, v, grad, rate *graph.Node, clip, weightDecay float64) (w2, m2, v2 *graph.Node) {
	if clip > 0 {
		grad = graph.ClipScalar(grad, -clip, clip)
	}
	m2 = graph.Add(graph.MulScalar(m, lambBeta1), graph.MulScalar(grad, 1-lambBeta1))
	v2 = graph.Add(graph.MulScalar(v, lambBeta2), graph.MulScalar(graph.Square(grad), 1-lambBeta2))
	r := graph.Div(m2, graph.AddScalar(graph.Sqrt(v2), lambEpsilon))
	if weightDecay > 0 {
		r = graph.Add(r, graph.MulScalar(w, weightDecay))
	}
	wNorm := graph.MinScalar(p.norms(w), lambMaxNorm)
	rNorm := p.norms(r)
	either0 := graph.LogicalOr(graph.IsZero(wNorm), graph.IsZero(rNorm))
	trust := graph.Where(either0, graph.OnesLike(rNorm), graph.Div(wNorm, graph.Where(either0, graph.OnesLike(rNorm), rNorm)))
	return graph.Sub(w, graph.Mul(p.perTensor(graph.Mul(trust, rate)), r)), m2, v2
}

// norms returns the Euclidean norm of each of the tensors that the array packs, as a column.
func (p *param) norms(x *graph.Node) *graph.Node {
	if p.group == nil {
		x = graph.Reshape(x, -1)
		return graph.Reshape(graph.Sqrt(graph.Dot(x, x).Product()), 1, 1)
	}
	x = graph.Reshape(x, p.dims[0], -1)
	rows := graph.ReduceAndKeep(graph.Square(x), graph.ReduceSum, 1)
	if !p.rowsAreTensors() {
		rows = mul(graph.Transpose(p.groups(x), 0, 1), rows)
	}
	return graph.Sqrt(rows)
}

// perTensor brings a column with one number per tensor into a form that broadcasts to the array.
func (p *param) perTensor(x *graph.Node) *graph.Node {
	if p.group == nil {
		return graph.Reshape(x)
	}
	rows := x
	if !p.rowsAreTensors() {
		rows = mul(p.groups(x), x)
	}
	if len(p.dims) == 1 {
		return graph.Reshape(rows, p.dims[0])
	}
	return rows
}

// rowsAreTensors reports whether every entry of the first axis is a tensor of its own.
func (p *param) rowsAreTensors() bool { return slices.Equal(p.group, count(p.dims[0])) }

func (p *param) groups(like *graph.Node) *graph.Node {
	last := 0
	for _, g := range p.group {
		last = max(last, g)
	}
	return oneHot(like, p.group, last+1)
}

// Lookahead around LAMB: every sixth step the slow weights move half of the way to the fast ones, which start again from
// there. The slow weights begin as a copy of the fast ones at the first of these steps, which therefore changes nothing.
const (
	lookaheadSteps = 6
	lookaheadAlpha = 0.5
)

func lookaheadSync(slow, fast *graph.Node) *graph.Node {
	return graph.Add(slow, graph.MulScalar(graph.Sub(fast, slow), lookaheadAlpha))
}
