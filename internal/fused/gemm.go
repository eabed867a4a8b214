package fused

import (
	"unsafe"

	"nptbench/internal/f32"
)

// Matrix products, after K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008): a is packed
// into panels of panelRows rows once, b, a panel of some columns at a time, by whoever needs it; a panel of a times one of b
// is computed in registers.

// A panelKernel multiplies packed panels: c (panelRows x width, rows ldc numbers apart) = a b, or c += a b. a holds k columns of
// panelRows numbers, b k rows of width numbers.
type panelKernel[T floating] struct {
	width    int
	deep     int // rows of a panel of b: as many as stay in the first cache
	multiply func(c, a, b unsafe.Pointer, k, ldc, add int)

	transpose8 func(dst, src unsafe.Pointer, ldDst, ldSrc uintptr, cols int) // of package f32, or nil
	pairRows   func(x unsafe.Pointer, k, width int)                          // nil, or what makes packed panels pairs of bfloat16
}

const (
	panelRows = f32.PanelRows
	panelWide = 32  // the largest width
	panelDeep = 512 // the largest depth, that of pairs of bfloat16
	wholeDeep = 256 // that of all others
	blockTall = 512 // rows of a that stay in the second cache
)

// Kernels for single and double precision. Those of the second kind are for matrices b of few columns.
var (
	gemm32, narrow32 = kernels32(f32.All()[0])
	gemm64           = panelKernel[float64]{width: 8, deep: wholeDeep, multiply: multiplyPanel[float64]}
)

// kernels32 are a processor's, or plain Go's.
func kernels32(k *f32.Kernel) (gemm, narrow panelKernel[float32]) {
	if k == f32.Portable {
		gemm = panelKernel[float32]{width: 8, deep: wholeDeep, multiply: multiplyPanel[float32]}
		return gemm, gemm
	}
	return panelKernel[float32]{k.Wide.Width, wholeDeep, k.Wide.Multiply, k.Transpose8, nil},
		panelKernel[float32]{k.Narrow.Width, wholeDeep, k.Narrow.Multiply, k.Transpose8, nil}
}

// pairs32 multiplies in bfloat16; without a function where the processor does not.
func pairs32(k *f32.Kernel) panelKernel[float32] {
	return panelKernel[float32]{k.Pairs.Width, panelDeep, k.Pairs.Multiply, k.Transpose8, k.PairRows}
}

func multiplyPanel[T floating](c, a, b unsafe.Pointer, k, ldc, add int) {
	x, y := array[T](a, k*panelRows), array[T](b, k*8)
	for r := 0; r < panelRows; r += 2 {
		for s := 0; s < 8; s += 4 {
			var a0, a1, a2, a3, b0, b1, b2, b3 T
			for i := range k {
				u, v := x[i*panelRows+r], x[i*panelRows+r+1]
				w := y[i*8+s : i*8+s+4 : i*8+s+4]
				a0 += u * w[0]
				a1 += u * w[1]
				a2 += u * w[2]
				a3 += u * w[3]
				b0 += v * w[0]
				b1 += v * w[1]
				b2 += v * w[2]
				b3 += v * w[3]
			}
			for j, sums := range [][4]T{{a0, a1, a2, a3}, {b0, b1, b2, b3}} {
				out := array[T](unsafe.Add(c, ((r+j)*ldc+s)*int(unsafe.Sizeof(a0))), 4)
				for l, sum := range sums {
					if add != 0 {
						sum += out[l]
					}
					out[l] = sum
				}
			}
		}
	}
}

// A matrix is a view of numbers in memory: element (i, j) lies at i*rs + j*cs.
type matrix[T floating] struct {
	at     unsafe.Pointer
	rs, cs int
}

func (m matrix[T]) element(i, j int) unsafe.Pointer {
	var t T
	return unsafe.Add(m.at, (i*m.rs+j*m.cs)*int(unsafe.Sizeof(t)))
}

// from is the matrix without its first i rows and j columns.
func (m matrix[T]) from(i, j int) matrix[T] { return matrix[T]{m.element(i, j), m.rs, m.cs} }

func (m matrix[T]) transposed() matrix[T] { return matrix[T]{m.at, m.cs, m.rs} }

