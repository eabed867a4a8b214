package npt

import (
	"fmt"

	"nptbench/internal/weights"
)

// listParams lists the parameters of the network.
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

	// The d embedding matrices, one below the other: first the rows of all value channels, then of the entries of the mask.
	params = append(params,
		weights.Param{Name: "in.weight", Dims: []int{len(inputs), e}, FanIn: rowFan, Group: inputs},
		weights.Param{Name: "in.bias", Dims: []int{d, e}, FanIn: columnFan, Group: count(d)},
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
		square := func(name string) {
			params = append(params,
				weights.Param{Name: layerParam(l, name+".weight"), Dims: []int{w, w}, FanIn: []int{w}},
				weights.Param{Name: layerParam(l, name+".bias"), Dims: []int{w}, FanIn: []int{w}})
		}
		norm := func(name string) {
			params = append(params,
				weights.Param{Name: layerParam(l, name+".scale"), Dims: []int{w}, Init: weights.Ones},
				weights.Param{Name: layerParam(l, name+".shift"), Dims: []int{w}, Init: weights.Zeros})
		}
		norm("ln0")
		square("q")
		square("k")
		square("v")
		square("mix")
		square("res")
		norm("ln1")
		params = append(params,
			weights.Param{Name: layerParam(l, "ff1.weight"), Dims: []int{w, 4 * w}, FanIn: []int{w}},
			weights.Param{Name: layerParam(l, "ff1.bias"), Dims: []int{4 * w}, FanIn: []int{w}},
			weights.Param{Name: layerParam(l, "ff2.weight"), Dims: []int{4 * w, w}, FanIn: []int{4 * w}},
			weights.Param{Name: layerParam(l, "ff2.bias"), Dims: []int{w}, FanIn: []int{4 * w}})
	}
	params = append(params,
		weights.Param{Name: "out.weight", Dims: []int{len(channel), e}, FanIn: []int{e}, Group: channel},
		weights.Param{Name: "out.bias", Dims: []int{len(channel)}, FanIn: []int{e}, Group: channel})
	return params
}

func layerParam(layer int, name string) string { return fmt.Sprintf("layer%d.%s", layer, name) }
