package tabnet

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/weights"
)

// This file is the network: the forward pass from encoded rows to predictions, top to bottom. Names and letters are those of
// "TabNet: Attentive Interpretable Tabular Learning" (arXiv 1908.07442). GoMLX derives the gradients.
//
// Sizes: n rows, D features, N_d and N_a the widths of what a step decides and of what it passes on, h = N_d + N_a.

// A network is the shape of a TabNet for tables with the given columns.
type network struct {
	config
	columns    columns
	params     weights.Set // all in one array
	statistics weights.Set // the running ones of what is normalised, in one array
}

func newNetwork(c config, columns columns) *network {
	return &network{c, columns, weights.NewFlat(listParams(&c, &columns)), weights.NewFlat(listStatistics(&c, &columns))}
}

func (n *network) dtype() dtypes.DType {
	if n.Double {
		return dtypes.Float64
	}
	return dtypes.Float32
}

// A forward is one forward pass through the network in a graph.
type forward struct {
	*network
	w        map[string]*graph.Node // the weights by name
	running  map[string]*graph.Node // the running statistics by name
	training bool
	seen     []momentPair // in training: of what was normalised, in that order
}

// A momentPair is the means and the unbiased variances of virtual batches, virtual batches x width.
type momentPair struct{ mean, variance *graph.Node }

func (n *network) forward(params, running *graph.Node, training bool) *forward {
	named := func(s *weights.Set, array *graph.Node) map[string]*graph.Node {
		nodes := map[string]*graph.Node{}
		for i, x := range s.Unpacked([]*graph.Node{array}) {
			nodes[s.Params[i].Name] = x
		}
		return nodes
	}
	return &forward{network: n, w: named(&n.params, params), running: named(&n.statistics, running), training: training}
}

// features returns what the network sees of rows, n x D: numbers (n x numeric features), then the embeddings of codes (n x
// categorical features, places in the table of all embeddings). Either is nil where there are no such features.
func (f *forward) features(numbers, codes *graph.Node) *graph.Node {
	if codes == nil {
		return numbers
	}
	n, c := codes.Shape().Dimensions[0], codes.Shape().Dimensions[1]
	embedded := graph.Reshape(graph.Gather(f.w["embeddings"], graph.Reshape(codes, n*c, 1)), n, c)
	if numbers == nil {
		return embedded
	}
	return graph.Concatenate([]*graph.Node{numbers, embedded}, 1)
}

// predict returns the predictions for features x, n x outputs, and the sparsity: the mean of Σ M log M over steps and rows, 0
// where every mask has one feature.
//
// Step i looks at M[i] x, where M[i] is the mask. Its feature transformer's output is split into the decision d[i], of which the
// positive parts of all steps add up to what is predicted, and a[i], of which the next mask is made. The prior P[i] says how much
// each feature has been used so far:
//
//	M[i] = sparsemax(P[i-1] h(a[i-1])),  P[i] = Π (γ - M[j]) over j ≤ i,  [d[i], a[i]] = f(M[i] x)
func (f *forward) predict(x *graph.Node) (predictions, sparsity *graph.Node) {
	x = f.normalise("features", x, x.Shape().Dimensions[0])
	_, a := f.split(f.transform("split", x))
	var prior, sum, d *graph.Node
	for step := range f.Steps {
		m := f.mask(step, a, prior)
		sparsity = add(sparsity, graph.ReduceAllSum(graph.Mul(m, graph.Log(graph.AddScalar(m, 1e-15)))))
		left := graph.AddScalar(graph.Neg(m), f.Gamma)
		if prior != nil {
			left = graph.Mul(prior, left)
		}
		prior = left
		d, a = f.split(f.transform(stepName(step), graph.Mul(m, x)))
		d = relu(d)
		sum = add(sum, d)
	}
	rows := x.Shape().Dimensions[0]
	return linear(sum, f.w["output.weight"]), graph.MulScalar(sparsity, 1/float64(rows*f.Steps))
}

// mask, the attentive transformer, returns the features that a step looks at (n x D): rows of numbers from 0 to 1 that add up to
// 1.
func (f *forward) mask(step int, a, prior *graph.Node) *graph.Node {
	name := stepName(step) + ".mask"
	z := f.normalise(name, linear(a, f.w[name+".weight"]), f.VirtualBatch)
	if prior != nil {
		z = graph.Mul(z, prior)
	}
	return sparsemax(z)
}

