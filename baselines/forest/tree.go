package forest

import (
	"context"

	"nptbench/internal/parallel"
)

// A node sends rows whose feature is at most the threshold to the tree's node child, the others to child+1. In a leaf
// feature is -1, and child is the index of its first value, or, below 0, the complement of the class that has all of its rows.
type node struct {
	feature   int32
	threshold float32
	child     int32
}

type tree struct {
	nodes  []node
	values []float64 // predictions of the other leaves, one after the other
}

// A sum adds up the predictions of trees for fixed rows.
type sum struct {
	x              []float32
	width, outputs int
	total          []float64
}

func newSum(x []float32, width, outputs int) *sum {
	return &sum{x: x, width: width, outputs: outputs, total: make([]float64, len(x)/width*outputs)}
}

// blockBytes is about how much of the rows is taken through all trees together, so that it stays in the cache.
const blockBytes = 1 << 20

// add adds the trees' predictions. The order of additions in a row is that of the trees, whatever the number of threads.
// After an error, which is ctx's, the sum is of no use.
func (s *sum) add(ctx context.Context, trees []tree, threads int) error {
	block := min(max(blockBytes/(4*s.width), 8), 16384)
	return parallel.For(ctx, threads, len(s.x)/s.width, block, func(_, from, to int) {
		for i := range trees {
			s.addRows(&trees[i], from, to)
		}
	})
}

// addRows adds a tree's predictions for the rows from from to to-1.
func (s *sum) addRows(t *tree, from, to int) {
	for row := from; row < to; row++ {
		x, n := s.x[row*s.width:][:s.width], &t.nodes[0]
		for n.feature >= 0 {
			at := n.child
			if x[n.feature] > n.threshold {
				at++
			}
			n = &t.nodes[at]
		}
		total := s.total[row*s.outputs:][:s.outputs]
		if n.child < 0 {
			total[^n.child]++
			continue
		}
		for k, v := range t.values[n.child:][:s.outputs] {
			total[k] += v
		}
	}
}

// mean returns the mean prediction of the trees added so far.
func (s *sum) mean(trees int) []float64 {
	out := make([]float64, len(s.total))
	for i, v := range s.total {
		out[i] = v / float64(trees)
	}
	return out
}
