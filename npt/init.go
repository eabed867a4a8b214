package npt

import "math/rand/v2"

// initial draws the weights of a parameter: the defaults of the framework of the published code.
func (p *param) initial(rng *rand.Rand) []float64 {
	size, inner := 1, 1
	for i, d := range p.dims {
		size *= d
		if i > 0 {
			inner *= d
		}
	}
	w := make([]float64, size)
	for i := range w {
		switch p.init {
		case uniform:
			fan := p.fanIn[0]
			if len(p.fanIn) > 1 {
				fan = p.fanIn[i/inner]
			}
			w[i] = (2*rng.Float64() - 1) * bound(fan)
		case normal:
			w[i] = rng.NormFloat64()
		case ones:
			w[i] = 1
		}
	}
	return w
}

// size returns the number of weights.
func (n *network) size() int {
	sum := 0
	for _, p := range n.params {
		size := 1
		for _, d := range p.dims {
			size *= d
		}
		sum += size
	}
	return sum
}
