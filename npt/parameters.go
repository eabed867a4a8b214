package npt

import (
	"fmt"
	"math"
	"math/rand/v2"
)

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

// listParams lists the parameters of the network.
func (n *network) listParams() (params []param) {
	columns, d, e, h := n.columns, len(n.columns), n.Hidden, len(n.columns)*n.Hidden
	channel, inputs := channelColumns(columns), inputColumns(columns)
	columnFan, rowFan := make([]int, d), make([]int, len(inputs))
	for j, c := range columns {
		columnFan[j] = c.width() + 1
	}
	for i, j := range inputs {
		rowFan[i] = columnFan[j]
	}

	// The d embedding matrices, one below the other: first the rows of all value channels, then of all mask tokens.
	params = append(params,
		param{name: "in.weight", dims: []int{len(inputs), e}, fanIn: rowFan, group: inputs},
		param{name: "in.bias", dims: []int{d, e}, fanIn: columnFan, group: count(d)},
		param{name: "embedding.index", dims: []int{d, e}, init: normal})
	if mixedTypes(columns) {
		params = append(params, param{name: "embedding.type", dims: []int{2, e}, init: normal})
	}
	for l := range n.Layers {
		if isABA(l) && n.NoABA {
			continue
		}
		w := h
		if isABA(l) {
			w = e
		}
		square := func(name string) {
			params = append(params,
				param{name: layerParam(l, name+".weight"), dims: []int{w, w}, fanIn: []int{w}},
				param{name: layerParam(l, name+".bias"), dims: []int{w}, fanIn: []int{w}})
		}
		norm := func(name string) {
			params = append(params,
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
		params = append(params,
			param{name: layerParam(l, "ff1.weight"), dims: []int{w, 4 * w}, fanIn: []int{w}},
			param{name: layerParam(l, "ff1.bias"), dims: []int{4 * w}, fanIn: []int{w}},
			param{name: layerParam(l, "ff2.weight"), dims: []int{4 * w, w}, fanIn: []int{4 * w}},
			param{name: layerParam(l, "ff2.bias"), dims: []int{w}, fanIn: []int{4 * w}})
	}
	params = append(params,
		param{name: "out.weight", dims: []int{len(channel), e}, fanIn: []int{e}, group: channel},
		param{name: "out.bias", dims: []int{len(channel)}, fanIn: []int{e}, group: channel})
	return params
}

func layerParam(layer int, name string) string { return fmt.Sprintf("layer%d.%s", layer, name) }

// initial draws the weights of a parameter: the defaults of the framework of the published code.
func (p *param) initial(rng *rand.Rand) []float64 {
	w := make([]float64, p.size())
	inner := len(w) / p.dims[0]
	switch p.init {
	case uniform:
		limit := bound(p.fanIn[0])
		for i := range w {
			if len(p.fanIn) > 1 && i%inner == 0 {
				limit = bound(p.fanIn[i/inner])
			}
			w[i] = (2*rng.Float64() - 1) * limit
		}
	case normal:
		for i := range w {
			w[i] = rng.NormFloat64()
		}
	case ones:
		for i := range w {
			w[i] = 1
		}
	}
	return w
}

// size returns the number of weights.
func (p *param) size() int {
	size := 1
	for _, d := range p.dims {
		size *= d
	}
	return size
}

// size returns the number of all weights.
func (n *network) size() int {
	sum := 0
	for _, p := range n.params {
		sum += p.size()
	}
	return sum
}

// bound is the limit of the uniform distribution that weights with that many inputs are drawn from.
func bound(fanIn int) float64 { return 1 / math.Sqrt(float64(fanIn)) }
