package npt

import (
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/machine"
	"nptbench/internal/method"
	"nptbench/internal/optimiser"
	"nptbench/internal/subprocess"
)

// The benchmarks time whole training steps of published configurations and of small ones for CPUs, on the fused backend and XLA
// for the processor and on the GPU, where they are, or on GOMLX_BACKEND alone. NPT_BENCH selects some by name (comma-separated
// prefixes), NPT_BENCH_PRECISION lists precisions. Beside seconds they report the CPU time per step, which a busy machine disturbs
// less, the share that the arithmetic of the network takes of the rate of a big matrix product measured just before, the time that
// compiling took, and by how much the memory of the process grew at its peak, beside what stepBytes expects.

type benchmark struct {
	name    string
	columns []Column
	rows    int
	hidden  int

	recompute bool
}

var benchmarks = func() []benchmark {
	boston := append(append(make([]Column, 11), Column{Categories: 2}, Column{Categories: 9}), Column{Target: true})
	protein := append(make([]Column, 9), Column{Target: true})
	var all []benchmark
	for _, e := range []int{16, 32, 64, 128} {
		all = append(all, benchmark{fmt.Sprintf("boston/e=%d", e), boston, 506, e, false})
	}
	concrete := append(make([]Column, 8), Column{Target: true})
	all = append(all, benchmark{"concrete/e=16", concrete, 1030, 16, false})
	return append(all, benchmark{"protein/e=128", protein, 1988, 128, false}, benchmark{"protein/e=128/recompute", protein, 1988, 128, true})
}()

// forwardFLOP counts the multiplications and additions of one forward pass.
func (b benchmark) forwardFLOP(c Config) float64 {
	n, d, e := float64(b.rows), float64(len(b.columns)), float64(b.hidden)
	h := d * e
	return float64(c.Layers) / 2 * (26*n*h*h + 4*n*n*h + 26*n*d*e*e + 4*n*d*d*e)
}

// stepBytes estimates the memory of a training step in single precision: weights and both moments before and after it, the
// gradients, and what every layer keeps for its gradient, which is about twenty arrays as big as its input and its attention
// weights with and without dropout.
func (b benchmark) stepBytes(n *network) float64 {
	rows, d, k := float64(b.rows), float64(len(b.columns)), float64(n.Heads)
	h := d * float64(n.Hidden)
	return 4 * (7*float64(n.Size()) + float64(n.Layers)/2*(2*20*rows*h+2*k*rows*rows+2*k*rows*d*d))
}

func (b benchmark) engine(tb testing.TB, backend compute.Backend, p Precision) (*engine, *Table) {
	tb.Helper()
	c := DefaultConfig()
	c.Hidden, c.Precision, c.Recompute = b.hidden, p, b.recompute
	if err := c.check(); err != nil {
		tb.Fatal(err)
	}
	table := &Table{Columns: b.columns, Train: b.rows * 7 / 10, Val: b.rows / 5, Test: b.rows - b.rows*7/10 - b.rows/5}
	table.Values = make([]float32, table.Rows()*table.Channels())
	rng := newRand(1)
	for i := range table.Values {
		table.Values[i] = float32(rng.NormFloat64())
	}
	n := newNetwork(c, b.columns)
	n.rowUnit = rowUnitOn(backend)
	e, err := newEngine(n, table, backend)
	if err != nil {
		tb.Fatal(err)
	}
	return e, table
}

func (b benchmark) selected() bool {
	names := os.Getenv("NPT_BENCH")
	for _, prefix := range strings.Split(names, ",") {
		if strings.HasPrefix(b.name, prefix) {
			return names != "" || b.hidden <= 32
		}
	}
	return false
}

// eachBenchmark runs a benchmark for the selected configurations, backends and precisions.
func eachBenchmark(b *testing.B, run func(*testing.B, benchmark, compute.Backend, Precision)) {
	names := []string{backends.Fused, backends.CPU}
	if name, _ := backends.Resolve("auto"); method.Accelerated(name) {
		names = append(names, name)
	}
	if name := os.Getenv(compute.ConfigEnvVar); name != "" {
		names = []string{name}
	}
	precisions := strings.Split(cmp.Or(os.Getenv("NPT_BENCH_PRECISION"), string(Float32)), ",")
	for _, v := range benchmarks {
		if !v.selected() {
			continue
		}
		for _, name := range names {
			for _, p := range precisions {
				b.Run(fmt.Sprintf("%s/%s/%s", v.name, name, p), func(b *testing.B) {
					run(b, v, openTestBackend(b, name, 0), Precision(p))
				})
			}
		}
	}
}

// compiled is how long the first step of every benchmark took.
var compiled = map[string]time.Duration{}

