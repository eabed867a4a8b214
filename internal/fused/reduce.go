package fused

import (
	"math"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// A reduction adds up, or takes the largest of, the numbers along some axes.
type reduction struct {
	out         *value
	from        view
	rows        int // the array has the dimensions rows, n and below, of which n is reduced
	n, below    int
	ok          bool
	takeLargest bool
}

// reduction finds how the axes lie: one group of axes is reduced, of an array in order.
func (v *value) reduction() reduction {
	x := v.in[0].view
	r := reduction{out: v, from: x, rows: 1, n: 1, below: 1, takeLargest: v.op == compute.OpTypeReduceMax}
	reduced := make([]bool, len(x.dims))
	for _, axis := range v.attr.([]int) {
		reduced[axis] = true
	}
	phase := 0
	for axis, d := range x.dims {
		switch {
		case d == 1:
		case reduced[axis] && phase <= 1:
			phase = 1
			r.n *= d
		case !reduced[axis] && phase == 0:
			r.rows *= d
		case !reduced[axis]:
			phase = 2
			r.below *= d
		default:
			return r // several groups
		}
	}
	r.ok = x.inOrder()
	return r
}

func (d *reduction) run(r *run) {
	if d.out.shape.DType == dtypes.Float64 {
		reduce(d, r, &rows64)
		return
	}
	reduce(d, r, &rows32)
}

// scratchSize is what all threads need.
func (d *reduction) scratchSize() int { return chunks(d.n) * d.out.shape.DType.Size() }

func reduce[T floating](d *reduction, r *run, rows *rowKernels[T]) {
	var t T
	size := int(unsafe.Sizeof(t))
	src := r.at(d.from)
	out := array[T](r.memory[d.out.id], d.rows*d.below)
	of := rows.sum
	if d.takeLargest {
		of = rows.largest
	}
	switch {
	case d.n == 0:
		nothing := T(0)
		if d.takeLargest {
			nothing = T(math.Inf(-1))
		}
		fill(pointer(out), nothing, len(out))
	case len(out) == 0:
	case d.below > 1:
		part := max(64, d.below/(tasksPerThread*r.team.size))
		parts := (d.below + part - 1) / part
		r.team.run(d.rows*parts, func(_, task int) {
			row, from := task/parts, task%parts*part
			to := min(d.below, from+part)
			at := func(i int) unsafe.Pointer { return unsafe.Add(src, ((row*d.n+i)*d.below+from)*size) }
			sums := out[row*d.below+from : row*d.below+to]
			copy(sums, array[T](at(0), to-from))
			for i := 1; i < d.n; i++ {
				if !d.takeLargest {
					rows.add(pointer(sums), at(i), 1, to-from)
					continue
				}
				for j, x := range array[T](at(i), to-from) {
					sums[j] = max(sums[j], x)
				}
			}
		})
	case d.rows == 1:
		n := chunks(d.n)
		parts := array[T](r.shared, n)
		r.team.run(n, func(_, task int) {
			from := task * chunkSize
			parts[task] = of(unsafe.Add(src, from*size), min(chunkSize, d.n-from))
		})
		out[0] = of(pointer(parts), n)
	default:
		some := max(1, chunkSize/d.n)
		r.team.run((d.rows+some-1)/some, func(_, task int) {
			for row := task * some; row < min(d.rows, (task+1)*some); row++ {
				out[row] = of(unsafe.Add(src, row*d.n*size), d.n)
			}
		})
	}
}
