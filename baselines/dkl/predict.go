package dkl

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"nptbench/internal/method"
	"nptbench/internal/parallel"
	"nptbench/internal/task"
)

// atATime is how many rows are predicted together.
const atATime = 512

// predict returns the predictions of the validation and then the test rows of a task, all of whose rows are embedded.
func (m *model) predict(ctx context.Context, t *task.Task, embedded blas64.General, c method.Config) ([]float64, error) {
	train, queries := rows(embedded, 0, t.Train), rows(embedded, t.Train, embedded.Rows)
	noise := m.noise()
	switch c.String("prediction") {
	case inducing:
		mean, _, err := m.posterior(ctx, queries)
		return mean, err
	case interpolation:
		noise = 0
	}
	if k := c.Int("neighbours"); k < t.Train {
		return m.local(ctx, t, train, queries, k, noise)
	}
	return m.conditioned(ctx, train, t.Y[:t.Train], queries, noise)
}

// conditioned returns the means at queries of the process that was observed at embedded rows, with that much noise.
func (m *model) conditioned(ctx context.Context, x blas64.General, y []float64, queries blas64.General, noise float64) ([]float64, error) {
	k, _ := m.covariance(x, x)
	factor, err := cholesky(k, jitter+noise)
	if err != nil {
		return nil, err
	}
	weights, out := matrix(x.Rows, 1), make([]float64, queries.Rows)
	for i, v := range y {
		weights.Data[i] = v - m.scalars[constant]
	}
	lapack64.Potrs(factor, weights)
	for i := range out {
		out[i] = m.scalars[constant]
	}
	for from := 0; from < queries.Rows; from += atATime {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(from+atATime, queries.Rows)
		crossed, _ := m.covariance(rows(queries, from, to), x)
		blas64.Gemv(blas.NoTrans, 1, crossed, vector(weights.Data), 1, vector(out[from:to]))
	}
	return out, nil
}

// local predicts every query from the k training rows that are nearest to it in the embedding.
func (m *model) local(ctx context.Context, t *task.Task, train, queries blas64.General, k int, noise float64) ([]float64, error) {
	out := make([]float64, queries.Rows)
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	parallel.For(ctx, t.Threads, queries.Rows, 1, func(_, q, _ int) {
		x, y, query := matrix(k, train.Cols), make([]float64, k), rows(queries, q, q+1)
		for i, n := range nearest(query.Data, train, k) {
			copy(row(x, i), row(train, n))
			y[i] = t.Y[n]
		}
		mean, err := m.conditioned(ctx, x, y, query, noise)
		if err != nil {
			fail(err)
			return
		}
		out[q] = mean[0]
	})
	return out, context.Cause(ctx)
}

// nearest returns the k rows of x that are nearest to a point, the first ones of those at the same distance.
func nearest(point []float64, x blas64.General, k int) []int {
	type candidate struct {
		row    int
		square float64
	}
	var found []candidate
	cut := func() { // to the k nearest
		slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.square, b.square), cmp.Compare(a.row, b.row)) })
		found = found[:min(k, len(found))]
	}
	bound := math.Inf(1)
	for i := range x.Rows {
		square := 0.0
		for j, v := range row(x, i) {
			square += (v - point[j]) * (v - point[j])
		}
		if square >= bound {
			continue
		}
		if found = append(found, candidate{i, square}); len(found) == 2*k {
			cut()
			bound = found[k-1].square
		}
	}
	cut()
	out := make([]int, len(found))
	for i, c := range found {
		out[i] = c.row
	}
	return out
}
