//go:build goexperiment.simd && amd64

package gbdt

import "simd/archsimd"

var avx2 = archsimd.X86.AVX2()

// answer1Wide does what answer1 does for four words at a time, and returns how many it has done. Shifts are by
// vectors too: Go moves a number to a vector register with an instruction that is slow while upper halves of registers are in use.
func answer1Wide(answers, a []uint64, bin uint64, shift int) int {
	if !avx2 {
		return 0
	}
	w := 0
	all, bins, by := archsimd.BroadcastUint64x4(allBits), archsimd.BroadcastUint64x4(bin), archsimd.BroadcastUint64x4(uint64(shift))
	for ; w+4 <= len(answers) && w+4 <= len(a); w += 4 {
		bits := archsimd.LoadUint64x4Slice(a[w:]).Sub(bins).And(all).ShiftRight(by)
		archsimd.LoadUint64x4Slice(answers[w:]).Or(bits).StoreSlice(answers[w:])
	}
	archsimd.ClearAVXUpperBits()
	return w
}

// answer3Wide is the same for answer3.
func answer3Wide(answers, a, b, c []uint64, binA, binB, binC uint64, shift int) int {
	if !avx2 {
		return 0
	}
	w := 0
	all, one, by := archsimd.BroadcastUint64x4(allBits), archsimd.BroadcastUint64x4(1), archsimd.BroadcastUint64x4(uint64(shift))
	binsA, binsB, binsC := archsimd.BroadcastUint64x4(binA), archsimd.BroadcastUint64x4(binB), archsimd.BroadcastUint64x4(binC)
	for ; w+4 <= len(answers) && w+4 <= len(a) && w+4 <= len(b) && w+4 <= len(c); w += 4 {
		bits := archsimd.LoadUint64x4Slice(a[w:]).Sub(binsA).And(all).ShiftRight(one)
		bits = archsimd.LoadUint64x4Slice(b[w:]).Sub(binsB).And(all).Or(bits).ShiftRight(one)
		bits = archsimd.LoadUint64x4Slice(c[w:]).Sub(binsC).And(all).Or(bits).ShiftRight(by)
		archsimd.LoadUint64x4Slice(answers[w:]).Or(bits).StoreSlice(answers[w:])
	}
	archsimd.ClearAVXUpperBits()
	return w
}
