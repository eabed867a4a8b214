package npt

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/backends"
)

// Masks of dropout have the right share, and neither neighbouring entries of one, nor equal entries of two masks of a step
// or of two steps, have anything to do with each other.
func TestDropoutMasks(t *testing.T) { onBackends(t, testDropoutMasks) }

func testDropoutMasks(t *testing.T, backend compute.Backend) {
	const rows, columns, rate = 301, 257, 0.1 // not a multiple of four entries
	e := &engine{backend: backend, net: &network{}}
	exec, err := graph.NewExec(backend, func(rng *graph.Node) []*graph.Node {
		drop := newDropout(rate, rng)
		draw := func() *graph.Node { return graph.ConvertDType(drop.keep(rows, columns), dtypes.Float32) }
		return []*graph.Node{draw(), draw()}
	})
	if err != nil {
		t.Fatal(err)
	}
	var masks [][]float64
	for step := range 3 {
		out, err := backends.Call(backend, exec, []any{e.randomState(step)})
		if err != nil {
			t.Fatal(err)
		}
		masks = append(masks, toFloats(t, out[0]), toFloats(t, out[1]))
	}
	const size = rows * columns
	dropped := func(a []float64, offset int, b []float64) (both float64) { // how often entries of both are dropped
		for i := range size - offset {
			both += (1 - a[i+offset]) * (1 - b[i])
		}
		return both
	}
	check := func(what string, got, share float64) {
		t.Helper()
		if sd := math.Sqrt(size * share * (1 - share)); math.Abs(got-size*share) > 5*sd {
			t.Errorf("%s: %v of %d, want %v ± %.0f", what, got, size, size*share, sd)
		}
	}
	for i, a := range masks {
		check("dropped", dropped(a, 0, a), rate)
		for _, offset := range []int{1, 2, 4, columns} {
			check("dropped with its neighbour", dropped(a, offset, a), rate*rate)
		}
		for _, b := range masks[:i] {
			check("dropped in two masks", dropped(a, 0, b), rate*rate)
			check("dropped in two masks, next to each other", dropped(a, 1, b), rate*rate)
		}
	}
}

// The indices of masks 1 and 56 of a step overlap, in masks of more than 35 million entries, see dropoutMask: that makes them no
// more alike than others.
func TestLargeDropoutMasks(t *testing.T) {
	const rate, few, golden = 0.1, 1 << 20, 0x9e3779b9
	const shift = -(55 * golden % (1 << 32)) & (1<<32 - 1)
	const size = shift + few
	backend := testBackend(t)
	exec, err := graph.NewExec(backend, func(rng *graph.Node) []*graph.Node {
		return []*graph.Node{
			graph.SliceAxis(dropoutMask(rng, rate, 1, size), 0, graph.AxisRange(0, few)),
			graph.SliceAxis(dropoutMask(rng, rate, 56, size), 0, graph.AxisRange(shift, size)),
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{backend: backend, net: &network{}}
	out, err := backends.Call(backend, exec, []any{e.randomState(0)})
	if err != nil {
		t.Fatal(err)
	}
	var masks [2][]bool
	for i, x := range out {
		if err := x.ConstFlatData(func(flat any) { masks[i] = slices.Clone(flat.([]bool)) }); err != nil {
			t.Fatal(err)
		}
	}
	both := 0
	for i := range few {
		if !masks[0][i] && !masks[1][i] {
			both++
		}
	}
	if want, sd := rate*rate*few, math.Sqrt(rate*rate*few); math.Abs(float64(both)-want) > 5*sd {
		t.Errorf("%d entries dropped in both masks, want %.0f ± %.0f", both, want, sd)
	}
}
