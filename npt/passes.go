package npt

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/optimiser"
	"nptbench/internal/seed"
)

// A step is planned, then taken. On a processor it is taken at once: a plan holds one. On a GPU planned steps wait for one call that takes them
// all, and which is made early where the batch size or the masks change, at Lookahead, at an evaluation, and where it would take long (plan).
// So at and state.step of a Trainer count the steps that are taken, planning those that are planned, too.

// A position is where a training is in its data.
type position struct {
	Pass  int // passes over the data so far
	Steps int `json:"PassSteps"` // steps of the pass that has begun, 0 between two passes
}

// A plannedStep waits for others, to be taken with them in one call of the device.
type plannedStep struct {
	stepInput
	after position
}

// runPasses goes through the data, with new masks and new batches in every pass, until an evaluation is due.
// It goes on from where a pass was interrupted.
func (tr *Trainer) runPasses(ctx context.Context) error {
	tr.planned = tr.planned[:0]
	for pass := tr.at.Pass; !tr.evaluateNext; pass++ {
		if err := tr.runPass(ctx, pass); err != nil {
			return err
		}
	}
	return nil
}

// evaluates reports whether an evaluation is due after so many steps, the last of which leads to this position.
func (tr *Trainer) evaluates(at position, steps int) bool {
	return at.Steps == 0 && (steps >= tr.config.Steps || at.Pass%tr.config.EvalEvery == 0)
}

// planning is the number of the step that is planned next.
func (tr *Trainer) planning() int { return tr.state.step + len(tr.planned) }

// runPass draws the mask and the batches of a pass, and plans its steps.
func (tr *Trainer) runPass(ctx context.Context, pass int) error {
	rng := tr.rng("pass", pass)
	var codes []code
	if tr.engine.passes == 0 {
		codes = drawMask(rng, tr.table, &tr.config, trainMode)
	}
	batches := dealBatches(rng, tr.table, &tr.config, trainMode)
	place, err := tr.loadMasks(pass, codes)
	if err != nil {
		return err
	}
	first := 0
	if pass == tr.at.Pass {
		first = tr.at.Steps
	}
	steps := len(batches) * tr.config.Repeat
	for i := first; i < steps; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		after := position{pass, i + 1}
		if i+1 == steps {
			after = position{pass + 1, 0}
		}
		if err := tr.plan(place, batches[i/tr.config.Repeat], after); err != nil {
			return err
		}
	}
	return nil
}

// passMasks are the codes of one or more passes, on the device.
type passMasks struct {
	first int             // pass
	codes *tensors.Tensor // passes x rows x columns
}

// loadMasks brings the codes of a pass to the device, unless they are there: those that the host drew, or else the device draws
// them now, with those of the passes after it. It returns the place of the pass among those on the device.
func (tr *Trainer) loadMasks(pass int, drawn []code) (place int32, err error) {
	if codes := tr.masks.codes; codes != nil {
		if place := pass - tr.masks.first; place >= 0 && place < codes.Shape().Dimensions[0] {
			return int32(place), nil
		}
		if err := backends.Release([]*tensors.Tensor{codes}); err != nil {
			return 0, err
		}
	}
	tr.masks = passMasks{first: pass}
	if drawn != nil {
		tr.masks.codes = tr.engine.hostMasks(drawn)
		return 0, nil
	}
	var draws []maskDraw
	for i := range tr.engine.passes {
		draws = append(draws, newMaskDraw(tr.rng("mask", pass+i), &tr.config, tr.engine.codesOf(trainMode).candidates))
	}
	tr.masks.codes, err = tr.engine.drawMasks(draws)
	return 0, err
}

func (tr *Trainer) rng(purpose string, index int) *rand.Rand {
	return seed.Rand(tr.config.Seed, purpose, index)
}

// callTime is about how long the device may be busy with steps before the context is asked again.
const callTime = 250 * time.Millisecond

// plan adds a step to those that are planned, and takes them when no other may follow in the same call.
func (tr *Trainer) plan(pass int32, rows []int32, after position) error {
	if padded := tr.engine.net.padded; len(tr.planned) > 0 && padded(len(tr.planned[0].rows)) != padded(len(rows)) {
		if err := tr.takePlanned(); err != nil {
			return err
		}
	}
	number := tr.planning()
	tr.planned = append(tr.planned, plannedStep{
		stepInput{pass, rows, tr.config.learningRate(number), tr.config.tradeoffAt(number)}, after,
	})
	long := tr.calls.step == 0 || time.Duration(len(tr.planned)+1)*tr.calls.step > callTime
	lastOfMasks := after.Steps == 0 && int(pass)+1 == tr.masks.codes.Shape().Dimensions[0]
	if long || len(tr.planned) == tr.engine.callSteps || (number+1)%optimiser.LookaheadSteps == 0 || lastOfMasks || tr.evaluates(after, number+1) {
		return tr.takePlanned()
	}
	return nil
}

// takePlanned takes the planned steps, checks their losses, and writes a checkpoint where one is due.
func (tr *Trainer) takePlanned() error {
	start := time.Now()
	var steps []stepInput
	for _, p := range tr.planned {
		steps = append(steps, p.stepInput)
		tr.trainedRows += len(p.rows)
	}
	number := tr.state.step
	sums, err := tr.engine.take(tr.state, tr.masks.codes, steps, tr.best)
	if err != nil {
		return err
	}
	tr.at = tr.planned[len(steps)-1].after
	tr.evaluateNext = tr.evaluates(tr.at, tr.state.step)
	tr.planned = tr.planned[:0]
	tr.calls.add(time.Since(start), len(steps))
	for i := range steps {
		s := sums[i*lossSumCount:]
		tr.target, tr.feature = s[0]/max(s[1], 1), s[2]/max(s[3], 1)
		if !finite(tr.target) || !finite(tr.feature) {
			return fmt.Errorf("npt: %w: label loss %v, feature loss %v at step %d", ErrDiverged, tr.target, tr.feature, number+i+1)
		}
		tr.curve.add(number+i, tr.config.Steps, tr.target)
	}
	if time.Since(tr.reported) > time.Second {
		tr.report()
	}
	tr.Checkpoint.Write(tr.SaveCheckpoint)
	return nil
}
