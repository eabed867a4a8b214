package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"nptbench/internal/transpose"
)

// All lists the implementations that this processor can run, the fastest first.
func All() []*Kernel {
	var all []*Kernel
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX2 {
		all = append(all, &Kernel{Name: "avx512", mul: mulAVX512, transpose: transposeAVX2, relu: reluAVX512,
			reluGrad: reluGradAVX512, adam: adamAVX512})
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all = append(all, &Kernel{Name: "avx2", mul: mulAVX2, transpose: transposeAVX2, relu: reluAVX2,
			reluGrad: reluGradAVX2, adam: adamAVX2})
	}
	return append(all, Portable)
}

// A tile is a part of a product whose sums stay in registers over all of k. Strides are in bytes.
type tile struct {
	c, a, b      unsafe.Pointer
	row, col, ld uintptr // strides of the rows and the columns of A, and of the rows of B and C
	k            int
}

// mulAVX512 cuts C into tiles of 8 rows and 32 columns. When the rows do not divide by 8, the last tile begins early and
// computes some rows a second time.
func mulAVX512(c []float32, a Strided, b []float32, rows, n, k, ld int) {
	cut(c, a, b, rows, n, k, ld, 8, 32, [2][2]func(*tile){{tile8x32, tile8x16}, {tile1x32, tile1x16}})
}

// mulAVX2 has half as many registers of half the width.
func mulAVX2(c []float32, a Strided, b []float32, rows, n, k, ld int) {
	cut(c, a, b, rows, n, k, ld, 4, 16, [2][2]func(*tile){{tile4x16, nil}, {tile1x16y, nil}})
}

// cut computes a product by tiles of height x width, of height x 16 where the columns end, and of one row when there are
// fewer than height. The pointers stay within the slices because Mul has checked their lengths.
func cut(c []float32, a Strided, b []float32, rows, n, k, ld, height, width int, tiles [2][2]func(*tile)) {
	t := tile{row: uintptr(a.Row) * 4, col: uintptr(a.Col) * 4, ld: uintptr(ld) * 4, k: k}
	wide, narrow := tiles[0][0], tiles[0][1]
	if rows < height {
		height, wide, narrow = 1, tiles[1][0], tiles[1][1]
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

// transposeAVX2 goes through strips of 8 rows.
func transposeAVX2(dst []float32, ldDst int, src []float32, ldSrc, rows, cols int) {
	for i := 0; i < rows; i += 8 {
		transpose.Eight(unsafe.Pointer(&dst[i]), unsafe.Pointer(&src[i*ldSrc]), uintptr(ldDst)*4, uintptr(ldSrc)*4, cols)
	}
}

//go:noescape
func tile8x32(t *tile)

//go:noescape
func tile8x16(t *tile)

//go:noescape
func tile1x32(t *tile)

//go:noescape
func tile1x16(t *tile)

//go:noescape
func tile4x16(t *tile)

//go:noescape
func tile1x16y(t *tile)

//go:noescape
func reluAVX512(x []float32)

//go:noescape
func reluGradAVX512(d, act []float32)

//go:noescape
func adamAVX512(w, m, v, g, decay []float32, s *Step)

//go:noescape
func reluAVX2(x []float32)

//go:noescape
func reluGradAVX2(d, act []float32)

//go:noescape
func adamAVX2(w, m, v, g, decay []float32, s *Step)
