package tabnet

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
)

// A Model is a trained TabNet: the weights of the epoch with the lowest validation loss.
type Model struct {
	program          *program
	weights, running *tensors.Tensor

	BestEpoch, Epochs int     // of the lowest validation loss, counted from 1, and all
	Loss              float64 // the validation loss
}

// evalRows is how many rows are evaluated at a time, at most.
const evalRows = 8192

// rows are the features of a table on the device.
type rows struct{ features []any }

func (n *network) upload(t *Table) *rows {
	d := &rows{}
	if t.Numeric > 0 {
		d.features = append(d.features, tensors.FromFlatDataAndDimensions(t.Numbers, t.Rows(), t.Numeric))
	}
	if c := len(t.Categories); c > 0 {
		places, first := make([]int32, len(t.Codes)), make([]int32, c) // in the table of all embeddings
		for j := 1; j < c; j++ {
			first[j] = first[j-1] + int32(t.Categories[j-1])
		}
		for i, code := range t.Codes {
			places[i] = first[i%c] + code
		}
		d.features = append(d.features, tensors.FromFlatDataAndDimensions(places, t.Rows(), c))
	}
	return d
}

func (d *rows) free() {
	for _, t := range d.features {
		t.(*tensors.Tensor).FinalizeAll()
	}
}

// pick returns the arguments for these rows.
func (d *rows) pick(rows []int32) []any {
	return append(d.features[:len(d.features):len(d.features)], tensors.FromFlatDataAndDimensions(rows, len(rows)))
}

// each runs a graph for rows from to to, so many at a time, and hands on what it returns for them, output by output.
func (m *Model) each(ctx context.Context, exec *graph.Exec, d *rows, from, to int, use func(n int, outputs [][]float64)) error {
	size := min(evalRows, to-from)
	for ; from < to; from += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := make([]int32, size)
		for i := range some {
			some[i] = int32(min(from+i, to-1))
		}
		out, err := backends.Call(m.program.backend, exec, append(d.pick(some), m.weights, m.running))
		if err != nil {
			return fmt.Errorf("tabnet: %w", err)
		}
		var outputs [][]float64
		for _, x := range out {
			numbers, err := backends.Floats(x)
			if err != nil {
				return fmt.Errorf("tabnet: %w", err)
			}
			outputs = append(outputs, numbers)
		}
		use(min(size, to-from), outputs)
		if err := backends.Release(out); err != nil {
			return fmt.Errorf("tabnet: %w", err)
		}
	}
	return nil
}

// predict returns for each of the rows the standardised value, or the probability of every class.
func (m *Model) predict(ctx context.Context, d *rows, from, to int) ([]float64, error) {
	var all []float64
	outputs := m.program.net.columns.outputs()
	err := m.each(ctx, m.program.eval, d, from, to, func(n int, out [][]float64) { all = append(all, out[0][:n*outputs]...) })
	if m.program.net.columns.Classes > 0 {
		for i := 0; i < len(all); i += outputs {
			softmax(all[i : i+outputs])
		}
	}
	return all, err
}

// upload checks that a table is like that of the training.
func (m *Model) upload(t *Table) (*rows, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if c := m.program.net.columns; t.Numeric != c.Numeric || !slices.Equal(t.Categories, c.Categories) || t.Classes != c.Classes {
		return nil, fmt.Errorf("tabnet: a table with columns %v, want %v, as in the training", t.Columns, c)
	}
	return m.program.net.upload(t), nil
}

// Predict returns for each of the rows from to to of a table the standardised value, or the probability of every class.
func (m *Model) Predict(ctx context.Context, t *Table, from, to int) ([]float64, error) {
	d, err := m.upload(t)
	if err != nil {
		return nil, err
	}
	defer d.free()
	return m.predict(ctx, d, from, to)
}

// An Explanation says which features predictions were made from. Features are in the order of the table's columns, numeric ones
// first.
type Explanation struct {
	Importance [][]float64   // rows x features: the masks of all steps, weighted by what the steps decided
	Masks      [][][]float64 // steps x rows x features: what a step looked at; 0 to 1, a row adds up to 1
}

// Explain explains the predictions for rows from to to of a table.
func (m *Model) Explain(ctx context.Context, t *Table, from, to int) (*Explanation, error) {
	d, err := m.upload(t)
	if err != nil {
		return nil, err
	}
	defer d.free()
	e := &Explanation{Masks: make([][][]float64, m.program.net.Steps)}
	width := m.program.net.columns.features()
	err = m.each(ctx, m.program.reason, d, from, to, func(n int, out [][]float64) {
		for i := range n {
			e.Importance = append(e.Importance, out[0][i*width:(i+1)*width])
			for step := range e.Masks {
				e.Masks[step] = append(e.Masks[step], out[1+step][i*width:(i+1)*width])
			}
		}
	})
	return e, err
}

// softmax turns logits into probabilities.
func softmax(z []float64) {
	largest := math.Inf(-1)
	for _, x := range z {
		largest = max(largest, x)
	}
	sum := 0.0
	for i, x := range z {
		z[i] = math.Exp(x - largest)
		sum += z[i]
	}
	for i := range z {
		z[i] /= sum
	}
}
