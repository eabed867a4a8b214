package tabnet

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/checkpoint"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/optimiser"
	"nptbench/internal/seed"
	"nptbench/internal/spelling"
)

// A training is one that may serve several ways to end it: what happens in an epoch does not depend on them.
type training struct {
	*program
	table    *table
	features *rows
	targets  *tensors.Tensor // of the training rows

	progress   func(progress) // after every epoch; may be nil
	checkpoint checkpoint.Periodic

	state state
	at    position
	best  struct{ weights, running *tensors.Tensor }

	started time.Time
	earlier time.Duration // that an interrupted part of the training took, up to its checkpoint
}

// A position is how far a training is.
type position struct {
	Epochs, Steps int     // taken
	BestEpoch     int     // of the lowest validation loss, counted from 1; 0: there is none yet
	BestLoss      float64 // that loss
	Waited        int     // the most epochs that went by without a lower one
}

// A progress is what can be said of a training after an epoch.
type progress struct {
	position
	Loss float64 // on the validation rows
}

func newTraining(t *table, c config, backend compute.Backend) (*training, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	c.BatchSize = min(c.BatchSize, t.Train)
	if err := c.checkBatches(t.Train); err != nil {
		return nil, fmt.Errorf("tabnet: %w", err)
	}
	p, err := newProgram(newNetwork(c, t.columns), backend)
	if err != nil {
		return nil, err
	}
	each := drawnBytes
	if !backends.HasDevice(backend) {
		each += tensorBytes
	}
	large := fmt.Sprintf("n_d: %d and n_a: %d, with %d steps, make %s weights", c.Decision, c.Attention, c.Steps, spelling.Thousands(p.net.params.Size()))
	if err := method.CheckMemory(float64(each*p.net.params.Size()), large); err != nil {
		return nil, fmt.Errorf("tabnet: %w", err)
	}
	tr := &training{program: p, table: t, features: p.net.upload(t), targets: p.net.uploadTargets(t), started: time.Now()}
	tr.state = p.initial()
	return tr, nil
}

// Bytes that every weight takes as a training begins: its initial value as it is drawn and as it is packed, and a zero; and, where the
// backend has them, four tensors of float32.
const (
	drawnBytes  = 3 * 8
	tensorBytes = 4 * 4
)

// uploadTargets brings the targets of the training rows to the device, rows x 1.
func (n *network) uploadTargets(t *table) *tensors.Tensor {
	if t.Classes == 0 {
		return n.array(t.Targets[:t.Train], t.Train, 1)
	}
	classes := make([]int32, t.Train)
	for i := range classes {
		classes[i] = int32(t.Labels[i])
	}
	return tensors.FromFlatDataAndDimensions(classes, t.Train, 1)
}

// elapsed returns how long the training has been running, an interrupted part included.
func (tr *training) elapsed() time.Duration { return tr.earlier + time.Since(tr.started) }

// initial draws the weights that a training begins with.
func (p *program) initial() state {
	rng := seed.Rand(p.net.Seed, "weights")
	params, running := p.net.params.Initial(rng)[0], p.net.statistics.Initial(rng)[0]
	zeros := make([]float64, len(params))
	return state{
		weights: p.net.array(params, len(params)),
		m:       p.net.array(zeros, len(params)),
		v:       p.net.array(zeros, len(params)),
		running: p.net.array(running, len(running)),
	}
}

