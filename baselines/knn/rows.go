package knn

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"nptbench/internal/dataset"
	"nptbench/internal/parallel"
	"nptbench/internal/task"
)

// rows holds a task's rows as their distances see them: plain columns as numbers, one-hot features as categories.
type rows struct {
	n       int
	squared bool // distances are squared Euclidean ones, else Manhattan

	numeric []float32 // n x width
	width   int

	codes  []uint16 // n x len(absent): the category, or absent[j] where feature j is missing
	absent []uint16
	least  []uint8 // what a difference of this feature adds to a distance at least: 2, or 1 when it is missing somewhere
	gaps   []int   // the features that are missing somewhere
}

// chunk is how many rows a thread takes at a time.
const chunk = 1024

// newRows reads the matrix of a task. A categorical feature that is not one-hot or all zeros in every row is taken as
// plain columns.
func newRows(ctx context.Context, t *task.Task, p, threads int) (*rows, error) {
	r := &rows{n: t.Rows(), squared: p == 2}
	var plain []int         // columns of t.X
	var features [][]uint16 // categories of all rows
	for _, f := range t.Features {
		if f.Type == dataset.Categorical && f.Width < math.MaxUint16 {
			if codes := categories(ctx, t, f, threads); codes != nil {
				features = append(features, codes)
				r.absent = append(r.absent, uint16(f.Width))
				r.least = append(r.least, 2)
				if j := len(r.least) - 1; slices.Contains(codes, uint16(f.Width)) {
					r.least[j] = 1
					r.gaps = append(r.gaps, j)
				}
				continue
			}
		}
		for j := range f.Width {
			plain = append(plain, f.Offset+j)
		}
	}
	r.width = len(plain)
	if len(features) == 0 {
		r.numeric = t.X // nobody modifies it
		return r, ctx.Err()
	}
	r.numeric = make([]float32, r.n*r.width)
	r.codes = make([]uint16, r.n*len(features))
	return r, parallel.For(ctx, threads, r.n, chunk, func(_, from, to int) {
		for i := from; i < to; i++ {
			for j, c := range plain {
				r.numeric[i*r.width+j] = t.X[i*t.Width+c]
			}
			for j, codes := range features {
				r.codes[i*len(features)+j] = codes[i]
			}
		}
	})
}

// categories returns which of a feature's columns is 1, in every row, or f.Width where none is; nil when a row has
// another number than 0 or 1, or more than one 1.
func categories(ctx context.Context, t *task.Task, f task.Feature, threads int) []uint16 {
	codes := make([]uint16, t.Rows())
	var plain atomic.Bool
	parallel.For(ctx, threads, t.Rows(), chunk, func(_, from, to int) {
		for i := from; i < to && !plain.Load(); i++ {
			codes[i] = uint16(f.Width)
			for c, v := range t.Row(i)[f.Offset : f.Offset+f.Width] {
				if v == 0 {
					continue
				}
				if v != 1 || codes[i] != uint16(f.Width) {
					plain.Store(true)
				}
				codes[i] = uint16(c)
			}
		}
	})
	if plain.Load() {
		return nil
	}
	return codes
}

// distance returns the Manhattan or the squared Euclidean distance of rows a and b. Numbers are summed in order and in
// float64; what the categories add is an exact integer.
func (r *rows) distance(a, b int) float64 {
	x, y := r.numeric[a*r.width:(a+1)*r.width], r.numeric[b*r.width:(b+1)*r.width]
	sum := 0.0
	if r.squared {
		for j, v := range x {
			d := float64(v) - float64(y[j])
			sum += float64(d * d) // the conversion keeps compilers from fusing, so that all machines agree
		}
	} else {
		for j, v := range x {
			sum += math.Abs(float64(v) - float64(y[j]))
		}
	}
	n := len(r.absent)
	return sum + float64(r.differences(r.codes[a*n:(a+1)*n], r.codes[b*n:(b+1)*n]))
}

// differences returns the distance of two lists of categories: 2 where they differ, 1 where only one is missing.
func (r *rows) differences(a, b []uint16) int {
	sum := 0
	b = b[:len(a)]
	for j, c := range a {
		differ := 0 // without a branch, since whether two categories differ is hard to predict
		if c != b[j] {
			differ = 1
		}
		sum += differ
	}
	sum *= 2
	for _, j := range r.gaps {
		if a[j] != b[j] && (a[j] == r.absent[j] || b[j] == r.absent[j]) {
			sum--
		}
	}
	return sum
}
