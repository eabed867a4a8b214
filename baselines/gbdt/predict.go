package gbdt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"nptbench/internal/method"
)

// Predict predicts rows by the first n iterations of the model, for each n of counts: numbers for regression, one
// probability per class otherwise, row-major. Counts beyond Iterations mean all of them, as the libraries have it.
//
// x holds len(x)/Features rows, row-major. At most threads goroutines work at the same time.
func (m *Model) Predict(ctx context.Context, x []float32, counts []int, threads int) ([]method.Prediction, error) {
	out, err := m.rawScores(ctx, x, counts, threads)
	if err != nil {
		return nil, err
	}
	for i, raw := range out {
		out[i] = m.predictions(raw)
	}
	return out, nil
}

// predictions turns raw scores into predictions.
func (m *Model) predictions(raw []float64) []float64 {
	if m.link == identity {
		return raw
	}
	n := m.Predictions()
	out := make([]float64, len(raw)/m.Outputs*n)
	for r := range len(raw) / m.Outputs {
		m.link.apply(raw[r*m.Outputs:(r+1)*m.Outputs], out[r*n:(r+1)*n])
	}
	return out
}

// rawScores is Predict before the link.
func (m *Model) rawScores(ctx context.Context, x []float32, counts []int, threads int) ([]method.Prediction, error) {
	if len(x)%m.Features != 0 {
		return nil, fmt.Errorf("%d numbers are no table of %d features", len(x), m.Features)
	}
	if len(counts) == 0 || slices.Min(counts) < 1 {
		return nil, errors.New("want tree counts of at least 1")
	}
	rows := len(x) / m.Features
	out := make([]method.Prediction, len(counts))
	for i := range out {
		out[i] = make(method.Prediction, rows*m.Outputs)
	}
	block := m.blockRows()
	blocks := (rows + block - 1) / block
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(max(threads, 1), blocks) {
		wg.Go(func() {
			scorer := newBlockScorer(m, block, counts)
			for b := int(next.Add(1)) - 1; b < blocks && ctx.Err() == nil; b = int(next.Add(1)) - 1 {
				scorer.score(ctx, x, b*block, min((b+1)*block, rows), out)
			}
		})
	}
	wg.Wait()
	return out, ctx.Err()
}

// blockRows is the number of rows that go through a tree together: enough to make up for fetching the tree, few enough
// to stay in a core's cache.
func (m *Model) blockRows() int { return min(max(1<<14/m.Features, 16), 512) }

// A blockScorer scores one block of rows after the other.
type blockScorer struct {
	model  *Model
	counts []int
	x      []float64 // the block's features
	step   []float64 // the block's scores in one iteration
	sum    []float64
}

func newBlockScorer(m *Model, rows int, counts []int) *blockScorer {
	return &blockScorer{
		model: m, counts: counts,
		x: make([]float64, rows*m.Features), step: make([]float64, rows*m.Outputs), sum: make([]float64, rows*m.Outputs),
	}
}

// score writes the raw scores of rows first to end. It stops early, with scores that mean nothing, when ctx is done.
func (s *blockScorer) score(ctx context.Context, x []float32, first, end int, out []method.Prediction) {
	m, rows := s.model, end-first
	block := x[first*m.Features : end*m.Features]
	for i, v := range block {
		s.x[i] = float64(v)
	}
	step, sum := s.step[:rows*m.Outputs], s.sum[:rows*m.Outputs]
	clear(sum)
	for n, trees := range m.steps {
		if n%64 == 0 && ctx.Err() != nil {
			return
		}
		// The sizes fit, so that there is no error.
		trees.PredictDense(s.x[:len(block)], rows, m.Features, step, 0, 1)
		for i, v := range step {
			sum[i] += v
		}
		for i, count := range s.counts {
			if n+1 == count || n+1 == len(m.steps) && count > n+1 {
				copy(out[i][first*m.Outputs:], sum)
			}
		}
	}
}
