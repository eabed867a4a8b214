package optimiser

import "github.com/gomlx/gomlx/core/graph"

// Lookahead (Zhang et al., 2019) around another optimiser: every LookaheadSteps steps the slow weights move half of the way to the
// fast ones, which start again from there. The slow weights begin as a copy of the fast ones at the first of these steps, which
// therefore changes nothing.
const (
	LookaheadSteps = 6
	lookaheadAlpha = 0.5
)

// Lookahead returns the weights, slow and fast, after such a step.
func Lookahead(slow, fast *graph.Node) *graph.Node {
	return graph.Add(slow, graph.MulScalar(graph.Sub(fast, slow), lookaheadAlpha))
}
