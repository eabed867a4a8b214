package npt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/checkpoint"
	"nptbench/internal/seed"
)

// A Model is a trained NPT. It predicts rows from their own features and from other rows, the context, that it is given
// with them. Goroutines may use it at the same time.
type Model struct {
	net     *network
	weights []*tensors.Tensor // nil: closed
	backend compute.Backend

	using   sync.RWMutex // read-locked while the weights are in use, for which Close waits
	placing sync.Mutex   // see engine
}

var errModelClosed = errors.New("npt: the model is closed")

// Model returns the network with the weights of the best evaluation so far, or the latest ones before any evaluation. They
// are copied: the training may go on.
func (tr *Trainer) Model() (*Model, error) {
	if tr.closed {
		return nil, errClosed
	}
	weights := tr.best
	if weights == nil {
		weights = tr.state.weights
	}
	m := &Model{net: tr.engine.net, backend: tr.engine.backend}
	for i, w := range weights {
		a, err := backends.Floats(w)
		if err != nil {
			return nil, err
		}
		m.weights = append(m.weights, m.net.array(a, m.net.Arrays[i].Dims...))
	}
	return m, nil
}

// Config is what the network was trained with.
func (m *Model) Config() Config { return m.net.Config }

// Columns are those that its tables must have.
func (m *Model) Columns() []Column { return slices.Clone(m.net.columns) }

// Close waits for what is being computed with the model, then gives the memory of the weights back, that of a device at once. What is asked
// of the model after that is an error.
func (m *Model) Close() {
	m.using.Lock()
	defer m.using.Unlock()
	for _, w := range m.weights {
		w.FinalizeAll()
	}
	m.weights = nil
}

// Predict predicts the targets of the test rows of a table. Its training and validation rows are the context: their features are always
// seen, their targets, those that are there, when the model was trained with a target mask below 1. Test rows see each other's features,
// too. The columns must be those of the training. The result has one slice per test row with, for each target, the standardised value or
// the probability of every class.
//
// With a BatchSize, the rows are dealt into as few batches as hold them, each with the same shares of training, validation and test
// rows: the more test rows there are, the fewer of the context each is predicted with. A batch that would have none is an error.
//
// The end of ctx is seen between batches.
func (m *Model) Predict(ctx context.Context, t *Table) ([][]float64, error) {
	first := 0
	if t != nil { // which is an error of complete
		first = t.Train + t.Val
	}
	rows, err := m.complete(ctx, t, first)
	if err != nil {
		return nil, err
	}
	channel := channelColumns(t.Columns)
	out := make([][]float64, 0, t.Test)
	for at, row := range rows {
		var targets []float64
		for i, x := range row {
			if t.target(first+at, channel[i]) {
				targets = append(targets, x)
			}
		}
		out = append(out, targets)
	}
	return out, nil
}

// Impute returns a copy of the table in which the missing feature entries have their predicted values: standardised values, and
// probabilities of classes (so that it is no table for Predict where a category was missing). A model that was trained without a feature
// loss cannot, which is an error, and so is a table with copies. Batches are those of Predict.
func (m *Model) Impute(ctx context.Context, t *Table) (*Table, error) { return m.impute(ctx, t, 0) }

// canImpute returns an error where the model cannot.
func (m *Model) canImpute() error {
	m.using.RLock()
	defer m.using.RUnlock()
	if m.weights == nil {
		return errModelClosed
	}
	if c := m.net.Config; c.tradeoffAt(0) == 0 {
		return fmt.Errorf("npt: FeatureMask: %v, with a Tradeoff of %v: the model has not learnt to predict features, want both above 0 in training",
			c.FeatureMask, c.Tradeoff)
	}
	return nil
}

