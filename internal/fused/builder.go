package fused

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/notimplemented"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// A builder collects the operations of a graph.
type builder struct {
	notimplemented.Builder
	backend *Backend
	name    string
	main    *function
}

// Builder implements compute.Backend.
func (b *Backend) Builder(name string) compute.Builder {
	made := &builder{backend: b, name: name}
	made.main = &function{builder: made, known: map[string]*value{}}
	made.main.Function = notimplemented.Function{ErrFn: notImplemented}
	return made
}

func notImplemented(op compute.OpType) error {
	return errors.Wrapf(compute.ErrNotImplemented, "backend %s: operation %s", Name, op)
}

func (b *builder) Name() string           { return b.name }
func (b *builder) Main() compute.Function { return b.main }

func (b *builder) NewFunction(string) (compute.Function, error) {
	return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: functions", Name)
}

func (b *builder) OpShape(v compute.Value) (shapes.Shape, error) { return b.main.Shape(v) }

func (b *builder) Compile() (compute.Executable, error) { return compile(b.main) }

// A function is the list of operations of a graph.
type function struct {
	notimplemented.Function
	builder    *builder
	values     []*value
	parameters []*value
	outputs    []*value
	known      map[string]*value // by what they are computed from, so that nothing is computed twice
}

// A value is the result of an operation, or an input.
type value struct {
	id    int // index in function.values: operands come before results
	op    compute.OpType
	in    []*value
	shape shapes.Shape
	attr  any    // of the operation
	name  string // of parameters

	view   view // see resolve
	useful bool // an output depends on it
	again  bool // it is made of what is computed again, see SchedulingBarrier, or read by such values alone, see markAgain
}

// The attributes of operations that are not a list of axes.
type (
	sliceAttr struct{ starts, limits, strides []int }
	dotAttr   struct{ lhsContract, lhsBatch, rhsContract, rhsBatch []int }
)

func (f *function) Builder() compute.Builder { return f.builder }

func (f *function) Shape(v compute.Value) (shapes.Shape, error) {
	x, err := f.own(v)
	if err != nil {
		return shapes.Shape{}, err
	}
	return x.shape, nil
}

// own checks that a value is of this function.
func (f *function) own(v compute.Value) (*value, error) {
	x, ok := v.(*value)
	if !ok || x.id >= len(f.values) || f.values[x.id] != x {
		return nil, errors.Errorf("backend %s: a value of another graph", Name)
	}
	return x, nil
}

