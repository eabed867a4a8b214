package npt

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// A tensor is a node of the computation graph, and the gradient of the loss with respect to it once that is known.
type tensor struct {
	*graph.Node
	grad *graph.Node
}

// accumulate adds a part of the gradient.
func (x *tensor) accumulate(g *graph.Node) {
	if x.grad != nil {
		g = graph.Add(x.grad, g)
	}
	x.grad = g
}

// A tape builds one pass through the network and records how gradients flow back through it.
//
// GoMLX could derive the gradients itself. They are written out here because the derived ones keep more arrays and take more
// operations; these use matrix products throughout. The tests hold them against golden values and against GoMLX's own.
type tape struct {
	g        *graph.Graph
	dtype    dtypes.DType // of activations
	training bool         // record gradients and drop activations
	dropRate float64
	rng      *graph.Node // state of the random generator; not needed unless training
	drawn    uint32      // masks of dropout drawn so far
	filler   *graph.Node // n x 1: which rows nobody attends to; nil: none
	backward []func()

	recompute bool // keep of layers their inputs alone

	attention []*graph.Node // when not nil: collects the weights of every layer, groups x heads x sequence x sequence
}

// node wraps the result of an operation. back receives the gradient of the loss with respect to it and hands the shares of
// the inputs on.
func (t *tape) node(n *graph.Node, back func(grad *graph.Node)) *tensor {
	out := &tensor{Node: n}
	if t.training {
		t.backward = append(t.backward, func() {
			if out.grad != nil {
				back(out.grad)
			}
		})
	}
	return out
}

// backpropagate runs the recorded operations in reverse order, after the gradient of the output was set.
func (t *tape) backpropagate() {
	for i := len(t.backward) - 1; i >= 0; i-- {
		t.backward[i]()
	}
}

// layer returns f(x). With recompute nothing that f computes is kept for its gradient but x: f runs again on the way back,
// with the same masks of dropout.
func (t *tape) layer(x *tensor, f func(t *tape, x *tensor) *tensor) *tensor {
	if !t.training || !t.recompute {
		return f(t, x)
	}
	begin := *t
	y := f(t, x)
	t.backward = begin.backward
	return t.node(y.Node, func(grad *graph.Node) {
		again := begin
		again.backward = nil
		// Without a barrier a compiler would see that all of this is there already, and keep it.
		late := graph.OptimizationBarriers(x.Node, grad, begin.rng)
		input := &tensor{Node: late[0]}
		again.rng = late[2]
		output := f(&again, input)
		output.grad = late[1]
		again.backpropagate()
		x.accumulate(input.grad)
	})
}

func (t *tape) ones(dims ...int) *graph.Node {
	return graph.Ones(t.g, shapes.Make(t.dtype, dims...))
}

// constant turns numbers into a node of the activations' type.
func (t *tape) constant(values []float64, dims ...int) *graph.Node {
	return graph.ConvertDType(graph.Reshape(graph.Const(t.g, values), dims...), t.dtype)
}

// Matrix products. Sums and broadcasts over rows and columns are products with ones as well.

// mul returns a b.
func mul(a, b *graph.Node) *graph.Node {
	return graph.DotGeneral(a, []int{1}, nil, b, []int{0}, nil)
}

// mulT returns a bᵀ.
func mulT(a, b *graph.Node) *graph.Node {
	return graph.DotGeneral(a, []int{1}, nil, b, []int{1}, nil)
}

// tMul returns aᵀ b.
func tMul(a, b *graph.Node) *graph.Node {
	return graph.DotGeneral(a, []int{0}, nil, b, []int{0}, nil)
}

// columnSums returns the sums over the rows of x, 1 x columns.
func (t *tape) columnSums(x *graph.Node) *graph.Node {
	return mul(t.ones(1, x.Shape().Dimensions[0]), x)
}

// rowSums returns the sums of the rows of x, weighted by a row of weights (1 x columns), as a column.
func rowSums(x, weights *graph.Node) *graph.Node {
	return graph.DotGeneral(x, []int{1}, nil, weights, []int{1}, nil)
}

// rowMeans returns the means of the rows of x, as a column.
func rowMeans(x *graph.Node) *graph.Node {
	w := x.Shape().Dimensions[1]
	return rowSums(x, graph.FillScalar(x.Graph(), shapes.Make(x.DType(), 1, w), 1/float64(w)))
}

// The layers. All of them work on matrices: one row per datapoint (ABD) or per entry (ABA).

// linear returns x w + b. w is (in x out), b (out).
func (t *tape) linear(x, w, b *tensor) *tensor {
	out := w.Shape().Dimensions[1]
	y := graph.Add(mul(x.Node, w.Node), graph.Reshape(b.Node, 1, out))
	return t.node(y, func(grad *graph.Node) {
		x.accumulate(mulT(grad, w.Node))
		w.accumulate(tMul(x.Node, grad))
		b.accumulate(graph.Reshape(t.columnSums(grad), b.Shape().Dimensions...))
	})
}