func BenchmarkStep(b *testing.B) {
	eachBenchmark(b, func(b *testing.B, v benchmark, backend compute.Backend, p Precision) {
		peak := matmulRate(b, backend, p)
		forgetPeakMemory()
		before := peakMemory() // what is resident now
		e, table := v.engine(b, backend, p)
		s := e.newState()
		codes := e.hostMasks(drawMask(newRand(1), table, &e.net.Config, trainMode))
		took := time.Duration(0) // by a step of the last call
		take := func(most int) int {
			most = min(most, e.callSteps, optimiser.LookaheadSteps-s.step%optimiser.LookaheadSteps, max(1, int(callTime/max(took, 1)))) // as in a training
			var steps []stepInput
			for range most {
				steps = append(steps, stepInput{0, rowsBetween(0, table.Rows()), 1e-3, 0.5})
			}
			start := time.Now()
			if _, err := e.take(s, codes, steps, nil); err != nil {
				b.Fatal(err)
			}
			took = time.Since(start) / time.Duration(most)
			return most
		}
		start := time.Now()
		take(1)                                     // compiles
		if _, known := compiled[b.Name()]; !known { // later runs find the program compiled
			compiled[b.Name()] = time.Since(start)
		}
		if e.callSteps > 1 {
			take(1) // tells how many steps a call has
		}
		forgetPeakMemory() // of compiling
		b.ResetTimer()
		start, cpu := time.Now(), subprocess.OwnTime()
		for left := b.N; left > 0; {
			left -= take(left)
		}
		seconds := time.Since(start).Seconds() / float64(b.N)
		flop := 3 * v.forwardFLOP(e.net.Config)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(seconds, "s/step")
		b.ReportMetric((subprocess.OwnTime()-cpu).Seconds()/float64(b.N), "cpu-s/step")
		b.ReportMetric(flop/seconds/1e9, "GFLOP/s")
		b.ReportMetric(100*flop/seconds/peak, "%-of-matmul")
		b.ReportMetric(compiled[b.Name()].Seconds()-seconds, "s-to-compile")
		if !backends.HasDevice(backend) {
			b.ReportMetric(float64(peakMemory()-before)/(1<<20), "MiB")
		}
		if p == Float32 && !v.recompute {
			b.ReportMetric(v.stepBytes(e.net)/(1<<20), "MiB-expected")
		}
	})
}

func BenchmarkEvaluation(b *testing.B) {
	eachBenchmark(b, func(b *testing.B, v benchmark, backend compute.Backend, p Precision) {
		e, _ := v.engine(b, backend, p)
		s := e.newState()
		run := func() {
			if _, err := e.loss(b.Context(), s.weights, valMode, newRand(1)); err != nil {
				b.Fatal(err)
			}
		}
		run()
		b.ResetTimer()
		for range b.N {
			run()
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/pass")
	})
}

// BenchmarkCall measures what a call of XLA costs besides its work, for arrays that are taken and returned like the state of
// a training: 123 of them in the published settings.
func BenchmarkCall(b *testing.B) {
	backend := openTestBackend(b, cmp.Or(os.Getenv(compute.ConfigEnvVar), backends.CPU), 0)
	for _, arrays := range []int{1, 123} {
		b.Run(fmt.Sprint("arrays=", arrays), func(b *testing.B) {
			exec, err := graph.NewExec(backend, func(in []*graph.Node) (out []*graph.Node) {
				for _, x := range in {
					out = append(out, graph.OnePlus(x))
				}
				return out
			})
			if err != nil {
				b.Fatal(err)
			}
			state := make([]*tensors.Tensor, arrays)
			for i := range state {
				state[i] = tensors.FromFlatDataAndDimensions([]float32{1, 2, 3}, 3)
			}
			for range b.N {
				args := make([]any, arrays)
				for i, x := range state {
					if args[i], err = graph.DonateTensorBuffer(x, backend, 0); err != nil {
						b.Fatal(err)
					}
				}
				if state, err = exec.Call(args...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// matmulRate measures the rate of a product of two large square matrices in the type of the activations, in FLOP/s: the best
// of a few.
func matmulRate(tb testing.TB, backend compute.Backend, p Precision) float64 {
	tb.Helper()
	n := 2048
	if backends.HasDevice(backend) {
		n = 8192
	}
	c := Config{Precision: p}
	exec, err := graph.NewExec(backend, func(g *graph.Graph) *graph.Node {
		a := graph.ConvertDType(graph.IotaFull(g, shapes.Make(dtypes.Int32, n, n)), c.activations())
		for range 4 {
			a = graph.MulScalar(mul(a, a), 1e-12)
		}
		return graph.ConvertDType(graph.ReduceAllSum(a), c.master())
	})
	if err != nil {
		tb.Fatal(err)
	}
	best := 0.0
	for range 4 {
		start := time.Now()
		out, err := exec.Call()
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := backends.Floats(out[0]); err != nil {
			tb.Fatal(err)
		}
		best = max(best, 4*2*float64(n)*float64(n)*float64(n)/time.Since(start).Seconds())
	}
	return best
}

// peakMemory is the largest resident size of the process, in bytes, since it was last forgotten; 0 where the system does not tell.
func peakMemory() int64 { return machine.KernelBytes("/proc/self/status", "VmHWM:") }

// forgetPeakMemory also frees what is not in use any more.
func forgetPeakMemory() {
	debug.FreeOSMemory()
	backends.ReturnMemory()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}
