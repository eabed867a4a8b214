package npt

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/weights"
)

// This file is the network: the forward pass from the encoded table to the predictions, top to bottom. GoMLX derives the gradients.
// Equation numbers are those of "Self-Attention Between Datapoints: Going Beyond Individual Input-Output Pairs in Deep Learning"
// (arXiv 2106.02584). Where the published code differs from them, and this with it, doc.go says how.
//
// Sizes: n datapoints (rows of the batch), d attributes (columns, the target among them), e the width of an embedded entry, h = d e
// the width of an embedded datapoint, S the sum of the encoded widths e_j of the attributes (1, or the number of categories).
//
// For example, n = 2 houses with d = 3 attributes: an area (a number), a city (one of three) and a price (a number, the target).
// The first price may be seen (p_target < 1), the second one is to be predicted. S = 1 + 3 + 1 = 5. With e = 4, h = 12, and two heads:
//
//	                area   city   price                      area  city  price
//	values (2 x 5)   0.5   0 1 0   1.2         mask (2 x 3)     0     0      0
//	                -0.5   1 0 0   0                            0     0      1
//
//	inputEmbed   values and mask side by side, 2 x 8, become H^(0), 2 x 12: its columns 0 to 3 embed the area, 4 to 7 the
//	             city, 8 to 11 the price
//	abd          H is 2 x 12: one group of two tokens, the houses. Each head has width 6 and 2 x 2 attention weights
//	aba          H is reshaped to 6 x 4: two groups, the houses, of three tokens, their attributes. Each head has width 2 and
//	             3 x 3 attention weights in each group. Then H is 2 x 12 again, for the next abd
//	outputEmbed  Z, 2 x 5: of each house an area, three logits of cities and a price. The last number of the second row is the
//	             prediction

// A network is the shape of an NPT for tables with the given columns.
type network struct {
	Config
	weights.Set
	columns []Column
	rowUnit int  // batches are padded to a multiple of this many rows
	copies  bool // the second half of every batch are the copies of Table, of which nothing is predicted
}

func newNetwork(c Config, columns []Column) *network {
	n := &network{Config: c, columns: columns, rowUnit: 1}
	n.Set = weights.NewSet(n.listParams())
	return n
}

// A forward is one forward pass through the network in a graph.
type forward struct {
	*network
	w       map[string]*graph.Node        // the parameters by name
	padding *graph.Node                   // n x 1: which rows of the batch are padding, to which no row attends; nil: none
	drop    *dropout                      // nil: none, as in evaluations
	asked   func(*graph.Node) *graph.Node // picks the m of n rows of an array whose predictions are asked for; nil: all

	attention map[int]*graph.Node // when not nil: gets the weights of every layer, groups x heads x tokens x tokens
}

// predict returns the predictions of all attributes of the n datapoints, or of the m asked for, Z (n x S): the value of a
// continuous attribute, the logits of a categorical one.
//
// values (n x S) are the encoded entries X, zero where masked; mask (n x d) is the masking matrix M, one there.
//
// What is not computed for rows that are not asked for, or computed twice to save memory (needed, forget, remember), is in pruning.go.
func (f *forward) predict(values, mask *graph.Node) *graph.Node {
	h := f.needed(-1, f.inputEmbed(values, mask))
	for l := range f.Layers {
		h = f.forget(h)
		switch {
		case !f.has(l):
		case isABA(l):
			h = f.aba(l, h)
		default:
			h = f.abd(l, h)
		}
	}
	return f.outputEmbed(f.remember(h))
}

// isABA reports whether the layer with the given index attends between attributes: every second one, beginning with ABD.
func isABA(layer int) bool { return layer%2 == 1 }

// has reports whether the network has the layer with the given index; ablations leave every second one out.
func (c *Config) has(layer int) bool { return isABA(layer) && !c.NoABA || !isABA(layer) && !c.NoABD }

// between reports whether rows attend to other rows in the layer with the given index.
func (c *Config) between(layer int) bool { return !isABA(layer) && c.has(layer) && !c.SelfOnly }

