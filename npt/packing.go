package npt

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// An array is what is kept and moved as one: a parameter, or small parameters of the same dimensions, one a row. Most
// parameters of a network are small; packed, they take a handful of the optimiser's operations instead of some for each.
// On a GPU, starting operations is what a step on a small table takes its time for.
type array struct {
	param
	members []int // of network.params, one a row; nil for a single parameter
	single  int   // which one that is
}

// packedSize is the largest size of parameters that are packed. Packing costs copies, which are cheap up to here.
const packedSize = 1 << 16

// pack lists the arrays, in the order of their first parameters.
func (n *network) pack() {
	n.arrays = nil
	for i, p := range n.params {
		alike := func(a array) bool { return a.members != nil && slices.Equal(n.params[a.members[0]].dims, p.dims) }
		if p.group != nil || p.size() > packedSize {
			n.arrays = append(n.arrays, array{param: p, single: i})
		} else if at := slices.IndexFunc(n.arrays, alike); at >= 0 {
			n.arrays[at].members = append(n.arrays[at].members, i)
		} else {
			n.arrays = append(n.arrays, array{param: param{name: "like " + p.name}, members: []int{i}})
		}
	}
	for i := range n.arrays {
		a := &n.arrays[i]
		switch len(a.members) {
		case 0:
		case 1:
			*a = array{param: n.params[a.members[0]], single: a.members[0]}
		default:
			a.dims = []int{len(a.members), n.params[a.members[0]].size()}
			a.group = count(len(a.members))
		}
	}
}

// unpacked returns the nodes of all parameters.
func (n *network) unpacked(arrays []*graph.Node) []*graph.Node {
	out := make([]*graph.Node, len(n.params))
	for i, a := range n.arrays {
		if a.members == nil {
			out[a.single] = arrays[i]
		}
		for row, m := range a.members {
			out[m] = graph.Reshape(graph.SliceAxis(arrays[i], 0, graph.AxisRange(row, row+1)), n.params[m].dims...)
		}
	}
	return out
}

// packed is the reverse.
func (n *network) packed(params []*graph.Node) []*graph.Node {
	out := make([]*graph.Node, len(n.arrays))
	for i, a := range n.arrays {
		if a.members == nil {
			out[i] = params[a.single]
			continue
		}
		rows := make([]*graph.Node, len(a.members))
		for row, m := range a.members {
			rows[row] = graph.Reshape(params[m], 1, a.dims[1])
		}
		out[i] = graph.Concatenate(rows, 0)
	}
	return out
}

// packedNumbers packs numbers on the host.
func (n *network) packedNumbers(params [][]float64) [][]float64 {
	out := make([][]float64, len(n.arrays))
	for i, a := range n.arrays {
		if a.members == nil {
			out[i] = params[a.single]
		}
		for _, m := range a.members {
			out[i] = append(out[i], params[m]...)
		}
	}
	return out
}

// unpackedNumbers is the reverse.
func (n *network) unpackedNumbers(arrays [][]float64) [][]float64 {
	out := make([][]float64, len(n.params))
	for i, a := range n.arrays {
		if a.members == nil {
			out[a.single] = arrays[i]
		}
		for row, m := range a.members {
			out[m] = arrays[i][row*a.dims[1] : (row+1)*a.dims[1]]
		}
	}
	return out
}