// impute is Impute for the rows from one on; those before it keep their gaps.
func (m *Model) impute(ctx context.Context, t *Table, from int) (*Table, error) {
	if err := m.canImpute(); err != nil {
		return nil, err
	}
	if t != nil && t.Copies {
		return nil, errors.New("npt: Copies: true, want false: rows that have copies are not completed")
	}
	rows, err := m.complete(ctx, t, from)
	if err != nil {
		return nil, err
	}
	out := *t
	out.Columns = slices.Clone(t.Columns)
	out.Values, out.Missing = slices.Clone(t.Values), slices.Clone(t.Missing)
	channel := channelColumns(t.Columns)
	for k, row := range rows {
		i := from + k
		for at, x := range row {
			if j := channel[at]; t.missing(i, j) && !t.target(i, j) {
				out.Values[i*len(channel)+at] = float32(x)
				out.Missing[i*len(t.Columns)+j] = false
			}
		}
	}
	return &out, nil
}

// complete predicts every entry of the rows from one on, with the targets of the test rows hidden.
func (m *Model) complete(ctx context.Context, t *Table, from int) ([][]float64, error) {
	m.using.RLock()
	defer m.using.RUnlock()
	e, err := m.engine(t)
	if err != nil {
		return nil, err
	}
	defer e.free()
	if err := checkBatches(t, &m.net.Config, testMode); err != nil {
		return nil, err
	}
	rows, err := e.predict(ctx, m.weights, testMode, m.rng(), from, t.Rows())
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if slices.ContainsFunc(row, func(x float64) bool { return !finite(x) }) {
			return nil, fmt.Errorf("npt: predictions are not finite: values of the table, or the weights, are too large")
		}
	}
	return rows, nil
}

