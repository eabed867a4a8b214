package split

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext/prng"
)

// twister is the Mersenne Twister MT19937 with the bounded draws of NumPy's legacy RandomState.
type twister struct{ prng.MT19937 }

// newTwister seeds it as RandomState(seed) does.
func newTwister(seed uint32) *twister {
	t := new(twister)
	t.Seed(uint64(seed))
	return t
}

// upTo draws from 0..limit, both included, by rejection under the smallest bit mask that covers limit.
func (t *twister) upTo(limit uint32) uint32 {
	if limit == 0 {
		return 0
	}
	mask := limit
	for shift := 1; shift < 32; shift *= 2 {
		mask |= mask >> shift
	}
	for {
		if v := t.Uint32() & mask; v <= limit {
			return v
		}
	}
}

// shuffle permutes x as RandomState.shuffle does.
func shuffle[T any](t *twister, x []T) {
	for i := len(x) - 1; i > 0; i-- {
		j := t.upTo(uint32(i))
		x[i], x[j] = x[j], x[i]
	}
}

// permutation returns a random order of 0..n-1.
func (t *twister) permutation(n int) []int32 {
	p := arange(n)
	shuffle(t, p)
	return p
}

func arange(n int) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32(i)
	}
	return p
}

// approximateMode returns the most likely numbers of draws per class when draw items are taken without replacement from
// classes of the given sizes; what remains after rounding down goes to the largest remainders, ties among them in random
// order. This is scikit-learn's _approximate_mode.
func (t *twister) approximateMode(sizes []int, draw int) []int {
	total := 0
	for _, s := range sizes {
		total += s
	}
	counts := make([]int, len(sizes))
	remainders := make([]float64, len(sizes))
	open := draw
	for c, s := range sizes {
		// The order of operations is NumPy's, so that the remainders tie exactly when they tie there.
		continuous := float64(s) / float64(total) * float64(draw)
		counts[c] = int(math.Floor(continuous))
		remainders[c] = continuous - math.Floor(continuous)
		open -= counts[c]
	}
	for open > 0 {
		largest := slices.Max(remainders)
		var tied []int
		for c, r := range remainders {
			if r == largest {
				tied = append(tied, c)
			}
		}
		// RandomState.choice without replacement takes the beginning of a permutation.
		take := min(len(tied), open)
		for _, i := range t.permutation(len(tied))[:take] {
			counts[tied[i]]++
		}
		open -= take
		for _, c := range tied {
			remainders[c] = math.Inf(-1)
		}
	}
	return counts
}
