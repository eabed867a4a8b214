package npt

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// gelu returns x Φ(x), with the exact normal distribution function.
func (t *tape) gelu(x *tensor) *tensor {
	cdf, density := t.gaussian(x.Node)
	return t.node(graph.Mul(x.Node, cdf), func(grad *graph.Node) {
		x.accumulate(graph.Mul(grad, graph.Add(cdf, graph.Mul(x.Node, density))))
	})
}

// gaussian returns the normal distribution function and its density.
//
// GoMLX's Go backend gets both from elementary operations, with an absolute error below 2e-7. Its Erf and Exp call
// math.Exp, whose assembly is up to a hundred times slower than usual after a SIMD matrix product in the same thread,
// which leaves the wide registers of the processor in use.
func (t *tape) gaussian(x *graph.Node) (cdf, density *graph.Node) {
	exponent := graph.MulScalar(graph.Square(x), -0.5)
	if t.dtype != dtypes.Float32 || !onGo(t.g.Backend()) {
		cdf = graph.AddScalar(graph.MulScalar(graph.Erf(graph.MulScalar(x, math.Sqrt2/2)), 0.5), 0.5)
		return cdf, graph.MulScalar(graph.Exp(exponent), 1/math.Sqrt(2*math.Pi))
	}
	e := expNegative(exponent)
	// Abramowitz and Stegun, 7.1.26: 1 - Φ(z) for z >= 0, halved.
	z := graph.Abs(x)
	u := graph.Reciprocal(graph.AddScalar(graph.MulScalar(z, 0.3275911*math.Sqrt2/2), 1))
	tail := horner(u, 0, 0.254829592/2, -0.284496736/2, 1.421413741/2, -1.453152027/2, 1.061405429/2)
	tail = graph.Mul(tail, e)
	positive := graph.GreaterOrEqual(x, graph.ScalarZero(t.g, t.dtype))
	return graph.Where(positive, graph.AddScalar(graph.Neg(tail), 1), tail), graph.MulScalar(e, 1/math.Sqrt(2*math.Pi))
}

// expNegative returns exp(x) of float32 numbers of at most 0, with a relative error of about 3e-7: 2ⁿ times the
// exponential of what remains, where adding n to the exponent bits multiplies by 2ⁿ.
func expNegative(x *graph.Node) *graph.Node {
	const round = 3 << 22 // added to a small float32 it leaves no room for a fraction, and n in the lowest bits
	x = graph.MaxScalar(x, -87)
	n := graph.AddScalar(graph.MulScalar(x, math.Log2E), round)
	rest := graph.Sub(x, graph.MulScalar(graph.AddScalar(n, -round), math.Ln2))
	power := graph.Bitcast(horner(rest, 1, 1, 1./2, 1./6, 1./24, 1./120, 1./720), dtypes.Int32)
	shifted := graph.BitwiseShiftLeft(graph.Bitcast(n, dtypes.Int32), graph.Scalar(x.Graph(), dtypes.Int32, 23))
	return graph.Bitcast(graph.Add(power, shifted), dtypes.Float32)
}

// horner evaluates the polynomial with the given coefficients, the constant first.
func horner(x *graph.Node, coefficients ...float64) *graph.Node {
	last := len(coefficients) - 1
	y := graph.MulScalar(x, coefficients[last])
	for i := last - 1; i >= 0; i-- {
		if coefficients[i] != 0 {
			y = graph.AddScalar(y, coefficients[i])
		}
		if i > 0 {
			y = graph.Mul(y, x)
		}
	}
	return y
}
