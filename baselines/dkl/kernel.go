package dkl

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// covariance returns the RBF kernel of two sets of points, outputScale exp(-r^2 / (2 lengthscale^2)), and the squares r^2 of
// their distances.
func (m *model) covariance(a, b blas64.General) (k, squares blas64.General) {
	squares, k = squaredDistances(a, b), matrix(a.Rows, b.Rows)
	variance, factor := m.outputScale(), -1/(2*m.lengthscale()*m.lengthscale())
	for i, r := range squares.Data {
		k.Data[i] = variance * math.Exp(factor*r)
	}
	return k, squares
}

// squaredDistances are exactly 0 between equal points.
func squaredDistances(a, b blas64.General) blas64.General {
	out := matrix(a.Rows, b.Rows)
	for i := range a.Rows {
		x := row(a, i)
		for j := range b.Rows {
			sum := 0.0
			for k, y := range row(b, j) {
				sum += (x[k] - y) * (x[k] - y)
			}
			out.Data[i*out.Stride+j] = sum
		}
	}
	return out
}

// covarianceGradient adds to grad and to da and db, the derivatives by the points, what a derivative d by a covariance gives.
// It overwrites d.
func (m *model) covarianceGradient(grad *model, d, k, squares, a, b, da, db blas64.General) {
	l := m.lengthscale()
	variance, scale := 0.0, 0.0
	for i, v := range k.Data {
		d.Data[i] *= v
		variance += d.Data[i]
		scale += d.Data[i] * squares.Data[i]
	}
	grad.scalars[rawOutputScale] += variance / m.outputScale() * sigmoid(m.scalars[rawOutputScale])
	grad.scalars[rawLengthscale] += scale / (l * l * l) * sigmoid(m.scalars[rawLengthscale])

	// d r_ij^2 / d a_i = 2 (a_i - b_j), and each r^2 stands in the exponent by -1/(2 l^2).
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1/(l*l), d, b, 1, da)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1/(l*l), d, a, 1, db)
	columns := make([]float64, d.Cols)
	for i := range d.Rows {
		sum := 0.0
		for j, v := range row(d, i) {
			sum += v
			columns[j] += v
		}
		addTo(row(da, i), -sum/(l*l), row(a, i))
	}
	for j, sum := range columns {
		addTo(row(db, j), -sum/(l*l), row(b, j))
	}
}
