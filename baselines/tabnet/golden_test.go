package tabnet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"nptbench/internal/backends"
	"nptbench/internal/vectors"
	"nptbench/internal/weights"
)

// A golden file holds numbers that pytorch-tabnet computed in double precision.
type golden struct {
	Config struct {
		InputDim     int     `json:"input_dim"`
		OutputDim    int     `json:"output_dim"`
		Decision     int     `json:"n_d"`
		Attention    int     `json:"n_a"`
		Steps        int     `json:"n_steps"`
		Gamma        float64 `json:"gamma"`
		Independent  int     `json:"n_independent"`
		Shared       int     `json:"n_shared"`
		VirtualBatch int     `json:"virtual_batch_size"`
		Momentum     float64 `json:"momentum"`
		Training     bool    `json:"training_mode"`
		Sparsity     float64 `json:"lambda_sparse"`
	} `json:"config"`
	Params, Grads goldenTensors
	Before        goldenTensors `json:"buffers_before"`
	After         goldenTensors `json:"buffers_after"`
	Input, Output [][]float64
	LossWeights   [][]float64 `json:"loss_weights"`
	SparsityLoss  float64     `json:"sparsity_loss"`
	Loss          float64
	Grad          [][]float64 // of sparsemax.json.gz
}

type goldenTensors map[string]struct {
	Shape []int
	Data  []float64
}

// testBackend returns the backend of the tests: what GOMLX_BACKEND says, else the one for processors.
func testBackend(t testing.TB) compute.Backend {
	t.Helper()
	name := os.Getenv(compute.ConfigEnvVar)
	if name == "" {
		name = backends.Processor
	}
	b, err := backends.Open(name, 0)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// libraryName is pytorch-tabnet's name of a weight or a running statistic.
func libraryName(c *config, name string) string {
	if name == "embeddings" {
		return name
	}
	i := strings.LastIndex(name, ".")
	place, what := name[:i], name[i+1:]
	what = map[string]string{"scale": "weight", "shift": "bias", "mean": "running_mean", "variance": "running_var", "weight": "weight"}[what]
	block, layer, isLayer := strings.Cut(place, ".layer")
	owner := "encoder.initial_splitter"
	if step, ok := strings.CutPrefix(block, "step"); ok {
		owner = "encoder.feat_transformers." + strings.TrimSuffix(step, ".mask")
	}
	norm := ".bn.bn."
	if strings.HasSuffix(name, ".weight") {
		norm = ".fc."
	}
	switch {
	case name == "output.weight":
		return "final_mapping.weight"
	case strings.HasPrefix(name, "shared"):
		return "encoder.initial_splitter.shared.shared_layers." + strings.TrimPrefix(place, "shared") + ".weight"
	case block == "features":
		return "encoder.initial_bn." + what
	case isLayer:
		var i int
		fmt.Sscan(layer, &i)
		if i < c.Shared {
			return fmt.Sprintf("%s.shared.glu_layers.%d%s%s", owner, i, norm, what)
		}
		return fmt.Sprintf("%s.specifics.glu_layers.%d%s%s", owner, i-c.Shared, norm, what)
	}
	return strings.Replace(owner, "feat", "att", 1) + norm + what
}

// named returns the numbers of a name, with or without that of the module around the network, and of all embeddings together.
func (g goldenTensors) named(name string) (data []float64) {
	if name == "embeddings" {
		for j := 0; ; j++ {
			x, ok := g[fmt.Sprintf("embedder.embeddings.%d.weight", j)]
			if !ok {
				return data
			}
			data = append(data, x.Data...)
		}
	}
	if x, ok := g["tabnet."+name]; ok {
		return x.Data
	}
	return g[name].Data
}

// of returns the numbers of a set of parameters, one after the other.
func (g goldenTensors) of(t testing.TB, c *config, s *weights.Set) (all []float64) {
	t.Helper()
	for _, p := range s.Params {
		data := g.named(libraryName(c, p.Name))
		if len(data) != p.Size() {
			t.Fatalf("%s: %d numbers named %s, want %d", p.Name, len(data), libraryName(c, p.Name), p.Size())
		}
		all = append(all, data...)
	}
	return all
}

// The forward pass, its gradients and the running statistics are pytorch-tabnet's, in training and in evaluation.
func TestGolden(t *testing.T) {
	for _, name := range []string{"eval-small", "train-ghost-batches"} {
		t.Run(name, func(t *testing.T) {
			var g golden
			vectors.Read(t, "testdata/"+name+".json.gz", &g)
			c := defaults
			c.Decision, c.Attention, c.Steps, c.Gamma, c.Shared, c.Independent = g.Config.Decision, g.Config.Attention, g.Config.Steps, g.Config.Gamma, g.Config.Shared, g.Config.Independent
			c.VirtualBatch, c.Momentum, c.Sparsity, c.Double = g.Config.VirtualBatch, g.Config.Momentum, g.Config.Sparsity, true
			columns := columns{Numeric: g.Config.InputDim}
			if g.Config.OutputDim > 1 {
				columns.Classes = g.Config.OutputDim
			}
			n := newNetwork(c, columns)
			params, running := g.Params.of(t, &c, &n.params), g.Before.of(t, &c, &n.statistics)
			if len(params) != n.params.Size() {
				t.Fatal(len(params))
			}
			out, err := graph.CallOnceN(testBackend(t), func(args []*graph.Node) []*graph.Node {
				f := n.forward(args[1], args[2], g.Config.Training)
				z, sparsity := f.predict(args[0])
				loss := graph.Sub(graph.MulScalar(graph.ReduceAllSum(graph.Mul(z, args[3])), 1/float64(len(g.Input))), graph.MulScalar(sparsity, c.Sparsity))
				var nodes []*graph.Node
				for _, p := range n.params.Params {
					nodes = append(nodes, f.w[p.Name])
				}
				moved := args[2]
				if g.Config.Training {
					moved = f.moved(args[2])
				}
				return []*graph.Node{z, sparsity, loss, n.params.Packed(graph.Gradient(loss, nodes...))[0], moved}
			}, g.Input, params, running, g.LossWeights)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, "output", out[0], flat(g.Output))
			compare(t, "sparsity", out[1], []float64{g.SparsityLoss})
			compare(t, "loss", out[2], []float64{g.Loss})
			compare(t, "gradient", out[3], g.Grads.of(t, &c, &n.params))
			compare(t, "running statistics", out[4], g.After.of(t, &c, &n.statistics))
		})
	}
}

