package npt

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/optimiser"
)

// What graphs that run on the device are made of. A training step gathers the batch from the table, hides and randomises
// entries, runs the network forwards and backwards, and moves the weights. The codes of a mask are on the device for as long
// as their pass takes; an accelerator draws them itself (masksGraph). Only the rows of a batch come from the host in every step.

// master is the type of weights, moments and losses.
func (c *Config) master() dtypes.DType {
	if c.Precision == Float64 {
		return dtypes.Float64
	}
	return dtypes.Float32
}

// activations is the type that the network computes with.
func (c *Config) activations() dtypes.DType {
	if c.Precision == BFloat16 {
		return dtypes.BFloat16
	}
	return c.master()
}

// A batch is n rows of a table, in a graph.
type batch struct {
	truth  *graph.Node // n x S: the encoded values
	codes  *graph.Node // n x d
	values *graph.Node // n x S: X, what the network gets to see of them
	mask   *graph.Node // n x d: M, one where values are zero instead (and of flagged entries)
}

// batch picks a batch out of the table and out of the codes of all its entries. Rows below 0 are padding.
func (n *network) batch(table, codes, rows *graph.Node) batch {
	switch {
	case n.rowUnit > 1:
		some := graph.MaxScalar(rows, 0)
		codes = gatherRows(codes, some)
		pads := graph.BroadcastToDims(graph.Reshape(graph.LessThan(rows, graph.ZerosLike(rows)), -1, 1), codes.Shape().Dimensions...)
		codes = graph.Where(pads, graph.Scalar(codes.Graph(), dtypes.Uint8, padding), codes)
		table = gatherRows(table, some)
	case rows.Shape().Dimensions[0] < table.Shape().Dimensions[0]: // else they are all rows in order, the only batch of a pass
		codes, table = gatherRows(codes, rows), gatherRows(table, rows)
	}
	truth := graph.ConvertDType(table, n.master())
	zero := isCode(codes, masked, hidden)
	mask := isCode(codes, masked, hidden, flagged)
	number := func(is *graph.Node) *graph.Node { return graph.ConvertDType(is, truth.DType()) }
	return batch{truth, codes, graph.Mul(truth, graph.OneMinus(n.spread(number(zero)))), number(mask)}
}

func gatherRows(x, rows *graph.Node) *graph.Node { return graph.Gather(x, graph.Reshape(rows, -1, 1)) }

// randomise gives the randomised entries of a batch these values (n x S).
func (n *network) randomise(b batch, replacement *graph.Node) batch {
	random := n.spread(graph.ConvertDType(isCode(b.codes, randomised), b.truth.DType()))
	b.values = graph.Add(b.values, graph.Mul(random, graph.Sub(replacement, b.truth)))
	return b
}

// padding reports which rows of a batch (of codes, n x d) are padding, nil if none ever are.
func (n *network) padding(codes *graph.Node) *graph.Node {
	if n.rowUnit == 1 {
		return nil
	}
	return isCode(graph.SliceAxis(codes, 1, graph.AxisRange(0, 1)), padding)
}

// replacement draws a random value for every entry: standard normal, or a uniform class (which may be the true one).
func (n *network) replacement(rng *graph.Node, rows int) (next, values *graph.Node) {
	var parts []*graph.Node
	for _, r := range columnRuns(n.columns) {
		var part *graph.Node
		shape := shapes.Make(dtypes.Float32, rows, r.columns)
		if r.categories == 0 {
			rng, part = graph.RandomNormal(rng, shape)
			part = legalNormal(part)
		} else {
			rng, part = graph.RandomUniform(rng, shape)
			class := graph.Floor(graph.MulScalar(part, r.categories))
			part = graph.OneHot(graph.ConvertDType(class, dtypes.Int32), r.categories, dtypes.Float32)
			part = graph.Reshape(part, rows, r.columns*r.categories)
		}
		parts = append(parts, part)
	}
	return rng, graph.ConvertDType(graph.Concatenate(parts, 1), n.master())
}