// engine returns an engine with the weights on its device. Its caller holds m.using.
func (m *Model) engine(t *Table) (*engine, error) {
	if m.weights == nil {
		return nil, errModelClosed
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	if !sameColumns(t.Columns, m.net.columns) {
		return nil, fmt.Errorf("npt: the table's columns differ from those that the model was trained on")
	}
	for j, c := range m.net.columns {
		if name := t.Columns[j].Name; name != c.Name && name != "" && c.Name != "" {
			return nil, fmt.Errorf("npt: column %d of the table is %q, want %q as in training", j, name, c.Name)
		}
	}
	// GoMLX writes to a tensor when it first brings it to the device: not while another goroutine computes with it.
	m.placing.Lock()
	defer m.placing.Unlock()
	for _, w := range m.weights {
		if err := w.MaterializeOnDevice(m.backend, true, 0); err != nil {
			return nil, fmt.Errorf("npt: %w", backends.Error(err))
		}
	}
	return newEngine(m.net, t, m.backend)
}

func (m *Model) rng() *rand.Rand { return seed.Rand(m.net.Seed, "predict") }

// An Attention holds the attention weights of one layer: Groups x Heads x Sequence x Sequence numbers, row-major, where
// the last axis (who is attended to) sums to 1. An ABD layer has one group, all rows of the table; an ABA layer has a
// group per row, its columns.
type Attention struct {
	Groups, Heads, Sequence int
	Weights                 []float64
}

// Attention returns the weights of each of the layers, at least one, with the given indices (even: ABD, odd: ABA) when the test rows of the
// table are predicted. All rows are one batch, whatever the BatchSize; copies come after them. An ABD layer has Heads x rows^2 numbers of 8
// bytes.
func (m *Model) Attention(ctx context.Context, t *Table, layers ...int) ([]Attention, error) {
	if len(layers) == 0 {
		return nil, errors.New("npt: attention of no layer, want at least one")
	}
	for _, layer := range layers {
		if layer < 0 || layer >= m.net.Layers || !m.net.between(layer) && !(isABA(layer) && m.net.has(layer)) {
			return nil, fmt.Errorf("npt: the model has no attention weights in layer %d", layer)
		}
	}
	m.using.RLock()
	defer m.using.RUnlock()
	e, err := m.engine(t)
	if err != nil {
		return nil, err
	}
	defer e.free()
	args := withTensors(e.batchArgs(rowsBetween(0, t.stored()), e.codesOf(testMode).codes), m.weights)
	return m.attention(ctx, args, layers, t.stored())
}

// attention returns the weights of some layers for the first rows of a batch, the others being padding. args are a batch and the
// weights of the network.
func (m *Model) attention(ctx context.Context, args []any, layers []int, rows int) (all []Attention, err error) {
	exec, err := graph.NewExec(m.backend, func(args []*graph.Node) (out []*graph.Node) {
		b, args := m.net.batch(args[0], args[1], args[2]), args[3:]
		f := m.net.forward(m.net.parameters(args), b.codes, nil)
		f.attention = map[int]*graph.Node{}
		f.predict(b.values, b.mask)
		first := graph.AxisRange(0, rows)
		for _, l := range layers {
			weights := graph.ConvertDType(f.attention[l], m.net.master())
			if isABA(l) {
				weights = graph.SliceAxis(weights, 0, first)
			} else {
				weights = graph.SliceAxis(graph.SliceAxis(weights, 2, first), 3, first)
			}
			out = append(out, weights)
		}
		return out
	})
	if err != nil {
		return nil, fmt.Errorf("npt: %w", backends.Error(err))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out, err := backends.Call(m.backend, exec, args)
	if err != nil {
		return nil, err
	}
	defer exec.Finalize() // not before: it waits without end for a compilation that has panicked (GoMLX 0.28.2)
	for _, t := range out {
		weights, err := backends.Floats(t)
		if err != nil {
			return nil, err
		}
		dims := t.Shape().Dimensions
		all = append(all, Attention{Groups: dims[0], Heads: dims[1], Sequence: dims[2], Weights: weights})
	}
	return all, backends.Release(out)
}

// A modelHeader describes a file of weights.
type modelHeader struct {
	Config  Config
	Columns []Column
}

// Save writes the model to a file, which is replaced as a whole, and makes its folder if it is not there.
func (m *Model) Save(path string) error {
	return m.save(path, "model", modelHeader{m.net.Config, m.net.columns})
}

// save writes the weights to a file of some kind.
func (m *Model) save(path, kind string, header any) error {
	m.using.RLock()
	defer m.using.RUnlock()
	if m.weights == nil {
		return errModelClosed
	}
	if err := checkpoint.Write(path, kind, header, m.weights); err != nil {
		return fmt.Errorf("npt: %w", err)
	}
	return nil
}

// LoadModel reads a model that Save wrote. A nil backend is as for NewTrainer. On one that does not compute in BFloat16 a model of that
// precision computes in Float32, as which its weights are stored, and its Config says so, also in a file that Save then writes; on one
// without Float64 a model of it is an error.
func LoadModel(path string, backend compute.Backend) (*Model, error) {
	var h modelHeader
	return loadModel(path, "model", backend, &h, func() (Config, []Column, error) { return h.Config, h.Columns, checkColumns(h.Columns) })
}

// loadModel reads a model from a file of some kind; what network it is of, network says once the header is read.
func loadModel(path, kind string, backend compute.Backend, header any, network func() (Config, []Column, error)) (*Model, error) {
	backend, err := orDefault(backend)
	if err != nil {
		return nil, err
	}
	m := &Model{backend: backend}
	m.weights, err = checkpoint.Read(path, kind, header, func() ([]shapes.Shape, error) {
		config, columns, err := network()
		if config.Precision == BFloat16 && config.supportedBy(backend) != nil {
			config.Precision = Float32
		}
		if err = cmp.Or(err, config.check()); err == nil {
			err = config.supportedBy(backend)
		}
		if err != nil {
			return nil, renamed{err, strings.TrimPrefix(err.Error(), "npt: ")} // which comes before the name of the file
		}
		m.net = newNetwork(config, columns)
		return m.net.Shapes(config.master()), nil
	})
	if err != nil {
		return nil, fmt.Errorf("npt: %w", err)
	}
	m.net.rowUnit = rowUnitOn(backend)
	return m, nil
}
