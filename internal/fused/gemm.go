package fused

import (
	"unsafe"

	"nptbench/internal/f32"
)

// Matrix products, after K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008): a is packed
// into panels of some rows once, b, a panel of some columns at a time, by whoever needs it; a panel of a times one of b
// is computed in registers. Where b is a single panel, a is not packed.

// A panelKernel multiplies as an f32.Panel does: c (tall x width) by a of k columns and a packed panel b of k rows. Its tall, width and deep, and blockTall, are m_r, n_r, k_c and m_c in that paper.
type panelKernel[T floating] struct {
	width, tall int
	deep        int // rows of a panel of b: as many as stay in the first cache
	multiply    func(c, a, b unsafe.Pointer, row, col, k, ldc int, mode f32.Mode)

	// Of package f32, or nil. With pairRows panels hold pairs of bfloat16. Prefetching gains nothing for numbers.
	transpose8, pairTranspose8 func(dst, src unsafe.Pointer, ldDst, ldSrc uintptr, cols int)
	pairRows                   func(dst, src unsafe.Pointer, ldSrc uintptr, k, width int)
	prefetch                   func(at unsafe.Pointer, ld uintptr, rows, lines int)

	// Of f32.Tiles, or nil. With it panels of a hold tiles, and k is padded with zeros to whole ones. few multiplies what tiles would be
	// mostly empty of.
	roundTiles func(dst, src unsafe.Pointer, ldSrc uintptr, tiles int)
	few        *panelKernel[T]
}

const (
	panelRows = f32.PanelRows
	panelTall = 64  // the largest height, that of tiles
	panelWide = 32  // the largest width
	panelDeep = 512 // the largest depth, that of pairs of bfloat16
	wholeDeep = 256 // that of all others
	blockTall = 512 // rows of a that stay in the second cache
)

// Kernels for single precision, narrow32 for matrices b of few columns, and for double precision.
var (
	gemm32, narrow32 = kernels32(f32.All()[0])
	gemm64           = panelKernel[float64]{width: 8, tall: panelRows, deep: wholeDeep, multiply: multiplyPanel[float64]}
)

// kernels32 are a processor's, or plain Go's.
func kernels32(k *f32.Kernel) (gemm, narrow panelKernel[float32]) {
	if k == f32.Portable {
		gemm = panelKernel[float32]{width: 8, tall: panelRows, deep: wholeDeep, multiply: multiplyPanel[float32]}
		return gemm, gemm
	}
	of := func(panel f32.Panel) panelKernel[float32] {
		return panelKernel[float32]{width: panel.Width, tall: panel.Height, deep: wholeDeep, multiply: panel.Multiply, transpose8: k.Transpose8}
	}
	return of(k.Wide), of(k.Narrow)
}

// pairs32 multiplies in bfloat16, by the processor's tiles if there are any; without a function where the processor does not.
func pairs32(k *f32.Kernel, tiles *f32.Tiles) panelKernel[float32] {
	p := panelKernel[float32]{k.Pairs.Width, k.Pairs.Height, panelDeep, k.Pairs.Multiply, k.Transpose8, k.PairTranspose8, k.PairRows, k.Prefetch, nil, nil}
	if tiles == nil {
		return p
	}
	few := p
	p.width, p.tall, p.multiply, p.roundTiles, p.few = tiles.Width, tiles.Height, tiles.Multiply, tiles.Round, &few
	return p
}

