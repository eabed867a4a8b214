package fused

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/f32"
	"nptbench/internal/machine"
)

func goBackend(t testing.TB) compute.Backend {
	t.Helper()
	b, err := gobackend.New("")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// results computes a graph of inputs.
func results(t testing.TB, b compute.Backend, build func([]*graph.Node) []*graph.Node, inputs ...any) []*tensors.Tensor {
	t.Helper()
	exec, err := graph.NewExec(b, build)
	if err != nil {
		t.Fatal(err)
	}
	var own []any // a tensor belongs to the backend that it was given to first
	for _, x := range inputs {
		if tensor, ok := x.(*tensors.Tensor); ok {
			clone, err := tensor.LocalClone()
			if err != nil {
				t.Fatal(err)
			}
			x = clone
		}
		own = append(own, x)
	}
	out, err := exec.Call(own...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func numbers(t testing.TB, x *tensors.Tensor) (out []float64) {
	t.Helper()
	err := x.ConstFlatData(func(flat any) {
		switch x := flat.(type) {
		case []float32:
			for _, v := range x {
				out = append(out, float64(v))
			}
		case []float64:
			out = append(out, x...)
		case []int32:
			for _, v := range x {
				out = append(out, float64(v))
			}
		case []uint32:
			for _, v := range x {
				out = append(out, float64(v))
			}
		case []bool:
			for _, v := range x {
				out = append(out, float64(mask(v)&1))
			}
		default:
			t.Fatalf("numbers of type %T", flat)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func randomTensor(rng *rand.Rand, dims ...int) *tensors.Tensor {
	x := make([]float32, sizeOf(dims))
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(x, dims...)
}

// compareBackends computes a graph here and on GoMLX's own backend.
func compareBackends(t *testing.T, build func([]*graph.Node) []*graph.Node, tolerance float64, inputs ...any) {
	t.Helper()
	compareNumbers(t, results(t, New(2), build, inputs...), results(t, goBackend(t), build, inputs...), func(int) float64 { return tolerance })
}

// compareNumbers compares results, with a tolerance for each, relative to numbers above 1.
func compareNumbers(t *testing.T, got, want []*tensors.Tensor, tolerance func(result int) float64) {
	t.Helper()
	for i := range want {
		if !slices.Equal(got[i].Shape().Dimensions, want[i].Shape().Dimensions) {
			t.Fatalf("result %d has shape %s, not %s", i, got[i].Shape(), want[i].Shape())
		}
		x, y, share := numbers(t, got[i]), numbers(t, want[i]), tolerance(i)
		for j := range x {
			if d := math.Abs(x[j] - y[j]); !(d <= share*(1+math.Abs(y[j]))) && x[j] != y[j] && !(math.IsNaN(x[j]) && math.IsNaN(y[j])) {
				t.Fatalf("result %d (%s): element %d is %v, not %v", i, want[i].Shape(), j, x[j], y[j])
			}
		}
	}
}

// inDouble is a graph of the inputs in double precision.
func inDouble(build func([]*graph.Node) []*graph.Node) func([]*graph.Node) []*graph.Node {
	return func(in []*graph.Node) []*graph.Node {
		var double []*graph.Node
		for _, x := range in {
			double = append(double, graph.ConvertDType(x, dtypes.Float64))
		}
		return build(double)
	}
}

// compareAccuracy computes a graph in double precision here and on GoMLX's own backend, with equal results to the last digits; in
// single precision the results here are to be about as close to these as those there.
func compareAccuracy(t *testing.T, build func([]*graph.Node) []*graph.Node, inputs ...any) {
	t.Helper()
	exact := results(t, goBackend(t), inDouble(build), inputs...)
	compareNumbers(t, results(t, New(2), inDouble(build), inputs...), exact, func(int) float64 { return 1e-12 })

	theirs := results(t, goBackend(t), build, inputs...)
	compareNumbers(t, results(t, New(2), build, inputs...), exact, func(i int) float64 {
		worst, want := 0.0, numbers(t, exact[i])
		for j, x := range numbers(t, theirs[i]) {
			worst = max(worst, math.Abs(x-want[j])/(1+math.Abs(want[j])))
		}
		return 4*worst + 5e-6
	})
}

// Graphs of random operations on arrays of random shapes.
func TestRandomGraphs(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			data := rand.New(rand.NewPCG(seed, 0))
			dims := func(rng *rand.Rand) []int {
				return [][]int{{6, 5, 4}, {4, 30}, {2, 3, 20}, {120}, {7, 1, 3}, {1}, {3, 700}, {5, 2, 3, 41}}[rng.IntN(8)]
			}
			inputs := []any{randomTensor(data, dims(data)...), randomTensor(data, dims(data)...), randomTensor(data, dims(data)...)}
			compareAccuracy(t, func(in []*graph.Node) []*graph.Node { return randomGraph(rand.New(rand.NewPCG(seed, 1)), in) }, inputs...)
		})
	}
}

func randomGraph(rng *rand.Rand, in []*graph.Node) []*graph.Node {
	all := slices.Clone(in)
	pick := func() *graph.Node { return all[rng.IntN(len(all))] }
	g := in[0].Graph()
	like := func(x *graph.Node) *graph.Node { // something that broadcasts to x
		switch rng.IntN(4) {
		case 0:
			return graph.Scalar(g, in[0].DType(), rng.IntN(5)-2)
		case 1:
			axis := rng.IntN(x.Rank())
			return graph.ReduceAndKeep(x, graph.ReduceMax, axis)
		case 2:
			var same []*graph.Node
			for _, y := range all {
				if y.Shape().Equal(x.Shape()) {
					same = append(same, y)
				}
			}
			return same[rng.IntN(len(same))]
		}
		n := x.Shape().Dimensions[x.Rank()-1]
		row := make([]float32, n)
		for i := range row {
			row[i] = float32(i%7) - 3
		}
		ones := slices.Repeat([]int{1}, x.Rank())
		ones[x.Rank()-1] = n
		return graph.Reshape(graph.ConvertDType(graph.Const(g, row), in[0].DType()), ones...)
	}
	bounded := func(x *graph.Node) *graph.Node { return graph.Div(x, graph.AddScalar(graph.Abs(x), 1)) }
	for range 25 {
		x := pick()
		if x.Rank() == 0 {
			continue
		}
		rank, size := x.Rank(), x.Shape().Dimensions
		var y *graph.Node
		switch rng.IntN(16) {
		case 0:
			y = graph.Add(x, like(x))
		case 1:
			y = graph.Mul(like(x), bounded(x))
		case 2:
			y = graph.Sub(like(x), x)
		case 3:
			y = graph.Exp(bounded(x))
		case 4:
			y = graph.Sqrt(graph.Abs(x))
		case 5:
			y = graph.Where(graph.GreaterThan(x, graph.ScalarZero(g, in[0].DType())), x, graph.BroadcastToDims(like(x), size...))
		case 6:
			y = graph.TransposeAllAxes(x, rng.Perm(rank)...)
		case 7:
			y = graph.Reshape(x, -1)
			if n := size[0]; n > 1 && rank > 1 {
				y = graph.Reshape(x, -1, n)
			}
		case 8:
			axis := rng.IntN(rank)
			from := rng.IntN(size[axis])
			y = graph.SliceAxis(x, axis, graph.AxisRange(from, from+1+rng.IntN(size[axis]-from)))
		case 9:
			y = graph.Concatenate([]*graph.Node{x, graph.Neg(x)}, rng.IntN(rank))
		case 10:
			y = graph.ReduceAndKeep(bounded(x), graph.ReduceSum, rng.Perm(rank)[:1+rng.IntN(rank)]...)
		case 11:
			y = graph.ReduceMax(x, rng.Perm(rank)[:1+rng.IntN(rank)]...)
		case 12:
			axis := rng.IntN(rank)
			y = graph.DotGeneral(bounded(x), []int{axis}, nil, bounded(x), []int{axis}, nil)
		case 13:
			if rank < 3 {
				continue
			}
			p := rng.Perm(rank)
			y = graph.DotGeneral(bounded(x), p[:1], p[1:2], x, p[:1], p[1:2])
		case 14:
			y = graph.BroadcastToDims(graph.ReduceAndKeep(x, graph.ReduceSum, 0), size...)
		case 15:
			rows := []int32{0, int32(size[0] - 1), 0, 100}
			y = graph.Gather(x, graph.Reshape(graph.Const(g, rows[:1+rng.IntN(3)]), -1, 1))
		}
		if y.Shape().Size() < 1<<17 {
			all = append(all, graph.MulScalar(y, 0.5), y)
		}
	}
	var out []*graph.Node
	for range 6 {
		out = append(out, pick())
	}
	return append(out, all[len(all)-1], graph.GreaterThan(in[0], graph.ScalarZero(g, in[0].DType())))
}

func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		l, r           []int
		lc, lb, rc, rb []int
	}{
		{[]int{50, 70}, []int{70, 90}, []int{1}, nil, []int{0}, nil},
		{[]int{700, 9}, []int{11, 700}, []int{0}, nil, []int{1}, nil},
		{[]int{1, 2000}, []int{2000, 300}, []int{1}, nil, []int{0}, nil},
		{[]int{300, 500}, []int{1, 500}, []int{1}, nil, []int{1}, nil},
		{[]int{40000}, []int{40000}, []int{0}, nil, []int{0}, nil},
		{[]int{40, 14, 3}, []int{40, 14, 3}, []int{2}, []int{0}, []int{2}, []int{0}},
		{[]int{3, 40, 14, 5}, []int{40, 5, 3, 6}, []int{3}, []int{0, 1}, []int{1}, []int{2, 0}},
		{[]int{4, 6, 5}, []int{5, 4, 7}, []int{0, 2}, nil, []int{1, 0}, nil},
		{[]int{5, 6, 4}, []int{4, 7, 5}, []int{2, 0}, nil, []int{0, 2}, nil},
		{[]int{6, 40}, []int{6, 40}, []int{1}, []int{0}, []int{1}, []int{0}},
		{[]int{3, 4}, []int{5, 6}, nil, nil, nil, nil},
		{[]int{5, 70, 40}, []int{5, 40, 33}, []int{2}, []int{0}, []int{1}, []int{0}},
		{[]int{2, 600, 70}, []int{2, 50, 600}, []int{1}, []int{0}, []int{2}, []int{0}},
		{[]int{4, 31, 16}, []int{4, 16, 70}, []int{2}, []int{0}, []int{1}, []int{0}},
		{[]int{600, 40}, []int{40, 70}, []int{1}, nil, []int{0}, nil}, // two blocks of rows
	} {
		build := func(in []*graph.Node) []*graph.Node {
			return []*graph.Node{graph.DotGeneral(in[0], c.lc, c.lb, in[1], c.rc, c.rb)}
		}
		l, r := randomTensor(rng, c.l...), randomTensor(rng, c.r...)
		compareAccuracy(t, build, l, r)
		l, r = rounded(l), rounded(r) // whose products are exact
		for _, pairs := range allPairs() {
			b := New(2)
			b.wide = &pairs
			compareNumbers(t, results(t, b, build, l, r), results(t, New(2), build, l, r), func(int) float64 { return 1e-3 })
		}
	}
}

// Backends whose results have other bits say that something else multiplied.
func TestProductsAreTold(t *testing.T) {
	told := map[string]bool{New(1).Products(): true}
	for i, pairs := range allPairs() {
		b := New(1)
		b.wide = &pairs
		if by := b.Products(); told[by] {
			t.Errorf("kernel %d of bfloat16 has the name of another, %s", i, by)
		} else {
			told[by] = true
		}
	}
}

// rounded rounds numbers to bfloat16.
func rounded(x *tensors.Tensor) *tensors.Tensor {
	numbers := tensors.MustCopyFlatData[float32](x)
	for i, v := range numbers {
		numbers[i] = bfloat16.FromFloat32(v).Float32()
	}
	return tensors.FromFlatDataAndDimensions(numbers, x.Shape().Dimensions...)
}

// Random bits, integers and their hashes, iotas, casts.
func TestIntegers(t *testing.T) {
	compareBackends(t, func(in []*graph.Node) []*graph.Node {
		g := in[0].Graph()
		word := func(x uint32) *graph.Node { return graph.Scalar(g, dtypes.Uint32, x) }
		bits := graph.Iota(g, shapes.Make(dtypes.Uint32, 3000), 0)
		hash := graph.BitwiseXor(graph.Mul(bits, word(0x7feb352d)), graph.BitwiseShiftRightLogical(bits, word(3)))
		state, a := graph.RandomUniform(in[1], shapes.Make(dtypes.Float32, 41))
		_, b := graph.RandomNormal(state, shapes.Make(dtypes.Float32, 5, 7))
		class := graph.ConvertDType(graph.Floor(graph.MulScalar(a, 4)), dtypes.Int32)
		return []*graph.Node{
			hash, graph.GreaterOrEqual(hash, word(1<<31)), graph.Iota(g, shapes.Make(dtypes.Int32, 3, 5, 7), 1), a, b, class,
			graph.OneHot(class, 4, dtypes.Float32), graph.Bitcast(in[0], dtypes.Uint32),
			graph.ConvertDType(graph.GreaterThan(in[0], graph.ScalarZero(g, dtypes.Float32)), dtypes.Float64),
		}
	}, 1e-6, randomTensor(rand.New(rand.NewPCG(1, 2)), 33), []uint64{1, 2, 3})
}

// network is a graph with all that is interesting: products, softmax, transposes, gradients along both axes.
func network(in []*graph.Node) []*graph.Node {
	x, w := in[0], in[1]
	y := graph.DotGeneral(x, []int{1}, nil, w, []int{0}, nil)
	heads := graph.TransposeAllAxes(graph.Reshape(y, y.Shape().Dimensions[0], 4, -1), 1, 0, 2)
	a := graph.Softmax(graph.DotGeneral(heads, []int{2}, []int{0}, heads, []int{2}, []int{0}), -1)
	o := graph.DotGeneral(a, []int{2}, []int{0}, heads, []int{1}, []int{0})
	next := graph.Sub(w, graph.MulScalar(graph.DotGeneral(x, []int{0}, nil, y, []int{0}, nil), 1e-3))
	return []*graph.Node{graph.ReduceSum(graph.Square(o), 0), next, graph.ReduceAllSum(a), graph.ReduceSum(graph.Erf(y), 0)}
}

// The number of threads changes no bit, nor do wider registers, nor does it to compute several graphs at the same time.
func TestThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, w := randomTensor(rng, 300, 64), randomTensor(rng, 64, 64)
	flat := func(b compute.Backend) string {
		out := ""
		for _, r := range results(t, b, network, x, w) {
			out += fmt.Sprint(numbers(t, r))
		}
		return out
	}
	want := flat(New(1))
	for _, threads := range []int{2, 3, 8} {
		if flat(New(threads)) != want {
			t.Errorf("%d threads give other numbers", threads)
		}
	}
	wide, narrow := gemm32, narrow32
	defer func() { gemm32, narrow32 = wide, narrow }()
	for _, k := range f32.All() {
		if k == f32.Portable && wide.width > 8 {
			continue // rounds otherwise
		}
		if gemm32, narrow32 = kernels32(k); flat(New(2)) != want {
			t.Errorf("products by %s give other numbers", k.Name)
		}
	}
	gemm32, narrow32 = wide, narrow
	if half, err := NewBFloat16(1); err == nil {
		if more, err := NewBFloat16(3); err != nil || flat(half) == want || flat(more) != flat(half) {
			t.Errorf("products of bfloat16: %v; as in float32, or as many threads make of them: other numbers are wanted, and the same", err)
		}
	}
	b := New(3)
	exec, err := graph.NewExec(b, network)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				rng := rand.New(rand.NewPCG(1, 1))
				mine, w := randomTensor(rng, 300, 64), randomTensor(rng, 64, 64)
				out, err := exec.Call(mine, w)
				if err != nil {
					t.Error(err)
					return
				}
				got := ""
				for _, r := range out {
					got += fmt.Sprint(numbers(t, r))
				}
				if got != want {
					t.Error("computed beside others, the numbers are others")
				}
			}
		})
	}
	all.Wait()
}

