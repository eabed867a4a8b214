package optimiser

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
)

// The constants of Adam, the paper's and every library's defaults. LAMB has the same rates β₁ and β₂.
const (
	beta1       = 0.9
	beta2       = 0.999
	adamEpsilon = 1e-8
)

// moments returns the running means of a gradient and of its square after one step.
//
//	m = β₁ m + (1-β₁) g,  v = β₂ v + (1-β₂) g²
func moments(m, v, grad *graph.Node) (m2, v2 *graph.Node) {
	return graph.Add(graph.MulScalar(m, beta1), graph.MulScalar(grad, 1-beta1)),
		graph.Add(graph.MulScalar(v, beta2), graph.MulScalar(graph.Square(grad), 1-beta2))
}

// Adam (Kingma and Ba, 2015) returns the weights of an array and their two moments after one step along the gradient, as PyTorch
// takes it. rate and root are scalars: what AdamScales says of the step.
//
//	w = w - rate m / (√v root + ε)
func Adam(w, m, v, grad, rate, root *graph.Node) (w2, m2, v2 *graph.Node) {
	m2, v2 = moments(m, v, grad)
	step := graph.Div(m2, graph.AddScalar(graph.Mul(graph.Sqrt(v2), root), adamEpsilon))
	return graph.Sub(w, graph.Mul(rate, step)), m2, v2
}

// AdamScales returns what corrects the bias of the moments in step number t, which counts from 1, at a learning rate.
func AdamScales(learningRate float64, t int) (rate, root float64) {
	return learningRate / (1 - math.Pow(beta1, float64(t))), 1 / math.Sqrt(1-math.Pow(beta2, float64(t)))
}

// ClipNorm scales a gradient, all of it in one array, to that Euclidean norm where its own is larger, as PyTorch's
// clip_grad_norm_ does.
func ClipNorm(grad *graph.Node, norm float64) *graph.Node {
	flat := graph.Reshape(grad, -1)
	own := graph.Sqrt(graph.Dot(flat, flat).Product())
	return graph.Mul(grad, graph.MinScalar(graph.MulScalar(graph.Reciprocal(graph.AddScalar(own, 1e-6)), norm), 1))
}
