package fused

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// Operations on elements. A new one takes a method here, its kernel in portableKernels, and where it is to be fast on a processor
// another one in that processor's file, such as kernels_amd64.go.

// elementwise adds an operation on elements, of operands that broadcast to the shape of the result.
func (f *function) elementwise(op compute.OpType, operands ...compute.Value) (compute.Value, error) {
	in, err := f.owns(operands)
	if err != nil {
		return nil, err
	}
	var shape shapes.Shape
	of := in[0].shape.DType
	switch {
	case len(in) == 1:
		shape, err = shapeinference.UnaryOp(op, in[0].shape)
	case len(in) == 3:
		shape, err = shapeinference.Where(in[0].shape, in[1].shape, in[2].shape)
		of = in[1].shape.DType
	case shapeinference.ComparisonOperations.Has(op):
		shape, err = shapeinference.ComparisonOp(op, in[0].shape, in[1].shape)
	default:
		shape, err = shapeinference.BinaryOp(op, in[0].shape, in[1].shape)
	}
	if err != nil {
		return nil, err
	}
	if kernels.of[opKey{op, of}] == nil {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: operation %s of numbers of type %s", Name, op, of)
	}
	return f.node(op, shape, nil, in...), nil
}

func (f *function) Abs(x compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeAbs, x)
}

func (f *function) Cos(x compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeCos, x)
}

func (f *function) Erf(x compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeErf, x)
}

func (f *function) Exp(x compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeExp, x)
}

func (f *function) Floor(x compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeFloor, x)
}

func (f *function) Log(x compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeLog, x)
}

func (f *function) Logistic(x compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeLogistic, x)
}

func (f *function) Neg(x compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeNeg, x)
}

func (f *function) Sqrt(x compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeSqrt, x)
}

func (f *function) Add(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeAdd, a, b)
}

func (f *function) Sub(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeSub, a, b)
}

func (f *function) Mul(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeMul, a, b)
}

func (f *function) Div(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeDiv, a, b)
}

func (f *function) Max(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeMax, a, b)
}

func (f *function) Min(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeMin, a, b)
}

func (f *function) BitwiseXor(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeBitwiseXor, a, b)
}

func (f *function) ShiftRightLogical(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeShiftRightLogical, a, b)
}

func (f *function) LogicalOr(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeLogicalOr, a, b)
}

func (f *function) Equal(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeEqual, a, b)
}

func (f *function) LessThan(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeLessThan, a, b)
}

func (f *function) GreaterThan(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeGreaterThan, a, b)
}

func (f *function) GreaterOrEqual(a, b compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeGreaterOrEqual, a, b)
}

func (f *function) Where(condition, onTrue, onFalse compute.Value) (compute.Value, error) {
	return f.elementwise(compute.OpTypeWhere, condition, onTrue, onFalse)
}

func (f *function) ConvertDType(v compute.Value, t dtypes.DType) (compute.Value, error) {
	x, err := f.own(v)
	if err != nil || x.shape.DType == t {
		return v, err
	}
	if kernels.conversions[[2]dtypes.DType{x.shape.DType, t}] == nil {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: conversion of %s to %s", Name, x.shape.DType, t)
	}
	return f.node(compute.OpTypeConvertDType, shapes.Make(t, x.shape.Dimensions...), nil, x), nil
}

func (f *function) Iota(shape shapes.Shape, axis int) (compute.Value, error) {
	if shape.DType != dtypes.Int32 && shape.DType != dtypes.Uint32 || axis < 0 || axis >= shape.Rank() {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: Iota of %s along axis %d", Name, shape, axis)
	}
	return f.node(compute.OpTypeIota, shape, []int{axis}), nil
}