// A donated array's memory becomes that of a result where that is safe, and only then.
func TestDonation(t *testing.T) {
	b := New(2)
	rng := rand.New(rand.NewPCG(1, 1))
	for name, build := range map[string]func(in []*graph.Node) []*graph.Node{
		"in place": func(in []*graph.Node) []*graph.Node { return []*graph.Node{graph.Add(in[0], in[1])} },
		"read later": func(in []*graph.Node) []*graph.Node {
			return []*graph.Node{graph.Add(in[0], in[1]), graph.ReduceSum(in[0], 0)}
		},
		"read transposed": func(in []*graph.Node) []*graph.Node {
			return []*graph.Node{graph.Add(in[0], graph.Transpose(in[0], 0, 1))}
		},
		"read after writing": func(in []*graph.Node) []*graph.Node {
			x := graph.Add(in[0], in[1])
			return []*graph.Node{x, graph.Mul(graph.Exp(x), graph.Sub(in[0], in[1]))}
		},
		"swapped": func(in []*graph.Node) []*graph.Node { return []*graph.Node{in[1], in[0]} },
		"twice":   func(in []*graph.Node) []*graph.Node { x := graph.Neg(in[0]); return []*graph.Node{x, x, in[0]} },
	} {
		x, y := randomTensor(rng, 90, 90), randomTensor(rng, 90, 90)
		want := results(t, goBackend(t), build, x, y)
		exec, err := graph.NewExec(b, build)
		if err != nil {
			t.Fatal(err)
		}
		donate := func(x *tensors.Tensor) any {
			d, err := graph.DonateTensorBuffer(x, b, 0)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		got, err := exec.Call(donate(x), donate(y))
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			wanted := numbers(t, want[i])
			for j, x := range numbers(t, got[i]) {
				if y := wanted[j]; !(math.Abs(x-y) <= 1e-4*(1+math.Abs(y))) {
					t.Fatalf("%s: result %d: element %d is %v, not %v", name, i, j, x, y)
				}
			}
		}
	}
}

