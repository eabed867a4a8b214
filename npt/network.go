package npt

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// This file is the network, from the encoded table to the predictions. Equation numbers are those of "Self-Attention
// Between Datapoints: Going Beyond Individual Input-Output Pairs in Deep Learning" (arXiv 2106.02584).
//
// Sizes: n datapoints, d attributes (columns, the target among them), e the width of an embedded entry, h = d e the width
// of an embedded datapoint, S the sum of the encoded widths e_j of the attributes (1, or the number of categories).

// A network is the shape of an NPT for tables with the given columns.
type network struct {
	Config
	columns []Column
	params  []param
	arrays  []array // which hold the params, see pack
	round   int     // batches are filled up to a multiple of this many rows
}

// A param is one array of weights.
type param struct {
	name string
	dims []int
	init initialiser

	// fanIn is the number of inputs that an output depends on: one number, or one for each entry of the first axis.
	fanIn []int

	// group assigns the entries of the first axis to the tensors of the published model, where this array packs several
	// of them: LAMB scales the step of each one by itself. Nil: the array is one tensor.
	group []int
}

type initialiser uint8

const (
	uniform initialiser = iota // U(-1/√fanIn, 1/√fanIn)
	normal                     // N(0, 1)
	ones
	zeros
)

// newNetwork lists the parameters.
func newNetwork(c Config, columns []Column) *network {
	n := &network{Config: c, columns: columns, round: 1}
	d, e, h := len(columns), c.Hidden, len(columns)*c.Hidden
	channel, inputs := channelColumns(columns), inputColumns(columns)
	columnFan, rowFan := make([]int, d), make([]int, len(inputs))
	for j, c := range columns {
		columnFan[j] = c.width() + 1
	}
	for i, j := range inputs {
		rowFan[i] = columnFan[j]
	}

	// The d embedding matrices, one below the other: first the rows of all value channels, then of all mask tokens.
	n.params = append(n.params,
		param{name: "in.weight", dims: []int{len(inputs), e}, fanIn: rowFan, group: inputs},
		param{name: "in.bias", dims: []int{d, e}, fanIn: columnFan, group: count(d)},
		param{name: "embedding.index", dims: []int{d, e}, init: normal})
	if mixedTypes(columns) {
		n.params = append(n.params, param{name: "embedding.type", dims: []int{2, e}, init: normal})
	}
	for l := range c.Layers {
		if n.isABA(l) && c.NoABA {
			continue
		}
		w := h
		if n.isABA(l) {
			w = e
		}
		square := func(name string) {
			n.params = append(n.params,
				param{name: layerParam(l, name+".weight"), dims: []int{w, w}, fanIn: []int{w}},
				param{name: layerParam(l, name+".bias"), dims: []int{w}, fanIn: []int{w}})
		}
		norm := func(name string) {
			n.params = append(n.params,
				param{name: layerParam(l, name+".scale"), dims: []int{w}, init: ones},
				param{name: layerParam(l, name+".shift"), dims: []int{w}, init: zeros})
		}
		norm("ln0")
		square("q")
		square("k")
		square("v")
		square("mix")
		square("res")
		norm("ln1")
		n.params = append(n.params,
			param{name: layerParam(l, "ff1.weight"), dims: []int{w, 4 * w}, fanIn: []int{w}},
			param{name: layerParam(l, "ff1.bias"), dims: []int{4 * w}, fanIn: []int{w}},
			param{name: layerParam(l, "ff2.weight"), dims: []int{4 * w, w}, fanIn: []int{4 * w}},
			param{name: layerParam(l, "ff2.bias"), dims: []int{w}, fanIn: []int{4 * w}})
	}
	n.params = append(n.params,
		param{name: "out.weight", dims: []int{len(channel), e}, fanIn: []int{e}, group: channel},
		param{name: "out.bias", dims: []int{len(channel)}, fanIn: []int{e}, group: channel})
	n.pack()
	return n
}

func layerParam(layer int, name string) string { return fmt.Sprintf("layer%d.%s", layer, name) }

