package npt

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/method"
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
		result, err := withinMemory(DefaultConfig(), func(config Config) (method.Result, error) {
			attempts++
			r := method.Result{Details: map[string]any{}}
			if config.Recompute {
				return r, c.recomputing
			}
			return r, c.keeping
		})
		recompute := result.Details["recompute"] == true
		if attempts != c.attempts || recompute != c.wantRecompute || (err != nil) != c.wantErr {
			t.Errorf("%s: %d attempts, recompute %v, error %v", c.name, attempts, recompute, err)
		}
		if c.wantErr && !errors.Is(err, c.keeping) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}

// The error of a fit that has not enough memory names parameters, and still says what it is.
func TestMemoryErrorInParameters(t *testing.T) {
	err := inParameters(fmt.Errorf("npt: %w: Hidden: 4096 is too much", ErrMemory))
	if !errors.Is(err, ErrMemory) || err.Error() != "out of memory: dim_hidden: 4096 is too much" {
		t.Error(err)
	}
}
