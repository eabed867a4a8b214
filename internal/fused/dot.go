package fused

import (
	"unsafe"

	"github.com/gomlx/compute/dtypes"

	"nptbench/internal/f32"
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

// kernel is what multiplies float32: wide, but where that does not pay.
func (p *product) kernel(wide *panelKernel[float32]) *panelKernel[float32] {
	switch {
	case p.n <= narrow:
		return &narrow32
	case wide.few != nil && (p.m < 2*f32.TileRows || p.k <= f32.TileColumns/2):
		return wide.few
	}
	return wide
}

// scratchSize is what the product needs: for all threads, and for each.
func (p *product) scratchSize(wide *panelKernel[float32]) (shared, each int) {
	size := p.out.shape.DType.Size()
	if p.m == 1 || p.n == 1 {
		shared, stride := sizeOf(p.batch)*chunks(p.k)*size, p.rk // of the vector, as multiplyVector has it
		if p.n > 1 {
			stride = p.lk
		}
		if stride == 1 {
			return shared, 0
		}
		return shared, p.k * size
	}
	packed, once := gemm64.packedSize(p.m, p.k), gemm64.once(p.n)
	if p.out.shape.DType == dtypes.Float32 {
		packed, once = p.kernel(wide).packedSize(p.m, p.k), p.kernel(wide).once(p.n)
	}
	switch {
	case once:
		return 0, panelSize * size
	case p.small():
		return 0, (packed + panelSize) * size
	}
	return sizeOf(p.batch) * packed * size, panelSize * size
}

// small products are many: each is done by one thread.
func (p *product) small() bool {
	return len(p.batch) > 0 && p.m*p.k <= 1<<14 && sizeOf(p.batch) >= 4
}

func (p *product) run(r *run) {
	if p.out.shape.DType == dtypes.Float64 {
		multiply(p, r, &gemm64, &rows64)
		return
	}
	multiply(p, r, p.kernel(r.wide), &rows32)
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

func multiply[T floating](p *product, r *run, g *panelKernel[T], rows *rowKernels[T]) {
	batches := sizeOf(p.batch)
	switch {
	case batches*p.m*p.n*p.k == 0:
		clear(array[T](r.memory[p.out.id], batches*p.m*p.n))
	case p.m == 1 || p.n == 1:
		multiplyVector(p, r, rows)
	case g.once(p.n):
		parts := (p.m + onceTall - 1) / onceTall
		step := max(1, batches*parts/(tasksPerThread*r.team.size))
		r.team.run((batches*parts+step-1)/step, func(worker, task int) {
			for i := task * step; i < min(batches*parts, (task+1)*step); i++ {
				b, from := i/parts, i%parts*onceTall
				x, y, out := operands[T](p, r, b)
				g.multiplyOnce(out, x, y, p.n, p.k, span{from, min(p.m, from+onceTall)}, array[T](r.scratch[worker], panelSize))
			}
		})
	case p.small():
		step := (batches + tasksPerThread*r.team.size - 1) / (tasksPerThread * r.team.size)
		r.team.run((batches+step-1)/step, func(worker, task int) {
			size := g.packedSize(p.m, p.k)
			scratch := array[T](r.scratch[worker], size+panelSize)
			a := packed[T]{scratch[:size], p.m, p.k}
			for b := task * step; b < min(batches, (task+1)*step); b++ {
				x, y, out := operands[T](p, r, b)
				g.pack(a, x, span{0, p.m}, scratch[size:])
				g.multiplyBlock(out, a, y, span{0, p.m}, span{0, p.n}, scratch[size:])
			}
		})
	default:
		size := g.packedSize(p.m, p.k)
		numbers := array[T](r.shared, batches*size)
		a := func(b int) packed[T] { return packed[T]{numbers[b*size : (b+1)*size], p.m, p.k} }
		const some = panelTall // or a multiple: tasks share no panel
		parts := (p.m + some - 1) / some
		r.team.run(batches*parts, func(worker, task int) {
			b, from := task/parts, task%parts*some
			x, _, _ := operands[T](p, r, b)
			g.pack(a(b), x, span{from, min(p.m, from+some)}, array[T](r.scratch[worker], panelSize))
		})
		tall := (p.m + blockTall - 1) / blockTall
		panels := (p.n + g.width - 1) / g.width
		wide := max(1, min(16, batches*tall*panels/(4*r.team.size))) // panels of a task
		across := (panels + wide - 1) / wide
		r.team.run(batches*tall*across, func(worker, task int) {
			b, i, j := task/(tall*across), task/across%tall*blockTall, task%across*wide*g.width
			_, y, out := operands[T](p, r, b)
			g.multiplyBlock(out, a(b), y, span{i, min(p.m, i+blockTall)}, span{j, min(p.n, j+wide*g.width)}, array[T](r.scratch[worker], panelSize))
		})
	}
}

// chunkSize is the length of the parts that sums of many numbers are cut into.
const chunkSize = 1 << 14

func chunks(n int) int { return (n + chunkSize - 1) / chunkSize }

// multiplyVector multiplies a matrix (outputs x k) and a vector, or a vector and a matrix, which is the transposed product.
func multiplyVector[T floating](p *product, r *run, rows *rowKernels[T]) {
	batches, outputs := sizeOf(p.batch), max(p.m, p.n)
	of := func(b int) (m, x matrix[T], out []T) { // x is a column
		x, y, c := operands[T](p, r, b)
		if p.n > 1 {
			x, y = y.transposed(), x.transposed()
		}
		return x, y, array[T](c.at, outputs)
	}
	if m, _, _ := of(0); m.cs == 1 && outputs == 1 { // one sum, in parts
		n := chunks(p.k)
		sums := array[T](r.shared, batches*n)
		r.team.run(batches*n, func(worker, task int) {
			m, x, _ := of(task / n)
			from := task % n * chunkSize
			length := min(chunkSize, p.k-from)
			sums[task] = rows.dot(m.element(0, from), x.from(from, 0).column(r.scratch[worker], length), length)
		})
		for b := range batches {
			_, _, out := of(b)
			out[0] = 0
			for _, s := range sums[b*n : (b+1)*n] {
				out[0] += s
			}
		}
		return
	}
	// Some outputs of one batch, or some batches, at a time.
	part := max(64, outputs/(tasksPerThread*r.team.size))
	parts := (outputs + part - 1) / part
	few := max(1, (1<<12)/(min(outputs, part)*p.k))
	r.team.run((batches*parts+few-1)/few, func(worker, task int) {
		for t := task * few; t < min(batches*parts, (task+1)*few); t++ {
			m, x, out := of(t / parts)
			from := t % parts * part
			to := min(outputs, from+part)
			if m.rs == 1 && m.cs != 1 {
				clear(out[from:to])
				for j := range p.k {
					rows.add(unsafe.Pointer(&out[from]), m.element(from, j), *(*T)(x.element(j, 0)), to-from)
				}
				continue
			}
			column := x.column(r.scratch[worker], p.k)
			for i := from; i < to; i++ {
				if m.cs == 1 {
					out[i] = rows.dot(m.element(i, 0), column, p.k)
					continue
				}
				out[i] = 0
				for j, v := range array[T](column, p.k) {
					out[i] += v * *(*T)(m.element(i, j))
				}
			}
		}
	})
}

// column returns n numbers of the first column one behind the other, copied if they are not.
func (m matrix[T]) column(scratch unsafe.Pointer, n int) unsafe.Pointer {
	if m.rs == 1 {
		return m.at
	}
	for i, out := 0, array[T](scratch, n); i < n; i++ {
		out[i] = *(*T)(m.element(i, 0))
	}
	return scratch
}