// Padding on one side, or both.
func TestPad(t *testing.T) {
	for _, config := range [][]graph.PadAxis{
		{{Start: 2}}, {{}, {End: 3}}, {{Start: 1, End: 1}, {Start: 2, End: 2}, {Start: 3, End: 3}},
	} {
		compareBackends(t, func(in []*graph.Node) []*graph.Node {
			return []*graph.Node{graph.Pad(in[0], graph.Scalar(in[0].Graph(), dtypes.Float32, 7), config...)}
		}, 0, randomTensor(rand.New(rand.NewPCG(1, 3)), 3, 4, 5))
	}
}

// Gradients that GoMLX derives, of slices, concatenations, products of all forms, reductions and broadcasts.
func TestDerivedGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	compareBackends(t, func(in []*graph.Node) []*graph.Node {
		double := func(x *graph.Node) *graph.Node { return graph.ConvertDType(x, dtypes.Float64) }
		x, w, row := double(in[0]), double(in[1]), double(in[2])
		y := graph.Add(graph.DotGeneral(x, []int{1}, nil, w, []int{0}, nil), row)
		y = graph.SliceAxis(y, 1, graph.AxisRange(3, 11))
		heads := graph.TransposeAllAxes(graph.Reshape(y, 30, 4, 2), 1, 0, 2)
		a := graph.Softmax(graph.DotGeneral(heads, []int{2}, []int{0}, heads, []int{2}, []int{0}), -1)
		o := graph.DotGeneral(a, []int{2}, []int{0}, heads, []int{1}, []int{0})
		centred := graph.Sub(o, graph.ReduceAndKeep(o, graph.ReduceMean, -2))
		norm := graph.Div(centred, graph.Sqrt(graph.AddScalar(graph.ReduceAndKeep(graph.Square(centred), graph.ReduceMean, -2), 0.1)))
		z := graph.Mul(graph.Concatenate([]*graph.Node{norm, o}, 2), graph.Erf(graph.Concatenate([]*graph.Node{o, centred}, 2)))
		return append(graph.Gradient(graph.ReduceAllSum(graph.Square(z)), x, w, row), z)
	}, 1e-12, randomTensor(rng, 30, 9), randomTensor(rng, 9, 17), randomTensor(rng, 1, 17))
}

