package split

import (
	"math"
	"slices"
)

// twister is the Mersenne Twister MT19937 with the seeding and the bounded draws of NumPy's legacy RandomState.
// Algorithm: Matsumoto and Nishimura, ACM TOMACS 8(1), 1998.
type twister struct {
	state [624]uint32
	next  int
}

func newTwister(seed uint32) *twister {
	t := &twister{next: 624}
	t.state[0] = seed
	for i := 1; i < len(t.state); i++ {
		previous := t.state[i-1]
		t.state[i] = 1812433253*(previous^previous>>30) + uint32(i)
	}
	return t
}

func (t *twister) uint32() uint32 {
	if t.next == len(t.state) {
		for i := range t.state {
			y := t.state[i]&0x80000000 | t.state[(i+1)%624]&0x7fffffff
			t.state[i] = t.state[(i+397)%624] ^ y>>1 ^ (y&1)*0x9908b0df
		}
		t.next = 0
	}
	y := t.state[t.next]
	t.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
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
		if v := t.uint32() & mask; v <= limit {
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
