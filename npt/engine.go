package npt

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/optimiser"
	"nptbench/internal/seed"
)

// An engine runs the graphs of a network on a table, which stays on the device.
type engine struct {
	program
	net       *network
	backend   compute.Backend
	table     *Table
	values    *tensors.Tensor // of the table
	callSteps int             // steps in one call at most
	passes    int             // whose masks the device draws in one call; 0: the host draws them, one by one
	modes     [testMode + 1]*modeMask
}

// A modeMask is what the masks of all passes of a mode have in common.
type modeMask struct {
	codes      *tensors.Tensor // rows x columns
	candidates [2]int
}

// newEngine returns the engine of a network on a table.
func newEngine(of *network, t *Table, backend compute.Backend) (*engine, error) {
	n := *of
	n.copies = t.Copies
	t, err := t.balanced(&n.Config)
	if err != nil {
		return nil, err
	}
	p, err := programOf(&n, t.stored(), backend)
	if err != nil {
		return nil, err
	}
	values := tensors.FromFlatDataAndDimensions(t.Values, t.stored(), t.Channels())
	if err := tensors.MutableFlatData(values, t.blank); err != nil {
		return nil, fmt.Errorf("npt: %w", backends.Error(err))
	}
	return &engine{program: p, net: &n, backend: backend, table: t, values: values,
		callSteps: stepsPerCall(backend), passes: masksPerCall(backend, t)}, nil
}

// codesOf returns what the masks of this mode have in common, made once.
func (e *engine) codesOf(m mode) *modeMask {
	if e.modes[m] == nil {
		codes, candidates := modeCodes(e.table, &e.net.Config, m)
		e.modes[m] = &modeMask{tensors.FromFlatDataAndDimensions(codes, e.table.stored(), len(e.table.Columns)), candidates}
	}
	return e.modes[m]
}

