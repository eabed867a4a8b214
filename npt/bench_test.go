package npt

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// The benchmarks time whole training steps, without masks drawn or batches dealt, of published configurations and of
// small ones for CPUs. NPT_BENCH selects some by name (comma-separated prefixes), GOMLX_BACKEND the backend. Beside
// seconds they report the CPU time per step, which a busy machine disturbs less, and the share that the arithmetic of the
// network takes of the rate of a big matrix product measured just before.

type benchmark struct {
	name    string
	columns []Column
	rows    int
	hidden  int
}

var benchmarks = func() []benchmark {
	boston := append(append(make([]Column, 11), Column{Categories: 2}, Column{Categories: 9}), Column{Target: true})
	protein := append(make([]Column, 9), Column{Target: true})
	var all []benchmark
	for _, e := range []int{16, 32, 64, 128} {
		all = append(all, benchmark{fmt.Sprintf("boston/e=%d", e), boston, 506, e})
	}
	return append(all, benchmark{"protein/e=128", protein, 1988, 128})
}()

// forwardFLOP counts the multiplications and additions of one forward pass.
func (b benchmark) forwardFLOP(c Config) float64 {
	n, d, e := float64(b.rows), float64(len(b.columns)), float64(b.hidden)
	h := d * e
	return float64(c.Layers) / 2 * (26*n*h*h + 4*n*n*h + 26*n*d*e*e + 4*n*d*d*e)
}

func (b benchmark) engine(tb testing.TB) (*engine, *Table) {
	tb.Helper()
	c := DefaultConfig()
	c.Hidden = b.hidden
	if p := os.Getenv("NPT_BENCH_PRECISION"); p != "" {
		c.Precision = Precision(p)
	}
	if err := c.Check(); err != nil {
		tb.Fatal(err)
	}
	table := &Table{Columns: b.columns, Train: b.rows * 7 / 10, Val: b.rows / 5, Test: b.rows - b.rows*7/10 - b.rows/5}
	table.Values = make([]float32, table.Rows()*table.Channels())
	rng := newRand(1)
	for i := range table.Values {
		table.Values[i] = float32(rng.NormFloat64())
	}
	e, err := newEngine(newNetwork(c, b.columns), table, testBackend(tb))
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

func BenchmarkStep(b *testing.B) {
	for _, v := range benchmarks {
		if !v.selected() {
			continue
		}
		b.Run(v.name, func(b *testing.B) {
			peak := matmulRate(b)
			e, table := v.engine(b)
			s := e.newState()
			step := func() {
				codes := drawMask(newRand(uint64(s.step)), table, &e.net.Config, trainMode)
				args := append(e.batchArgs(rowsBetween(0, table.Rows()), codes), e.randomState(s.step), e.scalar(1e-3), e.scalar(0.5))
				sums, err := e.advance(s, args, nil)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := floats(sums); err != nil {
					b.Fatal(err)
				}
			}
			step() // compiles
			b.ResetTimer()
			start, cpu := time.Now(), cpuTime(b)
			for range b.N {
				step()
			}
			seconds := time.Since(start).Seconds() / float64(b.N)
			flop := 3 * v.forwardFLOP(e.net.Config)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(seconds, "s/step")
			b.ReportMetric((cpuTime(b)-cpu).Seconds()/float64(b.N), "cpu-s/step")
			b.ReportMetric(flop/seconds/1e9, "GFLOP/s")
			b.ReportMetric(100*flop/seconds/peak, "%-of-matmul")
		})
	}
}

func BenchmarkEvaluation(b *testing.B) {
	for _, v := range benchmarks {
		if !v.selected() {
			continue
		}
		b.Run(v.name, func(b *testing.B) {
			e, _ := v.engine(b)
			s := e.newState()
			run := func() {
				if _, _, err := e.evaluate(b.Context(), s.weights, valMode, newRand(1)); err != nil {
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
}

// matmulRate measures the rate of a product of two matrices of 2048 x 2048, in FLOP/s: the best of a few.
func matmulRate(tb testing.TB) float64 {
	tb.Helper()
	const n = 2048
	exec, err := graph.NewExec(testBackend(tb), func(g *graph.Graph) *graph.Node {
		a := graph.IotaFull(g, shapes.Make(dtypes.Float32, n, n))
		for range 4 {
			a = graph.MulScalar(mul(a, a), 1e-12)
		}
		return graph.ReduceAllSum(a)
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
		if _, err := floats(out[0]); err != nil {
			tb.Fatal(err)
		}
		best = max(best, 4*2*n*n*n/time.Since(start).Seconds())
	}
	return best
}

// cpuTime returns the CPU time that the process has used.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	if runtime.GOOS == "windows" {
		return 0
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
