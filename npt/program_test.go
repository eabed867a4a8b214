package npt

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/backends"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
)

// Half precision where there is none is an error that says where there is.
func TestNoHalfPrecision(t *testing.T) {
	c := smallConfig()
	c.Precision = BFloat16
	_, err := NewTrainer(testTable(10, 4, 4, false), c, openTestBackend(t, backends.Fused, 1))
	if err == nil || !strings.Contains(err.Error(), "fused does not compute in bfloat16; xla:cuda, xla:cpu and go do") {
		t.Errorf("error %v", err)
	}
	c.Layers, c.Steps = 2, 1
	trainer, err := NewTrainer(testTable(10, 4, 4, false), c, openTestBackend(t, backends.Go, 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := trainer.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	model, err := trainer.Model()
	path := filepath.Join(t.TempDir(), "model")
	if err := cmp.Or(err, model.Save(path)); err != nil {
		t.Fatal(err)
	}
	// The weights are numbers of float32, in which it predicts there.
	wide, err := LoadModel(path, openTestBackend(t, backends.Fused, 1))
	if err != nil {
		t.Fatal(err)
	}
	if c.Precision = Float32; wide.Config() != c {
		t.Errorf("it computes in %s", wide.Config().Precision)
	}
	var rows [2][]float64
	for i, m := range []*Model{model, wide} {
		predicted, err := m.Predict(t.Context(), testTable(10, 4, 4, false))
		if err != nil {
			t.Fatal(err)
		}
		rows[i] = slices.Concat(predicted...)
	}
	closeTo(t, "predictions", rows[1], rows[0], 0.05)
	if slices.Equal(rows[0], rows[1]) {
		t.Error("the same predictions in half precision")
	}

	// What is wrong with a file is said once, with its name.
	var header modelHeader
	header.Config, header.Columns = c, model.net.columns
	header.Config.Layers = 0
	if err := model.save(path, "model", header); err != nil {
		t.Fatal(err)
	}
	_, err = LoadModel(path, nil)
	if want := "npt: " + path + ": Layers: 0, want an even number from 2 to 100, half ABD and half ABA"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Models of the harness compute in the precision that they were trained in, or not at all.
func TestKeptModelOfHalfPrecision(t *testing.T) {
	m, tk := Method(), testTask(0, dataset.Regression)
	tk.ModelDir, tk.Backend = t.TempDir(), backends.Go
	c := quickConfig(t, m, tk.Info, map[string]any{"precision": "bfloat16", "steps": 1})
	if err := m.Run(t.Context(), tk, []method.Config{c}, func(r method.Result) {
		if r.Err != nil || r.Details[method.Warning] != nil {
			t.Fatal(r.Err, r.Details)
		}
	}); err != nil {
		t.Fatal(err)
	}
	for backend, want := range map[string]string{backends.Go: "", backends.Fused: "fused does not compute in bfloat16"} {
		tk.Backend = backend
		if _, err := m.Model(t.Context(), tk, c); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", backend, err)
		}
	}
}

// The variants of the paper's small tables are four networks. What a graph depends on makes another program.
func TestVariantsSharePrograms(t *testing.T) {
	backend := openTestBackend(t, backends.Go, 1)
	columns := []Column{{}, {Target: true}}
	different := map[program]bool{}
	for range 2 {
		for _, change := range []func(*Config){
			func(*Config) {}, func(c *Config) { c.FeatureMask = 0.2 }, func(c *Config) { c.TargetMask, c.Steps = 0.5, 4000 },
			func(c *Config) { c.TargetMask, c.Steps = 0.1, 20000 }, func(c *Config) { c.Schedule = CosineCyclic },
			func(c *Config) { c.Heads = 16 }, func(c *Config) { c.Layers = 16 }, func(c *Config) { c.Heads, c.Layers = 16, 16 },
		} {
			c := DefaultConfig()
			c.Hidden, c.Heads = 16, 8
			change(&c)
			p, err := programOf(newNetwork(c, columns), 0, backend)
			if err != nil {
				t.Fatal(err)
			}
			different[p] = true
		}
	}
	if len(different) != 4 {
		t.Errorf("%d programs", len(different))
	}
	c := DefaultConfig()
	c.Hidden, c.FeatureMask = 16, 0
	if p, err := programOf(newNetwork(c, columns), 0, backend); err != nil || different[p] {
		t.Errorf("a network that randomises nothing shares the program of one that does (%v)", err)
	}
	for part, change := range map[string]func(*network){
		"Hidden": func(n *network) { n.Hidden = 32 }, "Layers": func(n *network) { n.Layers = 2 }, "Heads": func(n *network) { n.Heads = 2 },
		"Dropout": func(n *network) { n.Dropout = 0 }, "NoABA": func(n *network) { n.NoABA = true }, "NoABD": func(n *network) { n.NoABD = true },
		"SelfOnly": func(n *network) { n.SelfOnly = true }, "LayerNormKeys": func(n *network) { n.LayerNormKeys = true },
		"Clip": func(n *network) { n.Clip = 0 }, "WeightDecay": func(n *network) { n.WeightDecay = 0.1 },
		"Precision": func(n *network) { n.Precision = Float64 }, "Recompute": func(n *network) { n.Recompute = true },
		"rowUnit": func(n *network) { n.rowUnit = 8 }, "copies": func(n *network) { n.copies = true },
		"columns": func(n *network) { n.columns = []Column{{Categories: 2}, {Target: true}} },
	} {
		n := newNetwork(c, columns)
		if change(n); n.sameGraphs(newNetwork(c, columns)) {
			t.Errorf("networks that differ in %s share a program", part)
		}
	}
}

// Runs that share a machine are given different numbers of threads; what they compute must not tell.
func TestThreadsDoNotChangeResults(t *testing.T) {
	table := testTable(300, 60, 60, true) // big enough for XLA to cut its loops and products into pieces
	c := smallConfig()
	c.Precision, c.Hidden, c.Heads, c.Layers, c.Steps = Float32, 64, 4, 2, 3
	for name, threads := range map[string][]int{backends.Fused: {1, 3}, backends.Go: {1, 2}, backends.CPU: {1, 8}} {
		t.Run(name, func(t *testing.T) {
			var weights [][]float64
			for _, n := range threads {
				tr := newTestTrainerOn(t, openTestBackend(t, name, n), table, c)
				for pass := range c.Steps {
					if err := tr.runPass(context.Background(), pass); err != nil {
						t.Fatal(err)
					}
				}
				weights = append(weights, allWeights(t, tr))
			}
			if !slices.Equal(weights[0], weights[1]) {
				t.Errorf("%d and %d threads give different weights", threads[0], threads[1])
			}
		})
	}
}
