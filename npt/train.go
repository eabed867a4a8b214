package npt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/checkpoint"
	"nptbench/internal/method"
	"nptbench/internal/spelling"
)

// ErrDiverged is what a training ends with when a loss is not a finite number any more, ErrMemory what computing ends with where the
// backend has not enough memory for it, as far as that is known beforehand: for the values between the layers on the backend fused, and on
// a GPU. Elsewhere the system may end the process.
var (
	ErrDiverged = method.ErrDiverged
	ErrMemory   = method.ErrMemory
)

// A Trainer trains an NPT on one table.
type Trainer struct {
	// Progress, when set, is called after every evaluation and about every second between two.
	Progress func(Progress)

	// Checkpoint says where Train is to write a file from which LoadCheckpoint goes on; Train does not read it.
	Checkpoint Checkpoint

	config Config
	table  *Table
	digest string // of the table, once it was asked for
	engine *engine
	closed bool

	state        *state
	at           position      // where in the data the training is
	evaluateNext bool          // before the next step
	masks        passMasks     // on the device, of this pass and perhaps of the next ones
	planned      []plannedStep // not taken yet

	best     []*tensors.Tensor // weights at the evaluation with the lowest validation loss
	bestStep int
	bestLoss float64 // +Inf before the first evaluation, NaN where no validation row has a label
	valLoss  float64 // at the last evaluation, NaN before the first and where no validation row has a label

	target, feature float64 // losses of the last step
	curve           curve

	earlier     time.Duration // time that interrupted parts of the training took, up to the checkpoint
	started     time.Time     // when Train was called
	calls       callTimes
	trainedRows int
	reported    time.Time
	pace        pace
}

// A Checkpoint is a file that Train writes by SaveCheckpoint: Path, empty for none, about every minute, or as often as Every (a
// time.Duration) says, and when its context ends. The first error on the way, on a full disk, say, is in Err, and Warn, a func(error), is
// told it, if it is set; the training goes on. That of the last checkpoint, when the context ends, is in Train's error instead.
type Checkpoint = checkpoint.Periodic

// NewTrainer prepares the training of a new network. The values of the table are copied; what else it has is shared, and must stay as it
// is. A nil backend is the one that the environment variable GOMLX_BACKEND names, without it the best that there is here (see "Backends"
// in the package's doc).
//
// The error names the first setting that is impossible, or row and column of the first value that is, or wraps ErrMemory. Close gives the
// trainer's memory back.
func NewTrainer(t *Table, c Config, backend compute.Backend) (*Trainer, error) {
	backend, err := orDefault(backend)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	if !t.labelled(trainMode) {
		return nil, fmt.Errorf("npt: table: all targets of the %d training rows are missing", t.Train)
	}
	if err := c.suits(t.Copies, t.RowTargets != nil); err != nil {
		return nil, err
	}
	for _, m := range []mode{trainMode, valMode, testMode} {
		if err := checkBatches(t, &c, m); err != nil {
			return nil, err
		}
	}
	n := newNetwork(c, t.Columns)
	if n.Size() > mostWeights {
		return nil, fmt.Errorf("npt: Hidden: %d, with %d columns and %d layers, makes more than %s weights", c.Hidden, len(t.Columns), c.Layers,
			spelling.Thousands(mostWeights))
	}
	if !backends.HasDevice(backend) {
		large := fmt.Sprintf("Hidden: %d, with %d columns and %d layers, makes %s weights", c.Hidden, len(t.Columns), c.Layers, spelling.Thousands(n.Size()))
		if err := method.CheckMemory(weightBytes*float64(n.Size()), large); err != nil {
			return nil, fmt.Errorf("npt: %w", err)
		}
	}
	n.rowUnit = rowUnitOn(backend)
	e, err := newEngine(n, t, backend)
	if err != nil {
		return nil, err
	}
	passes := min(c.EvalEvery, max(e.passes, 1)) // a call ends where an evaluation begins, and where other masks are wanted
	e.callSteps = int(min(float64(e.callSteps), float64(batchCount(t, &c, trainMode))*float64(c.Repeat)*float64(passes)))
	return &Trainer{
		config: c, table: e.table, engine: e, state: e.newState(), bestLoss: math.Inf(1), valLoss: math.NaN(),
		curve: newCurve(c.Steps),
	}, nil
}

