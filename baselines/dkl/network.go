package dkl

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A layer computes units from inputs: x weights^T + bias. Both are parts of the parameters of a model, or of their gradient.
type layer struct {
	weights blas64.General // units x inputs
	bias    []float64
}

// draw makes the weights uniform within 1/sqrt(inputs), PyTorch's default.
func (l *layer) draw(rng *rand.Rand) {
	bound := 1 / math.Sqrt(float64(l.weights.Cols))
	for _, w := range [][]float64{l.weights.Data, l.bias} {
		for i := range w {
			w[i] = bound * (2*rng.Float64() - 1)
		}
	}
}

// forward returns the activations of all layers for rows of inputs, with ReLU between them: the inputs first, the embedding last.
func forward(layers []layer, x blas64.General) []blas64.General {
	activations := []blas64.General{x}
	for i, l := range layers {
		y := matrix(x.Rows, len(l.bias))
		for r := range y.Rows {
			copy(row(y, r), l.bias)
		}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, l.weights, 1, y)
		if i < len(layers)-1 {
			for j, v := range y.Data {
				y.Data[j] = max(v, 0)
			}
		}
		activations = append(activations, y)
		x = y
	}
	return activations
}

// backward adds the gradient of the layers to grad. d is the derivative by the embedding, which it overwrites.
func backward(layers, grad []layer, activations []blas64.General, d blas64.General) {
	for i := len(layers) - 1; i >= 0; i-- {
		x := activations[i]
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, d, x, 1, grad[i].weights)
		for r := range d.Rows {
			addTo(grad[i].bias, 1, row(d, r))
		}
		if i == 0 {
			return
		}
		below := matrix(x.Rows, x.Cols)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, d, layers[i].weights, 0, below)
		for j, v := range x.Data {
			if v == 0 {
				below.Data[j] = 0
			}
		}
		d = below
	}
}

func matrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: make([]float64, rows*cols)}
}

func row(m blas64.General, i int) []float64 { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }

// addTo adds a x to y.
func addTo(y []float64, a float64, x []float64) {
	blas64.Axpy(a, blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}
