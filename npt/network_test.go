package npt

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
)

// The published parameter counts, counted by the official code.
func TestParameterCounts(t *testing.T) {
	continuous := func(n int) []Column { return make([]Column, n) }
	categories := func(widths ...int) []Column {
		var c []Column
		for _, w := range widths {
			c = append(c, Column{Categories: w})
		}
		return c
	}
	boston := slices.Concat(continuous(12), categories(2, 9))
	yacht := slices.Concat(categories(5, 10, 8, 17, 10, 14), continuous(1))
	poker := slices.Concat(categories(4, 13, 4, 13, 4, 13, 4, 13, 4, 13), categories(10))
	forest := slices.Concat(continuous(10), slices.Repeat(categories(2), 44), categories(7))
	for _, v := range []struct {
		name      string
		columns   []Column
		e, layers int
		want      int
	}{
		{"protein", continuous(10), 128, 8, 86134026},
		{"protein, 4 layers", continuous(10), 128, 4, 43070218},
		{"boston-housing", boston, 128, 8, 167956759},
		{"boston-housing, 16 layers", boston, 128, 16, 335901975},
		{"concrete", continuous(9), 128, 8, 69938825},
		{"yacht", yacht, 128, 8, 42675393},
		{"breast-cancer", slices.Concat(continuous(30), categories(2)), 32, 8, 51287040},
		{"poker-hand", poker, 64, 8, 26042399},
		{"forest-cover", forest, 64, 8, 644738729},
		{"higgs", slices.Concat(continuous(28), categories(2)), 64, 8, 179456350},
	} {
		c := DefaultConfig()
		c.Hidden, c.Layers = v.e, v.layers
		if got := newNetwork(c, v.columns).Size(); got != v.want {
			t.Errorf("%s: %d parameters, want %d", v.name, got, v.want)
		}
	}
}

// smallConfig is a network that runs in milliseconds.
func smallConfig() Config {
	c := DefaultConfig()
	c.Hidden, c.Layers, c.Heads, c.Precision, c.Seed = 8, 4, 2, Float64, 11
	c.Steps, c.LR = 20, 5e-3
	return c
}

// predictAll returns what an untrained network predicts for every channel of every row.
func predictAll(t *testing.T, table *Table, c Config, m mode) [][]float64 {
	t.Helper()
	e, err := newEngine(newNetwork(c, table.Columns), table, testBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := e.predict(context.Background(), e.newState().weights, m, newRand(1), 0, e.table.Rows())
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Shuffling the training rows shuffles their predictions and changes no other.
func TestPermutationEquivariance(t *testing.T) {
	table := testTable(20, 6, 6, true)
	c := smallConfig()
	c.TargetMask = 0.5
	want := predictAll(t, table, c, valMode)
	order := newRand(3).Perm(20)
	shuffled := *table
	shuffled.Values, shuffled.Missing = slices.Clone(table.Values), slices.Clone(table.Missing)
	for to, from := range order {
		copy(shuffled.Values[to*6:(to+1)*6], table.Values[from*6:])
		copy(shuffled.Missing[to*4:(to+1)*4], table.Missing[from*4:])
	}
	got := predictAll(t, &shuffled, c, valMode)
	for i := range got {
		from := i
		if i < 20 {
			from = order[i]
		}
		closeTo(t, "prediction", got[i], want[from], 1e-12)
	}
}

// No prediction depends on what stands in the targets of test rows, in any mode.
func TestTestTargetsAreNeverSeen(t *testing.T) {
	table := testTable(20, 6, 6, false)
	changed := *table
	changed.Values = slices.Clone(table.Values)
	for i := 26; i < 32; i++ {
		changed.Values[i*6+1] = float32(math.NaN()) // would poison every sum that it entered
	}
	for _, pTarget := range []float64{1, 0.3} {
		c := smallConfig()
		c.TargetMask = pTarget
		for _, m := range []mode{valMode, testMode} {
			want, got := predictAll(t, table, c, m), predictAll(t, &changed, c, m)
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Fatalf("p_target %v, mode %d: the prediction of row %d changed", pTarget, m, i)
				}
			}
		}
	}
}