func (f *function) owns(vs []compute.Value) ([]*value, error) {
	out := make([]*value, len(vs))
	for i, v := range vs {
		x, err := f.own(v)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

// node adds an operation, unless the same one on the same operands is there already.
func (f *function) node(op compute.OpType, shape shapes.Shape, attr any, in ...*value) *value {
	key := fmt.Sprint(op, shape, attr)
	for _, x := range in {
		key += fmt.Sprint(" ", x.id)
	}
	if v := f.known[key]; v != nil {
		return v
	}
	v := f.newValue(op, shape, attr, in...)
	f.known[key] = v
	return v
}

func (f *function) newValue(op compute.OpType, shape shapes.Shape, attr any, in ...*value) *value {
	v := &value{id: len(f.values), op: op, in: in, shape: shape, attr: attr}
	v.again = slices.ContainsFunc(in, func(x *value) bool { return x.again })
	f.values = append(f.values, v)
	return v
}

func (f *function) Parameter(name string, shape shapes.Shape, _ *compute.ShardingSpec) (compute.Value, error) {
	if !shape.DType.IsSupported() || !types[shape.DType] {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: numbers of type %s", Name, shape.DType)
	}
	v := f.newValue(compute.OpTypeParameter, shape, nil)
	v.name = name
	f.parameters = append(f.parameters, v)
	return v, nil
}

func (f *function) Constant(flat any, dims ...int) (compute.Value, error) {
	t := dtypes.FromGoType(reflect.TypeOf(flat).Elem())
	if !types[t] {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: a constant of type %T", Name, flat)
	}
	shape := shapes.Make(t, dims...)
	if n := reflect.ValueOf(flat).Len(); n != shape.Size() {
		return nil, errors.Errorf("backend %s: %d numbers for a constant of shape %s", Name, n, shape)
	}
	bytes, key := dtypes.UnsafeByteSliceFromAny(flat), ""
	if shape.Size() <= 16 {
		key = fmt.Sprintf("%s %x", shape, bytes)
		if v := f.known[key]; v != nil {
			return v, nil
		}
	}
	v := f.newValue(compute.OpTypeConstant, shape, slices.Clone(bytes))
	if key != "" {
		f.known[key] = v
	}
	return v, nil
}

func (f *function) Return(outputs []compute.Value, _ []*compute.ShardingSpec) (err error) {
	f.outputs, err = f.owns(outputs)
	return err
}

// Operations that only look at an array in another way.

func (f *function) Identity(v compute.Value) (compute.Value, error) { return v, nil }

func (f *function) Reshape(v compute.Value, dims ...int) (compute.Value, error) {
	x, err := f.own(v)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Reshape(x.shape, dims)
	if err != nil || shape.Equal(x.shape) {
		return v, err
	}
	return f.node(compute.OpTypeReshape, shape, nil, x), nil
}

func (f *function) Transpose(v compute.Value, permutation ...int) (compute.Value, error) {
	x, err := f.own(v)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Transpose(x.shape, permutation)
	if err != nil {
		return nil, err
	}
	if x.swapsProduct(permutation) { // as in gradients of weights: (a b)ᵀ = bᵀ aᵀ is computed as it will be read
		a := x.attr.(dotAttr)
		return f.DotGeneral(x.in[1], a.rhsContract, a.rhsBatch, x.in[0], a.lhsContract, a.lhsBatch, compute.DotGeneralConfig{})
	}
	return f.node(compute.OpTypeTranspose, shape, slices.Clone(permutation), x), nil
}

// swapsProduct reports whether the value is a product and the permutation swaps the axes that come from its two operands.
func (v *value) swapsProduct(permutation []int) bool {
	if v.op != compute.OpTypeDotGeneral {
		return false
	}
	batch := len(v.attr.(dotAttr).lhsBatch)
	right := v.in[1].shape.Rank() - batch - len(v.attr.(dotAttr).rhsContract)
	rank := v.shape.Rank()
	return slices.Equal(permutation, slices.Concat(count(0, batch), count(rank-right, right), count(batch, rank-right-batch)))
}

func (f *function) BroadcastInDim(v compute.Value, shape shapes.Shape, axes []int) (compute.Value, error) {
	x, err := f.own(v)
	if err != nil {
		return nil, err
	}
	if err := shapeinference.BroadcastInDim(x.shape, shape, axes, nil); err != nil {
		return nil, err
	}
	return f.node(compute.OpTypeBroadcastInDim, shape, slices.Clone(axes), x), nil
}

func (f *function) Slice(v compute.Value, starts, limits, strides []int) (compute.Value, error) {
	x, err := f.own(v)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Slice(x.shape, starts, limits, strides)
	if err != nil {
		return nil, err
	}
	return f.node(compute.OpTypeSlice, shape, sliceAttr{slices.Clone(starts), slices.Clone(limits), slices.Clone(strides)}, x), nil
}

func (f *function) Bitcast(v compute.Value, t dtypes.DType) (compute.Value, error) {
	x, err := f.own(v)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Bitcast(x.shape, t)
	if err != nil {
		return nil, err
	}
	if !types[t] || t == dtypes.Bool || x.shape.DType == dtypes.Bool {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: Bitcast of %s to %s", Name, x.shape.DType, t)
	}
	return f.node(compute.OpTypeBitcast, shape, nil, x), nil
}

// OptimizationBarrier returns values that are not taken for the operands: what is computed of them is computed again.
func (f *function) OptimizationBarrier(operands ...compute.Value) ([]compute.Value, error) {
	in, err := f.owns(operands)
	if err != nil {
		return nil, err
	}
	var out []compute.Value
	for _, x := range in {
		out = append(out, f.newValue(compute.OpTypeOptimizationBarrier, x.shape, nil, x))
	}
	return out, nil
}

// SchedulingBarrier returns a value that is not taken for the operand: what is computed of it is computed again, but once, since the same
// barrier of the same operands is the same value (GoMLX makes one for each use of a checkpoint). It needs to do nothing about the
// dependencies: operations are carried out in the order in which they were added, as far as they can be. An operation that
// joins others in a unit may move before them; none that comes after a barrier joins one that is needed earlier (clusters), or what is
// computed again would take memory from the first time on.
func (f *function) SchedulingBarrier(operand compute.Value, dependencies ...compute.Value) (compute.Value, error) {
	in, err := f.owns(append([]compute.Value{operand}, dependencies...))
	if err != nil {
		return nil, err
	}
	v := f.node(compute.OpTypeOptimizationBarrier, in[0].shape, nil, in[0])
	v.again = true
	return v, nil
}

// Operations that make new arrays of others.

func (f *function) DotGeneral(l compute.Value, lhsContract, lhsBatch []int, r compute.Value, rhsContract, rhsBatch []int,
	config compute.DotGeneralConfig) (compute.Value, error) {
	in, err := f.owns([]compute.Value{l, r})
	if err != nil {
		return nil, err
	}
	t := in[0].shape.DType
	if t != dtypes.Float32 && t != dtypes.Float64 || config.AccumulatorDType != dtypes.InvalidDType && config.AccumulatorDType != t ||
		config.OutputDType != dtypes.InvalidDType && config.OutputDType != t {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: DotGeneral of %s", Name, t)
	}
	shape, err := shapeinference.DotGeneral(in[0].shape, lhsContract, lhsBatch, in[1].shape, rhsContract, rhsBatch, config)
	if err != nil {
		return nil, err
	}
	attr := dotAttr{slices.Clone(lhsContract), slices.Clone(lhsBatch), slices.Clone(rhsContract), slices.Clone(rhsBatch)}
	return f.node(compute.OpTypeDotGeneral, shape, attr, in...), nil
}

func (f *function) reduce(op compute.OpType, v compute.Value, axes []int) (compute.Value, error) {
	x, err := f.own(v)
	if err != nil {
		return nil, err
	}
	if !x.shape.DType.IsFloat() {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: %s of %s", Name, op, x.shape.DType)
	}
	if len(axes) == 0 {
		for i := range x.shape.Rank() {
			axes = append(axes, i)
		}
	}
	shape, err := shapeinference.Reduce(x.shape, axes)
	if err != nil {
		return nil, err
	}
	return f.node(op, shape, slices.Clone(axes), x), nil
}

func (f *function) ReduceSum(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceSum, x, axes)
}

func (f *function) ReduceMax(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceMax, x, axes)
}

