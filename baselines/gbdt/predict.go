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
	var compiled *compiled
	if rows >= worthCompiling {
		compiled = m.compiled()
	}
	blocks := (rows + blockRows - 1) / blockRows
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(max(threads, 1), blocks) {
		wg.Go(func() {
			s := m.newScorer(compiled, counts)
			for b := int(next.Add(1)) - 1; b < blocks && ctx.Err() == nil; b = int(next.Add(1)) - 1 {
				s.score(ctx, x, b*blockRows, min((b+1)*blockRows, rows), out)
			}
		})
	}
	wg.Wait()
	return out, ctx.Err()
}

const (
	// blockRows is the number of rows that go through a tree together: enough to make up for fetching the tree, few enough
	// to stay in a core's cache.
	blockRows = 512

	// worthCompiling is the number of rows from which on it is faster to compile the trees first.
	worthCompiling = 128
)

// A scorer scores one block of rows after the other.
type scorer struct {
	model  *Model
	block  *compiledBlock // nil: tree by tree
	order  []int          // of the counts, ascending
	counts []int
	sum    []float64 // of the block, output by output
}

func (m *Model) newScorer(c *compiled, counts []int) *scorer {
	s := &scorer{model: m, counts: make([]int, len(counts)), sum: make([]float64, blockRows*m.Outputs)}
	for i, n := range counts {
		s.counts[i] = min(n, m.Iterations())
		s.order = append(s.order, i)
	}
	slices.SortFunc(s.order, func(i, j int) int { return s.counts[i] - s.counts[j] })
	if c != nil {
		s.block = c.newBlock(blockRows)
	}
	return s
}

// score writes the raw scores of rows first to end. It stops early, with scores that mean nothing, when ctx is done.
func (s *scorer) score(ctx context.Context, x []float32, first, end int, out []method.Prediction) {
	outputs := s.model.Outputs
	x = x[first*s.model.Features : end*s.model.Features]
	noGaps := !slices.ContainsFunc(x, func(v float32) bool { return v != v })
	fast := s.block != nil && noGaps
	if fast {
		s.block.load(x)
	}
	clear(s.sum)
	done := 0
	for _, i := range s.order {
		for done < s.counts[i] {
			to := min(done+64, s.counts[i])
			if ctx.Err() != nil {
				return
			}
			for k := range outputs {
				if sum := s.sum[k*blockRows : (k+1)*blockRows]; fast {
					s.block.add(sum, k, done, to)
				} else {
					s.add(sum, x, k, done, to, noGaps)
				}
			}
			done = to
		}
		for r := range end - first {
			for k := range outputs {
				out[i][(first+r)*outputs+k] = s.sum[k*blockRows+r]
			}
		}
	}
}

// add adds one output of iterations first to end to the sums of rows, tree by tree.
func (s *scorer) add(sum []float64, x []float32, output, first, end int, noGaps bool) {
	m := s.model
	rows := len(x) / m.Features
	for n := first; n < end; n++ {
		t := &m.trees[n*m.Outputs+output]
		done := 0
		if noGaps && t.numeric() {
			done = t.addFours(sum[:rows], x, m.Features)
		}
		for r := done; r < rows; r++ {
			sum[r] += t.score(x[r*m.Features : (r+1)*m.Features])
		}
	}
}