// The gradient of rows that are gathered, some of them twice, adds up; of single numbers, of slices, of both types.
func TestGatherGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	compareBackends(t, func(in []*graph.Node) []*graph.Node {
		var out []*graph.Node
		for _, x := range []*graph.Node{in[0], graph.ConvertDType(in[0], dtypes.Float64), graph.ReduceAndKeep(in[0], graph.ReduceSum, 1)} {
			rows := graph.Const(x.Graph(), [][]int32{{4}, {0}, {4}, {2}, {6}})
			picked := graph.Transpose(graph.Square(graph.Gather(x, rows)), 0, 1)
			out = append(out, graph.Gradient(graph.ReduceAllSum(graph.Mul(picked, graph.OnePlus(picked))), x)[0])
		}
		return out
	}, 1e-5, randomTensor(rng, 7, 33))
}

// What is not implemented is an error that names it; GoMLX takes it as a sign to do without where it can.
func TestNotImplemented(t *testing.T) {
	b := New(1)
	for name, build := range map[string]func(x *graph.Node) *graph.Node{
		"BFloat16":               func(x *graph.Node) *graph.Node { return graph.ConvertDType(x, dtypes.BFloat16) },
		"operation ReduceWindow": func(x *graph.Node) *graph.Node { return graph.CumSum(x, 0) },
		"Pad inside an array": func(x *graph.Node) *graph.Node {
			return graph.Pad(x, graph.ScalarZero(x.Graph(), x.DType()), graph.PadAxis{Interior: 1})
		},
		"operation Tanh": func(x *graph.Node) *graph.Node { return graph.Tanh(x) },
		"ScatterSum of anything but": func(x *graph.Node) *graph.Node {
			return graph.Scatter(graph.Const(x.Graph(), [][]uint32{{1}, {1}}), x, x.Shape(), false, false)
		},
	} {
		exec, err := graph.NewExec(b, build)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := exec.Call([]float32{1, 2}); err == nil || !compute.IsNotImplemented(err) || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one about %s", err, name)
		}
	}
}

