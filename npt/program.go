package npt

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/backends"
	"nptbench/internal/optimiser"
)

// A program holds the graphs of a network. Each is compiled when it is first used, once for every number of rows of padded batches.
type program struct{ steps, sync, eval, rows, masks *graph.Exec }

// Compiling takes XLA seconds: networks that differ in data, seed, schedule or shares of masked entries alone, like those of the folds of a
// data set, share their programs, as long as their tables have as many rows: a program that is compiled for every size of table that
// comes would never stop growing.
var (
	programsMu sync.Mutex
	programs   []knownProgram // the last ones that were wanted
)

const programsKept = 12 // the variants of the paper's small tables are four programs

type knownProgram struct {
	net     *network
	rows    int
	backend compute.Backend
	program program
}

// programOf returns the program of a network, which may be one that was made before for as many rows; 0: the sizes of batches vary, and are
// padded.
func programOf(n *network, rows int, backend compute.Backend) (program, error) {
	programsMu.Lock()
	defer programsMu.Unlock()
	for i, known := range programs {
		if known.backend == backend && known.rows == rows && known.net.sameGraphs(n) {
			programs = append(slices.Delete(programs, i, i+1), known)
			return known.program, nil
		}
	}
	p, err := newProgram(n, backend)
	if err != nil {
		return program{}, err
	}
	if len(programs) == programsKept {
		programs = slices.Delete(programs, 0, 1)
	}
	programs = append(programs, knownProgram{n, rows, backend, p})
	return p, nil
}

// supportedBy returns an error unless a backend has the type of the activations.
func (c *Config) supportedBy(backend compute.Backend) error {
	if backend.Capabilities().DTypes[c.activations()] {
		return nil
	}
	return fmt.Errorf("npt: backend %s does not compute in %s; %s, %s and %s do", backends.Name(backend), c.Precision, backends.CUDA, backends.CPU, backends.Go)
}

// sameGraphs reports whether two networks differ at most in what is no part of their graphs.
func (n *network) sameGraphs(m *network) bool {
	graphsOf := func(c Config) Config {
		c.Steps, c.LR, c.Schedule, c.FlatShare, c.Warmup, c.Tradeoff, c.Anneal = 0, 0, "", 0, 0, 0, false
		c.SemiSupervised, c.BatchSize, c.ClassBalancing, c.Repeat, c.EvalEvery, c.Seed = false, 0, false, 0, 0, 0
		c.FeatureMask, c.TargetMask = 0, 0 // see randomises
		return c
	}
	return graphsOf(n.Config) == graphsOf(m.Config) && n.randomises() == m.randomises() && n.rowUnit == m.rowUnit && n.copies == m.copies && sameColumns(n.columns, m.columns)
}

// newProgram returns the program of a network, none of it compiled yet.
func newProgram(n *network, backend compute.Backend) (p program, err error) {
	if err := n.supportedBy(backend); err != nil {
		return p, err
	}
	err = backends.Guard(func() (err error) {
		for _, of := range []struct {
			exec  **graph.Exec
			graph func(args []*graph.Node) []*graph.Node
		}{{&p.steps, n.stepsGraph}, {&p.sync, syncGraph}, {&p.eval, n.evalGraph}, {&p.rows, n.rowsGraph}, {&p.masks, masksGraph}} {
			if *of.exec, err = graph.NewExec(backend, of.graph); err != nil {
				return err
			}
			(*of.exec).SetMaxCache(-1)
		}
		return nil
	})
	if err != nil {
		return p, fmt.Errorf("npt: %w", backends.Error(err))
	}
	return p, nil
}

// stepsGraph takes steps. What a step needs from the host has another axis before its own, with a place for each step; the
// graph returns the sums that make the losses of each, and the state.
//
// Arguments: the table, the codes of passes (passes x rows x d), for each step the place of its pass among them, rows
// (steps x n), states of the generator, learning rates and lambdas, then how many steps to take, and the state.
func (n *network) stepsGraph(args []*graph.Node) []*graph.Node {
	if places := args[2].Shape().Dimensions[0]; places > 1 {
		return n.loop(args, places)
	}
	losses, state := n.oneStep(args, graph.Const(args[0].Graph(), int32(0)))
	return append([]*graph.Node{graph.Reshape(losses, 1, lossSumCount)}, state...)
}

