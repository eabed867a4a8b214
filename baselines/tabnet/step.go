package tabnet

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/optimiser"
)

// A program is what runs on the device. Each graph is compiled when it is first used, once for every number of rows.
type program struct {
	net        *network
	backend    compute.Backend
	step, eval *graph.Exec
}

func newProgram(n *network, backend compute.Backend) (*program, error) {
	p := &program{net: n, backend: backend}
	err := backends.Guard(func() (err error) {
		if p.step, err = graph.NewExec(backend, n.stepGraph); err != nil {
			return err
		}
		p.eval, err = graph.NewExec(backend, n.evalGraph)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tabnet: %w", backends.Error(err))
	}
	return p, nil
}

// A state is what changes in a training, on the device.
type state struct {
	weights *tensors.Tensor
	m, v    *tensors.Tensor // the moments of Adam
	running *tensors.Tensor // statistics
}

func (s *state) tensors() []**tensors.Tensor {
	return []**tensors.Tensor{&s.weights, &s.m, &s.v, &s.running}
}

// rowNodes takes the features of a batch out of the arguments of a graph: the numbers and the codes of all rows, as far as the
// table has any, then the rows of the batch. It returns the other arguments.
func (n *network) rowNodes(args []*graph.Node) (numbers, codes, rows *graph.Node, rest []*graph.Node) {
	var all [2]*graph.Node
	for i, some := range []bool{n.columns.Numeric > 0, len(n.columns.Categories) > 0} {
		if some {
			all[i], args = args[0], args[1:]
		}
	}
	rows = graph.Reshape(args[0], -1, 1)
	for i, x := range all {
		if x != nil {
			all[i] = graph.Gather(x, rows)
		}
	}
	if all[0] != nil {
		all[0] = graph.ConvertDType(all[0], n.dtype())
	}
	return all[0], all[1], rows, args[1:]
}

// stepGraph is one training step. Arguments: the features of a batch (see rowNodes), all targets (rows x 1), rate and root of
// Adam, and the state. It returns the loss, and the state after the step.
func (n *network) stepGraph(args []*graph.Node) []*graph.Node {
	numbers, codes, rows, rest := n.rowNodes(args)
	targets := graph.Gather(rest[0], rows)
	if n.columns.Classes == 0 {
		targets = graph.ConvertDType(targets, n.dtype())
	}
	rate, root, w, m, v, running := rest[1], rest[2], rest[3], rest[4], rest[5], rest[6]

	f := n.forward(w, running, true)
	predictions, sparsity := f.predict(f.features(numbers, codes))
	loss := graph.Sub(n.loss(predictions, targets), graph.MulScalar(sparsity, n.Sparsity))
	var params []*graph.Node
	for _, p := range n.params.Params {
		params = append(params, f.w[p.Name])
	}
	grad := n.params.Packed(graph.Gradient(loss, params...))[0]
	if n.Clip > 0 {
		grad = optimiser.ClipNorm(grad, n.Clip)
	}
	w, m, v = optimiser.Adam(w, m, v, grad, rate, root)
	return []*graph.Node{loss, w, m, v, f.moved(running)}
}

// evalGraph returns what is predicted for rows: values, or logits. Arguments: the features of the rows, weights, running
// statistics.
func (n *network) evalGraph(args []*graph.Node) []*graph.Node {
	numbers, codes, _, rest := n.rowNodes(args)
	f := n.forward(rest[0], rest[1], false)
	predictions, _ := f.predict(f.features(numbers, codes))
	return []*graph.Node{predictions}
}

// take takes a training step. It reuses the memory of the state's tensors, but of those in keep.
func (p *program) take(s *state, args []any, keep ...*tensors.Tensor) (loss *tensors.Tensor, err error) {
	for _, t := range s.tensors() {
		if args, err = backends.Donate(p.backend, args, []*tensors.Tensor{*t}, keep); err != nil {
			return nil, fmt.Errorf("tabnet: %w", err)
		}
	}
	out, err := backends.Call(p.backend, p.step, args)
	if err != nil {
		return nil, fmt.Errorf("tabnet: %w", err)
	}
	for i, t := range s.tensors() {
		*t = out[1+i]
	}
	return out[0], nil
}

// array makes a tensor of the network's type.
func (n *network) array(values []float64, dims ...int) *tensors.Tensor {
	return backends.Tensor(values, n.dtype(), dims...)
}
