package dkl

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

var errNotDefinite = errors.New("a covariance is not positive definite")

// cholesky returns the lower Cholesky factor of a symmetric matrix with jitter added to its diagonal. It overwrites a; what is
// above the diagonal is of no meaning.
func cholesky(a blas64.General, jitter float64) (blas64.Triangular, error) {
	for i := range a.Rows {
		row(a, i)[i] += jitter
	}
	l, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: a.Rows, Stride: a.Stride, Data: a.Data})
	if !ok {
		return l, errNotDefinite
	}
	return l, nil
}

// lower returns a square matrix as a triangular one.
func lower(a blas64.General) blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: a.Rows, Stride: a.Stride, Data: a.Data}
}

func clone(a blas64.General) blas64.General {
	out := matrix(a.Rows, a.Cols)
	copy(out.Data, a.Data)
	return out
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// A posterior is what the variational distribution says of rows, with what its gradient needs. Columns of matrices are rows of
// the table.
type posterior struct {
	factor       blas64.Triangular // L, of the covariance of the inducing points
	kzz, squares blas64.General    // that covariance without jitter, and squared distances
	kzx, crossed blas64.General    // covariance with the rows, and squared distances
	a            blas64.General    // L^-1 kzx
	t            blas64.General    // root^T a
	mean, vars   []float64         // of the process at the rows, without noise
}

// factorise begins a posterior with what depends on the inducing points alone.
func (m *model) factorise() (p posterior, err error) {
	p.kzz, p.squares = m.covariance(m.z, m.z)
	p.factor, err = cholesky(clone(p.kzz), jitter)
	return p, err
}

// at completes a posterior by embedded rows.
func (p posterior) at(m *model, x blas64.General) posterior {
	p.kzx, p.crossed = m.covariance(m.z, x)
	p.a = clone(p.kzx)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, p.factor, p.a)
	p.t = clone(p.a)
	blas64.Trmm(blas.Left, blas.Trans, 1, lower(m.root), p.t)
	p.mean, p.vars = make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range x.Rows {
		p.mean[i], p.vars[i] = m.scalars[constant], m.outputScale()+jitter
	}
	blas64.Gemv(blas.Trans, 1, p.a, vector(m.mean), 1, vector(p.mean))
	for i := range p.a.Rows {
		t := row(p.t, i)
		for j, a := range row(p.a, i) {
			p.vars[j] += t[j]*t[j] - a*a
		}
	}
	return p
}

// loss returns the negative evidence lower bound of a mini-batch of embedded rows out of a table of total rows, per row: the mean
// of the expected negative log likelihoods, and the divergence of the inducing values from their prior over total. It adds its
// gradient to grad, and returns the one by the embedding.
func (m *model) loss(x blas64.General, y []float64, total int, grad *model) (loss float64, dx blas64.General, err error) {
	p, err := m.factorise()
	if err != nil {
		return 0, dx, err
	}
	p = p.at(m, x)
	count, noise, share := float64(x.Rows), m.noise(), 1/float64(total)

	dMean := make([]float64, x.Rows)
	dVar, dNoise := 1/(2*count*noise), 0.0 // the former is the same for all rows
	for i, v := range p.vars {
		off := p.mean[i] - y[i]
		square := (off*off + v) / noise
		loss += (square + math.Log(2*math.Pi*noise)) / (2 * count)
		dMean[i] = off / (count * noise)
		dNoise += (1 - square) / (2 * count * noise)
		grad.scalars[constant] += dMean[i]
	}
	grad.scalars[rawNoise] += dNoise * sigmoid(m.scalars[rawNoise])
	grad.scalars[rawOutputScale] += count * dVar * sigmoid(m.scalars[rawOutputScale])

	// Divergence of N(mean, root root^T) from N(0, 1), and its gradient.
	for i, v := range m.mean {
		diagonal := row(m.root, i)[i]
		loss += share * (v*v/2 - 0.5 - math.Log(math.Abs(diagonal)))
		grad.mean[i] += share * v
		row(grad.root, i)[i] -= share / diagonal
		for j, r := range row(m.root, i)[:i+1] {
			loss += share * r * r / 2
			row(grad.root, i)[j] += share * r
		}
	}

	// From mean and variance of the rows to a and t = root^T a.
	blas64.Gemv(blas.NoTrans, 1, p.a, vector(dMean), 1, vector(grad.mean))
	dRoot := matrix(m.root.Rows, m.root.Cols)
	blas64.Gemm(blas.NoTrans, blas.Trans, 2*dVar, p.a, p.t, 0, dRoot)
	for i := range dRoot.Rows {
		addTo(row(grad.root, i)[:i+1], 1, row(dRoot, i)[:i+1])
	}
	da := clone(p.t)
	blas64.Trmm(blas.Left, blas.NoTrans, 2*dVar, lower(m.root), da)
	addTo(da.Data, -2*dVar, p.a.Data)
	blas64.Ger(1, vector(m.mean), vector(dMean), da)

	// Through a = L^-1 kzx: L^-T da belongs to kzx, and W = -da a^T, of which the lower triangle counts, to L^T dL.
	w := dRoot
	blas64.Gemm(blas.NoTrans, blas.Trans, -1, da, p.a, 0, w)
	dkzx := da
	blas64.Trsm(blas.Left, blas.Trans, 1, p.factor, dkzx)

	// Through the Cholesky factor (Murray, 2016): L^-T sym(tril(W), its diagonal halved) L^-1 belongs to kzz.
	for i := range w.Rows {
		for j := range i {
			half := row(w, i)[j] / 2
			row(w, i)[j], row(w, j)[i] = half, half
		}
		row(w, i)[i] /= 2
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, p.factor, w)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, p.factor, w)

	dx = matrix(x.Rows, x.Cols)
	m.covarianceGradient(grad, dkzx, p.kzx, p.crossed, m.z, x, grad.z, dx)
	m.covarianceGradient(grad, w, p.kzz, p.squares, m.z, m.z, grad.z, grad.z)
	return loss, dx, nil
}

// density returns the mean negative log density of targets under the posterior of embedded rows.
func (m *model) density(ctx context.Context, x blas64.General, y []float64) (float64, error) {
	mean, vars, err := m.posterior(ctx, x)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, v := range vars {
		off, v := mean[i]-y[i], v+m.noise()
		sum += (off*off/v + math.Log(2*math.Pi*v)) / 2
	}
	return sum / float64(x.Rows), nil
}

// posterior returns mean and variance of the process at embedded rows, without noise.
func (m *model) posterior(ctx context.Context, x blas64.General) (mean, vars []float64, err error) {
	p, err := m.factorise()
	if err != nil {
		return nil, nil, err
	}
	for from := 0; from < x.Rows; from += atATime {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		q := p.at(m, rows(x, from, min(from+atATime, x.Rows)))
		mean, vars = append(mean, q.mean...), append(vars, q.vars...)
	}
	return mean, vars, nil
}

// rows returns a part of the rows of a matrix.
func rows(x blas64.General, from, to int) blas64.General {
	x.Rows, x.Data = to-from, x.Data[from*x.Stride:to*x.Stride]
	return x
}