func (f *function) Concatenate(axis int, operands ...compute.Value) (compute.Value, error) {
	in, err := f.owns(operands)
	if err != nil {
		return nil, err
	}
	var of []shapes.Shape
	for _, x := range in {
		of = append(of, x.shape)
	}
	shape, err := shapeinference.Concatenate(of, axis)
	if err != nil {
		return nil, err
	}
	return f.node(compute.OpTypeConcatenate, shape, []int{axis}, in...), nil
}

// Pad is made of concatenations with the fill value. It is implemented for elements around an array, as in the gradient of Slice.
func (f *function) Pad(v, fill compute.Value, config ...compute.PadAxis) (compute.Value, error) {
	in, err := f.owns([]compute.Value{v, fill})
	if err != nil {
		return nil, err
	}
	if _, err := shapeinference.Pad(in[0].shape, config...); err != nil {
		return nil, err
	}
	for axis, c := range config {
		if c.Start < 0 || c.End < 0 || c.Interior != 0 {
			return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: Pad inside an array, or that takes elements away", Name)
		}
		fills := func(n int) (compute.Value, error) {
			shape := v.(*value).shape.Clone()
			shape.Dimensions[axis] = n
			return f.BroadcastInDim(fill, shape, nil)
		}
		before, err := fills(c.Start)
		if err != nil {
			return nil, err
		}
		after, err := fills(c.End)
		if err != nil {
			return nil, err
		}
		switch {
		case c.Start > 0 && c.End > 0:
			v, err = f.Concatenate(axis, before, v, after)
		case c.Start > 0:
			v, err = f.Concatenate(axis, before, v)
		case c.End > 0:
			v, err = f.Concatenate(axis, v, after)
		}
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Gather is implemented for whole slices along the first axis.
func (f *function) Gather(v, indices compute.Value, indexVectorAxis int, offsetOutputAxes, collapsedSliceAxes, startIndexMap, sliceSizes []int,
	sorted bool) (compute.Value, error) {
	in, err := f.owns([]compute.Value{v, indices})
	if err != nil {
		return nil, err
	}
	x, at := in[0], in[1]
	shape, err := shapeinference.Gather(x.shape, at.shape, indexVectorAxis, offsetOutputAxes, collapsedSliceAxes, startIndexMap, sliceSizes, sorted)
	if err != nil {
		return nil, err
	}
	if !areRows(at.shape, indexVectorAxis) || !slices.Equal(collapsedSliceAxes, []int{0}) || !slices.Equal(startIndexMap, []int{0}) ||
		!slices.Equal(sliceSizes[1:], x.shape.Dimensions[1:]) || !slices.Equal(offsetOutputAxes, count(indexVectorAxis, len(offsetOutputAxes))) {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: Gather of anything but slices along the first axis", Name)
	}
	return f.node(compute.OpTypeGather, shape, nil, x, at), nil
}

// areRows reports whether indices, whose last axis is to be the one of an index's numbers, have one number each.
func areRows(indices shapes.Shape, indexVectorAxis int) bool {
	return indices.DType == dtypes.Int32 && indices.Rank() == indexVectorAxis+1 && indices.Dimensions[indexVectorAxis] == 1
}

// ScatterSum is implemented for whole slices along the first axis, as in the gradient of Gather.
func (f *function) ScatterSum(v, indices, updates compute.Value, indexVectorAxis int, updateWindowAxes, insertedWindowAxes, scatterAxes []int,
	_, _ bool) (compute.Value, error) {
	in, err := f.owns([]compute.Value{v, indices, updates})
	if err != nil {
		return nil, err
	}
	x, at, y := in[0], in[1], in[2]
	shape, err := shapeinference.Scatter(x.shape, at.shape, y.shape, indexVectorAxis, updateWindowAxes, insertedWindowAxes, scatterAxes)
	if err != nil {
		return nil, err
	}
	if !areRows(at.shape, indexVectorAxis) || !slices.Equal(insertedWindowAxes, []int{0}) || !slices.Equal(scatterAxes, []int{0}) ||
		!slices.Equal(updateWindowAxes, count(indexVectorAxis, y.shape.Rank()-indexVectorAxis)) ||
		!slices.Equal(y.shape.Dimensions[indexVectorAxis:], x.shape.Dimensions[1:]) || !x.shape.DType.IsFloat() {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: ScatterSum of anything but floating-point slices along the first axis", Name)
	}
	return f.node(compute.OpTypeScatterSum, shape, nil, in...), nil
}

// RNGBitGenerator returns the next state and random bits: two values of one generator, which are computed together.
func (f *function) RNGBitGenerator(v compute.Value, shape shapes.Shape) (state, bits compute.Value, err error) {
	x, err := f.own(v)
	if err != nil {
		return nil, nil, err
	}
	if !types[shape.DType] || shape.DType == dtypes.Bool {
		return nil, nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: random bits of type %s", Name, shape.DType)
	}
	words := (int(shape.ByteSize()) + 7) / 8
	all := f.node(compute.OpTypeRNGBitGenerator, shapes.Make(dtypes.Uint64, stateWords+words), nil, x)
	state = f.node(compute.OpTypeSlice, x.shape, sliceAttr{[]int{0}, []int{stateWords}, []int{1}}, all)
	return state, f.node(opBits, shape, nil, all), nil
}

// stateWords is the size of the state of the random generator. It comes before the bits.
const stateWords = 3

// Operations of our own.
const (
	opBits compute.OpType = -1 - iota // the result of RNGBitGenerator but for the state, as another type
	opCopy                            // an array in order, of a view
)
