package dkl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas64"

	"nptbench/internal/checkpoint"
	"nptbench/internal/f32"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/task"
)

// A trainer trains a model on a task.
type trainer struct {
	task  *task.Task
	model *model // when training has ended, that of the best epoch

	seed                       uint64
	batch, patience, maxEpochs int
	rate                       float64

	m, v []float64 // moments of Adam
	best []float64 // parameters after the epoch with the lowest validation loss
	state

	grad              *model
	order             []int // of the training rows in this epoch
	started, reported time.Time
	checkpoint        checkpoint.Periodic
}

// A state is how far a training is. With the arrays of the trainer it is all that there is to know: what is random in an epoch is
// derived from the seed and the epoch's number.
type state struct {
	Data      [2]string // digests of table and split
	Epoch     int       // epochs done
	BestEpoch int
	BestLoss  float64       // negative log density of the validation rows' targets, standardised
	Earlier   time.Duration // of interrupted parts
}

func shapeOf(t *task.Task, c method.Config) shape {
	units := append([]int{t.Width}, c.Ints("hidden_layer_sizes")...)
	return shape{append(units, c.Int("features")), min(c.Int("inducing_points"), t.Train)}
}

func newTrainer(t *task.Task, c method.Config, seed uint64) *trainer {
	s := shapeOf(t, c)
	tr := &trainer{
		task: t, model: newModel(s), grad: newModel(s), seed: seed, order: make([]int, t.Train),
		batch: min(c.Int("batch_size"), t.Train), patience: c.Int("patience"), maxEpochs: c.Int("max_epochs"), rate: c.Float("learning_rate"),
		state: state{Data: [2]string{t.Digest, t.Split}, BestLoss: math.Inf(1)},
	}
	tr.model.draw(tr.rng("weights"), t.TrainX(), t.Width)
	if t.CheckpointDir != "" {
		tr.checkpoint.Path = filepath.Join(t.CheckpointDir, fmt.Sprintf("%016x.dkl", seed))
	}
	n := len(tr.model.theta)
	tr.m, tr.v, tr.best = make([]float64, n), make([]float64, n), make([]float64, n)
	return tr
}

func (tr *trainer) rng(parts ...any) *rand.Rand {
	return seed.Rand(append([]any{tr.seed}, parts...)...)
}

// train makes epochs until the validation loss has not fallen for patience of them or is no number any more, and returns to the
// parameters of the best epoch. Where there is none, the error wraps method.ErrDiverged.
func (tr *trainer) train(ctx context.Context) error {
	tr.started = time.Now()
	tr.checkpoint.Start()
	for tr.Epoch < tr.maxEpochs && tr.Epoch-tr.BestEpoch < tr.patience {
		err := tr.pass(ctx)
		if errors.Is(err, errNotDefinite) {
			err = fmt.Errorf("%w: %w in epoch %d; a smaller learning_rate would help", method.ErrDiverged, err, tr.Epoch+1)
		}
		if errors.Is(err, method.ErrDiverged) && tr.BestEpoch > 0 {
			break
		}
		if err != nil {
			return err
		}
		tr.checkpoint.Write(tr.save)
	}
	copy(tr.model.theta, tr.best)
	return nil
}

