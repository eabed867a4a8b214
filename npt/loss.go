package npt

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// lossSums are the ingredients of the two losses: sums over the entries that are to be predicted, and their numbers.
type lossSums struct {
	target, targets   *graph.Node // label loss: sum and number of entries
	feature, features *graph.Node // feature loss
}

// means returns the label loss and the feature loss, each the mean over its entries, of features of both types together.
// A loss without entries is 0.
func (l lossSums) means() (target, feature *graph.Node) {
	return graph.Div(l.target, atLeastOne(l.targets)), graph.Div(l.feature, atLeastOne(l.features))
}

func atLeastOne(x *graph.Node) *graph.Node { return graph.MaxScalar(x, 1) }

// loss compares predictions z (n x S) with the truth (n x S) at the entries whose code (n x d) is masked or randomised:
// squared error for continuous attributes, cross-entropy for categorical ones.
//
// It returns the sums, and the gradient with respect to z of lambda * feature loss + (1-lambda) * label loss.
func (n *network) loss(z, truth, codes, lambda *graph.Node) (lossSums, *graph.Node) {
	dtype := truth.DType()
	z = graph.ConvertDType(z, dtype)
	lossAt, prediction := n.entryLoss(z, truth)

	asked := graph.ConvertDType(isCode(codes, masked, randomised), dtype)
	targetEntry, featureEntry := n.ofTargets(asked, true), n.ofTargets(asked, false)
	targetChannel, featureChannel := n.spread(targetEntry), n.spread(featureEntry)
	sums := lossSums{
		target:   graph.ReduceAllSum(graph.Mul(lossAt, targetChannel)),
		targets:  graph.ReduceAllSum(targetEntry),
		feature:  graph.ReduceAllSum(graph.Mul(lossAt, featureChannel)),
		features: graph.ReduceAllSum(featureEntry),
	}

	// Both losses have the same form of gradient: prediction (or probability) minus truth, twice for squared errors.
	weight := graph.Add(
		graph.Mul(targetChannel, graph.Div(graph.OneMinus(lambda), atLeastOne(sums.targets))),
		graph.Mul(featureChannel, graph.Div(lambda, atLeastOne(sums.features))))
	slope := make([]float64, len(channelColumns(n.columns)))
	for i, j := range channelColumns(n.columns) {
		slope[i] = 1
		if n.columns[j].Categories == 0 {
			slope[i] = 2
		}
	}
	weight = graph.Mul(weight, constantRow(z, slope))
	return sums, graph.Mul(graph.Sub(prediction, truth), weight)
}

// entryLoss returns the loss of every channel (those of a categorical attribute add up to its cross-entropy) and what is
// predicted there: a value, or the probability of a category.
func (n *network) entryLoss(z, truth *graph.Node) (loss, prediction *graph.Node) {
	var losses, predictions []*graph.Node
	at := 0
	for _, r := range columnRuns(n.columns) {
		width := r.columns * max(r.categories, 1)
		zr := graph.SliceAxis(z, 1, graph.AxisRange(at, at+width))
		tr := graph.SliceAxis(truth, 1, graph.AxisRange(at, at+width))
		at += width
		if r.categories == 0 {
			losses = append(losses, graph.Square(graph.Sub(zr, tr)))
			predictions = append(predictions, zr)
			continue
		}
		rows := z.Shape().Dimensions[0]
		logits := graph.Reshape(zr, rows, r.columns, r.categories)
		p, logP := logSoftmax(logits)
		losses = append(losses, graph.Neg(graph.Mul(tr, graph.Reshape(logP, rows, width))))
		predictions = append(predictions, graph.Reshape(p, rows, width))
	}
	return graph.Concatenate(losses, 1), graph.Concatenate(predictions, 1)
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

// logSoftmax returns the probabilities of the classes in the last axis, and their logarithms. These come from the largest
// probability, 1 / Σ exp(x - max), so that small ones stay exact.
func logSoftmax(x *graph.Node) (p, logP *graph.Node) {
	p = graph.Softmax(x, -1)
	shift := graph.Sub(graph.Log(graph.ReduceAndKeep(p, graph.ReduceMax, -1)), graph.ReduceAndKeep(x, graph.ReduceMax, -1))
	return p, graph.Add(x, shift)
}

// ofTargets keeps the entries (n x d) of target columns, or those of the others.
func (n *network) ofTargets(entries *graph.Node, targets bool) *graph.Node {
	keep := make([]float64, len(n.columns))
	for j, c := range n.columns {
		if c.Target == targets {
			keep[j] = 1
		}
	}
	return graph.Mul(entries, constantRow(entries, keep))
}

// spread gives every channel (n x S) what its entry (n x d) has.
func (n *network) spread(entries *graph.Node) *graph.Node {
	t := &tape{g: entries.Graph(), dtype: entries.DType()}
	return mulT(entries, t.oneHot(channelColumns(n.columns), len(n.columns)))
}

// constantRow returns a 1 x len(values) matrix of the graph and type of like.
func constantRow(like *graph.Node, values []float64) *graph.Node {
	return graph.Reshape(graph.ConstAsDType(like.Graph(), like.DType(), values), 1, len(values))
}

// isCode reports for every entry whether its code is one of two.
func isCode(codes *graph.Node, a, b code) *graph.Node {
	is := func(c code) *graph.Node {
		return graph.Equal(codes, graph.Scalar(codes.Graph(), dtypes.Uint8, c))
	}
	return graph.LogicalOr(is(a), is(b))
}
