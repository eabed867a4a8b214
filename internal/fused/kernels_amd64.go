//go:build !purego

package fused

import (
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"golang.org/x/sys/cpu"
)

// In kernels_amd64.s. Kernels whose names end in s take a single number for b, those in r for a.

//go:noescape
func addF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func addF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func addF32r(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func subF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func subF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func subF32r(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulF32r(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func divF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func divF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func divF32r(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func addU32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func addU32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func addU32r(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulU32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulU32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulU32r(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func xorU32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func xorU32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func xorU32r(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func andU32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func orU32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func shrU32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func shrU32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func shlU32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func shlU32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func maxF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func maxF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func minF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func minF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func eqF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func eqF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func ltF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func ltF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func leF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func leF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func neF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func neF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func geF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func geF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func gtF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func gtF32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func geU32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func geU32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func eqU32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func whereU32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func whereU32s(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func whereU32r(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func sqrtF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func negF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func absF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func oneF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func expandMask(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func packMask(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func expF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func erfF32(dst, a, b, c unsafe.Pointer, n int)

//go:noescape
func sumF32(a unsafe.Pointer, n int) float32

//go:noescape
func maxOfF32(a unsafe.Pointer, n int) float32

//go:noescape
func dotF32(a, b unsafe.Pointer, n int) float32

//go:noescape
func axpyF32(y, x unsafe.Pointer, alpha float32, n int)

//go:noescape
func fillU32(dst unsafe.Pointer, x uint32, n int)

// logisticF32 computes 1 / (1 + exp(-a)).
func logisticF32(dst, a, _, _ unsafe.Pointer, n int) {
	one := float32(1)
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
	put(compute.OpTypeAdd, f, addF32, addF32s, addF32r)
	put(compute.OpTypeSub, f, subF32, subF32s, subF32r)
	put(compute.OpTypeMul, f, mulF32, mulF32s, mulF32r)
	put(compute.OpTypeDiv, f, divF32, divF32s, divF32r)
	put(compute.OpTypeMax, f, maxF32, maxF32s, nil)
	put(compute.OpTypeMin, f, minF32, minF32s, nil)
	put(compute.OpTypeEqual, f, eqF32, eqF32s, nil)
	put(compute.OpTypeNotEqual, f, neF32, neF32s, nil)
	put(compute.OpTypeLessThan, f, ltF32, ltF32s, nil)
	put(compute.OpTypeLessOrEqual, f, leF32, leF32s, nil)
	put(compute.OpTypeGreaterThan, f, gtF32, gtF32s, nil)
	put(compute.OpTypeGreaterOrEqual, f, geF32, geF32s, nil)
	put(compute.OpTypeSqrt, f, sqrtF32, nil, nil)
	put(compute.OpTypeNeg, f, negF32, nil, nil)
	put(compute.OpTypeAbs, f, absF32, nil, nil)
	put(compute.OpTypeExp, f, expF32, nil, nil)
	put(compute.OpTypeErf, f, erfF32, nil, nil)
	put(compute.OpTypeLogistic, f, logisticF32, nil, nil)
	for _, t := range []dtypes.DType{dtypes.Uint32, dtypes.Int32} {
		put(compute.OpTypeAdd, t, addU32, addU32s, addU32r)
		put(compute.OpTypeMul, t, mulU32, mulU32s, mulU32r)
		put(compute.OpTypeBitwiseXor, t, xorU32, xorU32s, xorU32r)
		put(compute.OpTypeBitwiseAnd, t, andU32, nil, nil)
		put(compute.OpTypeBitwiseOr, t, orU32, nil, nil)
		put(compute.OpTypeShiftLeft, t, shlU32, shlU32s, nil)
		put(compute.OpTypeShiftRightLogical, t, shrU32, shrU32s, nil)
		put(compute.OpTypeEqual, t, eqU32, nil, nil)
		put(compute.OpTypeWhere, t, whereU32, whereU32s, whereU32r)
	}
	put(compute.OpTypeGreaterOrEqual, dtypes.Uint32, geU32, geU32s, nil)
	put(compute.OpTypeWhere, f, whereU32, whereU32s, whereU32r)
	put(compute.OpTypeLogicalAnd, dtypes.Bool, andU32, nil, nil)
	put(compute.OpTypeLogicalOr, dtypes.Bool, orU32, nil, nil)
	put(compute.OpTypeLogicalXor, dtypes.Bool, xorU32, nil, nil)
	put(compute.OpTypeWhere, dtypes.Bool, whereU32, nil, nil)
	kernels.conversions[[2]dtypes.DType{dtypes.Bool, f}] = oneF32
	kernels.loadMask, kernels.storeMask = expandMask, packMask
	sumRow32, maxRow32, dotRows32, addRow32 = sumF32, maxOfF32, dotF32, axpyF32
	fill32 = fillU32
}
