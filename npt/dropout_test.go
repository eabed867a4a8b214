package npt

import (
	"math"
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
		masks := &dropoutMasks{rate: rate, rng: rng}
		draw := func() *graph.Node { return graph.ConvertDType(masks.keep(rows, columns), dtypes.Float32) }
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
