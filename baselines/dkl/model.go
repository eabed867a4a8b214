package dkl

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
)

// Of GPyTorch: the smallest noise, and what is added to the diagonal of covariances in float64.
const (
	leastNoise = 1e-4
	jitter     = 1e-6
)

// A model is the parameters of network and Gaussian process, views of one vector, and so is its gradient.
type model struct {
	theta  []float64
	layers []layer
	z      blas64.General // inducing points x features

	// The distribution of the values at the inducing points, whitened: L^-1 (u - constant) is N(mean, root root^T), where L
	// is the Cholesky factor of their covariance. root is lower triangular; what is above its diagonal stays 0.
	mean []float64
	root blas64.General

	scalars []float64 // see the constants below
}

// Places in model.scalars: the mean of the process and, before softplus, length-scale and variance of its kernel, and the noise.
const (
	constant = iota
	rawLengthscale
	rawOutputScale
	rawNoise
	scalarCount
)

// A shape has the sizes of a model.
type shape struct {
	units  []int // inputs, hidden layers, features
	points int   // inducing ones
}

// size is how many parameters a model has.
func (s shape) size() int {
	features := s.units[len(s.units)-1]
	size := s.points*(features+1+s.points) + scalarCount
	for i, out := range s.units[1:] {
		size += out * (s.units[i] + 1)
	}
	return size
}

// newModel returns a model whose parameters are all 0.
func newModel(s shape) *model {
	features := s.units[len(s.units)-1]
	m := &model{theta: make([]float64, s.size())}
	rest := m.theta
	take := func(n int) []float64 {
		part := rest[:n:n]
		rest = rest[n:]
		return part
	}
	view := func(rows, cols int) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: take(rows * cols)}
	}
	for i, out := range s.units[1:] {
		m.layers = append(m.layers, layer{weights: view(out, s.units[i]), bias: take(out)})
	}
	m.z, m.mean, m.root, m.scalars = view(s.points, features), take(s.points), view(s.points, s.points), take(scalarCount)
	return m
}

// draw sets the starting values: those of PyTorch and GPyTorch, where the inducing points are embedded rows. The inputs have
// at least as many rows as there are inducing points.
func (m *model) draw(rng *rand.Rand, x []float32, width int) {
	for i := range m.layers {
		m.layers[i].draw(rng)
	}
	var chosen []float32
	for _, i := range rng.Perm(len(x) / width)[:m.z.Rows] {
		chosen = append(chosen, x[i*width:(i+1)*width]...)
	}
	copy(m.z.Data, m.embed(chosen, width).Data)
	for i := range m.root.Rows {
		row(m.root, i)[i] = 1
	}
}

func (m *model) lengthscale() float64 { return softplus(m.scalars[rawLengthscale]) }
func (m *model) outputScale() float64 { return softplus(m.scalars[rawOutputScale]) }
func (m *model) noise() float64       { return leastNoise + softplus(m.scalars[rawNoise]) }

// embed returns the embedding of rows. Hidden layers of a part of them at a time are kept.
func (m *model) embed(x []float32, width int) blas64.General {
	const part = 1024
	out := matrix(len(x)/width, m.z.Cols)
	for from := 0; from < out.Rows; from += part {
		n := min(part, out.Rows-from)
		in := matrix(n, width)
		for i, v := range x[from*width : (from+n)*width] {
			in.Data[i] = float64(v)
		}
		activations := forward(m.layers, in)
		copy(out.Data[from*out.Cols:], activations[len(activations)-1].Data)
	}
	return out
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// sigmoid is the derivative of softplus.
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
