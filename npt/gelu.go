package npt

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
)

// gelu returns x Φ(x), with the exact normal distribution function Φ.
func (t *tape) gelu(x *tensor) *tensor {
	cdf := graph.AddScalar(graph.MulScalar(graph.Erf(graph.MulScalar(x.Node, math.Sqrt2/2)), 0.5), 0.5)
	return t.node(graph.Mul(x.Node, cdf), func(grad *graph.Node) {
		density := graph.MulScalar(graph.Exp(graph.MulScalar(graph.Square(x.Node), -0.5)), 1/math.Sqrt(2*math.Pi))
		x.accumulate(graph.Mul(grad, graph.Add(cdf, graph.Mul(x.Node, density))))
	})
}
