package fused

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes/bfloat16"

	"nptbench/internal/f32"
)

func testMultiply[T floating](t *testing.T, p panelKernel[T], tolerance float64, rounded func(T) float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][3]int{{1, 1, 1}, {8, 32, 8}, {9, 33, 300}, {17, 5, 1037}, {3, 70, 2}, {64, 64, 64}, {13, 9, 30}, {150, 40, 600}, {300, 7, 600}, {261, 18, 290}} {
		m, n, k := size[0], size[1], size[2]
		for order := range 4 {
			x, y := make([]T, m*k), make([]T, k*n)
			for i := range x {
				x[i] = T(rng.NormFloat64())
			}
			for i := range y {
				y[i] = T(rng.NormFloat64())
			}
			a, b := matrix[T]{pointer(x), k, 1}, matrix[T]{pointer(y), n, 1}
			if order&1 != 0 {
				a.rs, a.cs = 1, m
			}
			if order&2 != 0 {
				b.rs, b.cs = 1, k
			}
			c := make([]T, m*n)
			packed := packed[T]{make([]T, p.packedSize(m, k)), m, k}
			p.pack(packed, a, span{0, m}, make([]T, panelSize))
			p.multiplyBlock(matrix[T]{pointer(c), n, 1}, packed, b, span{0, m}, span{0, n}, make([]T, panelSize))
			if p.once(n) {
				same := make([]T, m*n)
				for i := 0; i < m; i += onceTall {
					scratch := slices.Repeat([]T{T(math.NaN())}, panelSize)
					p.multiplyOnce(matrix[T]{pointer(same), n, 1}, a, b, n, k, span{i, min(m, i+onceTall)}, scratch)
				}
				if !slices.Equal(same, c) {
					t.Fatalf("%v order %d: without packing it is not the same to the bit", size, order)
				}
			}
			for i := range m {
				for j := range n {
					want := 0.0
					for l := range k {
						want += rounded(*(*T)(a.element(i, l))) * rounded(*(*T)(b.element(l, j)))
					}
					if got := float64(c[i*n+j]); !(math.Abs(got-want) <= tolerance) {
						t.Fatalf("%v order %d: element %d %d is %v, not %v", size, order, i, j, got, want)
					}
				}
			}
		}
	}
}

func TestMultiply(t *testing.T) {
	for _, k := range f32.All() {
		gemm, narrow := kernels32(k)
		testMultiply(t, gemm, 1e-4, exact[float32])
		testMultiply(t, narrow, 1e-4, exact[float32])
	}
	testMultiply(t, gemm64, 1e-12, exact[float64])
}

func exact[T floating](x T) float64 { return float64(x) }

// Pairs of bfloat16 are products of numbers that are rounded to the nearest, summed in float32.
func TestMultiplyBFloat16(t *testing.T) {
	for _, p := range needPairs(t) {
		testMultiply(t, p, 1e-4, func(x float32) float64 { return float64(bfloat16.FromFloat32(x).Float32()) })
	}
}

// allPairs are the kernels of bfloat16 that this processor has: by its vectors, and by its tiles.
func allPairs() (all []panelKernel[float32]) {
	k := f32.All()[0]
	if k.Pairs.Multiply != nil {
		all = append(all, pairs32(k, nil))
	}
	if tiles := f32.NewTiles(); tiles != nil {
		all = append(all, pairs32(k, tiles))
	}
	return all
}

// needPairs skips a test where there are none.
func needPairs(t *testing.T) []panelKernel[float32] {
	t.Helper()
	all := allPairs()
	if len(all) == 0 {
		t.Skip("this processor does not multiply bfloat16")
	}
	return all
}

