package fused

import (
	"unsafe"

	"github.com/gomlx/compute/dtypes"
)

// A product computes DotGeneral: for every index of the batch axes the product of an m x k and a k x n matrix.
type product struct {
	out      *value
	lhs, rhs view // for their places in memory
	m, n, k  int
	batch    []int // dimensions
	lb, rb   []int // strides
	lm, lk   int
	rk, rn   int
}

// axesOf lists the axes of an operand that are neither batch nor contracting ones.
func axesOf(x view, without ...[]int) (axes []int) {
	left := make([]bool, len(x.dims))
	for _, some := range without {
		for _, axis := range some {
			left[axis] = true
		}
	}
	for axis, out := range left {
		if !out {
			axes = append(axes, axis)
		}
	}
	return axes
}

// single joins some axes of a view into one; ok tells whether they can be.
func (x view) single(axes []int) (size, stride int, ok bool) {
	dims, strides := x.along(axes)
	d, s := collapse(dims, strides)
	switch len(d) {
	case 0:
		return 1, 1, true
	case 1:
		return d[0], s[0][0], true
	}
	return 0, 0, false
}

func (x view) along(axes []int) (dims, strides []int) {
	for _, axis := range axes {
		dims, strides = append(dims, x.dims[axis]), append(strides, x.strides[axis])
	}
	return dims, strides
}

// joins reports whether each of the groups of axes can be joined into one.
func (x view) joins(groups ...[]int) bool {
	for _, axes := range groups {
		if _, _, ok := x.single(axes); !ok {
			return false
		}
	}
	return true
}

func newProduct(v *value) *product {
	a, l, r := v.attr.(dotAttr), v.in[0].view, v.in[1].view
	p := &product{out: v, lhs: l, rhs: r}
	p.m, p.lm, _ = l.single(axesOf(l, a.lhsBatch, a.lhsContract))
	p.k, p.lk, _ = l.single(a.lhsContract)
	p.n, p.rn, _ = r.single(axesOf(r, a.rhsBatch, a.rhsContract))
	_, p.rk, _ = r.single(a.rhsContract)
	dims, lb := l.along(a.lhsBatch)
	_, rb := r.along(a.rhsBatch)
	var s [][]int
	p.batch, s = collapse(dims, lb, rb)
	p.lb, p.rb = s[0], s[1]
	return p
}

// scratchSize is what the product needs: for all threads, and for each.
func (p *product) scratchSize() (shared, each int) {
	size := p.out.shape.DType.Size()
	switch {
	case p.m == 1 || p.n == 1:
		return sizeOf(p.batch) * chunks(p.k) * size, p.k * size
	case p.small():
		return 0, (packedSize(p.m, p.k) + panelSize) * size
	}
	return sizeOf(p.batch) * packedSize(p.m, p.k) * size, panelSize * size
}

// small products are many: each is done by one thread.
func (p *product) small() bool {
	return len(p.batch) > 0 && p.m*p.k <= 1<<14 && sizeOf(p.batch) >= 4
}

func (p *product) run(r *run) {
	if p.out.shape.DType == dtypes.Float64 {
		multiply(p, r, &gemm64, dotRows[float64], addRow[float64])
		return
	}
	g := r.wide
	if p.n <= narrow {
		g = &narrow32
	}
	multiply(p, r, g, dotRows32, addRow32)
}

// narrow is up to how many columns the second operand is cut into narrow panels.
const narrow = 16

// offsets are those of batch b in both operands.
func (p *product) offsets(b int) (l, r int) {
	for i := len(p.batch) - 1; i >= 0; i-- {
		at := b % p.batch[i]
		b /= p.batch[i]
		l += at * p.lb[i]
		r += at * p.rb[i]
	}
	return l, r
}

// operands are the matrices of batch b.
func operands[T floating](p *product, r *run, b int) (l, m, out matrix[T]) {
	lo, ro := p.offsets(b)
	var t T
	size := int(unsafe.Sizeof(t))
	return matrix[T]{unsafe.Add(r.at(p.lhs), lo*size), p.lm, p.lk}, matrix[T]{unsafe.Add(r.at(p.rhs), ro*size), p.rk, p.rn},
		matrix[T]{unsafe.Add(r.memory[p.out.id], b*p.m*p.n*size), p.n, 1}
}

