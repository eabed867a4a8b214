package npt

import "github.com/gomlx/gomlx/core/graph"

// An attentionPart is the attention of some of the heads (of all groups): matrices of heads x sequence x d, and weights
// of heads x sequence x sequence. Heads do not depend on each other. The Go backend runs one operation on one core, so
// there the heads are cut into parts that run side by side; elsewhere all heads are one part.
type attentionPart struct {
	q, k, v *graph.Node // q is scaled
	keep    *graph.Node // which weights survive dropout; nil: all
	filler  *graph.Node // 1 x 1 x sequence: what gets no weight; nil: nothing

	weights, dropped, out *graph.Node // results of forward
	dq, dk, dv            *graph.Node // results of back
}

// forward computes out = dropout(softmax(q kᵀ)) v.
func (p *attentionPart) forward(t *tape) {
	scores := t.accurate(graph.DotGeneral(p.q, []int{2}, []int{0}, p.k, []int{2}, []int{0}))
	if p.filler != nil {
		never := graph.Infinity(t.g, scores.DType(), -1)
		scores = graph.Where(graph.BroadcastToDims(p.filler, scores.Shape().Dimensions...), never, scores)
	}
	p.weights = graph.ConvertDType(graph.Softmax(scores, -1), t.dtype)
	p.dropped = p.drop(t, p.weights)
	p.out = graph.DotGeneral(p.dropped, []int{2}, []int{0}, p.v, []int{1}, []int{0})
}

func (p *attentionPart) drop(t *tape, x *graph.Node) *graph.Node {
	if p.keep == nil {
		return x
	}
	return graph.Where(p.keep, x, graph.ScalarZero(t.g, t.dtype))
}

// back computes the gradients of q, k and v from that of out. Products are arranged so that the small matrices are the
// ones that get transposed, not the weights.
func (p *attentionPart) back(t *tape, grad *graph.Node) {
	transposed := func(x *graph.Node) *graph.Node { return graph.Transpose(x, 1, 2) }
	p.dv = transposed(graph.DotGeneral(transposed(grad), []int{2}, []int{0}, p.dropped, []int{1}, []int{0}))

	// dS = A ∘ (dA - rowsum(dA ∘ A)), where the row sum equals that of dO ∘ O.
	dWeights := p.drop(t, graph.DotGeneral(grad, []int{2}, []int{0}, p.v, []int{2}, []int{0}))
	d := grad.Shape().Dimensions[2]
	rowSum := graph.DotGeneral(graph.Mul(grad, p.out), []int{2}, nil, t.ones(1, d), []int{1}, nil)
	dScores := graph.Mul(p.weights, graph.Sub(dWeights, rowSum))
	p.dq = graph.DotGeneral(dScores, []int{2}, []int{0}, p.k, []int{1}, []int{0})
	p.dk = transposed(graph.DotGeneral(transposed(p.q), []int{2}, []int{0}, dScores, []int{1}, []int{0}))
}

// cut makes the parts. The first axis of all nodes counts the heads of all groups.
func (t *tape) cut(q, k, v, keep *graph.Node) []*attentionPart {
	qs, ks, vs := t.cutNode(q), t.cutNode(k), t.cutNode(v)
	parts := make([]*attentionPart, len(qs))
	for i := range parts {
		parts[i] = &attentionPart{q: qs[i], k: ks[i], v: vs[i]}
	}
	if keep != nil {
		for i, x := range t.cutNode(keep) {
			parts[i].keep = x
		}
	}
	return parts
}

// cutNode slices the first axis into the parts that run side by side.
func (t *tape) cutNode(x *graph.Node) []*graph.Node {
	size := x.Shape().Dimensions[0]
	n := max(1, min(t.parts, size))
	out := make([]*graph.Node, n)
	for i := range out {
		out[i] = x
		if n > 1 {
			out[i] = graph.SliceAxis(x, 0, graph.AxisRange(i*size/n, (i+1)*size/n))
		}
	}
	return out
}

// joined puts what the parts have side by side again.
func joined(parts []*attentionPart, get func(*attentionPart) *graph.Node) *graph.Node {
	nodes := make([]*graph.Node, len(parts))
	for i, p := range parts {
		nodes[i] = get(p)
	}
	if len(nodes) == 1 {
		return nodes[0]
	}
	return graph.Concatenate(nodes, 0)
}
