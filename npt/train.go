package npt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/seed"
)

// ErrDiverged is what a training ends with when a loss is not a finite number any more.
var ErrDiverged = errors.New("training diverged")

// A Progress describes where a training stands.
type Progress struct {
	Step, Steps   int
	Pass          int     // passes over the data so far
	LearningRate  float64 // of the last step
	Tradeoff      float64 // lambda of the last step
	Target        float64 // label loss of the last step, on the standardised scale
	Feature       float64 // feature loss of the last step
	Validation    float64 // label loss of the last evaluation on the validation rows; NaN before the first
	Best          float64 // lowest of these so far
	BestStep      int
	RowsPerSecond float64
	Left          time.Duration // estimated
}

// A Trainer trains an NPT on one table.
type Trainer struct {
	// Progress, when set, is called after every evaluation and at least every second.
	Progress func(Progress)

	config Config
	table  *Table
	engine *engine

	state *state
	pass  int // passes over the data so far

	best      []*tensors.Tensor // weights at the evaluation with the lowest validation loss
	bestStep  int
	bestLoss  float64
	valLoss   float64 // at the last evaluation
	pending   []*tensors.Tensor
	target    float64 // losses of the last step read
	feature   float64
	stepTime  time.Duration
	timedRows int
}

// NewTrainer prepares the training of a new network. The table is shared, not copied.
func NewTrainer(t *Table, c Config, backend compute.Backend) (*Trainer, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	n := newNetwork(c, t.Columns)
	e, err := newEngine(n, t, backend)
	if err != nil {
		return nil, err
	}
	return &Trainer{
		config: c, table: t, engine: e, state: e.newState(), bestLoss: math.Inf(1), valLoss: math.NaN(),
	}, nil
}

// Train runs until all steps are done or the context ends. It can be called again to go on.
//
// The error is the context's, or wraps ErrDiverged, or says what the backend refused.
func (tr *Trainer) Train(ctx context.Context) error {
	for tr.state.step < tr.config.Steps {
		if err := tr.runPass(ctx); err != nil {
			return err
		}
		if tr.pass%tr.config.EvalEvery == 0 || tr.state.step >= tr.config.Steps {
			if err := tr.validate(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// runPass goes once through the data, with new masks and new batches.
func (tr *Trainer) runPass(ctx context.Context) error {
	rng := tr.rng("pass", tr.pass)
	codes := drawMask(rng, tr.table, &tr.config, trainMode)
	for _, rows := range dealBatches(rng, tr.table, &tr.config, trainMode) {
		for range tr.config.Repeat {
			if err := ctx.Err(); err != nil {
				return err
			}
			start := time.Now()
			if err := tr.runStep(rows, codes); err != nil {
				return err
			}
			tr.stepTime += time.Since(start)
			tr.timedRows += len(rows)
		}
	}
	tr.pass++
	return nil
}

func (tr *Trainer) rng(purpose string, index int) *rand.Rand {
	return rand.New(rand.NewPCG(seed.Derive(tr.config.Seed, purpose, index), 0))
}

// runStep moves the weights once.
func (tr *Trainer) runStep(rows []int32, codes []code) error {
	e, step := tr.engine, tr.state.step
	args := append(e.batchArgs(rows, codes), e.randomState(step),
		e.scalar(tr.config.LearningRate(step)), e.scalar(tr.config.TradeoffAt(step)))
	sums, err := e.advance(tr.state, args, tr.best)
	if err != nil {
		return err
	}
	tr.pending = append(tr.pending, sums)
	return tr.readLosses()
}

// readLosses waits for the steps that are under way and checks their losses.
func (tr *Trainer) readLosses() error {
	for i, t := range tr.pending {
		sums, err := floats(t)
		if err != nil {
			return err
		}
		tr.target, tr.feature = sums[0]/max(sums[1], 1), sums[2]/max(sums[3], 1)
		if !finite(tr.target) || !finite(tr.feature) {
			return fmt.Errorf("npt: %w: loss %v at step %d", ErrDiverged, tr.target+tr.feature, tr.state.step-len(tr.pending)+i+1)
		}
	}
	tr.pending = tr.pending[:0]
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// validate evaluates the validation rows and keeps the weights when they are the best so far.
func (tr *Trainer) validate(ctx context.Context) error {
	loss, _, err := tr.evaluate(ctx, tr.state.weights, valMode)
	if err != nil {
		return err
	}
	if !finite(loss) {
		return fmt.Errorf("npt: %w: validation loss %v at step %d", ErrDiverged, loss, tr.state.step)
	}
	tr.valLoss = loss
	if loss < tr.bestLoss || tr.best == nil {
		tr.best, tr.bestLoss, tr.bestStep = tr.state.weights, loss, tr.state.step
	}
	tr.report()
	return nil
}

// evaluate makes one pass without dropout and returns the label loss of the mode's rows, and the predictions of the
// targets of all rows, by row (nil for rows that are absent).
func (tr *Trainer) evaluate(ctx context.Context, weights []*tensors.Tensor, m mode) (loss float64, predictions [][]float64, err error) {
	rng := tr.rng(fmt.Sprint("evaluation ", m), tr.state.step)
	codes := drawMask(rng, tr.table, &tr.config, m)
	predictions = make([][]float64, tr.table.Rows())
	var sum, count float64
	for _, rows := range dealBatches(rng, tr.table, &tr.config, m) {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		args := tr.engine.batchArgs(rows, codes)
		for _, w := range weights {
			args = append(args, w)
		}
		out, err := tr.engine.call(tr.engine.eval, args)
		if err != nil {
			return 0, nil, err
		}
		sums, err := floats(out[0])
		if err != nil {
			return 0, nil, err
		}
		sum, count = sum+sums[0], count+sums[1]
		values, err := floats(out[1])
		if err != nil {
			return 0, nil, err
		}
		width := tr.table.Channels()
		for i, r := range rows {
			predictions[r] = values[i*width : (i+1)*width]
		}
	}
	return sum / max(count, 1), predictions, nil
}

func (tr *Trainer) report() {
	if tr.Progress == nil {
		return
	}
	last := max(tr.state.step-1, 0)
	p := Progress{
		Step: tr.state.step, Steps: tr.config.Steps, Pass: tr.pass,
		LearningRate: tr.config.LearningRate(last), Tradeoff: tr.config.TradeoffAt(last),
		Target: tr.target, Feature: tr.feature,
		Validation: tr.valLoss, Best: tr.bestLoss, BestStep: tr.bestStep,
	}
	if s := tr.stepTime.Seconds(); s > 0 {
		p.RowsPerSecond = float64(tr.timedRows) / s
	}
	tr.Progress(p)
}