// run trains until the last of the stops, and calls done at each of them, with its index. What done is given is of use until it
// returns.
func (tr *training) run(ctx context.Context, stops []stop, done func(i int, m *model) error) error {
	ended := make([]bool, len(stops))
	for left := len(stops); left > 0; {
		loss, err := tr.epoch(ctx)
		if err != nil {
			return err
		}
		if tr.progress != nil {
			tr.progress(progress{tr.at, loss})
		}
		for i, s := range stops {
			if ended[i] || !tr.at.ends(s) && finite(loss) {
				continue
			}
			if tr.at.BestEpoch == 0 {
				return fmt.Errorf("tabnet: %w: validation loss %v in epoch %d", method.ErrDiverged, loss, tr.at.Epochs)
			}
			ended[i] = true
			left--
			m := &model{program: tr.program, weights: tr.best.weights, running: tr.best.running,
				BestEpoch: tr.at.BestEpoch, Epochs: tr.at.Epochs, Loss: tr.at.BestLoss}
			begin := time.Now()
			err := done(i, m)
			tr.started = tr.started.Add(time.Since(begin)) // that was no training
			if err != nil {
				return err
			}
		}
		if left > 0 && tr.at.BestEpoch > 0 { // else there is nothing worth it
			tr.checkpoint.Write(tr.save)
		}
	}
	return nil
}

// ends reports whether a training is over.
func (p position) ends(s stop) bool { return p.Epochs >= s.MaxEpochs || p.Waited >= s.Patience }

func finite(x float64) bool { return x-x == 0 }

// epoch goes through the training rows once, in random order, and returns the validation loss.
func (tr *training) epoch(ctx context.Context) (float64, error) {
	rng := seed.Rand(tr.net.Seed, "epoch", tr.at.Epochs)
	order := make([]int32, tr.table.Train)
	for i := range order {
		order[i] = int32(i)
	}
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	rate := tr.net.learningRate(tr.at.Epochs)
	for batch := range slices.Chunk(order, tr.net.BatchSize) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if len(batch) < tr.net.BatchSize && tr.net.DropLast {
			break
		}
		loss, err := tr.step(batch, rate)
		if err != nil {
			return 0, err
		}
		loss.FinalizeAll()
	}
	tr.at.Epochs++
	return tr.validate(ctx)
}

// learningRate is that of an epoch, counted from 0.
func (c *config) learningRate(epoch int) float64 {
	return c.LR * math.Pow(c.Decay, float64(epoch/c.DecayStep))
}

// step takes a step on a batch and returns its loss.
func (tr *training) step(batch []int32, rate float64) (loss *tensors.Tensor, err error) {
	tr.at.Steps++
	rate, root := optimiser.AdamScales(rate, tr.at.Steps)
	args := append(tr.features.pick(batch), tr.targets, tr.net.array([]float64{rate}), tr.net.array([]float64{root}))
	return tr.take(&tr.state, args, tr.best.weights, tr.best.running)
}

// validate evaluates the validation rows, and keeps the weights when they are the best so far.
func (tr *training) validate(ctx context.Context) (float64, error) {
	now := model{program: tr.program, weights: tr.state.weights, running: tr.state.running}
	from, to := tr.table.Train, tr.table.Train+tr.table.Val
	predicted, err := now.predict(ctx, tr.features, from, to)
	if err != nil {
		return 0, err
	}
	loss := tr.table.loss(predicted, from, to)
	if loss < tr.at.BestLoss || tr.at.BestEpoch == 0 && finite(loss) {
		if tr.at.BestEpoch > 0 {
			if err := backends.Release([]*tensors.Tensor{tr.best.weights, tr.best.running}); err != nil {
				return 0, err
			}
		}
		tr.best.weights, tr.best.running = tr.state.weights, tr.state.running
		tr.at.BestEpoch, tr.at.BestLoss = tr.at.Epochs, loss
	}
	tr.at.Waited = max(tr.at.Waited, tr.at.Epochs-max(tr.at.BestEpoch, 1))
	return loss, nil
}

// loss is what training stops by: the mean squared error of values, the cross-entropy of probabilities, for rows from to to.
func (t *table) loss(predicted []float64, from, to int) (loss float64) {
	if t.Classes == 0 {
		loss, _ = metric.MeanSquaredError(predicted, t.Targets[from:to])
	} else {
		loss, _ = metric.LogLoss(predicted, t.Labels[from:to], t.Classes)
	}
	return loss
}

// free gives the memory of the training back to the device.
func (tr *training) free() {
	for _, t := range append(tr.saved(), &tr.targets) {
		if *t != nil {
			(*t).FinalizeAll()
		}
	}
	tr.features.free()
}
