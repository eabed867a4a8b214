package npt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/backends"
	"nptbench/internal/dataset"
)

// A training that computes its layers again has the losses of one that keeps them.
func TestRecompute(t *testing.T) { onBackends(t, testRecompute) }

func testRecompute(t *testing.T, backend compute.Backend) {
	table := testTable(20, 10, 10, true)
	c := smallConfig()
	c.Steps, c.Precision, c.Dropout, c.TargetMask = 5, Float64, 0.2, 0.5
	var losses [2][]float64
	for i, recompute := range []bool{false, true} {
		c.Recompute = recompute
		tr := newTestTrainerOn(t, backend, table, c)
		again := false // layers are in the graph a second time, behind barriers
		var err error
		tr.engine.steps, err = graph.NewExec(backend, func(args []*graph.Node) []*graph.Node {
			out := tr.engine.net.stepsGraph(args)
			again = strings.Contains(args[0].Graph().String(), "OptimizationBarrier")
			return out
		})
		if err != nil {
			t.Fatal(err)
		}
		train(t, tr)
		if again != recompute {
			t.Errorf("layers are computed again: %v, want %v", again, recompute)
		}
		losses[i] = []float64{tr.target, tr.feature, tr.valLoss, tr.bestLoss}
	}
	closeTo(t, "losses", losses[1], losses[0], 1e-9)
}

func TestRecomputeWhereMemoryRunsOut(t *testing.T) {
	already := DefaultConfig()
	already.Recompute = true
	if _, err := withinMemory(already, func(Config) (int, error) { already.Recompute = !already.Recompute; return 0, ErrMemory }); err != ErrMemory || already.Recompute {
		t.Errorf("with Recompute from the start it is trained twice: %v", err)
	}
	for _, c := range []struct {
		name                   string
		keeping, recomputing   error
		attempts               int
		wantRecompute, wantErr bool
	}{
		{"enough memory", nil, nil, 1, false, false},
		{"memory for layers' inputs", fmt.Errorf("npt: %w", ErrMemory), nil, 2, true, false},
		{"too little memory", ErrMemory, ErrMemory, 2, false, true},
		{"another fault", ErrDiverged, nil, 1, false, true},
	} {
		attempts := 0
		recompute, err := withinMemory(DefaultConfig(), func(config Config) (bool, error) {
			attempts++
			if config.Recompute {
				return c.recomputing == nil, c.recomputing
			}
			return false, c.keeping
		})
		if attempts != c.attempts || recompute != c.wantRecompute || (err != nil) != c.wantErr {
			t.Errorf("%s: %d attempts, recompute %v, error %v", c.name, attempts, recompute, err)
		}
		if c.wantErr && !errors.Is(err, c.keeping) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
	// The record of a fit says that it was done so, and its model is found all the same.
	m, tk := Method(), testTask(0, dataset.Regression)
	asked := quickConfig(t, m, tk.Info, nil)
	config := trainingConfig(tk, asked)
	for _, config.Recompute = range []bool{false, true} {
		tk.ModelDir = t.TempDir()
		r, err := fit(t.Context(), tk, tableOf(tk), config, testBackend(t))
		if told := r.Details["recompute"] == true; err != nil || told != config.Recompute {
			t.Errorf("%v, of recompute: %v is said %v", err, config.Recompute, told)
		}
		if _, err := m.Model(t.Context(), tk, asked); err != nil {
			t.Errorf("the model of a fit with recompute %v: %v", config.Recompute, err)
		}
	}
}

// Fit trains once more with Recompute, too.
func TestFitWhereMemoryRunsOut(t *testing.T) {
	f := &Frame{Names: []string{"x", "y"}}
	for i := range 10 {
		f.Rows = append(f.Rows, []string{strconv.Itoa(i), strconv.Itoa(i * i)})
	}
	c := smallConfig()
	c.Layers, c.Steps = 2, 1
	// Steps that keep what the layers compute run out of memory.
	backend := openTestBackend(t, backends.Fused, 1)
	if _, err := programOf(newNetwork(c, []Column{{Name: "x"}, {Name: "y", Target: true}}), len(f.Rows), backend); err != nil {
		t.Fatal(err)
	}
	defer func() { programs = nil }()
	short, err := graph.NewExec(backend, func([]*graph.Node) []*graph.Node { panic(errors.New("out of memory")) })
	if err != nil {
		t.Fatal(err)
	}
	programs[len(programs)-1].program.steps = short
	p, err := FitWith(t.Context(), f, "y", c, FitOptions{Backend: backend})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := p.Predict(t.Context(), f); err != nil || len(rows) != 10 || !p.Model().Config().Recompute {
		t.Errorf("%v, %v, %+v", rows, err, p.Model().Config())
	}
}

// The error of a fit that has not enough memory names parameters, and still says what it is.
func TestMemoryErrorInParameters(t *testing.T) {
	err := inParameters(fmt.Errorf("npt: %w: Hidden: 4096 is too much", ErrMemory))
	if !errors.Is(err, ErrMemory) || err.Error() != "out of memory: dim_hidden: 4096 is too much" {
		t.Error(err)
	}
}