// packRows packs up to panelRows rows of a into a panel of that many columns; rows that are missing are 0.
func (p *panelKernel[T]) packRows(dst []T, a matrix[T], rows, columns int) {
	size := unsafe.Sizeof(dst[0])
	if rows < panelRows {
		clear(dst[:columns*panelRows])
	}
	done := 0
	switch {
	case a.cs == 1 && rows == panelRows && p.transpose8 != nil && columns >= 8:
		done = columns &^ 7
		p.transpose8(pointer(dst), a.at, panelRows*size, uintptr(a.rs)*size, done)
	case a.rs == 1 && rows == panelRows:
		for c := range columns {
			column := *(*[panelRows]T)(a.element(0, c)) // without the variable it is a call of memmove
			*(*[panelRows]T)(dst[c*panelRows:]) = column
		}
		return
	}
	for r := range rows {
		row := a.element(r, 0)
		for c := done; c < columns; c++ {
			dst[c*panelRows+r] = *(*T)(unsafe.Add(row, c*a.cs*int(size)))
		}
	}
}

// packColumns packs up to width columns of b into a panel of that many rows; columns that are missing are 0.
func (p *panelKernel[T]) packColumns(dst []T, b matrix[T], rows, columns int) {
	w, size := p.width, unsafe.Sizeof(dst[0])
	if columns < w {
		clear(dst[:rows*w])
	}
	switch {
	case b.cs == 1:
		for r := range rows {
			copy(dst[r*w:r*w+columns], array[T](b.element(r, 0), columns))
		}
	case b.rs == 1 && p.transpose8 != nil && rows >= 8 && columns >= 8:
		done, c := rows&^7, 0
		for ; c+8 <= columns; c += 8 {
			p.transpose8(unsafe.Pointer(&dst[c]), b.element(0, c), uintptr(w)*size, uintptr(b.cs)*size, done)
		}
		p.packSlowly(dst[done*w:], b.from(done, 0), rows-done, c)
		p.packSlowly(dst[c:], b.from(0, c), rows, columns-c)
	default:
		p.packSlowly(dst, b, rows, columns)
	}
}

func (p *panelKernel[T]) packSlowly(dst []T, b matrix[T], rows, columns int) {
	for c := range columns {
		for r := range rows {
			dst[r*p.width+c] = *(*T)(b.element(r, c))
		}
	}
}

// A packed matrix holds panels of all rows, in blocks of a panelKernel's deep columns, one block after the other.
type packed[T floating] struct {
	numbers []T // packedSize of them
	m, k    int
}

// packedSize is the number of elements of a packed m x k matrix.
func packedSize(m, k int) int { return (m + panelRows - 1) / panelRows * panelRows * k }

// panel is where the panel of rows from i on begins, of the block of that many columns from j on.
func (x packed[T]) panel(i, j, columns int) []T { return x.numbers[j*packedSize(x.m, 1)+i*columns:] }

// A span is rows or columns from one to before another.
type span struct{ from, to int }

// pack packs rows of a, which begin at a multiple of panelRows, into their places in dst.
func (p *panelKernel[T]) pack(dst packed[T], a matrix[T], rows span) {
	for j := 0; j < dst.k; j += p.deep {
		deep := min(p.deep, dst.k-j)
		for i := rows.from; i < rows.to; i += panelRows {
			panel := dst.panel(i, j, deep)
			p.packRows(panel, a.from(i, j), min(panelRows, dst.m-i), deep)
			if p.pairRows != nil {
				p.pairRows(pointer(panel), deep, panelRows)
			}
		}
	}
}

// panelSize is the scratch that multiplyBlock needs.
const panelSize = (panelDeep + panelRows) * panelWide

// multiplyBlock computes some rows and columns of c = a b.
func (p *panelKernel[T]) multiplyBlock(c matrix[T], a packed[T], b matrix[T], rows, columns span, scratch []T) {
	panel, edge := scratch[:panelDeep*panelWide], scratch[panelDeep*panelWide:panelSize] // edge: what is computed of a block that is cut off
	for j := 0; j < a.k; j += p.deep {
		deep := min(p.deep, a.k-j)
		add := 0
		if j > 0 {
			add = 1
		}
		for col := columns.from; col < columns.to; col += p.width {
			wide := min(p.width, columns.to-col)
			p.packColumns(panel, b.from(j, col), deep, wide)
			if p.pairRows != nil {
				p.pairRows(pointer(panel), deep, p.width)
			}
			for i := rows.from; i < rows.to; i += panelRows {
				x, tall := pointer(a.panel(i, j, deep)), min(panelRows, a.m-i)
				if tall == panelRows && wide == p.width {
					p.multiply(c.element(i, col), x, pointer(panel), deep, c.rs, add)
					continue
				}
				p.multiply(pointer(edge), x, pointer(panel), deep, p.width, 0)
				for r := range tall {
					out := array[T](c.element(i+r, col), wide)
					sums := edge[r*p.width:][:wide]
					if add == 0 {
						copy(out, sums)
						continue
					}
					for l := range out {
						out[l] += sums[l]
					}
				}
			}
		}
	}
}