// isABA reports whether the layer with the given index attends between attributes: every second one, beginning with ABD.
func (n *network) isABA(layer int) bool { return layer%2 == 1 }

// A weights gives every parameter by name, as a tensor of a tape.
type weights map[string]*tensor

// forward predicts all attributes of n datapoints.
//
// values (n x S) holds the encoded entries, zero where masked; masked (n x d) the mask token of every entry. The result
// (n x S) holds the predicted value of a continuous attribute and the logits of a categorical one.
func (n *network) forward(t *tape, p weights, values, masked *graph.Node) *tensor {
	x := n.inputEmbed(t, p, values, masked)
	for l := range n.Layers {
		attention := n.abd
		if n.isABA(l) {
			if n.NoABA {
				continue
			}
			attention = n.aba
		}
		x = t.layer(x, func(t *tape, x *tensor) *tensor { return attention(t, p, l, x) })
	}
	return n.outputEmbed(t, p, x)
}

// inputEmbed, equations 8 and 9: H_j = concat(Encode(X_j), M_j) W_j^in + H_j^Index + H_j^Type, stacked to n x h.
func (n *network) inputEmbed(t *tape, p weights, values, masked *graph.Node) *tensor {
	d := len(n.columns)
	encoded := &tensor{Node: graph.Concatenate([]*graph.Node{values, masked}, 1)}
	w := t.blockDiagonal(p["in.weight"], inputColumns(n.columns), d)
	bias := t.add(p["in.bias"], p["embedding.index"])
	if kinds, ok := p["embedding.type"]; ok {
		bias = t.add(bias, t.rows(kinds, columnKinds(n.columns)))
	}
	return t.dropout(t.linear(encoded, w, t.reshape(bias, d*n.Hidden)))
}

// abd, equation 6: attention between datapoints, each of them one token of width h.
func (n *network) abd(t *tape, p weights, layer int, x *tensor) *tensor {
	return n.mhsa(t, p, layer, x, x.Shape().Dimensions[0])
}

// aba, equation 7: attention between the d attributes of each datapoint, tokens of width e.
func (n *network) aba(t *tape, p weights, layer int, x *tensor) *tensor {
	rows, d := x.Shape().Dimensions[0], len(n.columns)
	x = t.reshape(x, rows*d, n.Hidden)
	x = n.mhsa(t, p, layer, x, d)
	return t.reshape(x, rows, d*n.Hidden)
}

// mhsa, equations 4 and 5: Res(H) = H W^res + MHSelfAtt(LN(H)), then MHSA(H) = Res(H) + rFF(LN(Res(H))).
func (n *network) mhsa(t *tape, p weights, layer int, x *tensor, sequence int) *tensor {
	get := func(name string) *tensor { return p[layerParam(layer, name)] }
	linear := func(x *tensor, name string) *tensor { return t.linear(x, get(name+".weight"), get(name+".bias")) }
	norm := func(x *tensor, name string) *tensor { return t.layerNorm(x, get(name+".scale"), get(name+".shift")) }

	normed := norm(x, "ln0")
	source := x // of keys and values: not normalised in the published code, unlike in equation 4
	if n.LayerNormKeys {
		source = normed
	}
	heads := t.attend(linear(normed, "q"), linear(source, "k"), linear(source, "v"), sequence, n.Heads)
	res := t.add(t.dropout(linear(heads, "mix")), linear(x, "res"))

	ff := t.dropout(t.gelu(linear(norm(res, "ln1"), "ff1")))
	return t.add(res, t.dropout(linear(ff, "ff2")))
}

// outputEmbed, equations 10 and 11: Z_j = H_j W_j^out for every attribute j, side by side in n x S.
func (n *network) outputEmbed(t *tape, p weights, x *tensor) *tensor {
	w := t.blockDiagonal(p["out.weight"], channelColumns(n.columns), len(n.columns))
	return t.linear(t.dropout(x), t.transpose(w), p["out.bias"])
}
