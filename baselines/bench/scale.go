package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"gonum.org/v1/gonum/stat"

	"nptbench/baselines/forest"
	"nptbench/baselines/knn"
	"nptbench/baselines/mlp"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/subprocess"
)

// A scaling is a setting whose time is measured.
type scaling struct {
	method *method.Method
	given  map[string]any
	says   string
	epochs bool // times are per epoch
}

// scaled has one of the paper's grid for each method.
var scaled = []scaling{
	{knn.Method, map[string]any{"n_neighbors": 25, "weights": "distance"}, "k = 25, 2,000 test rows", false},
	{forest.Method, map[string]any{"n_estimators": 10, "criterion": forest.Gini}, "10 trees, gini, sqrt", false},
	{mlp.Method, map[string]any{"hidden_layer_sizes": []int{25, 25, 25}, "batch_size": 256, "learning_rate_init": 1e-2},
		"25-25-25, batches of 256, 1e-2; per epoch", true},
}

var scaledTables = []string{"forest-cover", "income", "poker-hand", numbers}

// scaledRows names the rows of the table of growth.
func scaledRows() (rows []rowName) {
	for _, table := range scaledTables {
		for _, m := range scaled {
			rows = append(rows, rowName{m.method.Name, table})
		}
	}
	return rows
}

// shares are the parts of the training rows.
var shares = []int{8, 4, 2, 1}

// scale measures every method on the large tables, with an eighth, a quarter, half and all of the training rows.
func scale(ctx context.Context, o *options, s *section) error {
	s.head("Method", "Table", "Setting", "Training rows × columns", "1/8, s", "1/4, s", "1/2, s", "All, s", "Exponent", "Peak memory, GB")
	for _, table := range scaledTables {
		for _, m := range scaled {
			if !o.wants(m.method.Name, table) {
				continue
			}
			row, err := scaleOne(ctx, o, table, m)
			if missing := (*dataset.MissingError)(nil); errors.As(err, &missing) {
				fmt.Fprintln(s.log, "left out:", err)
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

func scaleOne(ctx context.Context, o *options, table string, m scaling) ([]string, error) {
	const million = 1_000_000
	all, truth, err := load(ctx, o.library, table, map[string]int{numbers: million}[table])
	if err != nil {
		return nil, err
	}
	c, err := resolve(m.method, m.given, all.Info)
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
		peakMemory := watchMemory(os.Getpid(), nil)
		start := subprocess.OwnTime()
		var result method.Result
		if err := m.method.Run(ctx, t, []method.Config{c}, func(r method.Result) { result = r }); err != nil {
			return nil, err
		}
		took := (subprocess.OwnTime() - start).Seconds()
		peak = peakMemory()
		if result.Err != nil {
			return nil, fmt.Errorf("%s on %s: %w", m.method.Name, table, result.Err)
		}
		if m.epochs {
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
	logs := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for i, v := range x {
			out[i] = math.Log(v)
		}
		return out
	}
	_, slope := stat.LinearRegression(logs(x), logs(y), nil, false)
	return slope
}

// watchMemory looks every 50 ms at what a process and all it started have resident, and tells a new peak (nil: nobody), until it is asked
// for the peak.
func watchMemory(pid int, tell func(peak uint64)) (peak func() uint64) {
	most, memory, stop, stopped := uint64(0), subprocess.WatchMemory(pid), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			if now := uint64(memory.Resident()); now > most {
				if most = now; tell != nil {
					tell(most)
				}
			}
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		return most
	}
}
