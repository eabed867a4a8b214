package fused

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// awkward are numbers at which kernels go wrong.
var awkward = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 2, -2, 1e-30, -1e-30, 1e-45, 3e38, -3e38, 88.7, 88.73, 89, -87, -87.3, -87.4, -104,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 10, -10, 0.1, 1e-4, 1 << 23, -(1 << 24), 3.5, 4.5, -3.5}

// Every kernel of this processor computes what the one in Go does.
func TestKernels(t *testing.T) {
	portable := portableKernels()
	const n = 1024
	rng := rand.New(rand.NewPCG(1, 1))
	floats := func() []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64() * 3)
			if i%3 == 0 {
				x[i] = awkward[rng.IntN(len(awkward))]
			}
		}
		return x
	}
	words := func(size int) []uint32 { // of integers and masks
		x := make([]uint32, 2*n)
		for i := range x {
			if x[i] = rng.Uint32(); i%4 == 0 {
				x[i] = uint32(rng.IntN(40))
			}
			if size == 0 {
				x[i] = -(x[i] & 1)
			}
		}
		return x
	}
	close := func(a, b float32, op compute.OpType) bool {
		switch x, y := float64(a), float64(b); {
		case math.IsNaN(x) || math.IsNaN(y):
			return math.IsNaN(x) == math.IsNaN(y)
		case x == y:
			return true
		case op == compute.OpTypeExp || op == compute.OpTypeLogistic: // zero instead of numbers below the normal ones
			return math.Abs(x-y) <= 3e-7*math.Abs(y)+1.2e-38
		case op == compute.OpTypeErf:
			return math.Abs(x-y) <= 5e-7
		}
		return false
	}
	for key, special := range kernels.of {
		if key.dtype == dtypes.Float64 {
			continue
		}
		var a, b []uint32
		switch key.dtype {
		case dtypes.Float32:
			x, y := floats(), floats()
			a, b = array[uint32](pointer(x), n), array[uint32](pointer(y), n)
		case dtypes.Bool:
			a, b = words(0), words(0)
		default:
			a, b = words(4), words(4)
		}
		m := words(0)
		got, want := make([]uint32, 2*n), make([]uint32, 2*n)
		special(pointer(got), pointer(a), pointer(b), pointer(m), n-laneCount)
		portable.of[key](pointer(want), pointer(a), pointer(b), pointer(m), n-laneCount)
		floats := key.dtype == dtypes.Float32
		for i := range got {
			same := got[i] == want[i]
			if floats && !same {
				same = close(math.Float32frombits(got[i]), math.Float32frombits(want[i]), key.op)
			}
			if !same {
				t.Errorf("%s of %s: element %d is %x, not %x (of %x and %x)", key.op, key.dtype, i, got[i], want[i], a[i], b[i])
				break
			}
		}
	}
}

func TestConversionsAndMasks(t *testing.T) {
	portable := portableKernels()
	const n = 64
	masks := make([]uint32, n)
	for i := range masks {
		masks[i] = mask(i%3 == 0 || i%7 == 1)
	}
	for key, k := range kernels.conversions {
		got, want := make([]uint64, n), make([]uint64, n)
		k(pointer(got), pointer(masks), nil, nil, n/2)
		portable.conversions[key](pointer(want), pointer(masks), nil, nil, n/2)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v: %x, not %x", key, got, want)
		}
	}
	bytes, again := make([]uint8, n), make([]uint32, n)
	kernels.storeMask(pointer(bytes), pointer(masks), nil, nil, n)
	kernels.loadMask(pointer(again), pointer(bytes), nil, nil, n)
	for i := range masks {
		if again[i] != masks[i] || bytes[i] != uint8(masks[i]&1) {
			t.Fatalf("mask %d: %x, byte %d, %x again", i, masks[i], bytes[i], again[i])
		}
	}
}

// Rows add up, by every kernel, to what they do in double precision.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 150; n++ {
		x, y := make([]float32, n), make([]float32, n)
		var sum, product float64
		for i := range x {
			x[i], y[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
			sum, product = sum+float64(x[i]), product+float64(x[i])*float64(y[i])
		}
		near := func(what string, got float32, want float64) {
			t.Helper()
			if !(math.Abs(float64(got)-want) <= 1e-4) {
				t.Fatalf("%s of %d: %v, not %v", what, n, got, want)
			}
		}
		for _, rows := range []rowKernels[float32]{rows32, portableRows[float32]()} {
			near("sum", rows.sum(pointer(x), n), sum)
			near("largest", rows.largest(pointer(x), n), float64(slices.Max(x)))
			near("product", rows.dot(pointer(x), pointer(y), n), product)
			z := slices.Clone(y)
			rows.add(pointer(z), pointer(x), 0.5, n)
			for i := range z {
				near("scaled sum", z[i], float64(y[i])+0.5*float64(x[i]))
			}
		}
	}
}

// What is not a number, or infinite, counts wherever it is, also behind the last whole register.
func TestRowsOfSpecialNumbers(t *testing.T) {
	same := func(x, y float32) bool {
		return x == y || math.IsNaN(float64(x)) && math.IsNaN(float64(y))
	}
	for n := 1; n < 70; n++ {
		for at := range n {
			for _, special := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				x, ones := slices.Repeat([]float32{2}, n), slices.Repeat([]float32{1}, n)
				scaled := slices.Repeat([]float32{2}, n) // 1 and half of it
				x[at], scaled[at] = float32(special), float32(special)
				largest := x[0]
				for _, v := range x {
					largest = max(largest, v)
				}
				for _, rows := range []rowKernels[float32]{rows32, portableRows[float32]()} {
					y := slices.Clone(ones)
					rows.add(pointer(y), pointer(x), 0.5, n)
					sum, most, product := rows.sum(pointer(x), n), rows.largest(pointer(x), n), rows.dot(pointer(x), pointer(ones), n)
					if !same(sum, x[at]) || !same(most, largest) || !same(product, x[at]) || !slices.EqualFunc(y, scaled, same) {
						t.Fatalf("%v in place %d of %d: sum %v, largest %v, product %v, scaled sum %v", special, at, n, sum, most, product, y)
					}
				}
			}
		}
	}
}

// A panic in any task reaches the caller, also that of a helper, and the team does the next job.
func TestPanicInATask(t *testing.T) {
	team := newTeam(3)
	defer close(team.wake)
	for bad := range 12 {
		got := func() (got any) {
			defer func() { got = recover() }()
			team.run(12, func(_, task int) {
				if task == bad {
					panic(task)
				}
				time.Sleep(100 * time.Microsecond) // so that helpers come
			})
			return nil
		}()
		if got != bad {
			t.Fatalf("a panic in task %d comes back as %v", bad, got)
		}
		var done atomic.Int64
		if team.run(12, func(_, _ int) { done.Add(1) }); done.Load() != 12 {
			t.Fatalf("after a panic %d of 12 tasks are done", done.Load())
		}
	}
}
