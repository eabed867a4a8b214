package gbdt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"nptbench/internal/method"
	"nptbench/internal/parallel"
)

// A Model is a boosted ensemble of binary trees that can predict. It is safe for concurrent use.
type Model struct {
	Features int    // columns that it was fitted on
	Outputs  int    // raw scores per row: the number of classes from three classes on, else 1
	Origin   Origin // where it comes from; zero for models that this package did not write

	link   link
	trees  []tree   // of all iterations, one per output each; the learning rate and the initial scores are in their leaves
	names  []string // of the columns, as the text has them; nil: no text was read
	source []byte   // LightGBM's own text; nil for other libraries
}

// Iterations is the number of boosting iterations, each of Outputs trees.
func (m *Model) Iterations() int { return len(m.trees) / m.Outputs }

// Predictions is the number of numbers that Predict gives for a row: 1 for regression, else the number of classes.
func (m *Model) Predictions() int { return m.link.predictions(m.Outputs) }

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

// blockRows is the number of rows that go through a tree together: they and the tree stay in a core's cache.
const blockRows = 128

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
	return out, parallel.For(ctx, threads, rows, blockRows, func(_, from, to int) { m.scoreRows(ctx, x, from, to, counts, out) })
}

// scoreRows writes the raw scores of rows first to end-1, tree by tree. It stops early, with scores that are not complete,
// when ctx is done.
func (m *Model) scoreRows(ctx context.Context, x []float32, first, end int, counts []int, out []method.Prediction) {
	sums := make([]float64, (end-first)*m.Outputs)
	all := m.Iterations()
	for n := range min(slices.Max(counts), all) {
		if ctx.Err() != nil {
			return
		}
		for k := range m.Outputs {
			t := &m.trees[n*m.Outputs+k]
			for r := first; r < end; r++ {
				sums[(r-first)*m.Outputs+k] += t.score(x[r*m.Features : (r+1)*m.Features])
			}
		}
		for i, count := range counts {
			if min(count, all) == n+1 {
				copy(out[i][first*m.Outputs:], sums)
			}
		}
	}
}

// largestLeaf is the largest absolute value of a leaf.
func (m *Model) largestLeaf() float64 {
	largest := 0.0
	for i := range m.trees {
		for _, v := range m.trees[i].leaf {
			largest = max(largest, math.Abs(v))
		}
	}
	return largest
}

// addToFirstTrees adds the initial scores, one per output, to the leaves of the first iteration.
func (m *Model) addToFirstTrees(scores []float64) error {
	if m.Outputs < 1 || len(scores) != m.Outputs || len(m.trees) < m.Outputs {
		return fmt.Errorf("%d initial scores and %d trees for %d outputs", len(scores), len(m.trees), m.Outputs)
	}
	for k, s := range scores {
		for i := range m.trees[k].leaf {
			m.trees[k].leaf[i] += s
		}
	}
	return nil
}