func multiply[T floating](p *product, r *run, g *panelKernel[T], dot func(a, b unsafe.Pointer, n int) T, addTo func(y, x unsafe.Pointer, alpha T, n int)) {
	batches := sizeOf(p.batch)
	switch {
	case batches*p.m*p.n*p.k == 0:
		clear(array[T](r.memory[p.out.id], batches*p.m*p.n))
	case p.m == 1 || p.n == 1:
		multiplyVector(p, r, dot, addTo)
	case p.small():
		step := (batches + tasksPerThread*r.team.size - 1) / (tasksPerThread * r.team.size)
		r.team.run((batches+step-1)/step, func(worker, task int) {
			packed := array[T](r.scratch[worker], packedSize(p.m, p.k)+panelSize)
			panel := packed[packedSize(p.m, p.k):]
			for b := task * step; b < min(batches, (task+1)*step); b++ {
				x, y, out := operands[T](p, r, b)
				g.pack(packed, x, p.m, p.k, 0, p.m)
				g.multiplyBlock(out, packed, y, p.m, p.k, 0, p.m, 0, p.n, panel)
			}
		})
	default:
		size := packedSize(p.m, p.k)
		packed := array[T](r.shared, batches*size)
		const rows = 64
		parts := (p.m + rows - 1) / rows
		r.team.run(batches*parts, func(_, task int) {
			b, from := task/parts, task%parts*rows
			x, _, _ := operands[T](p, r, b)
			g.pack(packed[b*size:], x, p.m, p.k, from, min(p.m, from+rows))
		})
		tall := (p.m + blockTall - 1) / blockTall
		panels := (p.n + g.width - 1) / g.width
		wide := max(1, min(16, batches*tall*panels/(4*r.team.size))) // panels of a task
		across := (panels + wide - 1) / wide
		r.team.run(batches*tall*across, func(worker, task int) {
			b, i, j := task/(tall*across), task/across%tall, task%across
			_, y, out := operands[T](p, r, b)
			panel := array[T](r.scratch[worker], panelSize)
			g.multiplyBlock(out, packed[b*size:], y, p.m, p.k, i*blockTall, min(p.m, (i+1)*blockTall),
				j*wide*g.width, min(p.n, (j+1)*wide*g.width), panel)
		})
	}
}

// chunkSize is the length of the parts that sums of many numbers are cut into.
const chunkSize = 1 << 14

func chunks(n int) int { return (n + chunkSize - 1) / chunkSize }

// multiplyVector multiplies a matrix (rows x k) and a vector.
func multiplyVector[T floating](p *product, r *run, dot func(a, b unsafe.Pointer, n int) T, addTo func(y, x unsafe.Pointer, alpha T, n int)) {
	batches := sizeOf(p.batch)
	of := func(b int) (m matrix[T], vector unsafe.Pointer, step int, out []T) { // element (i, j) of m: output i, place j of the sum
		x, y, c := operands[T](p, r, b)
		if p.n == 1 {
			return x, y.at, y.rs, array[T](c.at, p.m)
		}
		return matrix[T]{y.at, y.cs, y.rs}, x.at, x.cs, array[T](c.at, p.n)
	}
	rows := max(p.m, p.n)
	if m, _, _, _ := of(0); m.cs == 1 && rows == 1 { // one sum, in parts
		n := chunks(p.k)
		sums := array[T](r.shared, batches*n)
		r.team.run(batches*n, func(worker, task int) {
			b, from := task/n, task%n*chunkSize
			m, vector, step, _ := of(b)
			to := min(p.k, from+chunkSize)
			x := inRow[T](r.scratch[worker], vector, step, from, to)
			sums[task] = dot(m.element(0, from), x, to-from)
		})
		for b := range batches {
			_, _, _, out := of(b)
			out[0] = 0
			for _, s := range sums[b*n : (b+1)*n] {
				out[0] += s
			}
		}
		return
	}
	// Some outputs of one batch, or some batches, at a time.
	part := max(64, rows/(tasksPerThread*r.team.size))
	parts := (rows + part - 1) / part
	few := max(1, (1<<12)/(min(rows, part)*p.k))
	r.team.run((batches*parts+few-1)/few, func(worker, task int) {
		for t := task * few; t < min(batches*parts, (task+1)*few); t++ {
			m, vector, step, out := of(t / parts)
			from := t % parts * part
			to := min(rows, from+part)
			if m.rs == 1 && m.cs != 1 {
				clear(out[from:to])
				for j := range p.k {
					addTo(unsafe.Pointer(&out[from]), m.element(from, j), *(*T)(unsafe.Add(vector, j*step*int(unsafe.Sizeof(out[0])))), to-from)
				}
				continue
			}
			x := inRow[T](r.scratch[worker], vector, step, 0, p.k)
			for i := from; i < to; i++ {
				if m.cs == 1 {
					out[i] = dot(m.element(i, 0), x, p.k)
					continue
				}
				out[i] = 0
				for j, v := range array[T](x, p.k) {
					out[i] += v * *(*T)(m.element(i, j))
				}
			}
		}
	})
}

// inRow returns elements from to to of a vector one behind the other, copied if they are not.
func inRow[T any](scratch, vector unsafe.Pointer, step, from, to int) unsafe.Pointer {
	var t T
	at := unsafe.Add(vector, from*step*int(unsafe.Sizeof(t)))
	if step == 1 {
		return at
	}
	out := array[T](scratch, to-from)
	for i := range out {
		out[i] = *(*T)(unsafe.Add(at, i*step*int(unsafe.Sizeof(t))))
	}
	return scratch
}
