package npt

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

// A program holds the graphs of a network. Each is compiled when it is first used, once for every number of rows.
type program struct{ step, sync, eval *graph.Exec }

// Compiling takes XLA seconds: trainings that differ in data, seed or schedule alone, like the folds of a data set, share
// their programs.
var (
	programsMu sync.Mutex
	programs   []knownProgram // the latest ones
)

const programsKept = 4

type knownProgram struct {
	net     *network
	backend compute.Backend
	program program
}

// programOf returns the program of a network, which may be one that was made before.
func programOf(n *network, backend compute.Backend) (program, error) {
	programsMu.Lock()
	defer programsMu.Unlock()
	for _, known := range programs {
		if known.backend == backend && known.net.sameGraphs(n) {
			return known.program, nil
		}
	}
	p, err := newProgram(n, backend)
	if err != nil {
		return program{}, fmt.Errorf("npt: %w", oneLine(err))
	}
	if len(programs) == programsKept {
		programs = slices.Delete(programs, 0, 1)
	}
	programs = append(programs, knownProgram{n, backend, p})
	return p, nil
}

// sameGraphs reports whether two networks differ at most in what is no part of their graphs.
func (n *network) sameGraphs(m *network) bool {
	graphsOf := func(c Config) Config {
		c.Steps, c.LR, c.Schedule, c.FlatShare, c.Warmup, c.Tradeoff, c.Anneal = 0, 0, "", 0, 0, 0, false
		c.SemiSupervised, c.BatchSize, c.ClassBalancing, c.Repeat, c.EvalEvery, c.Seed = false, 0, false, 0, 0, 0
		return c
	}
	return graphsOf(n.Config) == graphsOf(m.Config) && n.parts == m.parts && sameColumns(n.columns, m.columns)
}

func newProgram(n *network, backend compute.Backend) (p program, err error) {
	err = guard(func() (err error) {
		if p.step, err = graph.NewExec(backend, n.stepGraph); err != nil {
			return err
		}
		if p.sync, err = graph.NewExec(backend, syncGraph); err != nil {
			return err
		}
		p.eval, err = graph.NewExec(backend, n.evalGraph)
		return err
	})
	if err == nil {
		p.step.SetMaxCache(-1)
		p.eval.SetMaxCache(-1)
	}
	return p, err
}

// batchOf splits off what a graph gets of a batch from its arguments.
func batchOf(args []*graph.Node) (batchInput, []*graph.Node) {
	b := batchInput{table: args[0], codes: args[1], rows: args[2]}
	if b.rows.Shape().Dimensions[0] == b.table.Shape().Dimensions[0] {
		b.rows = nil // the only batch of a pass is in order
	}
	return b, args[3:]
}

func (n *network) stepGraph(args []*graph.Node) []*graph.Node {
	b, args := batchOf(args)
	rng, rate, lambda, args := args[0], args[1], args[2], args[3:]
	p := len(n.arrays)
	next, sums := n.trainStep(b, rng, rate, lambda, stateNodes{args[:p], args[p : 2*p], args[2*p:]})
	return slices.Concat([]*graph.Node{sums}, next.weights, next.m, next.v)
}

func (n *network) evalGraph(args []*graph.Node) []*graph.Node {
	b, args := batchOf(args)
	predictions, sums := n.evaluate(b, args)
	return []*graph.Node{sums, predictions}
}

func syncGraph(args []*graph.Node) []*graph.Node {
	half := len(args) / 2
	out := make([]*graph.Node, half)
	for i := range out {
		out[i] = lookaheadSync(args[i], args[half+i])
	}
	return out
}
