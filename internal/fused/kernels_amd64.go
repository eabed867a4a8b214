//go:build !purego

package fused

import (
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"golang.org/x/sys/cpu"
)

// In kernels_amd64.s: kernels of arrays; those whose names end in s take a single number for b, those in r for a.

func addF32(dst, a, b, c unsafe.Pointer, n int)
func addF32s(dst, a, b, c unsafe.Pointer, n int)
func subF32(dst, a, b, c unsafe.Pointer, n int)
func subF32s(dst, a, b, c unsafe.Pointer, n int)
func subF32r(dst, a, b, c unsafe.Pointer, n int)
func mulF32(dst, a, b, c unsafe.Pointer, n int)
func mulF32s(dst, a, b, c unsafe.Pointer, n int)
func divF32(dst, a, b, c unsafe.Pointer, n int)
func divF32s(dst, a, b, c unsafe.Pointer, n int)
func divF32r(dst, a, b, c unsafe.Pointer, n int)
func maxF32(dst, a, b, c unsafe.Pointer, n int)
func maxF32s(dst, a, b, c unsafe.Pointer, n int)
func minF32(dst, a, b, c unsafe.Pointer, n int)
func minF32s(dst, a, b, c unsafe.Pointer, n int)
func eqF32(dst, a, b, c unsafe.Pointer, n int)
func eqF32s(dst, a, b, c unsafe.Pointer, n int)
func ltF32(dst, a, b, c unsafe.Pointer, n int)
func ltF32s(dst, a, b, c unsafe.Pointer, n int)
func gtF32(dst, a, b, c unsafe.Pointer, n int)
func gtF32s(dst, a, b, c unsafe.Pointer, n int)
func whereF32(dst, a, b, c unsafe.Pointer, n int)
func whereF32s(dst, a, b, c unsafe.Pointer, n int)
func whereF32r(dst, a, b, c unsafe.Pointer, n int)
func sqrtF32(dst, a, b, c unsafe.Pointer, n int)
func negF32(dst, a, b, c unsafe.Pointer, n int)
func absF32(dst, a, b, c unsafe.Pointer, n int)
func expF32(dst, a, b, c unsafe.Pointer, n int)
func erfF32(dst, a, b, c unsafe.Pointer, n int)
func oneF32(dst, a, b, c unsafe.Pointer, n int)
func addU32(dst, a, b, c unsafe.Pointer, n int)
func addU32s(dst, a, b, c unsafe.Pointer, n int)
func mulU32(dst, a, b, c unsafe.Pointer, n int)
func mulU32s(dst, a, b, c unsafe.Pointer, n int)
func xorU32(dst, a, b, c unsafe.Pointer, n int)
func xorU32s(dst, a, b, c unsafe.Pointer, n int)
func orU32(dst, a, b, c unsafe.Pointer, n int)
func shrU32(dst, a, b, c unsafe.Pointer, n int)
func shrU32s(dst, a, b, c unsafe.Pointer, n int)
func eqU32(dst, a, b, c unsafe.Pointer, n int)
func geU32(dst, a, b, c unsafe.Pointer, n int)
func geU32s(dst, a, b, c unsafe.Pointer, n int)
func expandMask(dst, a, b, c unsafe.Pointer, n int)
func packMask(dst, a, b, c unsafe.Pointer, n int)

func sumF32(a unsafe.Pointer, n int) float32
func maxOfF32(a unsafe.Pointer, n int) float32
func dotF32(a, b unsafe.Pointer, n int) float32
func axpyF32(y, x unsafe.Pointer, alpha float32, n int)
func fillU32(dst unsafe.Pointer, x uint32, n int)

var one = float32(1)

// logisticF32 computes 1 / (1 + exp(-a)).
func logisticF32(dst, a, _, _ unsafe.Pointer, n int) {
	negF32(dst, a, nil, nil, n)
	expF32(dst, dst, nil, nil, n)
	addF32s(dst, dst, unsafe.Pointer(&one), nil, n)
	divF32r(dst, unsafe.Pointer(&one), dst, nil, n)
}

func init() {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return
	}
	put := func(op compute.OpType, t dtypes.DType, v, s, r kernel) { kernels.of[opKey{op, t}] = variants{v, s, r} }
	f := dtypes.Float32
	put(compute.OpTypeAdd, f, addF32, addF32s, nil)
	put(compute.OpTypeSub, f, subF32, subF32s, subF32r)
	put(compute.OpTypeMul, f, mulF32, mulF32s, nil)
	put(compute.OpTypeDiv, f, divF32, divF32s, divF32r)
	put(compute.OpTypeMax, f, maxF32, maxF32s, nil)
	put(compute.OpTypeMin, f, minF32, minF32s, nil)
	put(compute.OpTypeEqual, f, eqF32, eqF32s, nil)
	put(compute.OpTypeLessThan, f, ltF32, ltF32s, nil)
	put(compute.OpTypeGreaterThan, f, gtF32, gtF32s, nil)
	put(compute.OpTypeWhere, f, whereF32, whereF32s, whereF32r)
	put(compute.OpTypeSqrt, f, sqrtF32, nil, nil)
	put(compute.OpTypeNeg, f, negF32, nil, nil)
	put(compute.OpTypeAbs, f, absF32, nil, nil)
	put(compute.OpTypeExp, f, expF32, nil, nil)
	put(compute.OpTypeErf, f, erfF32, nil, nil)
	put(compute.OpTypeLogistic, f, logisticF32, nil, nil)
	put(compute.OpTypeAdd, dtypes.Uint32, addU32, addU32s, nil)
	put(compute.OpTypeMul, dtypes.Uint32, mulU32, mulU32s, nil)
	put(compute.OpTypeBitwiseXor, dtypes.Uint32, xorU32, xorU32s, nil)
	put(compute.OpTypeShiftRightLogical, dtypes.Uint32, shrU32, shrU32s, nil)
	put(compute.OpTypeGreaterOrEqual, dtypes.Uint32, geU32, geU32s, nil)
	put(compute.OpTypeEqual, dtypes.Int32, eqU32, nil, nil)
	put(compute.OpTypeLogicalOr, dtypes.Bool, orU32, nil, nil)
	kernels.conversions[[2]dtypes.DType{dtypes.Bool, f}] = oneF32
	kernels.loadMask, kernels.storeMask = expandMask, packMask
	rows32 = rowKernels[float32]{sumF32, maxOfF32, dotF32, axpyF32}
	fill32 = fillU32
}
