package weights

import (
	"math"
	"testing"
)

// A product of dimensions, or a sum of such, that no int holds is no small number.
func TestSize(t *testing.T) {
	for want, params := range map[int][]Param{
		14:          {{Dims: []int{3, 4}}, {Dims: []int{2}}},
		math.MaxInt: {{Dims: []int{1 << 32, 1 << 32}}, {Dims: []int{5}}},
		1<<62 + 1:   {{Dims: []int{1 << 31, 1 << 31}}, {Dims: []int{1}}},
		0:           {{Dims: []int{0, 5}}},
	} {
		if got := NewFlat(params); got.Size() != want {
			t.Errorf("%v: %d, want %d", params, got.Size(), want)
		}
	}
}
