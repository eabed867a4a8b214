package npt

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/vectors"
	"nptbench/internal/weights"
)

// A golden file holds numbers computed in double precision by the official implementation.
type golden struct {
	Config struct {
		Columns []struct {
			Type       string `json:"type"`
			Categories int    `json:"categories"`
		} `json:"columns"`
		Target  int     `json:"target"`
		Rows    int     `json:"rows"`
		Hidden  int     `json:"dim_hidden"`
		Heads   int     `json:"heads"`
		Layers  int     `json:"layers"`
		Lambda  float64 `json:"tradeoff_lambda"`
		Dropout float64 `json:"dropout"`
		HasType bool    `json:"feature_type_embedding"`
		KeysLN  bool    `json:"norm_keys"`
	} `json:"config"`
	Masks  []string       `json:"dropout_masks"` // in the order of the forward pass: 1 for every entry that survives, else 0
	Mask   [][]uint8      `json:"mask"`
	Input  [][][]float64  `json:"input"`
	Truth  [][][]float64  `json:"truth"`
	Output [][][]float64  `json:"output"`
	Loss   goldenLoss     `json:"loss"`
	Params goldenTensors  `json:"params"`
	Grads  goldenTensors  `json:"grads"`
	Train  goldenTraining `json:"training"`
}

type goldenLoss struct{ Target, Feature, Total float64 }

type goldenTensors map[string]struct {
	Shape []int     `json:"shape"`
	Data  []float64 `json:"data"`
}

type goldenTraining struct {
	LR         float64            `json:"lr"`
	Trajectory []goldenLoss       `json:"trajectory"`
	Norms      map[string]float64 `json:"final_param_norms"`
	Output     [][][]float64      `json:"final_output"`
}

var goldenNames = []string{"mixed-regression", "classification", "all-numeric-deep"}

func readGolden(t *testing.T, name string) *golden {
	t.Helper()
	g := new(golden)
	vectors.Read(t, "testdata/"+name+".json.gz", g)
	return g
}

// network returns the network of a golden file.
func (g *golden) network() *network {
	c := DefaultConfig()
	c.Hidden, c.Heads, c.Layers, c.Dropout = g.Config.Hidden, g.Config.Heads, g.Config.Layers, 0
	c.Precision, c.LayerNormKeys = Float64, g.Config.KeysLN
	columns := make([]Column, len(g.Config.Columns))
	for j, column := range g.Config.Columns {
		columns[j] = Column{Categories: column.Categories, Target: j == g.Config.Target}
	}
	return newNetwork(c, columns)
}

// officialName returns what the official code calls a part of a parameter: part j of a packed one.
func officialName(name string, j int) string {
	kind := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case strings.HasPrefix(name, "in."):
		return fmt.Sprintf("in_embedding.%d.%s", j, kind)
	case strings.HasPrefix(name, "out."):
		return fmt.Sprintf("out_embedding.%d.%s", j, kind)
	case strings.HasPrefix(name, "embedding."):
		return "feature_" + kind + "_embedding.weight"
	}
	var layer int
	fmt.Sscanf(name, "layer%d.", &layer)
	part := strings.Split(name, ".")[1]
	part = map[string]string{"q": "fc_q", "k": "fc_k", "v": "fc_v", "mix": "fc_mix_heads", "res": "fc_res",
		"ln0": "ln0", "ln1": "ln1", "ff1": "rff.0", "ff2": "rff.2"}[part]
	kind = map[string]string{"weight": "weight", "bias": "bias", "scale": "weight", "shift": "bias"}[kind]
	// Reshaping between ABD and ABA counts as a module of its own.
	return fmt.Sprintf("enc.%d.mab.%s.%s", officialBlock(layer), part, kind)
}

var officialBlock = func(layer int) int { return 2*layer + 1 }

