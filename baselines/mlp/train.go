package mlp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"nptbench/internal/f32"
	"nptbench/internal/method"
	"nptbench/internal/spelling"
	"nptbench/internal/task"
)

// What the grids leave at scikit-learn's defaults.
const (
	maxEpochs = 200
	patience  = 10   // training stops when more epochs than that in a row did not improve
	tolerance = 1e-4 // what counts as an improvement of the score
)

// chunk is the largest number of rows that are predicted at once.
const chunk = 256

// A model is a trained network.
type model struct {
	network *network
	output  output

	epochs, bestEpoch int
	bestScore         float64 // on the held-out rows: R² or accuracy
}

// train fits a network to the task's training rows. It holds a tenth of them, or of their groups, out, makes passes over the others in
// shuffled mini-batches until the score on the held-out ones has not improved for patience epochs, and returns to the
// weights of the best epoch.
func train(ctx context.Context, t *task.Task, c method.Config, out output, rng *rand.Rand) (*model, error) {
	var strata []uint16
	if o, ok := out.(logistic); ok {
		strata = o.class
	}
	rows, held := holdOutGroups(t.Groups, func(row int32) float64 {
		if t.Labels != nil {
			return float64(t.Labels[row])
		}
		return t.Y[row]
	}, rng)
	if held == nil {
		rows, held = holdOut(t.Train, strata, rng)
	}
	units := slices.Concat([]int{t.Width}, c.Ints("hidden_layer_sizes"), []int{out.units()})
	weights := 0
	for i, out := range units[1:] {
		weights += out * f32.Pad(units[i]+1)
	}
	large := fmt.Sprintf("hidden_layer_sizes: %v makes %s weights", c.Ints("hidden_layer_sizes"), spelling.Thousands(weights))
	if err := method.CheckMemory(16*float64(weights), large); err != nil { // a float32 each, its two moments, and the best
		return nil, err
	}
	nw := newNetwork(units, c.Float("alpha"), rng)
	batch := min(c.Int("batch_size"), len(rows))
	rate := c.Float("learning_rate_init")
	pass, scoring := nw.newPass(batch, true), nw.newPass(min(len(held), chunk), false)

	m := &model{network: nw, output: out, bestScore: math.Inf(-1)}
	best := slices.Clone(nw.params)
	for waited := 0; m.epochs < maxEpochs && waited <= patience; {
		m.epochs++
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for part := range slices.Chunk(rows, batch) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			m.step(t, pass, part, rate)
		}
		score, err := m.score(ctx, t, scoring, held)
		if err != nil {
			return nil, err
		}
		if score < m.bestScore+tolerance {
			waited++
		} else {
			waited = 0
		}
		if score > m.bestScore {
			m.bestScore, m.bestEpoch = score, m.epochs
			copy(best, nw.params)
		}
	}
	copy(nw.params, best)
	if !nw.finite() {
		return nil, m.diverged()
	}
	return m, nil
}

// step trains on one mini-batch.
func (m *model) step(t *task.Task, p *pass, rows []int32, rate float64) {
	z := p.forward(t.X, t.Width, rows)
	m.output.derivative(z, p.ld, rows)
	p.backward(z, rate)
}

func (m *model) diverged() error {
	return fmt.Errorf("%w: weights or outputs are not finite in epoch %d; a smaller learning_rate_init or smaller features "+
		"would help", method.ErrDiverged, m.epochs)
}

// score evaluates the held-out rows. Regression outputs that are not finite end the training, as in scikit-learn;
// classification goes on, and either recovers the weights of an earlier epoch or fails in the end.
func (m *model) score(ctx context.Context, t *task.Task, p *pass, held []int32) (float64, error) {
	var misses float64
	for part := range slices.Chunk(held, chunk) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		z := p.forward(t.X, t.Width, part)
		misses += m.output.misses(z, p.ld, part)
	}
	if math.IsNaN(misses) || math.IsInf(misses, 0) {
		return 0, m.diverged()
	}
	return m.output.score(misses, held), nil
}

// predict returns the predictions of n rows of the task, from the given one on.
func (m *model) predict(ctx context.Context, t *task.Task, first, n int) (method.Prediction, error) {
	width := t.Outputs()
	out := make(method.Prediction, n*width)
	if n == 0 {
		return out, nil
	}
	p := m.network.newPass(min(n, chunk), false)
	rows := make([]int32, min(n, chunk))
	for done := 0; done < n; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := rows[:min(len(rows), n-done)]
		for i := range part {
			part[i] = int32(first + done + i)
		}
		z := p.forward(t.X, t.Width, part)
		m.output.predict(out[done*width:], z, p.ld, len(part))
		done += len(part)
	}
	return out, nil
}