// add returns x + y.
func (t *tape) add(x, y *tensor) *tensor {
	return t.node(graph.Add(x.Node, y.Node), func(grad *graph.Node) {
		x.accumulate(grad)
		y.accumulate(grad)
	})
}

// reshape gives x other dimensions.
func (t *tape) reshape(x *tensor, dims ...int) *tensor {
	return t.node(graph.Reshape(x.Node, dims...), func(grad *graph.Node) {
		x.accumulate(graph.Reshape(grad, x.Shape().Dimensions...))
	})
}

const layerNormEpsilon = 1e-12

// layerNorm normalises the rows of x to mean 0 and deviation 1, then scales and shifts their entries.
func (t *tape) layerNorm(x, scale, shift *tensor) *tensor {
	w := x.Shape().Dimensions[1]
	normal, inverse := t.normalise(x.Node)
	y := graph.Add(graph.Mul(normal, graph.Reshape(scale.Node, 1, w)), graph.Reshape(shift.Node, 1, w))
	return t.node(y, func(grad *graph.Node) {
		along := graph.Mul(grad, normal)
		scale.accumulate(graph.Reshape(t.columnSums(along), w))
		shift.accumulate(graph.Reshape(t.columnSums(grad), w))
		// With d = grad ∘ scale: (d - mean(d) - normal ∘ mean(d ∘ normal)) / deviation.
		row := graph.Reshape(scale.Node, 1, w)
		share := graph.MulScalar(row, 1/float64(w))
		d := graph.Sub(graph.Mul(grad, row), rowSums(grad, share))
		d = graph.Sub(d, graph.Mul(normal, rowSums(along, share)))
		x.accumulate(graph.Mul(d, inverse))
	})
}

// normalise returns the rows of x with mean 0 and deviation 1, and the inverse deviations they had (a column).
func (t *tape) normalise(x *graph.Node) (normal, inverse *graph.Node) {
	x = t.accurate(x)
	centred := graph.Sub(x, rowMeans(x))
	deviation := graph.Sqrt(graph.AddScalar(rowMeans(graph.Square(centred)), layerNormEpsilon))
	inverse = graph.Reciprocal(deviation)
	return graph.ConvertDType(graph.Mul(centred, inverse), t.dtype), graph.ConvertDType(inverse, t.dtype)
}

// accurate converts activations of half precision to float32, for what is too delicate for them.
func (t *tape) accurate(x *graph.Node) *graph.Node {
	if t.dtype == dtypes.BFloat16 {
		return graph.ConvertDType(x, dtypes.Float32)
	}
	return x
}

// attend is multi-head dot-product attention, equations 1 to 3 of the paper without the mixing of heads:
//
//	O_j = softmax(Q_j K_jᵀ / √w) V_j
//
// q, k and v are matrices of groups x sequence rows (one group with all datapoints for ABD, one group of attributes per
// datapoint for ABA) and w columns, which are cut into heads. The scale is the root of the full width w.
func (t *tape) attend(q, k, v *tensor, sequence, heads int) *tensor {
	rows, w := q.Shape().Dimensions[0], q.Shape().Dimensions[1]
	groups, d := rows/sequence, w/heads
	split := func(x *graph.Node) *graph.Node { // to (groups*heads x sequence x d)
		x = graph.TransposeAllAxes(graph.Reshape(x, groups, sequence, heads, d), 0, 2, 1, 3)
		return graph.Reshape(x, groups*heads, sequence, d)
	}
	merge := func(x *graph.Node) *graph.Node { // and back
		x = graph.TransposeAllAxes(graph.Reshape(x, groups, heads, sequence, d), 0, 2, 1, 3)
		return graph.Reshape(x, rows, w)
	}
	scale := 1 / math.Sqrt(float64(w))

	a := &attention{q: split(graph.MulScalar(q.Node, scale)), k: split(k.Node), v: split(v.Node)}
	if t.training && t.dropRate > 0 {
		a.keep = t.keep(groups*heads, sequence, sequence)
		a.v = graph.MulScalar(a.v, 1/(1-t.dropRate)) // in place of scaling the weights that stay
	}
	if groups == 1 && t.filler != nil { // ABD: a batch that is filled up has many rows, each a group of ABA
		a.filler = graph.Reshape(t.filler, 1, 1, sequence)
	}
	a.forward(t)
	if t.attention != nil {
		t.attention = append(t.attention, graph.Reshape(a.weights, groups, heads, sequence, sequence))
	}
	return t.node(merge(a.out), func(grad *graph.Node) {
		a.back(t, split(grad))
		if t.dropRate > 0 {
			a.dv = graph.MulScalar(a.dv, 1/(1-t.dropRate))
		}
		v.accumulate(merge(a.dv))
		q.accumulate(graph.MulScalar(merge(a.dq), scale))
		k.accumulate(merge(a.dk))
	})
}
