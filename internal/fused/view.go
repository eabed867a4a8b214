package fused

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// types are those that arrays can have.
var types = map[dtypes.DType]bool{
	dtypes.Bool: true, dtypes.Uint8: true, dtypes.Int32: true, dtypes.Uint32: true, dtypes.Uint64: true,
	dtypes.Float32: true, dtypes.Float64: true,
}

// A view says where the elements of an array lie in the memory of base: element (i, j, ...) at offset + i*strides[0] + ...,
// counted in elements of the view's type.
type view struct {
	base          *value
	dtype         dtypes.DType
	offset        int
	dims, strides []int
}

// wholeView is the view of an array as it is computed.
func wholeView(v *value) view {
	return view{base: v, dtype: v.shape.DType, dims: v.shape.Dimensions, strides: stridesOf(v.shape.Dimensions)}
}

// stridesOf are those of an array in order, the last axis fastest.
func stridesOf(dims []int) []int {
	out, step := make([]int, len(dims)), 1
	for i := len(dims) - 1; i >= 0; i-- {
		out[i] = step
		step *= dims[i]
	}
	return out
}

// size is the number of elements.
func (x view) size() int { return sizeOf(x.dims) }

func sizeOf(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// collapse drops axes of length 1 and joins neighbours that are one behind the other in all views of strides.
func collapse(dims []int, strides ...[]int) ([]int, [][]int) {
	var d []int
	s := make([][]int, len(strides))
	for i, n := range dims {
		if n == 1 {
			continue
		}
		last := len(d) - 1
		joins := last >= 0
		for k := range strides {
			joins = joins && s[k][last] == strides[k][i]*n
		}
		if joins {
			d[last] *= n
			for k := range strides {
				s[k][last] = strides[k][i]
			}
			continue
		}
		d = append(d, n)
		for k := range strides {
			s[k] = append(s[k], strides[k][i])
		}
	}
	return d, s
}

// inOrder reports whether the elements lie one behind the other.
func (x view) inOrder() bool {
	d, s := collapse(x.dims, x.strides)
	return len(d) == 0 || len(d) == 1 && s[0][0] == 1
}

// isWhole reports whether the view has exactly the elements of its base in their order, perhaps as numbers of another type.
func (x view) isWhole() bool {
	return x.offset == 0 && x.inOrder() && x.dtype.Size() == x.base.shape.DType.Size() && sizeOf(x.dims) == x.base.shape.Size()
}

// broadcast is the view with axes of length 1, or all of a scalar, repeated.
func (x view) broadcast(dims []int) view {
	strides := make([]int, len(dims))
	for i := range x.dims {
		if x.dims[i] == dims[i] {
			strides[i] = x.strides[i]
		}
	}
	x.dims, x.strides = dims, strides
	return x
}

// reshape is the view with other dimensions, if it has them without a copy.
func (x view) reshape(dims []int) (view, bool) {
	if sizeOf(dims) == 0 {
		x.dims, x.strides = dims, stridesOf(dims)
		return x, true
	}
	strides := make([]int, len(dims))
	old, s := collapse(x.dims, x.strides)
	i := len(old) - 1
	left, step := 1, 1 // elements of the old axis that new axes are not made of yet, and their stride
	if i >= 0 {
		left, step = old[i], s[0][i]
	}
	for j := len(dims) - 1; j >= 0; j-- {
		if dims[j] == 1 {
			continue
		}
		if left == 1 && i > 0 {
			i--
			left, step = old[i], s[0][i]
		}
		if left%dims[j] != 0 {
			return x, false
		}
		strides[j] = step
		step *= dims[j]
		left /= dims[j]
	}
	x.dims, x.strides = dims, strides
	return x, true
}

// resolve finds the views of all useful values. It returns those that have to be computed or are inputs, operands before results;
// among them copies that it adds where there is no view.
func resolve(f *function) (order []*value) {
	copied := func(x view) view {
		c := copyOf(f, x)
		order = append(order, c)
		return c.view
	}
	inOrder := func(x view) view {
		if x.inOrder() {
			return x
		}
		return copied(x)
	}
	for _, v := range slices.Clone(f.values) {
		if !v.useful {
			continue
		}
		var x view
		if len(v.in) > 0 {
			x = v.in[0].view
		}
		x.dims, x.strides = slices.Clone(x.dims), slices.Clone(x.strides)
		dims := v.shape.Dimensions
		switch v.op {
		case compute.OpTypeOptimizationBarrier:
		case compute.OpTypeReshape:
			y, ok := x.reshape(dims)
			if !ok {
				y, _ = inOrder(x).reshape(dims)
			}
			x = y
		case compute.OpTypeTranspose:
			for i, axis := range v.attr.([]int) {
				x.dims[i], x.strides[i] = v.in[0].view.dims[axis], v.in[0].view.strides[axis]
			}
		case compute.OpTypeBroadcastInDim:
			y := x
			y.dims, y.strides = dims, make([]int, len(dims))
			for i, axis := range v.attr.([]int) {
				if x.dims[i] == dims[axis] {
					y.strides[axis] = x.strides[i]
				}
			}
			x = y
		case compute.OpTypeSlice:
			a := v.attr.(sliceAttr)
			for i := range x.dims {
				x.offset += a.starts[i] * x.strides[i]
				if len(a.strides) > 0 {
					x.strides[i] *= a.strides[i]
				}
			}
			x.dims = dims
		case compute.OpTypeBitcast:
			if at := x.offset * x.dtype.Size(); !x.inOrder() || at%v.shape.DType.Size() != 0 {
				x = copied(x)
			}
			x.offset = x.offset * x.dtype.Size() / v.shape.DType.Size()
			x.dtype, x.dims, x.strides = v.shape.DType, dims, stridesOf(dims)
		case opBits:
			x.offset = stateWords * x.dtype.Size() / v.shape.DType.Size()
			x.dtype, x.dims, x.strides = v.shape.DType, dims, stridesOf(dims)
		default:
			arrange(v, inOrder)
			x = wholeView(v)
			order = append(order, v)
		}
		v.view = x
	}
	return order
}

// arrange brings the axes of operands into an order that the operation can work with, where they are in none.
func arrange(v *value, inOrder func(view) view) {
	bring := func(operand int, groups ...[]int) [][]int { // these groups of axes, one behind the other
		x := v.in[operand].view
		y := x
		y.dims, y.strides = nil, nil
		var places [][]int
		for _, axes := range groups {
			d, s := x.along(axes)
			places = append(places, count(len(y.dims), len(d)))
			y.dims, y.strides = append(y.dims, d...), append(y.strides, s...)
		}
		y = inOrder(y)
		v.in = slices.Clone(v.in)
		v.in[operand] = &value{id: v.in[operand].id, shape: shapes.Make(y.dtype, y.dims...), view: y}
		return places
	}
	switch v.op {
	case compute.OpTypeGather, compute.OpTypeScatterSum, compute.OpTypeRNGBitGenerator:
		for k, x := range v.in {
			bring(k, count(0, len(x.view.dims)))
		}
	case compute.OpTypeReduceSum, compute.OpTypeReduceMax:
		if axes := v.attr.([]int); !v.reduction().ok {
			v.attr = bring(0, axesOf(v.in[0].view, axes), axes)[1]
		}
	case compute.OpTypeDotGeneral:
		a := v.attr.(dotAttr)
		if across := axesOf(v.in[0].view, a.lhsBatch, a.lhsContract); !v.in[0].view.joins(across, a.lhsContract) {
			places := bring(0, a.lhsBatch, across, a.lhsContract)
			a.lhsBatch, a.lhsContract = places[0], places[2]
		}
		if across := axesOf(v.in[1].view, a.rhsBatch, a.rhsContract); !v.in[1].view.joins(across, a.rhsContract) {
			places := bring(1, a.rhsBatch, across, a.rhsContract)
			a.rhsBatch, a.rhsContract = places[0], places[2]
		}
		v.attr = a
	}
}

// count lists n numbers from first on.
func count(first, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = first + i
	}
	return out
}

// copyOf adds a value that is a copy in order of what a view shows.
func copyOf(f *function, x view) *value {
	v := f.newValue(opCopy, shapes.Make(x.dtype, x.dims...), x, x.base)
	v.useful = true
	v.view = wholeView(v)
	return v
}
