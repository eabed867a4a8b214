package fused

import (
	"math"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// A kernel computes n elements of dst from those of its operands, one by one. n is a multiple of laneCount, and what lies behind
// the last element may be anything: a kernel must not fail for it. dst may be one of the operands. Truth values are masks of four bytes
// with all bits set or none.
type kernel func(dst, a, b, c unsafe.Pointer, n int)

// laneCount is what kernels may round the number of elements up to.
const laneCount = 16

// opKey is an operation and the type of its operands: of those to choose from for Where.
type opKey struct {
	op    compute.OpType
	dtype dtypes.DType
}

// A kernelSet has all of them.
type kernelSet struct {
	of          map[opKey]kernel
	conversions map[[2]dtypes.DType]kernel

	loadMask, storeMask kernel // from bytes of 0 or 1 in memory, and back
}

// kernels are those in Go for all processors, but where there are better ones for this one.
var kernels = portableKernels()

type number interface {
	uint8 | int32 | uint32 | uint64 | float32 | float64
}

type floating interface{ float32 | float64 }

func pointer[T any](x []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }

func array[T any](p unsafe.Pointer, n int) []T { return unsafe.Slice((*T)(p), n) }

const set, unset = ^uint32(0), uint32(0)

func mask(b bool) uint32 {
	if b {
		return set
	}
	return unset
}

func maskOfBytes(dst, a, _, _ unsafe.Pointer, n int) {
	d, x := array[uint32](dst, n), array[uint8](a, n)
	for i := range d {
		d[i] = -uint32(x[i])
	}
}

func bytesOfMask(dst, a, _, _ unsafe.Pointer, n int) {
	d, x := array[uint8](dst, n), array[uint32](a, n)
	for i := range d {
		d[i] = uint8(x[i] & 1)
	}
}

func (s *kernelSet) register(op compute.OpType, t dtypes.DType, k kernel) {
	s.of[opKey{op, t}] = k
}

func unary[T, R any](f func(T) R) kernel {
	return func(dst, a, _, _ unsafe.Pointer, n int) {
		d, x := array[R](dst, n), array[T](a, n)
		for i := range d {
			d[i] = f(x[i])
		}
	}
}

func binary[T, R any](f func(a, b T) R) kernel {
	return func(dst, a, b, _ unsafe.Pointer, n int) {
		d, x, y := array[R](dst, n), array[T](a, n), array[T](b, n)
		for i := range d {
			d[i] = f(x[i], y[i])
		}
	}
}

func where[T any](dst, a, b, c unsafe.Pointer, n int) {
	d, x, y, m := array[T](dst, n), array[T](a, n), array[T](b, n), array[uint32](c, n)
	for i := range d {
		if m[i] != 0 {
			d[i] = x[i]
		} else {
			d[i] = y[i]
		}
	}
}

// The commonest have loops of their own: the others call a function for every element.

func add[T number](dst, a, b, _ unsafe.Pointer, n int) {
	d, x, y := array[T](dst, n), array[T](a, n), array[T](b, n)
	for i := range d {
		d[i] = x[i] + y[i]
	}
}

func sub[T number](dst, a, b, _ unsafe.Pointer, n int) {
	d, x, y := array[T](dst, n), array[T](a, n), array[T](b, n)
	for i := range d {
		d[i] = x[i] - y[i]
	}
}

func mul[T number](dst, a, b, _ unsafe.Pointer, n int) {
	d, x, y := array[T](dst, n), array[T](a, n), array[T](b, n)
	for i := range d {
		d[i] = x[i] * y[i]
	}
}

func registerNumber[T number](s *kernelSet, t dtypes.DType) {
	s.register(compute.OpTypeAdd, t, add[T])
	s.register(compute.OpTypeSub, t, sub[T])
	s.register(compute.OpTypeMul, t, mul[T])
	s.register(compute.OpTypeMax, t, binary(func(a, b T) T { return max(a, b) }))
	s.register(compute.OpTypeMin, t, binary(func(a, b T) T { return min(a, b) }))
	s.register(compute.OpTypeEqual, t, binary(func(a, b T) uint32 { return mask(a == b) }))
	s.register(compute.OpTypeLessThan, t, binary(func(a, b T) uint32 { return mask(a < b) }))
	s.register(compute.OpTypeGreaterThan, t, binary(func(a, b T) uint32 { return mask(a > b) }))
	s.register(compute.OpTypeGreaterOrEqual, t, binary(func(a, b T) uint32 { return mask(a >= b) }))
	s.register(compute.OpTypeNeg, t, unary(func(a T) T { return -a }))
	s.register(compute.OpTypeAbs, t, unary(func(a T) T {
		if a < 0 {
			return -a
		}
		return a
	}))
	s.register(compute.OpTypeWhere, t, where[T])
	registerConversions[T](s, t)
}

func registerInteger[T uint8 | int32 | uint32 | uint64](s *kernelSet, t dtypes.DType) {
	registerNumber[T](s, t)
	s.register(compute.OpTypeBitwiseXor, t, binary(func(a, b T) T { return a ^ b }))
}

func registerUnsigned[T uint8 | uint32 | uint64](s *kernelSet, t dtypes.DType) {
	registerInteger[T](s, t)
	s.register(compute.OpTypeShiftRightLogical, t, binary(func(a, b T) T { return a >> b }))
}

func registerFloating[T floating](s *kernelSet, t dtypes.DType) {
	registerNumber[T](s, t)
	s.register(compute.OpTypeDiv, t, binary(func(a, b T) T { return a / b }))
	s.register(compute.OpTypeLogistic, t, unary(func(a T) T { return T(1 / (1 + math.Exp(-float64(a)))) }))
	for op, f := range map[compute.OpType]func(float64) float64{
		compute.OpTypeCos: math.Cos, compute.OpTypeErf: math.Erf, compute.OpTypeExp: math.Exp, compute.OpTypeFloor: math.Floor,
		compute.OpTypeLog: math.Log, compute.OpTypeSqrt: math.Sqrt,
	} {
		s.register(op, t, unary(func(a T) T { return T(f(float64(a))) }))
	}
}

func registerConversions[F number](s *kernelSet, from dtypes.DType) {
	s.conversions[[2]dtypes.DType{dtypes.Bool, from}] = unary(func(a uint32) F { return F(a & 1) })
	s.conversions[[2]dtypes.DType{from, dtypes.Bool}] = unary(func(a F) uint32 { return mask(a != 0) })
	s.conversions[[2]dtypes.DType{from, dtypes.Uint8}] = unary(func(a F) uint8 { return uint8(a) })
	s.conversions[[2]dtypes.DType{from, dtypes.Int32}] = unary(func(a F) int32 { return int32(a) })
	s.conversions[[2]dtypes.DType{from, dtypes.Uint32}] = unary(func(a F) uint32 { return uint32(a) })
	s.conversions[[2]dtypes.DType{from, dtypes.Uint64}] = unary(func(a F) uint64 { return uint64(a) })
	s.conversions[[2]dtypes.DType{from, dtypes.Float32}] = unary(func(a F) float32 { return float32(a) })
	s.conversions[[2]dtypes.DType{from, dtypes.Float64}] = unary(func(a F) float64 { return float64(a) })
}

func portableKernels() *kernelSet {
	s := &kernelSet{map[opKey]kernel{}, map[[2]dtypes.DType]kernel{}, maskOfBytes, bytesOfMask}
	registerUnsigned[uint8](s, dtypes.Uint8)
	registerUnsigned[uint32](s, dtypes.Uint32)
	registerUnsigned[uint64](s, dtypes.Uint64)
	registerInteger[int32](s, dtypes.Int32)
	registerFloating[float32](s, dtypes.Float32)
	registerFloating[float64](s, dtypes.Float64)
	s.register(compute.OpTypeLogicalOr, dtypes.Bool, binary(func(a, b uint32) uint32 { return a | b }))
	return s
}

// A rowKernels works on rows, arrays of any length n.
type rowKernels[T floating] struct {
	sum, largest func(a unsafe.Pointer, n int) T
	dot          func(a, b unsafe.Pointer, n int) T
	add          func(y, x unsafe.Pointer, alpha T, n int) // y += alpha x
}

// rows32 are the processor's where it has better ones.
var (
	rows32 = portableRows[float32]()
	rows64 = portableRows[float64]()
)

func portableRows[T floating]() rowKernels[T] {
	return rowKernels[T]{sumRow[T], largestOfRow[T], dotRows[T], addRow[T]}
}

// fill32 sets any number of words.
var fill32 = fill[uint32]

func fill[T any](dst unsafe.Pointer, x T, n int) {
	d := array[T](dst, n)
	for i := range d {
		d[i] = x
	}
}

func sumRow[T floating](a unsafe.Pointer, n int) (sum T) {
	for _, x := range array[T](a, n) {
		sum += x
	}
	return sum
}

func largestOfRow[T floating](a unsafe.Pointer, n int) T {
	x := array[T](a, n)
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	return most
}

func dotRows[T floating](a, b unsafe.Pointer, n int) (sum T) {
	x, y := array[T](a, n), array[T](b, n)
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func addRow[T floating](y, x unsafe.Pointer, alpha T, n int) {
	d, s := array[T](y, n), array[T](x, n)
	for i := range d {
		d[i] += alpha * s[i]
	}
}