// drawMasks draws the codes of training passes on the device, passes x rows x columns.
func (e *engine) drawMasks(draws []maskDraw) (*tensors.Tensor, error) {
	var words []uint32
	var numbers []int32
	for _, d := range draws {
		words, numbers = append(words, d.words[:]...), append(numbers, d.numbers[:]...)
	}
	out, err := backends.Call(e.backend, e.masks, []any{e.codesOf(trainMode).codes,
		tensors.FromFlatDataAndDimensions(words, len(draws), len(words)/len(draws)),
		tensors.FromFlatDataAndDimensions(numbers, len(draws), len(numbers)/len(draws))})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// hostMasks are codes that the host drew, of one pass in a training, as a tensor like that of drawMasks.
func (e *engine) hostMasks(codes []code) *tensors.Tensor {
	rows, d := e.table.stored(), len(e.table.Columns)
	return tensors.FromFlatDataAndDimensions(codes, len(codes)/(rows*d), rows, d)
}

// A state is the part of a training that lives on the device, array by array.
type state struct {
	weights, m, v []*tensors.Tensor // the weights and the moments of LAMB
	slow          []*tensors.Tensor // the slow weights of Lookahead, nil before they are first used
	step          int               // steps taken
}

// newState draws the initial weights.
func (e *engine) newState() *state {
	s := new(state)
	rng := seed.Rand(e.net.Seed, "weights")
	initial := e.net.Initial(rng)
	for i, shape := range e.net.Shapes(e.net.master()) {
		s.weights = append(s.weights, e.net.array(initial[i], shape.Dimensions...))
		s.m, s.v = append(s.m, tensors.FromShape(shape)), append(s.v, tensors.FromShape(shape))
	}
	return s
}

// A stepInput is what the host says of a step.
type stepInput struct {
	pass         int32   // its place among those that the codes are of
	rows         []int32 // of the batch
	rate, lambda float64
}

// take takes at most callSteps steps, which have the same number of rows once padded, and end at a step of Lookahead or
// before. codes are those of their passes (passes x rows x columns). It returns the sums that make their
// losses, lossSumCount for each. The tensors in keep stay as they are.
func (e *engine) take(s *state, codes *tensors.Tensor, steps []stepInput, keep []*tensors.Tensor) ([]float64, error) {
	sums, err := e.advance(s, e.stepArgs(s.step, codes, steps), len(steps), keep)
	if err != nil {
		return nil, err
	}
	out, err := backends.Floats(sums)
	if err != nil {
		return nil, err
	}
	return out[:lossSumCount*len(steps)], backends.Release([]*tensors.Tensor{sums})
}

// stepArgs are the arguments of the graph for these steps, but for the state; number is that of the first one.
func (e *engine) stepArgs(number int, codes *tensors.Tensor, steps []stepInput) []any {
	n := e.net.padded(len(steps[0].rows))
	passes, rows := make([]int32, e.callSteps), make([]int32, 0, e.callSteps*n)
	random := make([]uint64, 0, e.callSteps*randomWords)
	rates, lambdas := make([]float64, e.callSteps), make([]float64, e.callSteps)
	for i, step := range steps {
		rows = append(rows, e.net.pad(step.rows)...)
		random = append(random, e.randomState(number+i)...)
		passes[i], rates[i], lambdas[i] = step.pass, step.rate, step.lambda
	}
	return []any{e.values, codes,
		tensors.FromFlatDataAndDimensions(passes, e.callSteps),
		tensors.FromFlatDataAndDimensions(rows[:cap(rows)], e.callSteps, n),
		tensors.FromFlatDataAndDimensions(random[:cap(random)], e.callSteps, randomWords),
		e.net.array(rates, e.callSteps), e.net.array(lambdas, e.callSteps), int32(len(steps))}
}

// advance runs the graph of steps, with these arguments before the state's. It reuses the memory of the state's tensors,
// except of those in keep.
func (e *engine) advance(s *state, args []any, steps int, keep []*tensors.Tensor) (sums *tensors.Tensor, err error) {
	if args, err = backends.Donate(e.backend, args, slices.Concat(s.weights, s.m, s.v), keep, s.slow); err != nil {
		return nil, fmt.Errorf("npt: %w", err)
	}
	out, err := backends.Call(e.backend, e.steps, args)
	if err != nil {
		return nil, err
	}
	p := len(s.weights)
	s.weights, s.m, s.v = out[1:1+p], out[1+p:1+2*p], out[1+2*p:]
	s.step += steps
	if s.step%optimiser.LookaheadSteps == 0 {
		err = e.lookahead(s, keep)
	}
	return out[0], err
}

// lookahead moves the slow weights towards the fast ones, and the fast ones to where the slow ones are now.
func (e *engine) lookahead(s *state, keep []*tensors.Tensor) error {
	if s.slow == nil {
		s.slow = s.weights
		return nil
	}
	out, err := backends.Call(e.backend, e.sync, withTensors(withTensors(nil, s.slow), s.weights))
	if err != nil {
		return err
	}
	old := append(s.slow[:len(s.slow):len(s.slow)], s.weights...)
	s.slow, s.weights = out, out
	return backends.Release(old, keep)
}

// batchArgs are the arguments that the graph of evaluations begins with.
func (e *engine) batchArgs(rows []int32, codes *tensors.Tensor) []any {
	rows = e.net.pad(rows)
	return []any{e.values, codes, tensors.FromFlatDataAndDimensions(rows, len(rows))}
}

// withTensors adds tensors to the arguments of a graph.
func withTensors(args []any, ts []*tensors.Tensor) []any {
	for _, t := range ts {
		args = append(args, t)
	}
	return args
}

// pad pads a batch with rows -1, which stand for no row of the table.
func (n *network) pad(rows []int32) []int32 {
	return append(slices.Clip(rows), slices.Repeat([]int32{-1}, n.padded(len(rows))-len(rows))...)
}

// padded returns the number of rows of a padded batch.
func (n *network) padded(rows int) int { return (rows + n.rowUnit - 1) / n.rowUnit * n.rowUnit }

// randomWords is the size of the state of the device's generator.
const randomWords = 3

// randomState is the state of the device's generator at the start of a step. It is derived from the step alone, so a
// training that was interrupted goes on with the same numbers.
func (e *engine) randomState(step int) []uint64 {
	rng := seed.Rand(e.net.Seed, "step", step)
	return []uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}
}

