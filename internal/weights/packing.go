package weights

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// An Array is what is kept and moved as one: a parameter, or small parameters of the same dimensions, one a row, or (see NewFlat)
// all parameters, one after the other. Most parameters of a network are small; packed, they take a handful of the optimiser's
// operations instead of some for each. Starting operations is what a GPU takes the time of a step on a small table for.
type Array struct {
	Param         // the only member, or one that holds them all
	Members []int // places in Set.Params
}

// packedSize is the largest size of parameters that are packed. Packing costs copies, which are cheap up to here.
const packedSize = 1 << 16

// pack lists the arrays that store the parameters, in the order of their first Members.
func pack(params []Param) (arrays []Array) {
	for i, p := range params {
		small := p.Group == nil && p.Size() <= packedSize
		at := slices.IndexFunc(arrays, func(a Array) bool { return small && a.Group == nil && slices.Equal(a.Dims, p.Dims) })
		if at < 0 {
			arrays = append(arrays, Array{Param: p, Members: []int{i}})
		} else {
			arrays[at].Members = append(arrays[at].Members, i)
		}
	}
	for i, a := range arrays {
		if rows := len(a.Members); rows > 1 {
			arrays[i].Param = Param{Name: a.Name + " and alike", Dims: []int{rows, a.Size()}, Group: Indices(rows)}
		}
	}
	return arrays
}

// Unpacked returns the nodes of all parameters.
func (s *Set) Unpacked(arrays []*graph.Node) []*graph.Node {
	out := make([]*graph.Node, len(s.Params))
	for i, a := range s.Arrays {
		at := 0
		for _, m := range a.Members {
			out[m] = arrays[i]
			if len(a.Members) > 1 {
				next := at + s.places(a, m)
				out[m] = graph.Reshape(graph.SliceAxis(arrays[i], 0, graph.AxisRange(at, next)), s.Params[m].Dims...)
				at = next
			}
		}
	}
	return out
}

// places returns how many entries of the first axis of an array a member takes: a row, or as many as it has weights where all are
// in one row.
func (s *Set) places(a Array, member int) int {
	if len(a.Dims) == 1 {
		return s.Params[member].Size()
	}
	return 1
}

// Packed is the reverse.
func (s *Set) Packed(params []*graph.Node) []*graph.Node {
	out := make([]*graph.Node, len(s.Arrays))
	for i, a := range s.Arrays {
		out[i] = params[a.Members[0]]
		if len(a.Members) > 1 {
			rows := make([]*graph.Node, len(a.Members))
			for row, m := range a.Members {
				rows[row] = graph.Reshape(params[m], append([]int{s.places(a, m)}, a.Dims[1:]...)...)
			}
			out[i] = graph.Concatenate(rows, 0)
		}
	}
	return out
}

// PackedNumbers packs numbers on the host.
func (s *Set) PackedNumbers(params [][]float64) [][]float64 {
	out := make([][]float64, len(s.Arrays))
	for i, a := range s.Arrays {
		if len(a.Members) == 1 {
			out[i] = params[a.Members[0]]
			continue
		}
		for _, m := range a.Members {
			out[i] = append(out[i], params[m]...)
		}
	}
	return out
}

// Shapes returns the shape of every array, of numbers of that type.
func (s *Set) Shapes(dtype dtypes.DType) (of []shapes.Shape) {
	for _, a := range s.Arrays {
		of = append(of, shapes.Make(dtype, a.Dims...))
	}
	return of
}
