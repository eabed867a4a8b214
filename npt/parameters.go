package npt

import (
	"fmt"

	"nptbench/internal/weights"
)

// listParams lists the parameters of the network. Sizes are those of network.go; in a layer, w is h (ABD) or e (ABA).
//
//	name              shape         in the paper, by equation
//	in.weight         (S + d) x e   W_j^in (22), e_j + 1 rows for each attribute j
//	in.bias           d x e
//	embedding.index   d x e         H_j^Index (22)
//	embedding.type    2 x e         H^Type (22), continuous and categorical; not where all attributes are of one type
//	layerL.ln0        w, w          LN (4): scale, shift
//	layerL.q, k, v    w x w, w      W^Q, W^K, W^V (3), the matrices of all heads side by side; biases
//	layerL.mix        w x w, w      W^O (2); bias
//	layerL.res        w x w, w      W^res (4); bias
//	layerL.ln1        w, w          LN (5): scale, shift
//	layerL.ff1        w x 4w, 4w    rFF (5), hidden layer; bias
//	layerL.ff2        4w x w, w     rFF (5), output; bias
//	out.weight        S x e         W_j^out (25), transposed: e_j rows for each attribute j
//	out.bias          S
func (n *network) listParams() (params []weights.Param) {
	columns, d, e, h := n.columns, len(n.columns), n.Hidden, len(n.columns)*n.Hidden
	channel, inputs := channelColumns(columns), inputColumns(columns)
	columnFan, rowFan := make([]int, d), make([]int, len(inputs))
	for j, c := range columns {
		columnFan[j] = c.width() + 1
	}
	for i, j := range inputs {
		rowFan[i] = columnFan[j]
	}

	// Each of the d embedding matrices lies in two pieces: the rows of its values are among the first S, that of its mask is row S + j. Group
	// says which rows belong together.
	params = append(params,
		weights.Param{Name: "in.weight", Dims: []int{len(inputs), e}, FanIn: rowFan, Group: inputs},
		weights.Param{Name: "in.bias", Dims: []int{d, e}, FanIn: columnFan, Group: weights.Indices(d)},
		weights.Param{Name: "embedding.index", Dims: []int{d, e}, Init: weights.Normal})
	if mixedTypes(columns) {
		params = append(params, weights.Param{Name: "embedding.type", Dims: []int{2, e}, Init: weights.Normal})
	}
	for l := range n.Layers {
		if !n.has(l) {
			continue
		}
		w := h
		if isABA(l) {
			w = e
		}
		linear := func(name string, in, out int) {
			params = append(params,
				weights.Param{Name: layerParam(l, name+".weight"), Dims: []int{in, out}, FanIn: []int{in}},
				weights.Param{Name: layerParam(l, name+".bias"), Dims: []int{out}, FanIn: []int{in}})
		}
		norm := func(name string) {
			params = append(params,
				weights.Param{Name: layerParam(l, name+".scale"), Dims: []int{w}, Init: weights.Ones},
				weights.Param{Name: layerParam(l, name+".shift"), Dims: []int{w}, Init: weights.Zeros})
		}
		norm("ln0")
		for _, name := range []string{"q", "k", "v", "mix", "res"} {
			linear(name, w, w)
		}
		norm("ln1")
		linear("ff1", w, 4*w)
		linear("ff2", 4*w, w)
	}
	params = append(params,
		weights.Param{Name: "out.weight", Dims: []int{len(channel), e}, FanIn: []int{e}, Group: channel},
		weights.Param{Name: "out.bias", Dims: []int{len(channel)}, FanIn: []int{e}, Group: channel})
	return params
}

func layerParam(layer int, name string) string { return fmt.Sprintf("layer%d.%s", layer, name) }
