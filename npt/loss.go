package npt

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/weights"
)

// The training objective of section 2.6 of the paper. Each of its two losses is a mean over the entries on which it is
// evaluated, those that are masked or randomised (appendix C.5); features of both types count together.
//
//	L^NPT = (1-λ) L^Targets + λ L^Features

// lossSums are what the losses are made of: sums over the entries that are to be predicted, and the numbers of these.
type lossSums struct {
	target, targets   *graph.Node // L^Targets: sum and number of entries
	feature, features *graph.Node // L^Features
}

// lossSumCount is how many numbers these are.
const lossSumCount = 4

// vector returns the numbers side by side.
func (l lossSums) vector() *graph.Node {
	return graph.Stack([]*graph.Node{l.target, l.targets, l.feature, l.features}, 0)
}

// targetLoss returns L^Targets, and featureLoss L^Features. A loss without entries is 0.
func (l lossSums) targetLoss() *graph.Node  { return graph.Div(l.target, atLeastOne(l.targets)) }
func (l lossSums) featureLoss() *graph.Node { return graph.Div(l.feature, atLeastOne(l.features)) }

// npt returns L^NPT.
func (l lossSums) npt(lambda *graph.Node) *graph.Node {
	return graph.Add(graph.Mul(graph.OneMinus(lambda), l.targetLoss()), graph.Mul(lambda, l.featureLoss()))
}

func atLeastOne(x *graph.Node) *graph.Node { return graph.StopGradient(graph.MaxScalar(x, 1)) }

// loss compares predictions z (n x S) with the truth (n x S) at the entries whose code (n x d) is masked or randomised:
// squared error for continuous attributes, cross-entropy for categorical ones.
func (n *network) loss(z, truth, codes *graph.Node) lossSums {
	lossAt := n.channelLoss(graph.ConvertDType(z, truth.DType()), truth)
	asked := graph.ConvertDType(isCode(codes, masked, randomised), truth.DType())
	targets, features := n.ofTargets(asked, true), n.ofTargets(asked, false)
	return lossSums{
		target:   graph.ReduceAllSum(graph.Mul(lossAt, n.spread(targets))),
		targets:  graph.ReduceAllSum(targets),
		feature:  graph.ReduceAllSum(graph.Mul(lossAt, n.spread(features))),
		features: graph.ReduceAllSum(features),
	}
}

// channelLoss returns the loss of every channel (n x S); those of a categorical attribute add up to its cross-entropy.
func (n *network) channelLoss(z, truth *graph.Node) *graph.Node {
	return n.onRuns(func(categories int, x []*graph.Node) *graph.Node {
		z, truth := x[0], x[1]
		if categories == 0 {
			return graph.Square(graph.Sub(z, truth))
		}
		return graph.Neg(graph.Mul(truth, graph.LogSoftmax(z, -1)))
	}, z, truth)
}

// predictions turns the output of the network (n x S) into values of continuous attributes and probabilities of classes.
func (n *network) predictions(z *graph.Node) *graph.Node {
	return n.onRuns(func(categories int, x []*graph.Node) *graph.Node {
		if categories == 0 {
			return x[0]
		}
		return graph.Softmax(x[0], -1)
	}, z)
}

// onRuns applies f to the channels (n x columns x max(categories, 1)) of every run of columns, and returns the results side by
// side, n x S.
func (n *network) onRuns(f func(categories int, x []*graph.Node) *graph.Node, arrays ...*graph.Node) *graph.Node {
	var out []*graph.Node
	at, rows := 0, arrays[0].Shape().Dimensions[0]
	for _, r := range columnRuns(n.columns) {
		each := max(r.categories, 1)
		var x []*graph.Node
		for _, a := range arrays {
			x = append(x, graph.Reshape(graph.SliceAxis(a, 1, graph.AxisRange(at, at+r.columns*each)), rows, r.columns, each))
		}
		out = append(out, graph.Reshape(f(r.categories, x), rows, r.columns*each))
		at += r.columns * each
	}
	return graph.Concatenate(out, 1)
}

// A columnRun is a number of neighbouring columns of equal kind and width, which are computed together.
type columnRun struct{ columns, categories int }

func columnRuns(columns []Column) []columnRun {
	var runs []columnRun
	for _, c := range columns {
		if last := len(runs) - 1; last >= 0 && runs[last].categories == c.Categories {
			runs[last].columns++
			continue
		}
		runs = append(runs, columnRun{1, c.Categories})
	}
	return runs
}

// ofTargets keeps the entries (n x d) of target columns, or those of the others.
func (n *network) ofTargets(entries *graph.Node, targets bool) *graph.Node {
	keep := make([]float64, len(n.columns))
	for j, c := range n.columns {
		if c.Target == targets {
			keep[j] = 1
		}
	}
	return graph.Mul(entries, weights.Constant(entries, keep, 1, len(keep)))
}

// spread gives every channel (n x S) what its entry (n x d) has.
func (n *network) spread(entries *graph.Node) *graph.Node {
	return mul(entries, graph.Transpose(weights.OneHot(entries, channelColumns(n.columns), len(n.columns)), 0, 1))
}

// isCode reports for every entry whether its code is this one, or one of the others.
func isCode(codes *graph.Node, this code, others ...code) *graph.Node {
	is := graph.Equal(codes, graph.Scalar(codes.Graph(), dtypes.Uint8, this))
	for _, other := range others {
		is = graph.LogicalOr(is, isCode(codes, other))
	}
	return is
}
