//go:build !purego

package f32

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// All lists the implementations that this processor can run, the fastest first.
func All() []*Kernel {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return []*Kernel{Portable}
	}
	avx2 := Kernel{Name: "avx2", mul: mulAVX2, ReLU: relu, ReLUGrad: reluGrad, adam: adam, transpose: transpose,
		Transpose8: transpose8}
	avx2.Wide = Panel{16, PanelRows, func(c, a, b unsafe.Pointer, row, col, k, ldc int, mode Mode) {
		var t tile
		t.panel(c, a, b, row, col, k, ldc, 16, mode)
		tile4x16(&t)
		t.a, t.c = unsafe.Add(a, 4*row*4), unsafe.Add(c, 4*ldc*4) // the lower four rows
		tile4x16(&t)
	}}
	avx2.Narrow = avx2.Wide
	if !cpu.X86.HasAVX512F {
		return []*Kernel{&avx2, Portable}
	}
	avx512 := avx2 // wider registers gain nothing worth having in the rest
	avx512.Name, avx512.mul = "avx512", mulAVX512
	avx512.Wide = Panel{32, PanelRows, func(c, a, b unsafe.Pointer, row, col, k, ldc int, mode Mode) {
		var t tile
		t.panel(c, a, b, row, col, k, ldc, 32, mode)
		tile8x32(&t)
	}}
	avx512.Narrow = Panel{16, PanelRows, func(c, a, b unsafe.Pointer, row, col, k, ldc int, mode Mode) {
		var t tile
		t.panel(c, a, b, row, col, k, ldc, 16, mode)
		tile8x16(&t)
	}}
	if cpu.X86.HasAVX512BF16 && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW {
		avx512.Pairs = Panel{32, PanelRows, func(c, a, b unsafe.Pointer, row, col, k, ldc int, mode Mode) {
			var t tile
			t.panel(c, a, b, row, col, (k+1)/2, ldc, 32, mode)
			pairs8x32(&t)
		}}
		avx512.PairRows, avx512.PairTranspose8, avx512.Prefetch = roundRows, pairTranspose8, prefetch
	}
	return []*Kernel{&avx512, &avx2, Portable}
}

// roundRows is Kernel.PairRows.
func roundRows(dst, src unsafe.Pointer, ldSrc uintptr, k, width int) {
	pairRows(dst, src, ldSrc, k/2, width)
	if k%2 == 0 {
		return
	}
	row, out := unsafe.Slice((*uint32)(unsafe.Add(src, uintptr(k-1)*ldSrc)), width), unsafe.Slice((*uint32)(unsafe.Add(dst, k/2*width*4)), width)
	for i, bits := range row {
		if bits&(1<<31-1) > 0x7f800000 { // NaN, which rounding could make a number
			bits |= 1 << 22
		} else {
			bits += 0x7fff + bits>>16&1
		}
		out[i] = bits >> 16
	}
}

// A tile is a part of a product whose sums stay in registers over all of k. Strides are in bytes.
type tile struct {
	c, a, b            unsafe.Pointer
	row, col, ldb, ldc uintptr // strides of the rows and the columns of A, and of the rows of B and C
	k                  int
	mode               Mode
}

// panel sets t to a Panel's product, field by field: copying a tile made elsewhere takes products with k = 16 a quarter longer.
func (t *tile) panel(c, a, b unsafe.Pointer, row, col, k, ldc, width int, mode Mode) {
	t.c, t.a, t.b = c, a, b
	t.row, t.col, t.ldb, t.ldc = uintptr(row)*4, uintptr(col)*4, uintptr(width)*4, uintptr(ldc)*4
	t.k, t.mode = k, mode
}

// mulAVX512 cuts C into tiles of 8 rows and 32 columns. When the rows do not divide by 8, the last tile begins early and
// computes some rows a second time.
func mulAVX512(c []float32, a Strided, b []float32, rows, n, k, ld int) {
	cut(c, a, b, rows, n, k, ld, 8, 32, tile8x32, tile8x16)
}

// mulAVX2 has half as many registers of half the width.
func mulAVX2(c []float32, a Strided, b []float32, rows, n, k, ld int) {
	cut(c, a, b, rows, n, k, ld, 4, 16, tile4x16, nil)
}

// cut computes a product by tiles of height x width, of height x 16 where the columns end, and of 1 x 16 when there are
// fewer than height rows. The pointers stay within the slices because Mul has checked their lengths.
func cut(c []float32, a Strided, b []float32, rows, n, k, ld, height, width int, wide, narrow func(*tile)) {
	t := tile{row: uintptr(a.Row) * 4, col: uintptr(a.Col) * 4, ldb: uintptr(ld) * 4, ldc: uintptr(ld) * 4, k: k}
	if rows < height {
		height, width, wide = 1, 16, tile1x16
	}
	for i := 0; i < rows; i += height {
		i = min(i, rows-height)
		t.a = unsafe.Pointer(&a.Data[i*a.Row])
		j := 0
		for ; j+width <= n; j += width {
			t.b, t.c = unsafe.Pointer(&b[j]), unsafe.Pointer(&c[i*ld+j])
			wide(&t)
		}
		if j < n {
			t.b, t.c = unsafe.Pointer(&b[j]), unsafe.Pointer(&c[i*ld+j])
			narrow(&t)
		}
	}
}

// transpose goes through strips of 8 rows.
func transpose(dst []float32, ldDst int, src []float32, ldSrc, rows, cols int) {
	for i := 0; i < rows; i += 8 {
		transpose8(unsafe.Pointer(&dst[i]), unsafe.Pointer(&src[i*ldSrc]), uintptr(ldDst)*4, uintptr(ldSrc)*4, cols)
	}
}

//go:noescape
func tile8x32(t *tile)

//go:noescape
func tile8x16(t *tile)

//go:noescape
func pairs8x32(t *tile)

//go:noescape
func pairRows(dst, src unsafe.Pointer, ldSrc uintptr, pairs, width int)

//go:noescape
func pairTranspose8(dst, src unsafe.Pointer, ldDst, ldSrc uintptr, cols int)

//go:noescape
func prefetch(at unsafe.Pointer, ld uintptr, rows, lines int)

//go:noescape
func tile4x16(t *tile)

//go:noescape
func tile1x16(t *tile)

//go:noescape
func relu(x []float32)

//go:noescape
func reluGrad(d, act []float32)

//go:noescape
func adam(w, m, v, g, decay []float32, s *Step)

//go:noescape
func transpose8(dst, src unsafe.Pointer, ldDst, ldSrc uintptr, cols int)
