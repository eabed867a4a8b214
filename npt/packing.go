package npt

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// An array is what is kept and moved as one: a parameter, or small parameters of the same dimensions, one a row. Most
// parameters of a network are small; packed, they take a handful of the optimiser's operations instead of some for each.
// Starting operations is what a GPU takes the time of a step on a small table for.
type array struct {
	param         // the only member, or one with a row for each
	members []int // places in network.params
}

// packedSize is the largest size of parameters that are packed. Packing costs copies, which are cheap up to here.
const packedSize = 1 << 16

// pack lists the arrays that store the parameters, in the order of their first members.
func pack(params []param) (arrays []array) {
	for i, p := range params {
		small := p.group == nil && p.size() <= packedSize
		at := slices.IndexFunc(arrays, func(a array) bool { return small && a.group == nil && slices.Equal(a.dims, p.dims) })
		if at < 0 {
			arrays = append(arrays, array{param: p, members: []int{i}})
		} else {
			arrays[at].members = append(arrays[at].members, i)
		}
	}
	for i, a := range arrays {
		if rows := len(a.members); rows > 1 {
			arrays[i].param = param{name: a.name + " and alike", dims: []int{rows, a.size()}, group: count(rows)}
		}
	}
	return arrays
}

// unpacked returns the nodes of all parameters.
func (n *network) unpacked(arrays []*graph.Node) []*graph.Node {
	out := make([]*graph.Node, len(n.params))
	for i, a := range n.arrays {
		for row, m := range a.members {
			out[m] = arrays[i]
			if len(a.members) > 1 {
				out[m] = graph.Reshape(graph.SliceAxis(arrays[i], 0, graph.AxisRange(row, row+1)), n.params[m].dims...)
			}
		}
	}
	return out
}

// packed is the reverse.
func (n *network) packed(params []*graph.Node) []*graph.Node {
	out := make([]*graph.Node, len(n.arrays))
	for i, a := range n.arrays {
		out[i] = params[a.members[0]]
		if len(a.members) > 1 {
			rows := make([]*graph.Node, len(a.members))
			for row, m := range a.members {
				rows[row] = graph.Reshape(params[m], 1, -1)
			}
			out[i] = graph.Concatenate(rows, 0)
		}
	}
	return out
}

// packedNumbers packs numbers on the host.
func (n *network) packedNumbers(params [][]float64) [][]float64 {
	out := make([][]float64, len(n.arrays))
	for i, a := range n.arrays {
		if len(a.members) == 1 {
			out[i] = params[a.members[0]]
			continue
		}
		for _, m := range a.members {
			out[i] = append(out[i], params[m]...)
		}
	}
	return out
}