func multiplyPanel[T floating](c, a, b unsafe.Pointer, row, col, k, ldc int, mode f32.Mode) {
	x, y := array[T](a, (panelRows-1)*row+(k-1)*col+1), array[T](b, k*8)
	for r := 0; r < panelRows; r += 2 {
		for s := 0; s < 8; s += 4 {
			var a0, a1, a2, a3, b0, b1, b2, b3 T
			at := unsafe.Add(c, (r*ldc+s)*int(unsafe.Sizeof(a0)))
			if mode == f32.Continue {
				o := array[T](at, ldc+4)
				a0, a1, a2, a3, b0, b1, b2, b3 = o[0], o[1], o[2], o[3], o[ldc], o[ldc+1], o[ldc+2], o[ldc+3]
			}
			for i := range k {
				u, v := x[i*col+r*row], x[i*col+(r+1)*row]
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
				out := array[T](at, ldc+4)[j*ldc:]
				for l, sum := range sums {
					if mode == f32.Add {
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

// packPanel packs that many rows, and columns up to width, of b into a panel; columns that are missing are 0. A panel of a is one of
// a's transpose, of width panelRows.
func (p *panelKernel[T]) packPanel(dst []T, b matrix[T], width, rows, columns int) {
	size := unsafe.Sizeof(dst[0])
	switch {
	case p.pairRows == nil:
		p.packNumbers(dst, b, width, rows, columns)
	case b.cs == 1 && columns == width:
		p.pairRows(pointer(dst), b.at, uintptr(b.rs)*size, rows, width)
	case b.rs == 1 && columns == width && rows%8 == 0:
		for c := 0; c < columns; c += 8 {
			p.pairTranspose8(unsafe.Pointer(&dst[c]), b.element(0, c), uintptr(width)*size, uintptr(b.cs)*size, rows)
		}
	default:
		p.packNumbers(dst, b, width, rows, columns)
		p.pairRows(pointer(dst), pointer(dst), uintptr(width)*size, rows, width)
	}
	if p.roundTiles != nil {
		clear(dst[(rows+1)/2*width : p.stored(rows)*width])
	}
}

// packTiles packs that many rows, at most tall, and columns of a into a panel. Rows that are missing may be anything. scratch has room for a
// tile of numbers.
func (p *panelKernel[T]) packTiles(dst []T, a matrix[T], rows, columns int, scratch []T) {
	const high, wide = f32.TileRows, f32.TileColumns
	some, size := scratch[:high*wide], unsafe.Sizeof(scratch[0])
	for i := 0; i < rows; i += high {
		strip := dst[i*p.stored(columns):]
		tall, whole, j := min(high, rows-i), columns/wide*wide, 0
		switch {
		case tall < high || whole == 0:
		case a.cs == 1:
			p.roundTiles(pointer(strip), a.element(i, 0), uintptr(a.rs)*size, whole/wide)
			j = whole
		case a.rs == 1:
			for ; j < whole; j += wide {
				p.pairRows(pointer(some), a.element(i, j), uintptr(a.cs)*size, wide, high)
				tile := strip[j*high/2:]
				p.transpose8(unsafe.Pointer(&tile[0]), unsafe.Pointer(&some[0]), wide*2, high*4, high)      // pairs of the first 16 columns, and of
				p.transpose8(unsafe.Pointer(&tile[8]), unsafe.Pointer(&some[8*high]), wide*2, high*4, high) // the others
			}
		}
		for ; j < columns; j += wide {
			p.packNumbers(some, a.from(i, j), wide, tall, min(wide, columns-j))
			p.roundTiles(unsafe.Pointer(&strip[j*high/2]), pointer(some), wide*size, 1)
		}
	}
}

// stored is how many numbers k columns of a take in each row of a panel: in tiles two of bfloat16 take the place of one.
func (p *panelKernel[T]) stored(k int) int {
	if p.roundTiles == nil {
		return k
	}
	return (k + f32.TileColumns - 1) / f32.TileColumns * f32.TileColumns / 2
}

func (p *panelKernel[T]) packNumbers(dst []T, b matrix[T], width, rows, columns int) {
	size := unsafe.Sizeof(dst[0])
	if columns < width {
		clear(dst[:rows*width])
	}
	switch {
	case b.cs == 1 && columns == panelRows:
		for r := range rows {
			row := *(*[panelRows]T)(b.element(r, 0)) // without the variable it is a call of memmove
			*(*[panelRows]T)(dst[r*width:]) = row
		}
	case b.cs == 1:
		for r := range rows {
			copy(dst[r*width:], array[T](b.element(r, 0), columns))
		}
	case b.rs == 1 && p.transpose8 != nil && rows >= 8 && columns >= 8:
		done, c := rows&^7, 0
		for ; c+8 <= columns; c += 8 {
			p.transpose8(unsafe.Pointer(&dst[c]), b.element(0, c), uintptr(width)*size, uintptr(b.cs)*size, done)
		}
		if done < rows {
			packSlowly(dst[done*width:], b.from(done, 0), width, rows-done, c)
		}
		if c < columns {
			packSlowly(dst[c:], b.from(0, c), width, rows, columns-c)
		}
	default:
		packSlowly(dst, b, width, rows, columns)
	}
}

func packSlowly[T floating](dst []T, b matrix[T], width, rows, columns int) {
	for c := range columns {
		for r := range rows {
			dst[r*width+c] = *(*T)(b.element(r, c))
		}
	}
}

// A packed matrix holds panels of all rows, in blocks of a panelKernel's deep columns, one block after the other.
type packed[T floating] struct {
	numbers []T // packedSize of them
	m, k    int
}

// packedSize is the number of elements of a packed m x k matrix.
func (p *panelKernel[T]) packedSize(m, k int) int {
	return (m + p.tall - 1) / p.tall * p.tall * p.stored(k)
}

// panel is where the panel of x of rows from i on begins, of the block of that many columns from j on.
func (p *panelKernel[T]) panel(x packed[T], i, j, columns int) []T {
	return x.numbers[p.packedSize(x.m, j)+i*p.stored(columns):]
}

// A span is rows or columns from one to before another.
type span struct{ from, to int }

// pack packs rows of a, which begin at a multiple of the panel's, into their places in dst. scratch is as large as multiplyBlock's.
func (p *panelKernel[T]) pack(dst packed[T], a matrix[T], rows span, scratch []T) {
	for j := 0; j < dst.k; j += p.deep {
		deep := min(p.deep, dst.k-j)
		for i := rows.from; i < rows.to; i += p.tall {
			panel, from, tall := p.panel(dst, i, j, deep), a.from(i, j), min(p.tall, dst.m-i)
			if p.roundTiles != nil {
				p.packTiles(panel, from, tall, deep, scratch)
				continue
			}
			p.packPanel(panel, from.transposed(), p.tall, deep, tall)
		}
	}
}

// ahead has a part of the next panel of b come into the second cache. There are as many parts as a block of a has panels.
func (p *panelKernel[T]) ahead(b matrix[T], deep, part int) {
	rows, columns := panelDeep*p.tall/blockTall, max(1, p.width*p.tall/blockTall)
	var t T
	size := int(unsafe.Sizeof(t))
	switch {
	case b.cs == 1 && part*rows < deep:
		p.prefetch(b.element(part*rows, 0), uintptr(b.rs*size), min(rows, deep-part*rows), p.width*size/64)
	case b.rs == 1 && part*columns < p.width:
		p.prefetch(b.element(0, part*columns), uintptr(b.cs*size), columns, (deep*size+63)/64)
	}
}

// panelSize is the scratch that multiplyBlock and multiplyOnce need.
const panelSize = (panelDeep + panelTall) * panelWide

// multiplyBlock computes some rows and columns of c = a b.
func (p *panelKernel[T]) multiplyBlock(c matrix[T], a packed[T], b matrix[T], rows, columns span, scratch []T) {
	panels, edge := scratch[:panelDeep*panelWide], scratch[panelDeep*panelWide:panelSize] // edge: what is computed of a block that is cut off
	for j := 0; j < a.k; j += p.deep {
		deep, mode := min(p.deep, a.k-j), modeAt(j)
		size := max(deep, p.stored(deep)) * p.width
		together := max(1, p.deep*p.width/size) * p.width // columns whose panels stay in the first cache
		for from := columns.from; from < columns.to; from += together {
			to := min(columns.to, from+together)
			for col := from; col < to; col += p.width {
				p.packPanel(panels[(col-from)/p.width*size:], b.from(j, col), p.width, deep, min(p.width, to-col))
			}
			for i := rows.from; i < rows.to; i += p.tall {
				if p.prefetch != nil && together == p.width && from+2*p.width <= columns.to {
					p.ahead(b.from(j, from+p.width), deep, (i-rows.from)/p.tall)
				}
				tall := min(p.tall, a.m-i)
				x := pointer(p.panel(a, i, j, deep))
				for col := from; col < to; col += p.width {
					panel, wide := pointer(panels[(col-from)/p.width*size:]), min(p.width, to-col)
					if tall == p.tall && wide == p.width {
						p.multiply(c.element(i, col), x, panel, 1, p.tall, deep, c.rs, mode)
						continue
					}
					p.multiply(pointer(edge), x, panel, 1, p.tall, deep, p.width, f32.Set)
					p.put(c.from(i, col), edge, tall, wide, mode)
				}
			}
		}
	}
}

// modeAt is what becomes of sums over columns of a from j on: the first are set, others added.
func modeAt(j int) f32.Mode {
	if j == 0 {
		return f32.Set
	}
	return f32.Add
}

// put sets some rows and columns of c to sums, whose rows have the width of a panel, or adds these.
func (p *panelKernel[T]) put(c matrix[T], sums []T, rows, columns int, mode f32.Mode) {
	for r := range rows {
		out, sum := array[T](c.element(r, 0), columns), sums[r*p.width:]
		if mode == f32.Set {
			copy(out, sum)
			continue
		}
		for l := range out {
			out[l] += sum[l]
		}
	}
}

// once reports whether so many columns of b are one panel of numbers, so that packing a would read it as often as multiplying does.
func (p *panelKernel[T]) once(n int) bool { return n <= p.width && p.pairRows == nil }

// multiplyOnce computes some rows, at most onceTall, of c = a b, whose b is one panel of n columns, and reads a where it lies.
func (p *panelKernel[T]) multiplyOnce(c, a, b matrix[T], n, k int, rows span, scratch []T) {
	sums, panel, cut := scratch[:onceTall*p.width], scratch[onceTall*p.width:(onceTall+wholeDeep)*p.width], scratch[panelSize-wholeDeep*panelRows:]
	shallow := p.deep
	if a.cs != 1 {
		shallow = 32 // columns, each in pages of its own
	}
	for j := 0; j < k; j += p.deep {
		deep := min(p.deep, k-j)
		p.packPanel(panel, b.from(j, 0), p.width, deep, n)
		for l := 0; l < deep; l += shallow {
			some, mode := min(shallow, deep-l), f32.Set
			if l > 0 {
				mode = f32.Continue
			}
			for i := rows.from; i < rows.to; i += p.tall {
				x := a.from(i, j+l)
				if rows.to-i < p.tall {
					p.packPanel(cut, x.transposed(), p.tall, some, rows.to-i)
					x = matrix[T]{pointer(cut), 1, p.tall}
				}
				p.multiply(unsafe.Pointer(&sums[(i-rows.from)*p.width]), x.at, unsafe.Pointer(&panel[l*p.width]), x.rs, x.cs, some, p.width, mode)
			}
		}
		p.put(c.from(rows.from, 0), sums, rows.to-rows.from, n, modeAt(j))
	}
}

// onceTall is how many rows multiplyOnce has sums of at a time: whole panels, which leave room for the panel of b and one of a.
const onceTall = 256

// That does not compile if one of the two does not hold.
const _ = uint(panelSize-(onceTall+wholeDeep)*panelWide-wholeDeep*panelRows) + uint(-(onceTall % panelRows))