// pack arranges official tensors like the parameter p.
func (ts goldenTensors) pack(t *testing.T, p weights.Param) []float64 {
	t.Helper()
	size, inner := 1, 1
	for i, d := range p.Dims {
		size *= d
		if i > 0 {
			inner *= d
		}
	}
	out := make([]float64, 0, size)
	if p.Group == nil {
		official, ok := ts[officialName(p.Name, 0)]
		if !ok {
			t.Fatalf("no tensor %s for %s", officialName(p.Name, 0), p.Name)
		}
		if len(p.Dims) == 2 && strings.HasPrefix(p.Name, "layer") { // [out, in] to (in x out)
			for i := range p.Dims[0] {
				for o := range p.Dims[1] {
					out = append(out, official.Data[o*p.Dims[0]+i])
				}
			}
			return out
		}
		return append(out, official.Data...)
	}
	used := map[int]int{}
	for _, j := range p.Group {
		official := ts[officialName(p.Name, j)]
		row := used[j]
		used[j]++
		for c := range inner {
			at := row*inner + c // rows of out.weight, entries of biases
			if p.Name == "in.weight" {
				at = c*official.Shape[1] + row
			}
			out = append(out, official.Data[at])
		}
	}
	if len(out) != size {
		t.Fatalf("%s: %d weights, want %d", p.Name, len(out), size)
	}
	return out
}

// flat puts the matrices of the columns side by side, and beside each other their last columns, the mask.
func flat(columns [][][]float64, widths []Column) (values, mask []float64) {
	for i := range columns[0] {
		for j, c := range widths {
			row := columns[j][i]
			values = append(values, row[:c.width()]...)
			mask = append(mask, row[len(row)-1])
		}
	}
	return values, mask
}

func toFloats(t *testing.T, x *tensors.Tensor) []float64 {
	t.Helper()
	out, err := backends.Floats(x)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// closeTo fails the test unless got equals want up to a share of the largest entry of want. Where all of want is below
// 1e-3 the difference is absolute: the gradients of the biases of keys, zero in theory, are nothing but rounding errors.
func closeTo(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	scale := 0.0
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance*max(scale, 1e-3)) {
			t.Fatalf("%s: entry %d is %.17g, want %.17g", what, i, got[i], want[i])
		}
	}
}

// flatOutput brings an output (columns x rows x channels) into the order of ours.
func (g *golden) flatOutput(output [][][]float64) (flat []float64) {
	for i := range g.Config.Rows {
		for j := range output {
			flat = append(flat, output[j][i]...)
		}
	}
	return flat
}