// pass makes an epoch: one pass over the training rows in mini-batches of random rows, and looks at the validation rows.
func (tr *trainer) pass(ctx context.Context) error {
	t, m := tr.task, tr.model
	for i := range tr.order {
		tr.order[i] = i
	}
	tr.rng("epoch", tr.Epoch).Shuffle(t.Train, func(i, j int) { tr.order[i], tr.order[j] = tr.order[j], tr.order[i] })
	steps := tr.Epoch * ((t.Train + tr.batch - 1) / tr.batch)
	for rows := range slices.Chunk(tr.order, tr.batch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		x, y := matrix(len(rows), t.Width), make([]float64, len(rows))
		for i, r := range rows {
			for j, v := range t.Row(r) {
				row(x, i)[j] = float64(v)
			}
			y[i] = t.Y[r]
		}
		if _, err := tr.gradient(x, y); err != nil {
			return err
		}
		steps++
		tr.adam(steps)
		tr.report()
	}
	loss, err := m.density(ctx, m.embed(t.ValX(), t.Width), t.Y[t.Train:])
	if err != nil {
		return err
	}
	if !finite(loss) {
		return fmt.Errorf("%w: validation loss %v in epoch %d; a smaller learning_rate would help", method.ErrDiverged, loss, tr.Epoch+1)
	}
	tr.Epoch++
	if loss < tr.BestLoss {
		tr.BestLoss, tr.BestEpoch = loss, tr.Epoch
		copy(tr.best, m.theta)
	}
	return nil
}

// gradient returns a mini-batch's loss and sets grad to its gradient.
func (tr *trainer) gradient(x blas64.General, y []float64) (float64, error) {
	clear(tr.grad.theta)
	activations := forward(tr.model.layers, x)
	loss, d, err := tr.model.loss(activations[len(activations)-1], y, tr.task.Train, tr.grad)
	if err == nil {
		backward(tr.model.layers, tr.grad.layers, activations, d)
	}
	return loss, err
}

// adam makes a step, which counts from 1.
func (tr *trainer) adam(step int) {
	rate := tr.rate / (1 - math.Pow(f32.Beta1, float64(step)))
	root := math.Sqrt(1 - math.Pow(f32.Beta2, float64(step)))
	for i, g := range tr.grad.theta {
		tr.m[i] = f32.Beta1*tr.m[i] + (1-f32.Beta1)*g
		tr.v[i] = f32.Beta2*tr.v[i] + (1-f32.Beta2)*g*g
		tr.model.theta[i] -= rate * tr.m[i] / (math.Sqrt(tr.v[i])/root + f32.Epsilon)
	}
}

func (tr *trainer) elapsed() time.Duration { return tr.Earlier + time.Since(tr.started) }

// report tells how far the training is, once a second.
func (tr *trainer) report() {
	if tr.task.Progress == nil || time.Since(tr.reported) < time.Second {
		return
	}
	tr.reported = time.Now()
	text := fmt.Sprintf("epoch %d of %d at most", tr.Epoch+1, tr.maxEpochs)
	if tr.BestEpoch > 0 {
		text += fmt.Sprintf(", validation loss lowest in epoch %d: %.4g", tr.BestEpoch, tr.BestLoss)
	}
	tr.task.Progress(task.Progress{Share: float64(tr.Epoch) / float64(tr.maxEpochs), Text: text})
}

const checkpointKind = "dkl"

func (tr *trainer) arrays() [][]float64 { return [][]float64{tr.model.theta, tr.m, tr.v, tr.best} }

// save writes a checkpoint.
func (tr *trainer) save(path string) error {
	s := tr.state
	s.Earlier = tr.elapsed()
	var arrays []*tensors.Tensor
	for _, a := range tr.arrays() {
		arrays = append(arrays, tensors.FromFlatDataAndDimensions(a, len(a)))
	}
	return checkpoint.Write(path, checkpointKind, s, arrays)
}

// load goes on from the last checkpoint, if there is one. One that is damaged or of other data is an error, and training begins anew.
func (tr *trainer) load() error {
	if tr.checkpoint.Path == "" {
		return nil
	}
	var s state
	arrays, err := checkpoint.Read(tr.checkpoint.Path, checkpointKind, &s, func() (of []shapes.Shape, err error) {
		if s.Data != tr.Data {
			return nil, errors.New("is of other data")
		}
		for _, a := range tr.arrays() {
			of = append(of, shapes.Make(dtypes.Float64, len(a)))
		}
		return of, nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	tr.state = s
	for i, a := range tr.arrays() {
		tensors.MustConstFlatData(arrays[i], func(flat []float64) { copy(a, flat) })
	}
	return nil
}