// loss returns the label loss of the mode's rows in one pass without dropout.
func (e *engine) loss(ctx context.Context, weights []*tensors.Tensor, m mode, rng *rand.Rand) (float64, error) {
	var sum, count float64
	batches := evaluationBatches(rng, e.table, &e.net.Config, m)
	err := e.evaluate(ctx, weights, m, batches, func(_ []int32, sums, _ *tensors.Tensor) error {
		s, err := backends.Floats(sums)
		if err == nil {
			sum, count = sum+s[0], count+s[1]
		}
		return err
	})
	return sum / max(count, 1), err
}

// predict returns what is predicted for every channel of the rows from, from+1 to to-1, none of which is a copy, in one pass of the given
// mode without dropout, nil for rows that take no part.
func (e *engine) predict(ctx context.Context, weights []*tensors.Tensor, m mode, rng *rand.Rand, from, to int) ([][]float64, error) {
	out, width := make([][]float64, to-from), e.table.Channels()
	batches := slices.DeleteFunc(evaluationBatches(rng, e.table, &e.net.Config, m), func(rows []int32) bool {
		return !slices.ContainsFunc(rows, func(r int32) bool { return int(r) >= from && int(r) < to })
	})
	err := e.evaluate(ctx, weights, m, batches, func(rows []int32, _, predictions *tensors.Tensor) error {
		values, err := backends.Floats(predictions)
		if err == nil {
			for i, r := range rows[:min(len(rows), len(values)/width)] {
				if r := int(r); r >= from && r < to {
					out[r-from] = slices.Clone(values[i*width : (i+1)*width])
				}
			}
		}
		return err
	})
	return out, err
}

// evaluate evaluates batches of a validation or test pass.
func (e *engine) evaluate(ctx context.Context, weights []*tensors.Tensor, m mode, batches [][]int32, use func(rows []int32, sums, predictions *tensors.Tensor) error) error {
	codes := e.codesOf(m).codes
	for _, rows := range batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		out, err := backends.Call(e.backend, e.eval, withTensors(e.batchArgs(rows, codes), weights))
		if err != nil {
			return err
		}
		if err := use(rows, out[0], out[1]); err != nil {
			return err
		}
		if err := backends.Release(out); err != nil {
			return err
		}
	}
	return nil
}

// evaluationBatches deals the rows of a validation or test pass.
func evaluationBatches(rng *rand.Rand, t *Table, c *Config, m mode) [][]int32 {
	for range candidateKinds { // of no use, but so a seed gives the published results
		rng.NormFloat64()
	}
	return dealBatches(rng, t, c, m)
}

// free gives the memory of the table and of its codes back to the device.
func (e *engine) free() {
	e.values.FinalizeAll()
	for _, m := range e.modes {
		if m != nil {
			m.codes.FinalizeAll()
		}
	}
}

// array makes a tensor of the master type.
func (c *Config) array(values []float64, dims ...int) *tensors.Tensor {
	return backends.Tensor(values, c.master(), dims...)
}

// stepsPerCall returns how many steps a backend is given at a time, at most optimiser.LookaheadSteps. On an accelerator a call costs time
// in which that does nothing, 0.3 ms for the 123 arrays of a step (BenchmarkCall); on a processor it costs less than to copy the state into
// the variables of a loop.
func stepsPerCall(b compute.Backend) int {
	if backends.HasDevice(b) {
		return optimiser.LookaheadSteps
	}
	return 1
}

// maskBytes is about how much memory the masks that are drawn in one call take.
const maskBytes = 1 << 22

// masksPerCall returns for how many passes over a table a backend is to draw the masks at a time. None on a processor, which
// gains nothing by it, and whose published results the host drew the masks for.
func masksPerCall(b compute.Backend, t *Table) int {
	if backends.HasDevice(b) {
		return max(1, maskBytes/(t.stored()*len(t.Columns)))
	}
	return 0
}

// rowUnitOn returns what the batches of a network on a backend are padded to a multiple of.
func rowUnitOn(b compute.Backend) int {
	if backends.HasDevice(b) {
		return tensorCoreRows
	}
	return 1
}

// tensorCoreRows is what the dimensions of matrices in half precision have to be multiples of for a GPU's tensor cores. XLA
// would copy most operands and results of products to make them so: padding saves a thirteenth of the kernels of a step on Boston Housing, by
// what XLA compiles for an H200 (make estimate-gpu).
const tensorCoreRows = 8