func TestGoldenSparsemax(t *testing.T) {
	var g golden
	vectors.Read(t, "testdata/sparsemax.json.gz", &g)
	out, err := graph.CallOnceN(testBackend(t), func(z, w *graph.Node) []*graph.Node {
		p := sparsemax(z)
		return []*graph.Node{p, graph.Gradient(graph.ReduceAllSum(graph.Mul(p, w)), z)[0]}
	}, g.Input, g.LossWeights)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "sparsemax", out[0], flat(g.Output))
	compare(t, "gradient", out[1], flat(g.Grad))
}

func flat(rows [][]float64) (all []float64) {
	for _, row := range rows {
		all = append(all, row...)
	}
	return all
}

// compare holds numbers against others to 1e-9, relative where they are larger than 1.
func compare(t *testing.T, what string, got *tensors.Tensor, want []float64) {
	t.Helper()
	numbers, err := backends.Floats(got)
	if err != nil {
		t.Fatal(err)
	}
	if len(numbers) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(numbers), len(want))
	}
	worst, at := 0.0, 0
	for i, x := range numbers {
		if d := math.Abs(x-want[i]) / max(1, math.Abs(want[i])); d > worst || math.IsNaN(d) {
			worst, at = d, i
		}
	}
	if !(worst <= 1e-9) {
		t.Errorf("%s: number %d is %v, want %v", what, at, numbers[at], want[at])
	}
	t.Logf("%s: at most %.1e away", what, worst)
}

// In single precision, too, no entry is below zero, since the sparsity takes its logarithm. This row, of a training on Protein, has an
// entry that the others exceed by a little less than 1 in sum, and that is below τ as it is rounded.
func TestSparsemaxIsNotNegative(t *testing.T) {
	row := []float32{1.016147, 0.60743165, -0.49520525, 0.6090153, 0.26211652, 0.940457, -0.6095586, 0.39214048, 0.8704418}
	out, err := graph.CallOnce(testBackend(t), sparsemax, tensors.FromFlatDataAndDimensions(row, 1, len(row)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := backends.Floats(out)
	if err != nil {
		t.Fatal(err)
	}
	if !(slices.Min(p) >= 0) {
		t.Errorf("sparsemax is %v", p)
	}
}

// Rows that are too wide to be compared at a time are what each is alone.
func TestSparsemaxOfWideRows(t *testing.T) {
	const rows, features = 3, 4200
	if atATime(rows, features) == rows {
		t.Fatal("all are compared at a time")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	z := make([]float32, rows*features)
	for i := range z {
		z[i] = rng.Float32()
	}
	of := func(rows int, z []float32) []float64 {
		out, err := graph.CallOnce(testBackend(t), sparsemax, tensors.FromFlatDataAndDimensions(z, rows, features))
		if err != nil {
			t.Fatal(err)
		}
		p, err := backends.Floats(out)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	all := of(rows, z)
	for i := range rows {
		row := all[i*features : (i+1)*features]
		if !slices.Equal(row, of(1, z[i*features:(i+1)*features])) || !(math.Abs(floats.Sum(row)-1) <= 1e-5) {
			t.Errorf("row %d is another among others, or its sum is %v", i, floats.Sum(row))
		}
	}
}
