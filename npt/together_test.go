package npt

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/optimiser"
)

// Trainings at the same time in one process, as on an accelerator, share what one of them compiles, and end with the bits that
// they end with one after the other.
func TestTrainingsSideBySide(t *testing.T) { onBackends(t, testTrainingsSideBySide) }

func testTrainingsSideBySide(t *testing.T, backend compute.Backend) {
	const n = 3
	table := testTable(20, 10, 10, true)
	var trainers [n]*Trainer
	together := func(do func(i int) error) {
		t.Helper()
		var errs [n]error
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { errs[i] = do(i) })
		}
		all.Wait()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	prepare := func(i int) (err error) {
		c := smallConfig()
		c.Hidden, c.Layers, c.Steps, c.Precision, c.BatchSize, c.EvalEvery, c.Seed = 4, 2, 30, Float32, 20, 4, uint64(i)
		if trainers[i], err = NewTrainer(table, c, backend); err == nil && hasLoops(backend) {
			trainers[i].engine.callSteps = optimiser.LookaheadSteps
		}
		return err
	}
	train := func(i int) error { return trainers[i].Train(context.Background()) }

	together(prepare)
	shared := trainers[0].engine.program
	counted, counts := countingProgram(t, trainers[0].engine.net, backend)
	for i, tr := range trainers {
		if tr.engine.program != shared {
			t.Errorf("training %d has a program of its own", i)
		}
		tr.engine.program = counted
	}
	together(train)
	var got [n][]float64
	for i, tr := range trainers {
		got[i] = allWeights(t, tr)
	}
	if len(counts) == 0 {
		t.Error("no graph was made")
	}
	for which, times := range counts {
		if times != 1 {
			t.Errorf("made %d times: %s", times, which)
		}
	}

	for i := range n {
		if err := prepare(i); err != nil {
			t.Fatal(err)
		}
		trainers[i].engine.program = counted
		if err := train(i); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(allWeights(t, trainers[i]), got[i]) {
			t.Errorf("training %d ends with other bits than alone", i)
		}
	}
}

// countingProgram returns a program that counts how often each of its graphs is made.
func countingProgram(t *testing.T, n *network, backend compute.Backend) (p program, counts map[string]int) {
	t.Helper()
	counts = map[string]int{}
	var mu sync.Mutex
	for _, g := range []struct {
		name string
		exec **graph.Exec
		make func([]*graph.Node) []*graph.Node
	}{{"steps", &p.steps, n.stepsGraph}, {"sync", &p.sync, syncGraph}, {"evaluation", &p.eval, n.evalGraph}} {
		exec, err := graph.NewExec(backend, func(args []*graph.Node) []*graph.Node {
			key := g.name
			for _, a := range args {
				key += fmt.Sprint(" ", a.Shape())
			}
			mu.Lock()
			counts[key]++
			mu.Unlock()
			return g.make(args)
		})
		if err != nil {
			t.Fatal(err)
		}
		*g.exec = exec
	}
	return p, counts
}