func BenchmarkMultiply(b *testing.B) {
	all := map[string]panelKernel[float32]{"float32": gemm32, "bfloat16": pairs32(f32.All()[0], nil)}
	if tiles := f32.NewTiles(); tiles != nil {
		all["bfloat16 by tiles"] = pairs32(f32.All()[0], tiles)
	}
	for _, size := range [][3]int{{506, 896, 896}, {506, 7168, 1792}, {896, 3584, 506}, {7084, 64, 16}, {506, 506, 28}, {1030, 1030, 18}} {
		m, n, k := size[0], size[1], size[2]
		for _, name := range []string{"float32", "bfloat16", "bfloat16 by tiles"} {
			p := all[name]
			if p.multiply == nil {
				continue
			}
			b.Run(fmt.Sprint(m, "x", n, "x", k, "/", name), func(b *testing.B) {
				x, y, c := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
				packed, scratch := packed[float32]{make([]float32, p.packedSize(m, k)), m, k}, make([]float32, panelSize)
				for b.Loop() {
					p.pack(packed, matrix[float32]{pointer(x), k, 1}, span{0, m}, scratch)
					for i := 0; i < m; i += blockTall {
						p.multiplyBlock(matrix[float32]{pointer(c), n, 1}, packed, matrix[float32]{pointer(y), n, 1}, span{i, min(m, i+blockTall)}, span{0, n}, scratch)
					}
				}
				b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

// Packed pairs are what rounding each number by itself gives, however the matrix lies.
func TestPackPairs(t *testing.T) {
	p := needPairs(t)[0]
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][2]int{{8, 32}, {9, 32}, {7, 5}, {512, 32}, {64, 8}, {1, 1}} {
		rows, columns := size[0], size[1]
		x := make([]float32, rows*columns)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
			if i%5 == 0 {
				x[i] = math.Float32frombits(math.Float32bits(x[i])&0xffff0000 | 0x8000) // half way between two
			}
		}
		x[0], x[len(x)-1] = float32(math.Inf(1)), math.Float32frombits(math.MaxUint32) // a NaN
		for _, width := range []int{panelRows, 32} {
			for _, b := range []matrix[float32]{{pointer(x), columns, 1}, {pointer(x), 1, rows}, {pointer(x), 1, 0}} {
				columns := min(columns, width)
				panel := make([]float32, (rows+1)*width)
				p.packPanel(panel, b, width, rows, columns)
				halves := array[uint16](pointer(panel), 2*len(panel))
				for r := range (rows + 1) &^ 1 { // the last pair may lack its second
					for c := range width {
						var want bfloat16.BFloat16
						if r < rows && c < columns {
							want = bfloat16.FromFloat32(*(*float32)(b.element(r, c)))
						}
						if got := halves[(r/2*width+c)*2+r%2]; got != want.Bits() && !(isNaN(want.Bits()) && isNaN(got)) {
							t.Fatalf("%v, width %d: row %d column %d is %x, not %x", size, width, r, c, got, want.Bits())
						}
					}
				}
			}
		}
	}
}

// isNaN tells it of the bits of a bfloat16.
func isNaN(bits uint16) bool { return bits&0x7fff > 0x7f80 }

// Tiles hold what rounding each number by itself gives, row by row, and zeros behind the last column, however the matrix lies.
func TestPackTiles(t *testing.T) {
	tiles := f32.NewTiles()
	if tiles == nil {
		t.Skip("this processor does not multiply bfloat16 by tiles")
	}
	p := pairs32(f32.All()[0], tiles)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range [][2]int{{64, 512}, {64, 40}, {16, 32}, {10, 33}, {50, 31}, {1, 1}} {
		rows, columns := size[0], size[1]
		x := make([]float32, 2*rows*columns)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		for _, a := range []matrix[float32]{{pointer(x), columns, 1}, {pointer(x), 1, rows}, {pointer(x), 2 * columns, 2}} {
			panel := slices.Repeat([]float32{float32(math.NaN())}, p.packedSize(rows, columns))
			p.packTiles(panel, a, rows, columns, make([]float32, panelSize))
			halves := array[bfloat16.BFloat16](pointer(panel), 2*len(panel))
			padded := 2 * p.stored(columns)
			for i := range rows {
				for j := range padded {
					var want bfloat16.BFloat16
					if j < columns {
						want = bfloat16.FromFloat32(*(*float32)(a.element(i, j)))
					}
					strip, tile := i/f32.TileRows*f32.TileRows*padded, j/f32.TileColumns*f32.TileColumns*f32.TileRows
					if got := halves[strip+tile+i%f32.TileRows*f32.TileColumns+j%f32.TileColumns]; got != want {
						t.Fatalf("%v, strides %d and %d: row %d column %d is %v, not %v", size, a.rs, a.cs, i, j, got, want)
					}
				}
			}
		}
	}
}

// What is no number in a row and in a column of the operands stays in these, whatever padding and memory that is used again hold.
func TestMultiplyKeepsRowsApart(t *testing.T) {
	for _, p := range needPairs(t) {
		const m, n, k = 70, 40, 33
		x, y, c := slices.Repeat([]float32{1}, m*k), slices.Repeat([]float32{1}, k*n), make([]float32, m*n)
		x[65*k+32], y[32*n+7] = float32(math.NaN()), float32(math.Inf(1))
		nan := func(size int) []float32 { return slices.Repeat([]float32{float32(math.NaN())}, size) }
		packed := packed[float32]{nan(p.packedSize(m, k)), m, k}
		p.pack(packed, matrix[float32]{pointer(x), k, 1}, span{0, m}, nan(panelSize))
		p.multiplyBlock(matrix[float32]{pointer(c), n, 1}, packed, matrix[float32]{pointer(y), n, 1}, span{0, m}, span{0, n}, nan(panelSize))
		for i, got := range c {
			want := float64(k)
			switch {
			case i/n == 65:
				want = math.NaN()
			case i%n == 7:
				want = math.Inf(1)
			}
			if got := float64(got); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("panels of %d rows: row %d column %d is %v, not %v", p.tall, i/n, i%n, got, want)
			}
		}
	}
}
