package npt

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/task"
)

// A keptModel is a model that a training of the comparison has left, as what is measured on it needs it: every batch that it is given
// is one pass of the network.
type keptModel struct {
	*Model
	program program
	task    *task.Task
	table   *Table // of the task
}

// keptRowUnit is what the batches of kept models are padded to a multiple of: batches that lose row after row, as when rows are
// deleted, take one graph for so many sizes.
const keptRowUnit = 32

// keptFile is the file of a model.
func keptFile(t *task.Task, c Config) string {
	return filepath.Join(t.ModelDir, fmt.Sprintf("npt-%016x.npt", seed.Derive(c.Seed, t.Digest, t.Split)))
}

// openKept opens the model of a configuration. It is an error when it is not there, is damaged, or is another's.
func openKept(_ context.Context, t *task.Task, of method.Config) (method.Model, error) {
	backend, err := backends.Open(t.Backend, t.Threads)
	if err != nil {
		return nil, err
	}
	config := trainingConfig(t, of)
	if err := config.supportedBy(backend); err != nil { // where LoadModel would compute in another precision
		return nil, err
	}
	path := keptFile(t, config)
	m, err := LoadModel(path, backend)
	if err != nil {
		return nil, err
	}
	k := &keptModel{Model: m, task: t}
	if k.table, err = tableOf(t).balanced(&config); err != nil {
		return nil, err
	}
	config.Recompute = m.net.Recompute // which does not matter
	if m.net.Config != config || !sameColumns(m.net.columns, k.table.Columns) {
		return nil, fmt.Errorf("npt: %s: the model of another training", path)
	}
	m.net.rowUnit = keptRowUnit
	k.program, err = programOf(m.net, 0, backend)
	return k, err
}

// Batches deals the rows as the training's last pass over the test rows did.
func (k *keptModel) Batches() [][]int { return k.batches(k.net.Config) }

// BatchesOf deals them in batches of another size.
func (k *keptModel) BatchesOf(size int) ([][]int, error) {
	c := k.net.Config
	c.BatchSize = size
	if checkBatches(k.table, &c, testMode) != nil {
		return nil, fmt.Errorf("npt: batches of %d rows: some would hold none of the rows of context, want larger ones", size)
	}
	return k.batches(c), nil
}

func (k *keptModel) batches(c Config) (all [][]int) {
	row := make([]int, k.table.stored()) // of the task, by row of the table
	for i := range row {
		row[tableRow(k.task, i)] = i
	}
	rng := seed.Rand(k.net.Seed, "prediction", int(testMode))
	for _, batch := range evaluationBatches(rng, k.table, &c, testMode) {
		var rows []int
		for _, at := range batch {
			rows = append(rows, row[at])
		}
		slices.Sort(rows)
		all = append(all, rows)
	}
	return all
}

func (k *keptModel) Predict(ctx context.Context, batches []*task.Task) (all []method.Prediction, err error) {
	for _, b := range batches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t := tableOf(b)
		tests := rowsBetween(testMode.part(t))
		if len(tests) == 0 {
			all = append(all, nil)
			continue
		}
		asked := append(tests, slices.Repeat(tests[:1], k.net.padded(len(tests))-len(tests))...)
		args := slices.Insert(k.args(t), 3, any(tensors.FromFlatDataAndDimensions(asked, len(asked))))
		out, err := backends.Call(k.backend, k.program.rows, args)
		if err != nil {
			return nil, err
		}
		values, err := backends.Floats(out[0])
		if err != nil {
			return nil, err
		}
		width := t.Channels()
		all = append(all, targetPrediction(b, b.Train+b.Val, slices.Collect(slices.Chunk(values[:len(tests)*width], width))))
		if err := backends.Release(out); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (k *keptModel) Attention(ctx context.Context, batch *task.Task) (all []method.Attention, err error) {
	t := tableOf(batch)
	var layers []int
	for l := range k.net.Layers {
		if k.net.between(l) {
			layers = append(layers, l)
		}
	}
	if len(layers) == 0 {
		return nil, fmt.Errorf("npt: the network has no layers in which rows attend to others")
	}
	weights, err := k.attention(ctx, k.args(t), layers, t.stored())
	if err != nil {
		return nil, err
	}
	for i, w := range weights {
		a := method.Attention{Layer: layers[i], Heads: w.Heads, Weights: w.Weights}
		if batch.Copies > 0 { // which come last in a table
			a.Weights = inOrderOf(batch, w.Weights, t.stored())
		}
		all = append(all, a)
	}
	return all, nil
}

// inOrderOf has the weights (heads x n x n) between the rows of a table in the order of the batch that it is of.
func inOrderOf(batch *task.Task, weights []float64, n int) []float64 {
	at := make([]int, n) // the row of the table that one of the batch is
	for i := range at {
		at[i] = tableRow(batch, i)
	}
	out := make([]float64, 0, len(weights))
	for head := range slices.Chunk(weights, n*n) {
		for _, from := range at {
			row := head[from*n:][:n]
			for _, to := range at {
				out = append(out, row[to])
			}
		}
	}
	return out
}

// args are the arguments of graphs that begin with a batch, for all rows of a table, padded, and the weights.
func (k *keptModel) args(t *Table) []any {
	rows, width, d := t.stored(), t.Channels(), len(t.Columns)
	n := k.net.padded(rows)
	values, codes := make([]float32, n*width), make([]code, n*d)
	copy(values, t.Values)
	t.blank(values)
	own, _ := modeCodes(t, &k.net.Config, testMode)
	copy(codes, own)
	return withTensors([]any{
		tensors.FromFlatDataAndDimensions(values, n, width),
		tensors.FromFlatDataAndDimensions(codes, n, d),
		tensors.FromFlatDataAndDimensions(k.net.pad(rowsBetween(0, rows)), n),
	}, k.weights)
}
