package npt

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// A program holds the graphs of a network. Each is compiled when it is first used, once for every number of rows.
type program struct{ steps, sync, eval *graph.Exec }

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
		if p.steps, err = graph.NewExec(backend, n.stepsGraph); err != nil {
			return err
		}
		if p.sync, err = graph.NewExec(backend, syncGraph); err != nil {
			return err
		}
		p.eval, err = graph.NewExec(backend, n.evalGraph)
		return err
	})
	if err == nil {
		p.steps.SetMaxCache(-1)
		p.eval.SetMaxCache(-1)
	}
	return p, err
}

// stepsGraph takes several steps, in a loop on the device: what a step needs from the host has another axis before its own,
// with room for lookaheadSteps of them. It returns the sums that make the losses of each step, and the state.
//
// Arguments: the table, codes (steps x n x d), rows (steps x n), states of the generator, learning rates, lambdas, how many
// steps to take, and the state.
func (n *network) stepsGraph(args []*graph.Node) []*graph.Node {
	g, steps := args[0].Graph(), args[1].Shape().Dimensions[0]
	sums := shapes.Make(n.master(), steps, lossSumCount)
	loop := slices.Concat([]*graph.Node{graph.Const(g, int32(0)), graph.Zeros(g, sums)}, args)
	variables := func() []*graph.Node {
		var out []*graph.Node
		for _, v := range loop {
			out = append(out, graph.Parameter(g, "", v.Shape()))
		}
		return out
	}
	const first = 9 // of the state among the loop's variables
	goesOn := graph.NewClosure(g, func(*graph.Graph) []*graph.Node {
		v := variables()
		return []*graph.Node{graph.LessThan(v[0], v[first-1])}
	})
	step := graph.NewClosure(g, func(*graph.Graph) []*graph.Node {
		v := variables()
		i, all, table, state := v[0], v[1], v[2], v[first:]
		of := func(x *graph.Node) *graph.Node { // this step
			return graph.Reshape(graph.Gather(x, graph.Reshape(i, 1, 1)), x.Shape().Dimensions[1:]...)
		}
		p := len(n.arrays)
		next, losses := n.trainStep(newBatch(table, of(v[3]), of(v[4])), of(v[5]), of(v[6]), of(v[7]),
			stateNodes{state[:p], state[p : 2*p], state[2*p:]})
		here := graph.Equal(graph.Iota(g, shapes.Make(dtypes.Int32, sums.Dimensions...), 0), graph.BroadcastToDims(i, sums.Dimensions...))
		all = graph.Where(here, graph.BroadcastToDims(graph.Reshape(losses, 1, lossSumCount), sums.Dimensions...), all)
		return slices.Concat([]*graph.Node{graph.OnePlus(i), all}, v[2:first], next.weights, next.m, next.v)
	})
	out := graph.While(goesOn, step, loop...)
	return append(out[1:2:2], out[first:]...)
}

func (n *network) evalGraph(args []*graph.Node) []*graph.Node {
	predictions, sums := n.evaluate(newBatch(args[0], args[1], args[2]), args[3:])
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