// Memory of finalized arrays serves again: a training does not grow.
func TestMemoryServesAgain(t *testing.T) {
	b := New(2)
	exec, err := graph.NewExec(b, network)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	x, w := randomTensor(rng, 300, 64), randomTensor(rng, 64, 64)
	step := func() {
		out, err := exec.Call(x, w)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out {
			if err := r.FinalizeAll(); err != nil {
				t.Fatal(err)
			}
		}
	}
	step()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 50 {
		step()
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 50*100_000 {
		t.Errorf("%d bytes a step", grown/50)
	}
	if b.ReleaseIdle(); b.arenas != nil {
		t.Error("memory is kept that was to be let go")
	}
	step() // and takes new memory
}

// What is computed again for a gradient takes memory when it is, not from the first time on: of six layers with arrays of n x n, of which
// the masks are of all, those of one layer at a time are there.
func TestComputedAgain(t *testing.T) {
	const n, layers = 200, 6
	b := New(2)
	exec, err := graph.NewExec(b, func(x *graph.Node) *graph.Node {
		scores := graph.DotGeneral(x, []int{1}, nil, x, []int{1}, nil)
		mask := graph.GreaterThan(graph.StopGradient(scores), graph.ZerosLike(scores))
		h := x
		for range layers {
			h = h.Checkpoint()
			exp := graph.Exp(graph.DotGeneral(h, []int{1}, nil, h, []int{1}, nil))
			exp = graph.Where(mask, exp, graph.ZerosLike(exp))
			h = graph.DivScalar(graph.DotGeneral(exp, []int{1}, nil, h, []int{0}, nil), n)
		}
		return graph.Gradient(graph.ReduceAllSum(h.StopCheckpoint()), x)[0]
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.Call(randomTensor(rand.New(rand.NewPCG(1, 1)), n, 4)); err != nil {
		t.Fatal(err)
	}
	if arrays := float64(b.arenas[0].size) / (4 * n * n); arrays > 7 {
		t.Errorf("memory of %.1f arrays, want at most 7", arrays)
	}
}

// What is made of inputs alone, as an optimiser's decayed moments are, joins what is computed again, unless it is needed before.
func TestJoinsComputedAgain(t *testing.T) {
	for _, before := range []bool{false, true} {
		f := New(1).Builder("").Main()
		value := func(v compute.Value, err error) compute.Value {
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		x, m := value(f.Parameter("x", shapes.Make(dtypes.Float32, 4, 4), nil)), value(f.Parameter("m", shapes.Make(dtypes.Float32, 4, 4), nil))
		decayed, again := value(f.Mul(m, m)), value(f.SchedulingBarrier(x))
		outputs, steps := []compute.Value{value(f.Add(decayed, value(f.Mul(again, again))))}, 1
		if before {
			outputs = append(outputs, value(f.DotGeneral(decayed, []int{1}, nil, x, []int{0}, nil, compute.DotGeneralConfig{})))
			steps = 3
		}
		if err := f.Return(outputs, nil); err != nil {
			t.Fatal(err)
		}
		p, err := compile(f.(*function))
		if err != nil || len(p.steps) != steps {
			t.Errorf("needed before: %t: %d steps, %v, want %d", before, len(p.steps), err, steps)
		}
	}
}

// Without enough memory for what is computed in between a graph is an error that says so, and the next one is computed.
func TestTooLittleMemory(t *testing.T) {
	if machine.FreeMemory() == 0 {
		t.Skip("no telling how much memory is free")
	}
	b := New(2)
	exec, err := graph.NewExec(b, func(x *graph.Node) *graph.Node {
		product := graph.DotGeneral(x, []int{1}, nil, x, []int{1}, nil)
		return graph.ReduceSum(graph.DotGeneral(product, []int{1}, nil, x, []int{0}, nil), 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	many := make([][]float32, 3_000_000) // whose products are 36 TB
	for i := range many {
		many[i] = []float32{1}
	}
	if out, err := exec.Call(many); err == nil || !strings.Contains(err.Error(), "out of memory: what is computed in between takes 36000.") {
		t.Errorf("%v, error %v", out, err)
	}
	out, err := exec.Call(many[:3])
	if err != nil || fmt.Sprint(out[0].Value()) != "[9]" {
		t.Errorf("%v, error %v, want 9", out, err)
	}
}

// Cases that a random graph seldom has.
func TestAwkward(t *testing.T) {
	b := New(2)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	axes := slices.Repeat([]int{2}, 10)
	many := make([]float32, 1<<10)
	for i := range many {
		many[i] = float32(i)
	}
	withNaN := make([]float32, 16)
	withNaN[3] = nan
	for name, c := range map[string]struct {
		of    any
		dims  []int
		build func(f compute.Function, x compute.Value) (compute.Value, error)
		want  any
	}{
		"words from the middle of one": {[]uint32{1, 2, 3, 4, 5}, []int{5}, func(f compute.Function, x compute.Value) (compute.Value, error) {
			y, err := f.Slice(x, []int{1}, []int{3}, []int{1})
			if err != nil {
				return nil, err
			}
			return f.Bitcast(y, dtypes.Uint64)
		}, []uint64{2 | 3<<32}},
		"many axes": {many, axes, func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.Transpose(x, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
		}, nil},
		"nothing and something": {[]float32{}, []int{2, 0}, func(f compute.Function, x compute.Value) (compute.Value, error) {
			y, err := f.Constant([]float32{1, 2, 3, 4}, 2, 2)
			if err != nil {
				return nil, err
			}
			return f.Concatenate(1, x, y)
		}, []float32{1, 2, 3, 4}},
		"products of an empty batch": {[]float32{}, []int{0, 3, 1}, func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.DotGeneral(x, []int{1}, []int{0}, x, []int{1}, []int{0}, compute.DotGeneralConfig{})
		}, []float32{}},
		"sums of nothing": {[]float32{}, []int{3, 0}, func(f compute.Function, x compute.Value) (compute.Value, error) { return f.ReduceSum(x, 1) }, []float32{0, 0, 0}},
		"no sums":         {[]float32{}, []int{3, 0}, func(f compute.Function, x compute.Value) (compute.Value, error) { return f.ReduceSum(x, 0) }, []float32{}},
		"largest of none": {[]float32{}, []int{2, 0}, func(f compute.Function, x compute.Value) (compute.Value, error) { return f.ReduceMax(x, 1) }, []float32{-inf, -inf}},
		"not a number":    {withNaN, []int{16}, func(f compute.Function, x compute.Value) (compute.Value, error) { return f.ReduceMax(x, 0) }, []float32{nan}},
		"whole numbers": {[]float32{-1.5, 2.75, 0, -0.25, 1e9}, []int{5}, func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.ConvertDType(x, dtypes.Int32)
		}, []int32{-1, 2, 0, 0, 1_000_000_000}},
		"large whole numbers": {[]float32{3e9, 1.5, 0}, []int{3}, func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.ConvertDType(x, dtypes.Uint32)
		}, []uint32{3_000_000_000, 1, 0}},
		"single precision": {[]float64{0.1, 1e-50, 16777217}, []int{3}, func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.ConvertDType(x, dtypes.Float32)
		}, []float32{0.1, 0, 16777216}},
		"numbers of words": {[]uint32{0, 7, 1 << 31}, []int{3}, func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.ConvertDType(x, dtypes.Float64)
		}, []float64{0, 7, 1 << 31}},
		"true or not": {[]float32{0, -2, nan}, []int{3}, func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.ConvertDType(x, dtypes.Bool)
		}, []bool{false, true, true}},
	} {
		builder := b.Builder(name)
		f := builder.Main()
		shape := shapes.Make(dtypes.FromGoType(reflect.TypeOf(c.of).Elem()), c.dims...)
		in, err := b.BufferFromFlatData(0, c.of, shape)
		if err != nil {
			t.Fatal(err)
		}
		x, err := f.Parameter("x", shape, nil)
		if err != nil {
			t.Fatal(err)
		}
		y, err := c.build(f, x)
		if err != nil {
			t.Fatal(name, err)
		}
		if err := f.Return([]compute.Value{y}, nil); err != nil {
			t.Fatal(err)
		}
		plan, err := builder.Compile()
		if err != nil {
			t.Fatal(name, err)
		}
		out, err := plan.Execute([]compute.Buffer{in}, nil, 0)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := out[0].Data()
		if err != nil {
			t.Fatal(err)
		}
		if name == "many axes" {
			for i, v := range got.([]float32) {
				if want := float32(bits.Reverse16(uint16(i)) >> 6); v != want {
					t.Fatalf("%s: element %d is %v, not %v", name, i, v, want)
				}
			}
			continue
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, not %v", name, got, c.want)
		}
	}
}

// An array that is donated, and given a second time, keeps its memory as long as it is read.
func TestDonatedTwice(t *testing.T) {
	for _, donate := range [][]bool{{true, false}, {true, true}} {
		b := New(1)
		builder := b.Builder("")
		f, shape := builder.Main(), shapes.Make(dtypes.Float32, 4)
		var of []compute.Value
		for _, name := range []string{"p", "q"} {
			x, err := f.Parameter(name, shape, nil)
			if err != nil {
				t.Fatal(err)
			}
			y, err := f.Mul(x, x)
			if err != nil {
				t.Fatal(err)
			}
			of = append(of, y)
		}
		if err := f.Return(of, nil); err != nil {
			t.Fatal(err)
		}
		plan, err := builder.Compile()
		if err != nil {
			t.Fatal(err)
		}
		x, err := b.BufferFromFlatData(0, []float32{1, 2, 3, 4}, shape)
		if err != nil {
			t.Fatal(err)
		}
		out, err := plan.Execute([]compute.Buffer{x, x}, donate, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out {
			if got, err := r.Data(); err != nil || fmt.Sprint(got) != "[1 4 9 16]" {
				t.Errorf("%v: %v, %v", donate, got, err)
			}
		}
	}
}

// Data of another size than the shape's is refused.
func TestDataOfAnotherSize(t *testing.T) {
	b := New(1)
	defer b.Finalize()
	shape := shapes.Make(dtypes.Float32, 2)
	for _, flat := range []any{[]float32{1}, []float32{1, 2, 3}, []float64{1, 2}} {
		if _, err := b.BufferFromFlatData(0, flat, shape); err == nil {
			t.Errorf("%v is two numbers of float32", flat)
		}
	}
	in, err := b.BufferFromFlatData(0, []float32{1, 2}, shape)
	if err != nil {
		t.Fatal(err)
	}
	if err := in.ToFlatData(make([]float32, 3)); err == nil {
		t.Error("two numbers are three")
	}
}

// A finalized backend keeps no threads, and may be finalized again.
func TestFinalize(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		b := New(4)
		b.Finalize()
		if b.Finalize(); !b.IsFinalized() {
			t.Fatal("it is not finalized")
		}
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before+5; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, before %d", runtime.NumGoroutine(), before)
		}
	}
}