// inputEmbed, equations 22 and 23, returns H^(0), the embedded datapoints (n x h): for attribute j, of kind Type(j),
//
//	H_j = concat(X_j, M_j) W_j^in + H_j^Index + H_Type(j)^Type
//
// plus a bias. One product does this for all attributes: their matrices are the diagonal blocks of a big one.
func (f *forward) inputEmbed(values, mask *graph.Node) *graph.Node {
	d, e := len(f.columns), f.Hidden
	in := blockDiagonal(f.w["in.weight"], inputColumns(f.columns), d)
	encoded := graph.ConvertDType(graph.Concatenate([]*graph.Node{values, mask}, 1), in.DType())
	embedding := graph.Add(f.w["in.bias"], f.w["embedding.index"])
	if kinds := f.w["embedding.type"]; kinds != nil {
		embedding = graph.Add(embedding, mul(weights.OneHot(kinds, columnKinds(f.columns), 2), kinds))
	}
	return f.dropout(graph.Add(mul(encoded, in), graph.Reshape(embedding, 1, d*e)))
}

// abd, equation 6: attention between datapoints, each of them one token of width h.
//
//	ABD(H) = MHSA(H), H in R^(n x h)
//
// With SelfOnly each datapoint is a group of its own.
func (f *forward) abd(layer int, h *graph.Node) *graph.Node {
	groups := 1
	if f.SelfOnly {
		groups = h.Shape().Dimensions[0]
	}
	return f.mhsa(layer, h, groups)
}

// aba, equation 7: attention between the d attributes of each datapoint, tokens of width e.
//
//	ABA(H) = stack_i MHSA(H_i), H_i in R^(d x e)
func (f *forward) aba(layer int, h *graph.Node) *graph.Node {
	n, d := h.Shape().Dimensions[0], len(f.columns)
	h = graph.Reshape(h, n*d, f.Hidden)
	h = f.mhsa(layer, h, n)
	return graph.Reshape(h, n, d*f.Hidden)
}

// mhsa, equations 2, 4 and 5, on the tokens in the rows of H, of which those of one group attend to each other:
//
//	MHSelfAtt(H) = concat(O_1, ..., O_k) W^O                  (2)
//	Res(H) = H W^res + MHSelfAtt(LN(H))                       (4)
//	MHSA(H) = Res(H) + rFF(LN(Res(H)))                        (5)
//	rFF(H) = GELU(H W_1) W_2                                  (no number; appendix C.1.1)
//
// and a bias with every matrix. Without LayerNormKeys the keys and values are those of H itself, not normalised.
func (f *forward) mhsa(layer int, h *graph.Node, groups int) *graph.Node {
	param := func(name string) *graph.Node { return f.w[layerParam(layer, name)] }
	linear := func(x *graph.Node, name string) *graph.Node {
		return graph.Add(mul(x, param(name+".weight")), graph.Reshape(param(name+".bias"), 1, -1))
	}
	norm := func(x *graph.Node, name string) *graph.Node {
		return layerNorm(x, graph.Reshape(param(name+".scale"), 1, -1), graph.Reshape(param(name+".shift"), 1, -1))
	}

	normed := norm(h, "ln0")
	source := h
	if f.LayerNormKeys {
		source = normed
	}
	keys, values := linear(source, "k"), linear(source, "v")
	h, normed = f.needed(layer, h), f.needed(layer, normed)
	heads := f.attend(linear(normed, "q"), keys, values, groups, layer)
	res := graph.Add(linear(h, "res"), f.dropout(linear(heads, "mix")))

	rff := linear(f.dropout(gelu(linear(norm(res, "ln1"), "ff1"))), "ff2")
	return graph.Add(res, f.dropout(rff))
}