// transform, the feature transformer, is layers of gated linear units with residual connections, n x h. The matrices of the first
// ones are shared by all feature transformers.
func (f *forward) transform(block string, x *graph.Node) *graph.Node {
	for i := range f.Shared + f.Independent {
		y := f.gated(layerName(block, i), x, f.w[f.matrixName(block, i)])
		if i > 0 {
			y = graph.MulScalar(graph.Add(x, y), rootHalf)
		}
		x = y
	}
	return x
}

// rootHalf is √½ as the library has it, in single precision.
const rootHalf = 0.707106769084930419921875

// gated is GLU(BN(x Wᵀ)): half of the entries, each times a sigmoid of its counterpart in the other half.
func (f *forward) gated(name string, x, w *graph.Node) *graph.Node {
	z := f.normalise(name, linear(x, w), f.VirtualBatch)
	h := f.width()
	return graph.Mul(columnsOf(z, 0, h), graph.Sigmoid(columnsOf(z, h, 2*h)))
}

// split cuts the output of a feature transformer into d and a.
func (f *forward) split(x *graph.Node) (d, a *graph.Node) {
	return columnsOf(x, 0, f.Decision), columnsOf(x, f.Decision, f.width())
}

const normEpsilon = 1e-5

// normalise is batch normalisation: columns get mean 0 and variance 1, then are scaled and shifted. In training, mean and
// variance are those of virtual batches of at most so many rows; in evaluations, the running ones.
func (f *forward) normalise(name string, x *graph.Node, virtual int) *graph.Node {
	scale, shift := graph.Reshape(f.w[name+".scale"], 1, -1), graph.Reshape(f.w[name+".shift"], 1, -1)
	if !f.training {
		mean, variance := graph.Reshape(f.running[name+".mean"], 1, -1), graph.Reshape(f.running[name+".variance"], 1, -1)
		return graph.Add(graph.Mul(graph.Sub(x, mean), graph.Mul(inverseRoot(variance), scale)), shift)
	}
	rows, width := x.Shape().Dimensions[0], x.Shape().Dimensions[1]
	count, size, rest := virtualBatches(rows, virtual)
	y, moments := normaliseBatches(graph.Reshape(rowsOf(x, 0, count*size), count, size, width), scale, shift)
	if rest > 0 {
		last, of := normaliseBatches(graph.Reshape(rowsOf(x, count*size, rows), 1, rest, width), scale, shift)
		y = graph.Concatenate([]*graph.Node{y, last}, 0)
		moments.mean = graph.Concatenate([]*graph.Node{moments.mean, of.mean}, 0)
		moments.variance = graph.Concatenate([]*graph.Node{moments.variance, of.variance}, 0)
	}
	f.seen = append(f.seen, moments)
	return y
}

// normaliseBatches normalises batches (batches x rows x width) each by itself, and returns the rows below each other.
func normaliseBatches(x, scale, shift *graph.Node) (*graph.Node, momentPair) {
	batches, rows, width := x.Shape().Dimensions[0], x.Shape().Dimensions[1], x.Shape().Dimensions[2]
	mean := graph.ReduceAndKeep(x, graph.ReduceMean, 1)
	centred := graph.Sub(x, mean)
	variance := graph.ReduceAndKeep(graph.Square(centred), graph.ReduceMean, 1)
	factor := graph.Mul(inverseRoot(variance), graph.Reshape(scale, 1, 1, width))
	y := graph.Add(graph.Mul(centred, factor), graph.Reshape(shift, 1, 1, width))
	unbiased := float64(rows) / float64(max(rows-1, 1))
	return graph.Reshape(y, batches*rows, width), momentPair{
		graph.StopGradient(graph.Reshape(mean, batches, width)),
		graph.StopGradient(graph.MulScalar(graph.Reshape(variance, batches, width), unbiased)),
	}
}

func inverseRoot(variance *graph.Node) *graph.Node {
	return graph.Reciprocal(graph.Sqrt(graph.AddScalar(variance, normEpsilon)))
}

// featureMomentum is that of the statistics of the features, which the library does not let anybody change.
const featureMomentum = 0.01

// moved returns the running statistics after a pass in training, like those that the pass began with, in one array. Virtual
// batches act one after the other, each with weight momentum:
//
//	r ← (1-momentum) r + momentum r_batch
func (f *forward) moved(running *graph.Node) *graph.Node {
	width := 2 * f.columns.features()
	features := f.mix(rowsOf(running, 0, width), f.seen[:1], featureMomentum)
	ghosts := f.mix(rowsOf(running, width, f.statistics.Size()), f.seen[1:], f.Momentum)
	return graph.Concatenate([]*graph.Node{features, ghosts}, 0)
}

