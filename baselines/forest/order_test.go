package forest

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 23, 24, 25, 31, 64, 100, 256, 257, 399, 400, 401, 1000, 70_000} {
		for _, spread := range []uint32{1, 2, 3, 200, 256, 257, 511, 512, 513, 60_000, 65_536, 1 << 24, 1<<32 - 1} {
			for _, skewed := range []bool{false, true} {
				keys := make([]key, n)
				base := rng.Uint32N(1<<32 - 1 - spread + 1)
				for i := range keys {
					code := rng.Uint32N(spread)
					if skewed {
						code /= 1 + rng.Uint32N(spread)
					}
					keys[i] = makeKey(base+code, i)
				}
				low, high := keys[0].code(), keys[0].code()
				for _, k := range keys {
					low, high = min(low, k.code()), max(high, k.code())
				}
				want := slices.Clone(keys)
				slices.Sort(want) // by code, then by index: the sort is stable
				got := sortKeys(keys, make([]key, n), low, high)
				if !slices.Equal(got, want) {
					t.Fatalf("%d keys, codes from %d to %d: not in order", n, low, high)
				}
			}
		}
	}
}
