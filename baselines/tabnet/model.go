package tabnet

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/method"
)

// A model is a trained TabNet: the weights of the epoch with the lowest validation loss.
type model struct {
	program          *program
	weights, running *tensors.Tensor

	BestEpoch, Epochs int     // of the lowest validation loss, counted from 1, and all
	Loss              float64 // the validation loss
}

// atATime is how many of so many rows are evaluated at a time: 8,192, and of more than 64 features fewer, since sparsemax compares every
// feature of a row with every other one, in training too.
func atATime(rows, features int) int {
	const most, comparisons = 8192, 8192 * 64 * 64
	return min(rows, most, max(1, comparisons/(features*features)))
}

// rows are the features of a table on the device.
type rows struct{ features []any }

func (n *network) upload(t *table) *rows {
	d := &rows{}
	if t.Numeric > 0 {
		d.features = append(d.features, tensors.FromFlatDataAndDimensions(t.Numbers, t.rows(), t.Numeric))
	}
	if c := len(t.Categories); c > 0 {
		places, first := make([]int32, len(t.Codes)), make([]int32, c) // in the table of all embeddings
		for j := 1; j < c; j++ {
			first[j] = first[j-1] + int32(t.Categories[j-1])
		}
		for i, code := range t.Codes {
			places[i] = first[i%c] + code
		}
		d.features = append(d.features, tensors.FromFlatDataAndDimensions(places, t.rows(), c))
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

// predict returns for rows from to to the standardised value, or the probability of every class.
func (m *model) predict(ctx context.Context, d *rows, from, to int) (all []float64, err error) {
	columns := m.program.net.columns
	outputs := columns.outputs()
	size := atATime(to-from, columns.features())
	for ; from < to; from += size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		some := make([]int32, size)
		for i := range some {
			some[i] = int32(min(from+i, to-1))
		}
		out, err := backends.Call(m.program.backend, m.program.eval, append(d.pick(some), m.weights, m.running))
		if err != nil {
			return nil, fmt.Errorf("tabnet: %w", err)
		}
		numbers, err := backends.Floats(out[0])
		if err == nil {
			err = backends.Release(out)
		}
		if err != nil {
			return nil, fmt.Errorf("tabnet: %w", err)
		}
		all = append(all, numbers[:min(size, to-from)*outputs]...)
	}
	if columns.Classes > 0 {
		for i := 0; i < len(all); i += outputs {
			method.Softmax(all[i : i+outputs])
		}
	}
	return all, nil
}