// stateArg is the first argument of the state.
const stateArg = 8

// oneStep takes the step that has place i.
func (n *network) oneStep(args []*graph.Node, i *graph.Node) (losses *graph.Node, next []*graph.Node) {
	here := func(arg int) *graph.Node { return element(args[arg], i) }
	table, codes, rows, rng, rate, lambda := args[0], element(args[1], here(2)), here(3), here(4), here(5), here(6)
	state, p := args[stateArg:], len(n.Arrays)
	s, losses := n.trainStep(n.batch(table, codes, rows), rng, rate, lambda, stateNodes{state[:p], state[p : 2*p], state[2*p:]})
	return losses, slices.Concat(s.weights, s.m, s.v)
}

// element returns what stands at place i of the first axis of x.
func element(x, i *graph.Node) *graph.Node {
	dims := x.Shape().Dimensions
	if dims[0] > 1 {
		x = graph.Gather(x, graph.Reshape(i, 1, 1))
	}
	return graph.Reshape(x, dims[1:]...)
}

// loop takes as many steps as the argument before the state says, on the device.
func (n *network) loop(args []*graph.Node, places int) []*graph.Node {
	g, sums := args[0].Graph(), shapes.Make(n.master(), places, lossSumCount)
	begin := slices.Concat([]*graph.Node{graph.Const(g, int32(0)), graph.Zeros(g, sums)}, args)
	variables := func() (i, losses *graph.Node, args []*graph.Node) {
		var all []*graph.Node
		for _, v := range begin {
			all = append(all, graph.Parameter(g, "", v.Shape()))
		}
		return all[0], all[1], all[2:]
	}
	goesOn := graph.NewClosure(g, func(*graph.Graph) []*graph.Node {
		i, _, args := variables()
		return []*graph.Node{graph.LessThan(i, args[stateArg-1])}
	})
	step := graph.NewClosure(g, func(*graph.Graph) []*graph.Node {
		i, losses, args := variables()
		of, next := n.oneStep(args, i)
		here := graph.Equal(graph.Iota(g, shapes.Make(dtypes.Int32, sums.Dimensions...), 0), graph.BroadcastToDims(i, sums.Dimensions...))
		losses = graph.Where(here, graph.BroadcastToDims(graph.Reshape(of, 1, lossSumCount), sums.Dimensions...), losses)
		return slices.Concat([]*graph.Node{graph.OnePlus(i), losses}, args[:stateArg], next)
	})
	end := graph.While(goesOn, step, begin...)
	return append(end[1:2:2], end[2+stateArg:]...)
}

// evalGraph evaluates a batch. Arguments: the table, the codes of its entries, the batch's rows, and the weights.
func (n *network) evalGraph(args []*graph.Node) []*graph.Node {
	predictions, sums := n.evaluate(n.batch(args[0], args[1], args[2]), args[3:], n.scored())
	return []*graph.Node{sums, predictions}
}

// rowsGraph predicts some rows of a batch. Arguments: the table, the codes of its entries, the batch's rows, the places among these
// of those that are asked for, and the weights.
func (n *network) rowsGraph(args []*graph.Node) []*graph.Node {
	asked := func(x *graph.Node) *graph.Node { return gatherRows(x, args[3]) }
	predictions, _ := n.evaluate(n.batch(args[0], args[1], args[2]), args[4:], asked)
	return []*graph.Node{predictions}
}

func syncGraph(args []*graph.Node) []*graph.Node {
	half := len(args) / 2
	out := make([]*graph.Node, half)
	for i := range out {
		out[i] = optimiser.Lookahead(args[i], args[half+i])
	}
	return out
}
