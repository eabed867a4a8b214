package npt

import "github.com/gomlx/gomlx/core/graph"

// An attention is that of all heads of all groups, which do not depend on each other: matrices of heads x sequence x d, and
// weights of heads x sequence x sequence.
type attention struct {
	q, k, v *graph.Node // q is scaled
	keep    *graph.Node // which weights survive dropout; nil: all
	filler  *graph.Node // 1 x 1 x sequence: what gets no weight; nil: nothing

	weights, dropped, out *graph.Node // results of forward
	dq, dk, dv            *graph.Node // results of back
}

// forward computes out = dropout(softmax(q kᵀ)) v.
func (a *attention) forward(t *tape) {
	scores := t.accurate(graph.DotGeneral(a.q, []int{2}, []int{0}, a.k, []int{2}, []int{0}))
	if a.filler != nil {
		never := graph.Infinity(t.g, scores.DType(), -1)
		scores = graph.Where(graph.BroadcastToDims(a.filler, scores.Shape().Dimensions...), never, scores)
	}
	a.weights = graph.ConvertDType(graph.Softmax(scores, -1), t.dtype)
	a.dropped = a.drop(t, a.weights)
	a.out = graph.DotGeneral(a.dropped, []int{2}, []int{0}, a.v, []int{1}, []int{0})
}

func (a *attention) drop(t *tape, x *graph.Node) *graph.Node {
	if a.keep == nil {
		return x
	}
	return graph.Where(a.keep, x, graph.ScalarZero(t.g, t.dtype))
}

// back computes the gradients of q, k and v from that of out.
func (a *attention) back(t *tape, grad *graph.Node) {
	a.dv = graph.DotGeneral(a.dropped, []int{1}, []int{0}, grad, []int{1}, []int{0})

	// dS = A ∘ (dA - rowsum(dA ∘ A)), where the row sum equals that of dO ∘ O.
	dWeights := a.drop(t, graph.DotGeneral(grad, []int{2}, []int{0}, a.v, []int{2}, []int{0}))
	d := grad.Shape().Dimensions[2]
	rowSum := graph.DotGeneral(graph.Mul(grad, a.out), []int{2}, nil, t.ones(1, d), []int{1}, nil)
	dScores := graph.Mul(a.weights, graph.Sub(dWeights, rowSum))
	a.dq = graph.DotGeneral(dScores, []int{2}, []int{0}, a.k, []int{1}, []int{0})
	a.dk = graph.DotGeneral(dScores, []int{1}, []int{0}, a.q, []int{1}, []int{0})
}