func (f *forward) mix(running *graph.Node, seen []momentPair, momentum float64) *graph.Node {
	var all []*graph.Node
	for _, s := range seen {
		all = append(all, s.mean, s.variance)
	}
	batches := seen[0].mean.Shape().Dimensions[0]
	shares := make([]float64, batches)
	for i := range shares {
		shares[i] = momentum * math.Pow(1-momentum, float64(batches-1-i))
	}
	of := graph.ConvertDType(graph.Const(running.Graph(), shares), running.DType())
	new := graph.DotGeneral(of, []int{0}, nil, graph.Concatenate(all, 1), []int{0}, nil)
	return graph.Add(graph.MulScalar(running, math.Pow(1-momentum, float64(batches))), new)
}

// sparsemax (Martins and Astudillo, 2016) projects the rows of z onto the probabilities: max(z - τ, 0), with τ such that they add
// up to 1. Those above τ, the support, are known without sorting: z_i is among them if what the others are larger than it adds up
// to less than 1. With the support held fixed, the derived gradient is that of the projection.
func sparsemax(z *graph.Node) *graph.Node {
	n, d := z.Shape().Dimensions[0], z.Shape().Dimensions[1]
	var above []*graph.Node
	for from, some := 0, 0; from < n; from += some {
		some = atATime(n-from, d)
		rows := graph.StopGradient(graph.Slice(z, graph.AxisRange(from, from+some)))
		differences := relu(graph.Sub(graph.Reshape(rows, some, 1, d), graph.Reshape(rows, some, d, 1))) // z_j - z_i at (i, j)
		above = append(above, graph.ReduceSum(differences, 2))
	}
	supports := graph.LessThan(graph.Concatenate(above, 0), graph.ScalarOne(z.Graph(), z.DType()))
	support := graph.ConvertDType(supports, z.DType())
	size := graph.ReduceAndKeep(support, graph.ReduceSum, 1)
	tau := graph.Div(graph.AddScalar(graph.ReduceAndKeep(graph.Mul(z, support), graph.ReduceSum, 1), -1), size)
	return relu(graph.Mul(graph.Sub(z, tau), support)) // in single precision the last of the support can be a little below τ
}

// loss is the mean squared error of predictions (n x 1) for numbers (n x 1), or the mean cross-entropy of logits (n x classes)
// for classes (n x 1).
func (n *network) loss(predictions, targets *graph.Node) *graph.Node {
	if n.columns.Classes == 0 {
		return graph.ReduceAllMean(graph.Square(graph.Sub(predictions, targets)))
	}
	rows := predictions.Shape().Dimensions[0]
	largest := graph.StopGradient(graph.ReduceAndKeep(predictions, graph.ReduceMax, 1))
	z := graph.Sub(predictions, largest)
	classes := graph.Iota(z.Graph(), shapes.Make(dtypes.Int32, rows, n.columns.Classes), 1)
	truth := graph.Equal(classes, graph.BroadcastToDims(targets, rows, n.columns.Classes))
	own := graph.ReduceSum(graph.Mul(z, graph.ConvertDType(truth, z.DType())), 1)
	return graph.ReduceAllMean(graph.Sub(graph.Log(graph.ReduceSum(graph.Exp(z), 1)), own))
}

// linear returns x Wᵀ.
func linear(x, w *graph.Node) *graph.Node {
	return graph.DotGeneral(x, []int{1}, nil, w, []int{1}, nil)
}

// relu returns max(x, 0), with the gradient 0 at 0.
func relu(x *graph.Node) *graph.Node {
	zero := graph.ZerosLike(x)
	return graph.Where(graph.GreaterThan(x, zero), x, zero)
}

func add(a, b *graph.Node) *graph.Node {
	if a == nil {
		return b
	}
	return graph.Add(a, b)
}

func columnsOf(x *graph.Node, from, to int) *graph.Node {
	return graph.SliceAxis(x, 1, graph.AxisRange(from, to))
}

func rowsOf(x *graph.Node, from, to int) *graph.Node {
	if from == 0 && to == x.Shape().Dimensions[0] {
		return x
	}
	return graph.SliceAxis(x, 0, graph.AxisRange(from, to))
}
