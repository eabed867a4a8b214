package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"nptbench/baselines/forest"
	"nptbench/baselines/knn"
	"nptbench/baselines/mlp"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
)

// scaled are the settings whose time is measured: one of the paper's grid for each method.
var scaled = []struct {
	method *method.Method
	given  map[string]any
	says   string
	epochs bool // times are per epoch
}{
	{knn.Method, map[string]any{"n_neighbors": 25, "weights": "distance"}, "k = 25, 2,000 test rows", false},
	{forest.Method, map[string]any{"n_estimators": 10, "criterion": forest.Gini}, "10 trees, gini, sqrt", false},
	{mlp.Method, map[string]any{"hidden_layer_sizes": []int{25, 25, 25}, "batch_size": 256, "learning_rate_init": 1e-2},
		"25-25-25, batches of 256, 1e-2; per epoch", true},
}

// shares are the parts of the training rows.
var shares = []int{8, 4, 2, 1}

// scale measures every method on the large tables, with an eighth, a quarter, half and all of the training rows.
func scale(ctx context.Context, o *options, library *dataset.Library, s *section) error {
	s.head("Method", "Table", "Setting", "Training rows × columns", "1/8, s", "1/4, s", "1/2, s", "All, s", "Exponent", "Peak memory, GB")
	for _, table := range []string{"forest-cover", "income", "poker-hand", numbers} {
		for _, m := range scaled {
			if !o.wants(m.method.Name, table) {
				continue
			}
			row, err := scaleOne(ctx, o, library, table, m.method, m.given, m.epochs)
			if missing := (*dataset.MissingError)(nil); errors.As(err, &missing) {
				fmt.Fprintln(os.Stderr, "left out:", err)
				continue
			}
			if err != nil {
				return err
			}
			s.row(append([]string{m.method.Name, table, m.says}, row...)...)
		}
	}
	return nil
}

func scaleOne(ctx context.Context, o *options, library *dataset.Library, table string, m *method.Method, given map[string]any, epochs bool) ([]string, error) {
	const million = 1_000_000
	all, truth, err := load(ctx, library, table, map[string]int{numbers: million}[table])
	if err != nil {
		return nil, err
	}
	c, err := resolve(m, given, all.Info)
	if err != nil {
		return nil, err
	}
	row := []string{fmt.Sprintf("%d × %d", all.Train, all.Width)}
	var rows, seconds []float64
	var peak uint64
	for _, share := range shares {
		t, _ := withoutVal(part(all, all.Train/share), truth, 2000)
		t.Threads = o.threads
		debug.FreeOSMemory()
		memory := watchMemory()
		start := processorTime()
		var result method.Result
		if err := m.Run(ctx, t, []method.Config{c}, func(r method.Result) { result = r }); err != nil {
			return nil, err
		}
		took := (processorTime() - start).Seconds()
		peak = memory()
		if result.Err != nil {
			return nil, fmt.Errorf("%s on %s: %w", m.Name, table, result.Err)
		}
		if epochs {
			took /= float64(result.Details["epochs"].(int))
		}
		rows, seconds = append(rows, float64(t.Train)), append(seconds, took)
		row = append(row, significant(took))
		runtime.KeepAlive(t)
	}
	return append(row, fmt.Sprintf("%.2f", exponent(rows, seconds)), fmt.Sprintf("%.1f", float64(peak)/1e9)), nil
}

// exponent is the slope of a straight line through the logarithms.
func exponent(x, y []float64) float64 {
	n, sx, sy, sxx, sxy := float64(len(x)), 0.0, 0.0, 0.0, 0.0
	for i := range x {
		a, b := math.Log(x[i]), math.Log(y[i])
		sx, sy, sxx, sxy = sx+a, sy+b, sxx+a*a, sxy+a*b
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// watchMemory looks at the resident memory of this process every 20 ms until the function it returns is called, which
// returns the largest value.
func watchMemory() func() uint64 {
	var peak atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	p, err := process.NewProcess(int32(os.Getpid()))
	go func() {
		defer close(stopped)
		for err == nil {
			if info, err := p.MemoryInfo(); err == nil {
				peak.Store(max(peak.Load(), info.RSS))
			}
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		return peak.Load()
	}
}
