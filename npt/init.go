package npt

import "math/rand/v2"

// initial draws the weights of a parameter: the defaults of the framework of the published code.
func (p *param) initial(rng *rand.Rand) []float64 {
	w := make([]float64, p.size())
	inner := len(w) / p.dims[0]
	switch p.init {
	case uniform:
		limit := bound(p.fanIn[0])
		for i := range w {
			if len(p.fanIn) > 1 && i%inner == 0 {
				limit = bound(p.fanIn[i/inner])
			}
			w[i] = (2*rng.Float64() - 1) * limit
		}
	case normal:
		for i := range w {
			w[i] = rng.NormFloat64()
		}
	case ones:
		for i := range w {
			w[i] = 1
		}
	}
	return w
}

// size returns the number of weights.
func (p *param) size() int {
	size := 1
	for _, d := range p.dims {
		size *= d
	}
	return size
}

// size returns the number of all weights.
func (n *network) size() int {
	sum := 0
	for _, p := range n.params {
		sum += p.size()
	}
	return sum
}