// legalNormal puts 0 in the place of what is no number or infinite. GoMLX makes normal numbers as √(-2 ln u) cos(2πv), where XLA on the
// processor takes a u of 0, one of 2³² that are drawn, for 0 and not for the smallest number above; NaN, even of an entry that is not
// randomised, would end the training.
func legalNormal(x *graph.Node) *graph.Node {
	return graph.Where(graph.LessThan(graph.Abs(x), graph.Scalar(x.Graph(), x.DType(), 16)), x, graph.ZerosLike(x))
}

// parameters returns the parameters that are stored in the arrays, in the type of the activations.
func (n *network) parameters(arrays []*graph.Node) []*graph.Node {
	converted := make([]*graph.Node, len(arrays))
	for i, a := range arrays {
		converted[i] = graph.ConvertDType(a, n.activations())
	}
	return n.Unpacked(converted)
}

// forward begins a forward pass with these parameters over a batch with these codes, without dropout if drop is nil.
func (n *network) forward(params []*graph.Node, codes *graph.Node, drop *dropout) *forward {
	f := &forward{network: n, w: map[string]*graph.Node{}, padding: n.padding(codes), drop: drop}
	for i, p := range n.Params {
		f.w[p.Name] = params[i]
	}
	return f
}

// randomises reports whether training passes contain randomised entries.
func (n *network) randomises() bool { return n.FeatureMask > 0 || n.TargetMask < 1 }

// stateNodes are the weights and the moments of LAMB, array by array, as nodes of a graph.
type stateNodes struct{ weights, m, v []*graph.Node }

// trainStep returns the state after one step, and the four sums that make the losses.
func (n *network) trainStep(b batch, rng, rate, lambda *graph.Node, s stateNodes) (stateNodes, *graph.Node) {
	if n.randomises() {
		var replacement *graph.Node
		rng, replacement = n.replacement(rng, b.truth.Shape().Dimensions[0])
		b = n.randomise(b, replacement)
	}
	grads, sums := n.gradients(b, rng, lambda, s.weights)
	return n.descend(s, grads, rate), sums
}

// gradients returns the gradient of L^NPT with respect to every array, and the four sums that make the losses.
func (n *network) gradients(b batch, rng, lambda *graph.Node, arrays []*graph.Node) (grads []*graph.Node, sums *graph.Node) {
	params := n.parameters(arrays)
	f := n.forward(params, b.codes, newDropout(n.Dropout, rng))
	f.asked = n.scored()
	losses := n.loss(f.predict(b.values, b.mask), f.wanted(b.truth), f.wanted(b.codes))
	grads = graph.Gradient(losses.npt(lambda), params...)
	for i, g := range grads {
		grads[i] = graph.ConvertDType(g, n.master())
	}
	return n.Packed(grads), losses.vector()
}

// descend takes a step of LAMB.
func (n *network) descend(s stateNodes, grads []*graph.Node, rate *graph.Node) stateNodes {
	lamb, next := optimiser.LAMB{Clip: n.Clip, WeightDecay: n.WeightDecay}, stateNodes{}
	for i, a := range n.Arrays {
		w, m, v := lamb.Step(a, s.weights[i], s.m[i], s.v[i], grads[i], rate)
		next.weights, next.m, next.v = append(next.weights, w), append(next.m, m), append(next.v, v)
	}
	return next
}

// evaluate returns what the network predicts for the rows of a batch that are asked for (m x S: values, and probabilities of
// classes), and the four sums.
func (n *network) evaluate(b batch, arrays []*graph.Node, asked func(*graph.Node) *graph.Node) (predictions, sums *graph.Node) {
	f := n.forward(n.parameters(arrays), b.codes, nil)
	f.asked = asked
	z := f.predict(b.values, b.mask)
	return n.predictions(graph.ConvertDType(z, n.master())), n.loss(z, f.wanted(b.truth), f.wanted(b.codes)).vector()
}