// mostWeights is how many a network may have: 59 times the 168 million of the published one on Boston Housing.
const mostWeights = 1e10

// weightBytes is the least that training takes for a weight: with activations, records of e = 32 to 128 have peaks of 71 to 136.
const weightBytes = 40

// Train runs until all steps are done or the context ends, and then to the end of the step, or the batch of an evaluation, in hand. It can be
// called again to go on, and then ends with the bits that it would have ended with. With a file for checkpoints it writes one when the
// context ends.
//
// The error is the context's, joined by that of this checkpoint, or wraps ErrDiverged or ErrMemory, or says what the backend refused, or that
// the trainer is closed.
func (tr *Trainer) Train(ctx context.Context) error {
	if tr.closed {
		return errClosed
	}
	tr.started = time.Now()
	tr.reported, tr.pace = tr.started, pace{}
	tr.Checkpoint.Start()
	defer func() { tr.earlier, tr.started = tr.elapsed(), time.Time{} }()
	return tr.saveIfInterrupted(ctx, tr.train(ctx))
}

// saveIfInterrupted writes a checkpoint where an error is that of the context, and adds what goes wrong with it.
func (tr *Trainer) saveIfInterrupted(ctx context.Context, err error) error {
	if tr.Checkpoint.Path != "" && err != nil && errors.Is(err, ctx.Err()) {
		if unsaved := tr.SaveCheckpoint(tr.Checkpoint.Path); unsaved != nil {
			err = fmt.Errorf("%w; %w", err, unsaved)
		}
	}
	return err
}

func (tr *Trainer) train(ctx context.Context) error {
	for tr.state.step < tr.config.Steps || tr.at.Steps > 0 || tr.evaluateNext {
		if !tr.evaluateNext {
			if err := tr.runPasses(ctx); err != nil {
				return err
			}
		}
		if tr.evaluateNext {
			if err := tr.validate(ctx); err != nil {
				return err
			}
			tr.evaluateNext = false
			tr.Checkpoint.Write(tr.SaveCheckpoint)
		}
	}
	return nil
}

// elapsed returns how long the training has been running so far, interrupted parts up to their checkpoint included.
func (tr *Trainer) elapsed() time.Duration {
	if tr.started.IsZero() {
		return tr.earlier
	}
	return tr.earlier + time.Since(tr.started)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// validate evaluates the validation rows and keeps the weights when they are the best so far. Without validation rows
// that have labels there is no loss, and the latest weights are the best.
func (tr *Trainer) validate(ctx context.Context) error {
	loss, labelled := math.NaN(), tr.table.labelled(valMode)
	if labelled {
		var err error
		loss, err = tr.engine.loss(ctx, tr.state.weights, valMode, tr.rng("validation", tr.state.step))
		if err != nil {
			return err
		}
		if !finite(loss) {
			return fmt.Errorf("npt: %w: validation loss %v at step %d", ErrDiverged, loss, tr.state.step)
		}
	}
	if tr.valLoss = loss; tr.best == nil || loss < tr.bestLoss || !labelled {
		old := tr.best
		tr.best, tr.bestLoss, tr.bestStep = tr.state.weights, loss, tr.state.step
		if err := backends.Release(old, tr.best, tr.state.slow); err != nil {
			return err
		}
	}
	tr.report()
	return nil
}

var errClosed = errors.New("npt: the trainer is closed")

// Close gives the memory of the weights and of all that belongs to them back, that of a device at once; the trainer is of no more use then.
// A Model that was taken before stays. What backends keep for the next training ReturnMemory gives back; see there for what stays.
func (tr *Trainer) Close() {
	tr.closed = true
	for _, set := range tr.sets() {
		for _, t := range *set.tensors {
			t.FinalizeAll()
		}
	}
	if tr.masks.codes != nil {
		tr.masks.codes.FinalizeAll()
	}
	tr.engine.free()
}
