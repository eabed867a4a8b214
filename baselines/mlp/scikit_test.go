package mlp

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/f32"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// The reference values are made by testdata/reference.py.

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// table makes a task out of rows and targets, the first train rows for training and the rest for testing.
func table(classes int, x [][]float64, y []float64, train int) *task.Task {
	t := &task.Task{Train: train, Test: len(x) - train, Width: len(x[0]), TargetStd: 1, Threads: 1}
	for _, row := range x {
		for _, v := range row {
			t.X = append(t.X, float32(v))
		}
	}
	if classes == 0 {
		t.Y = y[:train]
		return t
	}
	t.Info = dataset.Info{Problem: dataset.MultiClass, Classes: classes}
	if classes == 2 {
		t.Info.Problem = dataset.Binary
	}
	for _, c := range y[:train] {
		t.Labels = append(t.Labels, uint16(c))
	}
	return t
}

func config(t testing.TB, info dataset.Info, given map[string]any) method.Config {
	t.Helper()
	c, err := Method.Resolve(given, info)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSteps makes steps of training from given weights and compares all weights with scikit-learn's, for every kernel.
func TestSteps(t *testing.T) {
	var cases []struct {
		Kind        string
		Classes     int
		Hidden      []int
		Alpha       float64
		Rate        float64 `json:"learning_rate_init"`
		X           [][]float64
		Y           []float64
		Batches     [][]int32
		Coefs       [][][]float64
		Biases      [][]float64   `json:"intercepts"`
		After       [][][]float64 `json:"coefs_after"`
		BiasesAfter [][]float64   `json:"intercepts_after"`
	}
	readJSON(t, "testdata/steps.json", &cases)
	for _, kn := range f32.All() {
		for _, c := range cases {
			data := table(c.Classes, c.X, c.Y, len(c.X))
			out := newOutput(data)
			units := slices.Concat([]int{data.Width}, c.Hidden, []int{out.units()})
			nw := newNetwork(units, c.Alpha, rand.New(rand.NewPCG(0, 0)))
			nw.kernel = kn
			for i, l := range nw.layers {
				for o := range l.out {
					for j := range l.in {
						l.w[o*l.ld+j] = float32(c.Coefs[i][j][o])
					}
					l.w[o*l.ld+l.in] = float32(c.Biases[i][o])
				}
			}
			p, m := nw.newPass(len(c.X), true), &model{network: nw, output: out}
			for _, rows := range c.Batches {
				m.step(data, p, rows, c.Rate)
			}
			for i, l := range nw.layers {
				for o := range l.out {
					for j, got := range l.w[o*l.ld:][:l.ld] {
						want := 0.0 // padding
						if j < l.in {
							want = c.After[i][j][o]
						} else if j == l.in {
							want = c.BiasesAfter[i][o]
						}
						if !(math.Abs(float64(got)-want) <= 2e-6) {
							t.Errorf("%s, %s: layer %d, unit %d, weight %d is %v, want %v", kn.Name, c.Kind, i, o, j, got, want)
						}
					}
				}
			}
		}
	}
}

// TestSeeds compares the distributions over 200 seeds of the number of epochs, the best held-out score and the test
// metric with scikit-learn's, by a two-sample Kolmogorov-Smirnov test on the level 0.001. Seeds are fixed, so that the
// outcome is too. NPT_LONG_TESTS=1 takes 2,000 seeds against scikit-learn's 200.
func TestSeeds(t *testing.T) {
	var cases []struct {
		Kind       string
		Classes    int
		Parameters map[string]any
		NTrain     int `json:"n_train"`
		X          [][]float64
		Y          []float64
		Epochs     []float64
		Best       []float64
		Metric     []float64
	}
	readJSON(t, "testdata/seeds.json", &cases)
	for _, c := range cases {
		data := table(c.Classes, c.X, c.Y, c.NTrain)
		cfg := config(t, data.Info, c.Parameters)
		var epochs, best, metric []float64
		seeds := len(c.Epochs)
		if os.Getenv("NPT_LONG_TESTS") != "" {
			seeds = 2000
		}
		for s := range seeds {
			data.Seed = uint64(s)
			r := fit(context.Background(), data, cfg)
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			epochs = append(epochs, float64(r.Details["epochs"].(int)))
			best = append(best, r.Details["held_out_score"].(float64))
			metric = append(metric, testMetric(r.Test, c.Classes, c.Y[c.NTrain:]))
		}
		limit := 1.95 * math.Sqrt(1/float64(seeds)+1/float64(len(c.Epochs)))
		for _, sample := range []struct {
			name      string
			ours, ref []float64
		}{{"epochs", epochs, c.Epochs}, {"best held-out score", best, c.Best}, {"test metric", metric, c.Metric}} {
			d := kolmogorovSmirnov(sample.ours, sample.ref)
			t.Logf("%s: %s: mean %.4f, scikit-learn's %.4f; distance %.3f, limit %.3f", c.Kind, sample.name, stat.Mean(sample.ours, nil),
				stat.Mean(sample.ref, nil), d, limit)
			if d > limit {
				t.Errorf("%s: %s is distributed otherwise than scikit-learn's: distance %.3f > %.3f", c.Kind, sample.name, d, limit)
			}
		}
	}
}

// testMetric is the RMSE, or the log-loss.
func testMetric(p method.Prediction, classes int, y []float64) (sum float64) {
	for i, want := range y {
		if classes == 0 {
			sum += (p[i] - want) * (p[i] - want)
		} else {
			sum -= math.Log(max(p[i*classes+int(want)], 0x1p-52))
		}
	}
	if sum /= float64(len(y)); classes == 0 {
		return math.Sqrt(sum)
	}
	return sum
}

// kolmogorovSmirnov is the largest distance between two samples' distribution functions. Values that differ by the
// rounding of the reference file count as equal.
func kolmogorovSmirnov(a, b []float64) (d float64) {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	share := func(sorted []float64, limit float64) float64 {
		n, _ := slices.BinarySearch(sorted, limit+1e-5)
		return float64(n) / float64(len(sorted))
	}
	for _, v := range slices.Concat(a, b) {
		d = max(d, math.Abs(share(a, v)-share(b, v)))
	}
	return d
}
