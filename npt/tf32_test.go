package npt

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat"

	"nptbench/internal/backends"
	"nptbench/internal/dataset/datasettest"
	harness "nptbench/internal/run"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// A tf32Backend computes products of float32 matrices from the ten leading bits of the mantissas of their entries, which is
// what a GPU's tensor cores read of them in TF32, and adds up in float32. Sub-functions, the bodies of loops, keep float32.
type tf32Backend struct{ compute.Backend }

func (b *tf32Backend) Builder(name string) compute.Builder {
	return tf32Builder{b.Backend.Builder(name), b}
}

func (b *tf32Backend) BufferFromFlatData(d compute.DeviceNum, flat any, s shapes.Shape) (compute.Buffer, error) {
	buffer, err := b.Backend.BufferFromFlatData(d, flat, s)
	return tf32Buffer{buffer, b}, err
}

func (b *tf32Backend) NewSharedBuffer(d compute.DeviceNum, s shapes.Shape) (compute.Buffer, any, error) {
	buffer, flat, err := b.Backend.NewSharedBuffer(d, s)
	return tf32Buffer{buffer, b}, flat, err
}

// A tf32Buffer belongs to its backend: GoMLX takes no others.
type tf32Buffer struct {
	compute.Buffer
	backend *tf32Backend
}

func (b tf32Buffer) Backend() compute.Backend { return b.backend }

type tf32Executable struct {
	compute.Executable
	backend *tf32Backend
}

func (e tf32Executable) Execute(in []compute.Buffer, donate []bool, d compute.DeviceNum) ([]compute.Buffer, error) {
	bare := make([]compute.Buffer, len(in))
	for i, b := range in {
		bare[i] = b.(tf32Buffer).Buffer
	}
	out, err := e.Executable.Execute(bare, donate, d)
	for i, b := range out {
		out[i] = tf32Buffer{b, e.backend}
	}
	return out, err
}

type tf32Builder struct {
	compute.Builder
	backend *tf32Backend
}

func (b tf32Builder) Main() compute.Function { return tf32Function{b.Builder.Main()} }

func (b tf32Builder) Compile() (compute.Executable, error) {
	e, err := b.Builder.Compile()
	return tf32Executable{e, b.backend}, err
}

type tf32Function struct{ compute.Function }

func (f tf32Function) DotGeneral(x compute.Value, xSum, xBatch []int, y compute.Value, ySum, yBatch []int, c compute.DotGeneralConfig) (compute.Value, error) {
	x, err := f.truncated(x)
	if err != nil {
		return nil, err
	}
	if y, err = f.truncated(y); err != nil {
		return nil, err
	}
	return f.Function.DotGeneral(x, xSum, xBatch, y, ySum, yBatch, c)
}

func (f tf32Function) truncated(x compute.Value) (compute.Value, error) {
	shape, err := f.Shape(x)
	if err != nil || shape.DType != dtypes.Float32 {
		return x, err
	}
	bits, err := f.Bitcast(x, dtypes.Int32)
	if err != nil {
		return nil, err
	}
	mask, err := f.Constant([]int32{-1 << 13})
	if err != nil {
		return nil, err
	}
	masks, err := f.BroadcastInDim(mask, shapes.Make(dtypes.Int32, shape.Dimensions...), nil)
	if err != nil {
		return nil, err
	}
	if bits, err = f.BitwiseAnd(bits, masks); err != nil {
		return nil, err
	}
	return f.Bitcast(bits, dtypes.Float32)
}

// openTF32 wraps XLA on the processor.
func openTF32(tb testing.TB) compute.Backend {
	tb.Helper()
	return &tf32Backend{openTestBackend(tb, backends.CPU, 0)}
}

func TestTF32Backend(t *testing.T) {
	got, err := graph.CallOnce(openTF32(t), func(x *graph.Node) *graph.Node { return mul(x, x) }, [][]float32{{-1 - 1.0/1024 - 1.0/2048}})
	if want := float32((1 + 1.0/1024) * (1 + 1.0/1024)); err != nil || got.Value().([][]float32)[0][0] != want {
		t.Errorf("product %v, want %v; error %v", got, want, err)
	}
}

// TestTF32Accuracy trains small networks on ten folds, with products in float32 and in TF32, and logs the metrics of both and
// by how much they differ, fold by fold.
func TestTF32Accuracy(t *testing.T) {
	if os.Getenv("NPT_LONG_TESTS") == "" {
		t.Skip("takes minutes: `make accuracy-tf32`")
	}
	backends := map[string]compute.Backend{"float32": openTestBackend(t, backends.CPU, 0), "TF32": openTF32(t)}
	for name, params := range map[string]map[string]any{
		"boston-housing": {"dim_hidden": 16, "layers": 2, "heads": 2, "lr": 0.01, "steps": 350, "eval_every": 10},
		"breast-cancer":  {"dim_hidden": 8, "layers": 2, "heads": 2, "lr": 0.01, "steps": 80, "eval_every": 10},
	} {
		metrics := map[string]map[string][]float64{"float32": {}, "TF32": {}} // by precision, by name
		for fold := range 10 {
			tk, truth := readTask(t, name, fold)
			c, err := Method().Resolve(params, tk.Info)
			if err != nil {
				t.Fatal(err)
			}
			config := configOf(c)
			config.Seed = uint64(fold)
			for precision, backend := range backends {
				result, err := fit(t.Context(), tk, tableOf(tk), config, backend)
				if err != nil {
					t.Fatal(err)
				}
				_, test, err := harness.Score(tk, truth, result)
				if err != nil {
					t.Fatal(err)
				}
				for metric, x := range test {
					metrics[precision][metric] = append(metrics[precision][metric], x)
				}
			}
		}
		for metric, exact := range metrics["float32"] {
			if strings.HasSuffix(metric, "_se") {
				continue
			}
			tf32, difference := metrics["TF32"][metric], make([]float64, len(exact))
			for i, x := range tf32 {
				difference[i] = x - exact[i]
			}
			mean, deviation := stat.MeanStdDev(difference, nil)
			if err := stat.StdErr(deviation, float64(len(exact))); !(math.Abs(mean) <= 4*err) {
				t.Errorf("%s: %s is off by %v, with a standard error of %v", name, metric, mean, err)
			}
			t.Logf("%s, %s: float32 %s, TF32 %s, fold by fold %s", name, metric, meanAndError(exact), meanAndError(tf32), meanAndError(difference))
		}
	}
}

func meanAndError(x []float64) string {
	mean, deviation := stat.MeanStdDev(x, nil)
	return fmt.Sprintf("%.4f ± %.4f", mean, stat.StdErr(deviation, float64(len(x))))
}

func readTask(tb testing.TB, name string, fold int) (*task.Task, *task.Truth) {
	tb.Helper()
	tk, truth, err := new(task.Loader).Load(tb.Context(), datasettest.Real(tb, name), task.Spec{Dataset: name, Protocol: split.Published, Fold: fold})
	if err != nil {
		tb.Fatal(err)
	}
	return tk, truth
}