// attend, equations 1 and 3 after the products with W^Q, W^K and W^V: dot-product attention of all heads j, side by side,
//
//	O_j = softmax(Q_j K_j^T / √w) V_j
//
// The rows of Q, K and V (rows x w) are one group (ABD: all datapoints) or more (ABA: the attributes of each datapoint); those
// of Q attend to those of K in their group. The scale is the root of the full
// width w, not of a head's, which is w/k for the paper's k, f.Heads here.
//
// A softmax is e^s / Σ e^s. It is divided by the sum after the product with V, for which the derived gradient needs no
// array of the size of the weights.
func (f *forward) attend(q, k, v *graph.Node, groups, layer int) *graph.Node {
	rows, w, heads := q.Shape().Dimensions[0], q.Shape().Dimensions[1], f.Heads
	from, to := rows/groups, k.Shape().Dimensions[0]/groups // tokens of a group
	split := func(x *graph.Node, tokens int) *graph.Node {  // to (groups*heads x tokens x w/heads)
		x = graph.TransposeAllAxes(graph.Reshape(x, groups, tokens, heads, w/heads), 0, 2, 1, 3)
		return graph.Reshape(x, groups*heads, tokens, w/heads)
	}
	merge := func(x *graph.Node) *graph.Node { // and back
		x = graph.TransposeAllAxes(graph.Reshape(x, groups, heads, from, w/heads), 0, 2, 1, 3)
		return graph.Reshape(x, rows, w)
	}

	q = graph.MulScalar(q, 1/math.Sqrt(float64(w)))
	s := accurate(graph.DotGeneral(split(q, from), []int{2}, []int{0}, split(k, to), []int{2}, []int{0}))
	if f.padding != nil && f.between(layer) { // elsewhere each padding row is in a group of its own
		padding := graph.BroadcastToDims(graph.Reshape(f.padding, 1, 1, to), s.Shape().Dimensions...)
		s = graph.Where(padding, graph.Infinity(s.Graph(), s.DType(), -1), s)
	}
	exp := graph.Exp(graph.Sub(s, graph.StopGradient(graph.ReduceAndKeep(s, graph.ReduceMax, -1))))
	inverse := graph.Reciprocal(graph.ReduceAndKeep(exp, graph.ReduceSum, -1))
	if f.attention != nil {
		f.attention[layer] = graph.Reshape(graph.Mul(exp, inverse), groups, heads, from, to)
	}
	if f.drop != nil { // of the weights after the softmax: the sum has them all
		exp = f.drop.mask(exp)
		inverse = graph.MulScalar(inverse, f.drop.scale())
	}
	o := graph.DotGeneral(graph.ConvertDType(exp, v.DType()), []int{2}, []int{0}, split(v, to), []int{1}, []int{0})
	return merge(graph.Mul(o, graph.ConvertDType(inverse, v.DType())))
}

// dropout sets a share p of the entries to zero and scales the others by 1/(1-p), so that the expectation stays.
func (f *forward) dropout(x *graph.Node) *graph.Node {
	if f.drop == nil {
		return x
	}
	return graph.MulScalar(f.drop.mask(x), f.drop.scale())
}

const layerNormEpsilon = 1e-12

// layerNorm, LN in equations 4 and 5, normalises the rows of x to mean 0 and variance 1, then scales and shifts their entries.
func layerNorm(x, scale, shift *graph.Node) *graph.Node {
	dtype := x.DType()
	x = accurate(x)
	centred := graph.Sub(x, graph.ReduceAndKeep(x, graph.ReduceMean, -1))
	variance := graph.ReduceAndKeep(graph.Square(centred), graph.ReduceMean, -1)
	normal := graph.Mul(centred, graph.Reciprocal(graph.Sqrt(graph.AddScalar(variance, layerNormEpsilon))))
	return graph.Add(graph.Mul(graph.ConvertDType(normal, dtype), scale), shift)
}

// gelu returns x Φ(x), the activation of rFF. Φ is the normal distribution function and not the usual approximation by tanh; in float32 the
// backend fused has it to 3e-7.
func gelu(x *graph.Node) *graph.Node {
	cdf := graph.AddScalar(graph.MulScalar(graph.Erf(graph.MulScalar(x, math.Sqrt2/2)), 0.5), 0.5)
	return graph.Mul(x, cdf)
}

// outputEmbed, equations 24 and 25: Z_j = H_j W_j^out, plus a bias, for every attribute j, side by side in n x S.
func (f *forward) outputEmbed(h *graph.Node) *graph.Node {
	out := blockDiagonal(f.w["out.weight"], channelColumns(f.columns), len(f.columns))
	z := graph.DotGeneral(f.dropout(h), []int{1}, nil, out, []int{1}, nil)
	return graph.Add(z, graph.Reshape(f.w["out.bias"], 1, -1))
}

// mul returns the product of two matrices.
func mul(a, b *graph.Node) *graph.Node { return graph.DotGeneral(a, []int{1}, nil, b, []int{0}, nil) }

// accurate converts numbers of half precision to float32, for what is too delicate for them.
func accurate(x *graph.Node) *graph.Node {
	if x.DType() == dtypes.BFloat16 {
		return graph.ConvertDType(x, dtypes.Float32)
	}
	return x
}

// blockDiagonal spreads the rows of w (rows x e) to rows x (blocks*e): row r comes into the columns of block[r], all other
// entries are zero.
func blockDiagonal(w *graph.Node, block []int, blocks int) *graph.Node {
	rows, e := w.Shape().Dimensions[0], w.Shape().Dimensions[1]
	place := graph.Reshape(weights.OneHot(w, block, blocks), rows, blocks, 1)
	return graph.Reshape(graph.Mul(graph.Reshape(w, rows, 1, e), place), rows, blocks*e)
}