// run computes output, losses and gradients of a golden file with these parameters.
func (g *golden) run(t *testing.T, backend compute.Backend, n *network, dtype dtypes.DType, params [][]float64) (output []float64, loss goldenLoss, grads map[string][]float64) {
	t.Helper()
	rows, d, s := g.Config.Rows, len(n.columns), channels(n.columns)
	input, mask := flat(g.Input, n.columns)
	truth, _ := flat(g.Truth, n.columns)
	codes := make([]uint8, 0, rows*d)
	for _, row := range g.Mask {
		codes = append(codes, row...)
	}
	args := []any{
		backends.Tensor(input, dtype, rows, s), backends.Tensor(mask, dtype, rows, d), backends.Tensor(truth, dtype, rows, s),
		tensors.FromFlatDataAndDimensions(codes, rows, d),
	}
	for i, p := range n.Params {
		args = append(args, backends.Tensor(params[i], dtype, p.Dims...))
	}
	program, err := graph.NewExec(backend, func(in []*graph.Node) []*graph.Node {
		params, masks := in[4:], g.Masks
		drop := &dropout{g.Config.Dropout, func(dims ...int) *graph.Node {
			keep := make([]bool, len(masks[0]))
			for i, c := range masks[0] {
				keep[i] = c == '1'
			}
			masks = masks[1:]
			return graph.Reshape(graph.Const(in[0].Graph(), keep), dims...)
		}}
		z := n.forward(params, in[3], drop).predict(in[0], in[1])
		losses := n.loss(z, in[2], in[3])
		total := losses.npt(graph.Scalar(z.Graph(), dtype, g.Config.Lambda))
		if len(masks) > 0 {
			t.Errorf("%d masks of dropout are left", len(masks))
		}
		return append([]*graph.Node{z, losses.targetLoss(), losses.featureLoss(), total}, graph.Gradient(total, params...)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	loss.Target, loss.Feature = toFloats(t, out[1])[0], toFloats(t, out[2])[0]
	loss.Total = toFloats(t, out[3])[0]
	grads = map[string][]float64{}
	for i, p := range n.Params {
		grads[p.Name] = toFloats(t, out[4+i])
	}
	return toFloats(t, out[0]), loss, grads
}

func TestGoldenForwardLossGradients(t *testing.T) { onBackends(t, testGoldenGradients) }

func testGoldenGradients(t *testing.T, backend compute.Backend) {
	for _, name := range goldenNames {
		for _, p := range goldenPrecisions {
			t.Run(name+"/"+p.dtype.String(), func(t *testing.T) {
				readGolden(t, name).check(t, backend, p.dtype, p.tolerance)
			})
		}
	}
}

var goldenPrecisions = []struct {
	dtype     dtypes.DType
	tolerance float64
}{{dtypes.Float64, 1e-9}, {dtypes.Float32, 1e-4}}

// check compares outputs, losses and gradients with the golden ones.
func (g *golden) check(t *testing.T, backend compute.Backend, dtype dtypes.DType, tolerance float64) {
	t.Helper()
	n := g.network()
	var params [][]float64
	for _, p := range n.Params {
		params = append(params, g.Params.pack(t, p))
	}
	output, loss, grads := g.run(t, backend, n, dtype, params)
	closeTo(t, "output", output, g.flatOutput(g.Output), tolerance)
	closeTo(t, "losses", []float64{loss.Target, loss.Feature, loss.Total},
		[]float64{g.Loss.Target, g.Loss.Feature, g.Loss.Total}, tolerance)
	for _, p := range n.Params {
		closeTo(t, "gradient of "+p.Name, grads[p.Name], g.Grads.pack(t, p), tolerance)
	}
}

// Numbers that testdata/torch_vectors.py computed for networks of odd shapes: targets in any place and of either kind, tables of one type,
// one feature, one row, odd numbers of heads, keys and values of normalised tokens. Where $NPT_TORCH_PYTHON is a Python with PyTorch, more
// of them are made afresh, and compared in double precision: single may be too little for what chance makes of them.
func TestOddShapes(t *testing.T) {
	var cases []*golden
	vectors.Read(t, "testdata/odd-shapes.json.gz", &cases)
	kept := len(cases)
	if !slices.ContainsFunc(cases, func(g *golden) bool { return g.Config.KeysLN }) {
		t.Error("no case has the norm of equation 4")
	}
	if python := os.Getenv("NPT_TORCH_PYTHON"); python != "" {
		out, err := exec.Command(python, "-B", "testdata/torch_vectors.py", strconv.Itoa(rand.IntN(1e6)), "30").Output()
		if err != nil {
			t.Fatal(err)
		}
		var more []*golden
		if err := json.Unmarshal(out, &more); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, more...)
	}
	for i, g := range cases {
		for _, p := range goldenPrecisions {
			if i >= kept && p.dtype == dtypes.Float32 {
				continue
			}
			t.Run(fmt.Sprint(i, p.dtype), func(t *testing.T) {
				tolerance := p.tolerance
				if p.dtype == dtypes.Float32 {
					tolerance *= 10 // norms of two or three numbers enlarge rounding errors
				}
				g.check(t, testBackend(t), p.dtype, tolerance)
				if t.Failed() {
					t.Logf("%+v", g.Config)
				}
			})
		}
	}
}

// With dropout of embedding, attention weights, mixed heads, feed-forward network and output, whose masks are those that
// testdata/torch_vectors.py drew: outputs, losses and gradients are PyTorch's.
func TestGoldenDropout(t *testing.T) {
	var cases []*golden
	vectors.Read(t, "testdata/dropout.json.gz", &cases)
	if len(cases) != 1 || len(cases[0].Masks) != 2+4*cases[0].Config.Layers {
		t.Fatalf("%d cases, want one with all masks", len(cases))
	}
	onBackends(t, func(t *testing.T, backend compute.Backend) { cases[0].check(t, backend, dtypes.Float64, 1e-9) })
}

// goldenEngine returns an engine whose steps work on the fixed batch and mask of a golden file.
func (g *golden) engine(t *testing.T, backend compute.Backend, n *network) (*engine, []any) {
	t.Helper()
	dtype := n.master()
	rows, d, s := g.Config.Rows, len(n.columns), channels(n.columns)
	input, mask := flat(g.Input, n.columns)
	truth, _ := flat(g.Truth, n.columns)
	var codes []uint8
	for _, row := range g.Mask {
		codes = append(codes, row...)
	}
	e := &engine{net: n, backend: backend}
	args := []any{
		backends.Tensor(input, dtype, rows, s), backends.Tensor(mask, dtype, rows, d), backends.Tensor(truth, dtype, rows, s),
		tensors.FromFlatDataAndDimensions(codes, rows, d), n.array([]float64{g.Train.LR}), n.array([]float64{g.Config.Lambda}),
	}
	var err error
	e.steps, err = graph.NewExec(e.backend, func(in []*graph.Node) []*graph.Node {
		state, p := in[6:], len(n.Arrays)
		s := stateNodes{state[:p], state[p : 2*p], state[2*p:]}
		grads, sums := n.gradients(batch{truth: in[2], codes: in[3], values: in[0], mask: in[1]}, nil, in[5], s.weights)
		next := n.descend(s, grads, in[4])
		return slices.Concat([]*graph.Node{sums}, next.weights, next.m, next.v)
	})
	if err != nil {
		t.Fatal(err)
	}
	if e.sync, err = graph.NewExec(e.backend, syncGraph); err != nil {
		t.Fatal(err)
	}
	return e, args
}

// unpackedNumbers is the reverse of packedNumbers.
func unpackedNumbers(n *network, arrays [][]float64) [][]float64 {
	out := make([][]float64, len(n.Params))
	for i, a := range n.Arrays {
		for row, m := range a.Members {
			size := n.Params[m].Size()
			out[m] = arrays[i][row*size : (row+1)*size]
		}
	}
	return out
}

func TestGoldenTraining(t *testing.T) { onBackends(t, testGoldenTraining) }

func testGoldenTraining(t *testing.T, backend compute.Backend) {
	for _, name := range goldenNames {
		for _, precision := range []struct {
			Precision
			tolerance float64
		}{{Float64, 1e-6}, {Float32, 1e-4}} {
			if backend.Name() == "xla" && precision.Precision == Float32 && name != goldenNames[0] {
				continue // compiling takes XLA seconds
			}
			t.Run(fmt.Sprint(name, "/", precision.Precision), func(t *testing.T) {
				g := readGolden(t, name)
				n := g.network()
				n.Precision = precision.Precision
				e, args := g.engine(t, backend, n)
				s := e.newState()
				var params [][]float64
				for _, p := range n.Params {
					params = append(params, g.Params.pack(t, p))
				}
				for i, w := range n.PackedNumbers(params) {
					s.weights[i] = backends.Tensor(w, n.master(), n.Arrays[i].Dims...)
				}
				trained := func() [][]float64 {
					var arrays [][]float64
					for _, w := range s.weights {
						arrays = append(arrays, toFloats(t, w))
					}
					return unpackedNumbers(n, arrays)
				}
				for i, want := range g.Train.Trajectory {
					if i+1 == len(g.Train.Trajectory) && backend.Name() != "xla" { // compiling another graph takes XLA seconds
						output, _, _ := g.run(t, backend, n, n.master(), trained())
						closeTo(t, "output in the last step", output, g.flatOutput(g.Train.Output), precision.tolerance)
					}
					out, err := e.advance(s, slices.Clone(args), 1, nil)
					if err != nil {
						t.Fatal(err)
					}
					sums := toFloats(t, out)
					target, feature := sums[0]/sums[1], sums[2]/sums[3]
					total := g.Config.Lambda*feature + (1-g.Config.Lambda)*target
					closeTo(t, fmt.Sprint("losses of step ", i+1), []float64{target, feature, total},
						[]float64{want.Target, want.Feature, want.Total}, precision.tolerance)
				}
				params = trained()
				for i, p := range n.Params {
					if strings.HasSuffix(p.Name, "k.bias") {
						continue // biases of keys have no effect and wander
					}
					squares := map[string]float64{} // by tensor, of which a packed parameter has several
					for at, w := range params[i] {
						part := 0
						if p.Group != nil {
							part = p.Group[at/(p.Size()/p.Dims[0])]
						}
						squares[officialName(p.Name, part)] += w * w
					}
					for name, sum := range squares {
						closeTo(t, "norm of "+name, []float64{math.Sqrt(sum)}, []float64{g.Train.Norms[name]}, precision.tolerance)
					}
				}
			})
		}
	}
}