// Unknown targets of test rows, and missing entries, may be NaN.
func TestUnknownValuesMayBeNaN(t *testing.T) {
	clean, dirty := testTable(20, 6, 6, true), testTable(20, 6, 6, true)
	for i := range dirty.Rows() {
		if dirty.missing(i, 0) {
			dirty.Values[i*6] = float32(math.NaN())
		}
		if i >= 26 {
			dirty.Values[i*6+1] = float32(math.Inf(1))
		}
	}
	c := smallConfig()
	c.Layers, c.Steps, c.TargetMask = 2, 9, 0.5
	var trained [2]*Trainer
	for k, table := range []*Table{clean, dirty} {
		trained[k] = newTestTrainer(t, table, c)
		train(t, trained[k])
	}
	if !slices.Equal(allWeights(t, trained[0]), allWeights(t, trained[1])) {
		t.Error("the training depends on them")
	}
	var predicted [2][][]float64
	for k, table := range []*Table{clean, dirty} {
		var err error
		if predicted[k], err = modelOf(t, trained[0]).Predict(context.Background(), table); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.EqualFunc(predicted[0], predicted[1], slices.Equal) {
		t.Errorf("predictions %v and %v", predicted[0], predicted[1])
	}
}

// A training step is the same whatever stands in the targets of validation and test rows.
func TestTrainingIgnoresHiddenTargets(t *testing.T) {
	table := testTable(20, 6, 6, false)
	changed := *table
	changed.Values = slices.Clone(table.Values)
	for i := 20; i < 32; i++ {
		changed.Values[i*6+1] += 3
	}
	c := smallConfig()
	c.TargetMask = 0.5
	var weights [2][]float64
	for k, table := range []*Table{table, &changed} {
		tr := newTestTrainer(t, table, c)
		if err := tr.runPass(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		for _, w := range tr.state.weights {
			weights[k] = append(weights[k], toFloats(t, w)...)
		}
	}
	if !slices.Equal(weights[0], weights[1]) {
		t.Error("the weights depend on targets that are hidden")
	}
}

// Randomised entries have standard normal numbers, and classes that are equally likely, one independent of the other.
func TestReplacement(t *testing.T) {
	const rows = 10_000
	n := newNetwork(smallConfig(), testTable(2, 1, 1, false).Columns) // channels 0, 1 and 5 are of numbers, 2 to 4 of a class
	exec, err := graph.NewExec(testBackend(t), func(rng *graph.Node) *graph.Node {
		_, values := n.replacement(rng, rows)
		return values
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Call([]uint64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	values := toFloats(t, out[0])
	mean := func(what string, of func(row []float64) float64, want, deviation float64) {
		sum := 0.0
		for row := range slices.Chunk(values, 6) {
			sum += of(row)
		}
		if got := sum / rows; !(math.Abs(got-want) <= 5*deviation/math.Sqrt(rows)) {
			t.Errorf("%s: the mean is %v, want %v", what, got, want)
		}
	}
	for _, i := range []int{0, 1, 5} {
		mean("a number", func(x []float64) float64 { return x[i] }, 0, 1)
		mean("its square", func(x []float64) float64 { return x[i] * x[i] }, 1, math.Sqrt(2))
		mean("its fourth power", func(x []float64) float64 { return math.Pow(x[i], 4) }, 3, math.Sqrt(96))
	}
	for _, i := range []int{2, 3, 4} {
		mean("a class", func(x []float64) float64 { return x[i] }, 1./3, math.Sqrt(2)/3)
	}
	mean("squares of classes", func(x []float64) float64 { return x[2]*x[2] + x[3]*x[3] + x[4]*x[4] }, 1, 0)
	for _, pair := range [][2]int{{0, 1}, {0, 5}} {
		mean("a product", func(x []float64) float64 { return x[pair[0]] * x[pair[1]] }, 0, 1)
	}
}

// The loss has a gradient exactly at the entries that are asked for; the mask stays 0 at randomised entries, masked and hidden ones show
// nothing, and flagged ones their values with a mask of 1.
func TestWhatTheNetworkSees(t *testing.T) {
	table := testTable(2, 1, 1, false)
	n := newNetwork(smallConfig(), table.Columns)
	codes := []uint8{ // a, y, b (3 channels), c
		uint8(masked), uint8(visible), uint8(randomised), uint8(visible),
		uint8(randomised), uint8(masked), uint8(visible), uint8(masked),
		uint8(flagged), uint8(hidden), uint8(hidden), uint8(visible),
		uint8(visible), uint8(randomised), uint8(visible), uint8(hidden),
	}
	replacement := make([]float64, 24)
	for i := range replacement {
		replacement[i] = 100 + float64(i)
	}
	truth := make([]float64, len(table.Values))
	for i, v := range table.Values {
		truth[i] = float64(v)
	}
	exec, err := graph.NewExec(testBackend(t), func(in []*graph.Node) []*graph.Node {
		b := n.randomise(n.batch(in[0], in[1], graph.Const(in[0].Graph(), []int32{0, 1, 2, 3})), in[2])
		z := graph.AddScalar(in[0], 0.5)
		loss := n.loss(z, in[0], in[1]).npt(graph.Scalar(z.Graph(), n.master(), 0.5))
		return []*graph.Node{b.values, b.mask, graph.Gradient(loss, z)[0]}
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Call(backends.Tensor(truth, n.master(), 4, 6), tensors.FromFlatDataAndDimensions(codes, 4, 4), backends.Tensor(replacement, n.master(), 4, 6))
	if err != nil {
		t.Fatal(err)
	}
	values, mask, grad := toFloats(t, out[0]), toFloats(t, out[1]), toFloats(t, out[2])
	channel := channelColumns(table.Columns)
	for i := range 4 {
		for at, j := range channel {
			var want float64
			switch code(codes[i*4+j]) {
			case visible, flagged:
				want = truth[i*6+at]
			case randomised:
				want = replacement[i*6+at]
			}
			if !(math.Abs(values[i*6+at]-want) <= 1e-12) {
				t.Errorf("row %d, channel %d, code %d: the network sees %v, want %v", i, at, codes[i*4+j], values[i*6+at], want)
			}
		}
		for j := range 4 {
			c := code(codes[i*4+j])
			if got, want := mask[i*4+j] == 1, c == masked || c == hidden || c == flagged; got != want {
				t.Errorf("row %d, column %d, code %d: mask is %v", i, j, c, got)
			}
			asked := c == masked || c == randomised
			some := false
			for at := range channel {
				some = some || channel[at] == j && grad[i*6+at] != 0
			}
			if some != asked {
				t.Errorf("row %d, column %d, code %d: gradient %v", i, j, c, some)
			}
		}
	}
}

// Every layer that a network lists the weights of takes part in its predictions, and no other is listed.
func TestLayersTakePart(t *testing.T) {
	table := testTable(12, 4, 4, false)
	for name, c := range map[string]struct {
		change func(*Config)
		want   []int
	}{
		"base":   {func(*Config) {}, []int{0, 1, 2, 3}},
		"deep":   {func(c *Config) { c.Layers = 6 }, []int{0, 1, 2, 3, 4, 5}},
		"no ABA": {func(c *Config) { c.NoABA = true }, []int{0, 2}},
		"no ABD": {func(c *Config) { c.NoABD = true }, []int{1, 3}},
	} {
		config := smallConfig()
		c.change(&config)
		e, err := newEngine(newNetwork(config, table.Columns), table, testBackend(t))
		if err != nil {
			t.Fatal(err)
		}
		predict := func(moved string) []float64 {
			t.Helper()
			rng, found := newRand(2), moved == ""
			var params [][]float64
			for _, p := range e.net.Params {
				w := make([]float64, p.Size())
				for i := range w {
					w[i] = 0.2 * rng.NormFloat64()
					if p.Name == moved {
						w[i], found = w[i]+float64(i%3), true
					}
				}
				params = append(params, w)
			}
			if !found {
				return nil
			}
			var arrays []*tensors.Tensor
			for i, numbers := range e.net.PackedNumbers(params) {
				arrays = append(arrays, config.array(numbers, e.net.Arrays[i].Dims...))
			}
			rows, err := e.predict(t.Context(), arrays, testMode, newRand(1), 0, table.Rows())
			if err != nil {
				t.Fatal(err)
			}
			return slices.Concat(rows...)
		}
		base := predict("")
		for l := range 7 {
			moved := predict(layerParam(l, "ff2.bias"))
			if listed := moved != nil; listed != slices.Contains(c.want, l) {
				t.Errorf("%s: layer %d listed: %v", name, l, listed)
			} else if listed && slices.Equal(moved, base) {
				t.Errorf("%s: layer %d changes nothing", name, l)
			}
		}
	}
}

// Every other switch of the architecture changes what is predicted.
func TestAblationSwitches(t *testing.T) {
	table := testTable(12, 4, 4, false)
	base := predictAll(t, table, smallConfig(), testMode)
	for name, change := range map[string]func(*Config){
		"norm keys":      func(c *Config) { c.LayerNormKeys = true },
		"heads":          func(c *Config) { c.Heads = 4 },
		"target masking": func(c *Config) { c.TargetMask = 0.5 },
	} {
		c := smallConfig()
		change(&c)
		if got := predictAll(t, table, c, testMode); slices.Equal(got[19], base[19]) {
			t.Errorf("%s changes nothing", name)
		}
	}
}

// The gradient is the slope of the loss, with dropout, with uneven numbers of heads, in all forms of the network.
func TestGradientIsSlope(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"base":         func(*Config) {},
		"three heads":  func(c *Config) { c.Hidden, c.Heads = 9, 3 },
		"one head":     func(c *Config) { c.Heads = 1 },
		"norm keys":    func(c *Config) { c.LayerNormKeys = true },
		"no ABA":       func(c *Config) { c.NoABA = true },
		"no dropout":   func(c *Config) { c.Dropout = 0 },
		"width 1 head": func(c *Config) { c.Hidden, c.Heads = 4, 4 },
		"recompute":    func(c *Config) { c.Recompute = true },
	} {
		t.Run(name, func(t *testing.T) {
			c := smallConfig()
			c.Dropout = 0.3
			change(&c)
			checkSlopes(t, c)
		})
	}
}

// checkSlopes compares the gradient with respect to each array with central differences along random directions.
func checkSlopes(t *testing.T, c Config) {
	t.Helper()
	const lambda = 0.4
	table := testTable(9, 2, 2, false)
	n := newNetwork(c, table.Columns)
	e, err := newEngine(n, table, testBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	codes := drawMask(newRand(4), table, &c, trainMode)
	fixed := append(e.batchArgs(rowsBetween(0, table.Rows()), tensors.FromFlatDataAndDimensions(codes, table.Rows(), 4)), e.randomState(0))
	exec, err := graph.NewExec(e.backend, func(in []*graph.Node) []*graph.Node {
		b, rng, arrays := n.batch(in[0], in[1], in[2]), in[3], in[4:]
		grads, sums := n.gradients(b, rng, graph.Scalar(rng.Graph(), n.master(), lambda), arrays)
		return append([]*graph.Node{sums}, grads...)
	})
	if err != nil {
		t.Fatal(err)
	}
	var weights [][]float64
	for _, w := range e.newState().weights {
		weights = append(weights, toFloats(t, w))
	}
	run := func() (loss float64, grads [][]float64) {
		args := slices.Clone(fixed)
		for i, w := range weights {
			args = append(args, n.array(w, n.Arrays[i].Dims...))
		}
		out, err := exec.Call(args...)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range out[1:] {
			grads = append(grads, toFloats(t, g))
		}
		sums := toFloats(t, out[0])
		return (1-lambda)*sums[0]/sums[1] + lambda*sums[2]/sums[3], grads
	}
	_, grads := run()
	rng := newRand(6)
	for i, a := range n.Arrays {
		const step = 1e-5
		start, slope := weights[i], 0.0
		direction := make([]float64, len(start))
		for k := range direction {
			direction[k] = rng.NormFloat64()
			slope += direction[k] * grads[i][k]
		}
		var losses [2]float64
		for side := range losses {
			weights[i] = slices.Clone(start)
			for k, d := range direction {
				weights[i][k] += step * float64(2*side-1) * d
			}
			losses[side], _ = run()
		}
		weights[i] = start
		closeTo(t, "slope along "+a.Name, []float64{slope}, []float64{(losses[1] - losses[0]) / (2 * step)}, 1e-6)
	}
}

// One number in 2³² that GoMLX takes for normal is none on XLA; the largest one that can be is √(-2 ln 2⁻¹⁴⁹).
func TestLegalNormal(t *testing.T) {
	onBackends(t, func(t *testing.T, backend compute.Backend) {
		exec, err := graph.NewExec(backend, legalNormal)
		if err != nil {
			t.Fatal(err)
		}
		x := []float32{0.5, float32(math.NaN()), -14.37, float32(math.Inf(1)), 14.37, float32(math.Inf(-1))}
		out, err := exec.Call(x)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := toFloats(t, out[0]), []float64{0.5, 0, -14.37, 0, 14.37, 0}; !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}
