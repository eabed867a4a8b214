//go:build !purego

package fused

import (
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"golang.org/x/sys/cpu"
)

// In kernels_amd64.s.

func addF32(dst, a, b, c unsafe.Pointer, n int)
func subF32(dst, a, b, c unsafe.Pointer, n int)
func mulF32(dst, a, b, c unsafe.Pointer, n int)
func divF32(dst, a, b, c unsafe.Pointer, n int)
func maxF32(dst, a, b, c unsafe.Pointer, n int)
func minF32(dst, a, b, c unsafe.Pointer, n int)
func ltF32(dst, a, b, c unsafe.Pointer, n int)
func gtF32(dst, a, b, c unsafe.Pointer, n int)
func whereF32(dst, a, b, c unsafe.Pointer, n int)
func sqrtF32(dst, a, b, c unsafe.Pointer, n int)
func negF32(dst, a, b, c unsafe.Pointer, n int)
func expF32(dst, a, b, c unsafe.Pointer, n int)
func erfF32(dst, a, b, c unsafe.Pointer, n int)
func logisticF32(dst, a, b, c unsafe.Pointer, n int)
func oneF32(dst, a, b, c unsafe.Pointer, n int)
func addU32(dst, a, b, c unsafe.Pointer, n int)
func mulU32(dst, a, b, c unsafe.Pointer, n int)
func xorU32(dst, a, b, c unsafe.Pointer, n int)
func shrU32(dst, a, b, c unsafe.Pointer, n int)
func geU32(dst, a, b, c unsafe.Pointer, n int)
func expandMask(dst, a, b, c unsafe.Pointer, n int)
func packMask(dst, a, b, c unsafe.Pointer, n int)

func sumF32(a unsafe.Pointer, n int) float32
func maxOfF32(a unsafe.Pointer, n int) float32
func dotF32(a, b unsafe.Pointer, n int) float32
func axpyF32(y, x unsafe.Pointer, alpha float32, n int)
func fillU32(dst unsafe.Pointer, x uint32, n int)

func init() {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return
	}
	put := kernels.register
	f := dtypes.Float32
	put(compute.OpTypeAdd, f, addF32)
	put(compute.OpTypeSub, f, subF32)
	put(compute.OpTypeMul, f, mulF32)
	put(compute.OpTypeDiv, f, divF32)
	put(compute.OpTypeMax, f, maxF32)
	put(compute.OpTypeMin, f, minF32)
	put(compute.OpTypeLessThan, f, ltF32)
	put(compute.OpTypeGreaterThan, f, gtF32)
	put(compute.OpTypeWhere, f, whereF32)
	put(compute.OpTypeSqrt, f, sqrtF32)
	put(compute.OpTypeNeg, f, negF32)
	put(compute.OpTypeExp, f, expF32)
	put(compute.OpTypeErf, f, erfF32)
	put(compute.OpTypeLogistic, f, logisticF32)
	put(compute.OpTypeAdd, dtypes.Uint32, addU32)
	put(compute.OpTypeMul, dtypes.Uint32, mulU32)
	put(compute.OpTypeBitwiseXor, dtypes.Uint32, xorU32)
	put(compute.OpTypeShiftRightLogical, dtypes.Uint32, shrU32)
	put(compute.OpTypeGreaterOrEqual, dtypes.Uint32, geU32)
	kernels.conversions[[2]dtypes.DType{dtypes.Bool, f}] = oneF32
	kernels.loadMask, kernels.storeMask = expandMask, packMask
	rows32 = rowKernels[float32]{sumF32, maxOfF32, dotF32, axpyF32}
	fill32 = fillU32
}
