package npt

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// A dropout sets a share of entries to zero and enlarges the others, so that the expectation stays.
type dropout struct {
	rate float64
	keep func(dims ...int) *graph.Node // draws the next mask: which entries survive
}

// newDropout draws the masks of a step from the state of the random generator, another one in every step.
func newDropout(rate float64, rng *graph.Node) *dropout {
	drawn := uint32(0)
	return &dropout{rate, func(dims ...int) *graph.Node {
		drawn++
		return dropoutMask(rng, rate, drawn, dims...)
	}}
}

// mask sets to zero what the next mask drops.
func (d *dropout) mask(x *graph.Node) *graph.Node {
	if d.rate == 0 {
		return x
	}
	return graph.Where(d.keep(x.Shape().Dimensions...), x, graph.ScalarZero(x.Graph(), x.DType()))
}

// scale is the factor by which the entries that stay are enlarged.
func (d *dropout) scale() float64 { return 1 / (1 - d.rate) }

// dropoutMask draws a mask from 32 bits for each entry: a hash of its index, of the number of the mask within the step, and of two words
// of the random state. The number enters twice: indices of two large masks overlap after the first time, and differ after the second.
// A compiler fuses that with what uses the mask, which is then never in memory; a generator's numbers have to
// be, and XLA takes long to make and to compile them.
func dropoutMask(rng *graph.Node, rate float64, number uint32, dims ...int) *graph.Node {
	g := rng.Graph()
	word := func(i int) *graph.Node { // of the random state, which has six
		words := graph.Reshape(graph.Bitcast(rng, dtypes.Uint32), -1)
		return graph.Reshape(graph.SliceAxis(words, 0, graph.AxisRange(i, i+1)))
	}
	constant := func(x uint32) *graph.Node { return graph.Scalar(g, dtypes.Uint32, x) }
	const golden = 0x9e3779b9 // 2³² over the golden ratio: keys far apart
	key := graph.Add(word(0), constant(golden*number))

	size := shapes.Make(dtypes.Uint32, dims...).Size()
	bits := graph.Add(graph.Iota(g, shapes.Make(dtypes.Uint32, size), 0), key)
	bits = hash32(graph.BitwiseXor(hash32(bits), graph.Add(word(1), constant(number))))
	threshold := constant(uint32(min(math.Round(rate*(1<<32)), math.MaxUint32)))
	return graph.Reshape(graph.GreaterOrEqual(bits, threshold), dims...)
}

// hash32 mixes the bits of 32-bit numbers, one to one, so that each of the result depends on all (constants: C. Wellons,
// "Prospecting for Hash Functions").
func hash32(x *graph.Node) *graph.Node {
	scramble := func(x *graph.Node, shift uint32) *graph.Node {
		return graph.BitwiseXor(x, graph.BitwiseShiftRightLogical(x, graph.Scalar(x.Graph(), dtypes.Uint32, shift)))
	}
	times := func(x *graph.Node, by uint32) *graph.Node {
		return graph.Mul(x, graph.Scalar(x.Graph(), dtypes.Uint32, by))
	}
	x = times(scramble(x, 16), 0x7feb352d)
	x = times(scramble(x, 15), 0x846ca68b)
	return scramble(x, 16)
}
