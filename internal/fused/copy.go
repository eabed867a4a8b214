package fused

import (
	"unsafe"

	"github.com/gomlx/compute/dtypes"
)

// A copying stores a view in order, as part of an array: rows of the view, made of its axes behind some axis, become parts of
// rows of the array.
type copying struct {
	from    view
	to      *value
	dims    []int
	strides []int
	rows    int // of the view
	width   int // of a row of the view
	stride  int // of a row of the array
	offset  int // in a row of the array
}

// newCopies are the copies that make a copy or a concatenation.
func newCopies(v *value) (out []*copying) {
	if v.op == opCopy {
		x := v.attr.(view)
		return []*copying{newCopying(x, v, 1, x.size(), x.size(), 0)}
	}
	axis, at := v.attr.([]int)[0], 0
	rows, stride := sizeOf(v.shape.Dimensions[:axis]), sizeOf(v.shape.Dimensions[axis:])
	for _, x := range v.in {
		width := sizeOf(x.shape.Dimensions[axis:])
		out = append(out, newCopying(x.view, v, rows, width, stride, at))
		at += width
	}
	return out
}

func newCopying(x view, v *value, rows, width, stride, offset int) *copying {
	dims, strides := collapse(x.dims, x.strides)
	return &copying{x, v, dims, strides[0], rows, width, stride, offset}
}

func (c *copying) run(r *run) {
	if c.width == 0 {
		return
	}
	size := c.from.dtype.Size()
	src, dst := r.at(c.from), r.memory[c.to.id]
	const step = 1 << 14 // elements of a task
	if c.rows == 1 {
		r.team.run((c.width+step-1)/step, func(_, task int) {
			start := task * step
			spreadView(unsafe.Add(dst, (c.offset+start)*size), src, c.dims, c.strides, start, min(step, c.width-start), size)
		})
		return
	}
	some := max(1, step/c.width) // rows of a task
	r.team.run((c.rows+some-1)/some, func(_, task int) {
		for row := task * some; row < min(c.rows, (task+1)*some); row++ {
			spreadView(unsafe.Add(dst, (row*c.stride+c.offset)*size), src, c.dims, c.strides, row*c.width, c.width, size)
		}
	})
}

// A gathering picks slices along the first axis.
type gathering struct {
	out         *value
	from, index view
}

func (g *gathering) run(r *run) {
	rows := g.from.dims[0]
	width := g.from.size() / max(rows, 1) * g.from.dtype.Size()
	index := array[int32](r.at(g.index), g.index.size())
	src, dst := r.at(g.from), r.memory[g.out.id]
	const step = 256
	r.team.run((len(index)+step-1)/step, func(_, task int) {
		for i := task * step; i < min(len(index), (task+1)*step); i++ {
			row := min(max(int(index[i]), 0), rows-1)
			copy(array[byte](unsafe.Add(dst, i*width), width), array[byte](unsafe.Add(src, row*width), width))
		}
	})
}

// A scattering adds slices to those of an array along its first axis, one after the other. What would lie outside is left out.
type scattering struct {
	out                  *value
	from, index, updates view
}

func (s *scattering) run(r *run) {
	if s.out.shape.DType == dtypes.Float64 {
		scatter(s, r, &rows64)
		return
	}
	scatter(s, r, &rows32)
}

func scatter[T floating](s *scattering, r *run, of *rowKernels[T]) {
	sums := array[T](r.memory[s.out.id], s.out.shape.Size())
	copy(sums, array[T](r.at(s.from), len(sums)))
	rows := s.out.shape.Dimensions[0]
	width := len(sums) / max(rows, 1)
	updates := array[T](r.at(s.updates), s.updates.size())
	for i, row := range array[int32](r.at(s.index), s.index.size()) {
		switch {
		case row < 0 || int(row) >= rows || width == 0:
		case width == 1:
			sums[row] += updates[i]
		default:
			of.add(pointer(sums[int(row)*width:]), pointer(updates[i*width:]), 1, width)
		}
	}
}
