package npt

import (
	"context"
	"slices"
	"testing"

	"github.com/gomlx/compute"

	"nptbench/internal/backends"
	"nptbench/internal/optimiser"
	"nptbench/internal/weights"
)

// Steps that the device takes in a loop move the weights as steps of a call each do, with the same losses.
func TestStepsOfACall(t *testing.T) { testStepsOfACall(t, loopBackend(t)) }

func testStepsOfACall(t *testing.T, backend compute.Backend) {
	table := testTable(20, 10, 10, true)
	c := smallConfig()
	c.Hidden, c.Layers, c.Precision, c.TargetMask, c.Dropout = 4, 2, Float32, 0.5, 0.2
	n := newNetwork(c, table.Columns)
	n.rowUnit = tensorCoreRows // as where steps are taken in loops
	e, err := newEngine(n, table, backend)
	if err != nil {
		t.Fatal(err)
	}
	var steps []stepInput
	var masks [][]code
	for i := range 2 * optimiser.LookaheadSteps {
		masks = append(masks, drawMask(newRand(uint64(i)), table, &c, trainMode))
		rows := []int32{int32(i), 30, 7, 39, 22, 25}[:5+i%2] // another batch in every step, of as many rows once padded
		steps = append(steps, stepInput{int32(i), rows, 0.01 / float64(i+1), 1 / float64(i+2)})
	}
	run := func(callSteps int, lengths ...int) (losses []float64, s *state) {
		e.callSteps, s = callSteps, e.newState()
		left := steps
		for _, length := range lengths {
			these, codes := slices.Clone(left[:length]), e.hostMasks(slices.Concat(masks...))
			if callSteps == 1 { // with the mask of their pass alone
				these[0].pass, codes = 0, e.hostMasks(masks[s.step])
			}
			sums, err := e.take(s, codes, these, nil)
			if err != nil {
				t.Fatal(err)
			}
			losses, left = append(losses, sums...), left[length:]
		}
		return losses, s
	}
	want, one := run(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	if len(want) != 2*optimiser.LookaheadSteps*lossSumCount || slices.Compare(want[:4], want[4:8]) == 0 {
		t.Fatalf("losses %v", want)
	}
	for _, lengths := range [][]int{{6, 6}, {5, 1, 4, 2}, {1, 2, 3, 1, 5}} {
		got, many := run(optimiser.LookaheadSteps, lengths...)
		if !slices.Equal(got, want) {
			t.Errorf("calls of %v steps: losses %v, want %v", lengths, got, want)
		}
		for i, w := range many.weights {
			if !slices.Equal(toFloats(t, w), toFloats(t, one.weights[i])) {
				t.Errorf("calls of %v steps: other weights in array %d", lengths, i)
			}
		}
		if many.step != one.step {
			t.Errorf("calls of %v steps: %d steps, want %d", lengths, many.step, one.step)
		}
	}
}

// Padding rows change nothing: neither losses, nor what is predicted after some steps, nor the
// attention of the others. With 13 of 16 rows present the padded batch has as many rows as the table, but not the same.
func TestPaddedBatches(t *testing.T) { onBackends(t, testPaddedBatches) }

func testPaddedBatches(t *testing.T, backend compute.Backend) {
	table := testTable(9, 4, 3, true)
	c := smallConfig()
	c.Layers, c.Dropout, c.SemiSupervised, c.TargetMask = 2, 0, false, 0.5
	type result struct{ losses, predictions, attention []float64 }
	run := func(round int) (r result) {
		c := c
		c.Recompute = round > 1 // with or without, the result is the same
		n := newNetwork(c, table.Columns)
		n.rowUnit = round
		e, err := newEngine(n, table, backend)
		if err != nil {
			t.Fatal(err)
		}
		s := e.newState()
		for i := range 3 {
			codes := drawMask(newRand(uint64(i)), table, &c, trainMode)
			for j, c := range codes {
				if c == randomised { // by numbers that another number of rows changes
					codes[j] = masked
				}
			}
			sums, err := e.take(s, e.hostMasks(codes), []stepInput{{0, []int32{3, 1, 12, 8, 7, 5, 2, 15, 0}, 0.01, 0.5}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.losses = append(r.losses, sums...)
		}
		for _, m := range []mode{valMode, testMode} {
			rows, err := e.predict(context.Background(), s.weights, m, newRand(3), 0, e.table.Rows())
			if err != nil {
				t.Fatal(err)
			}
			r.predictions = append(r.predictions, slices.Concat(rows...)...)
		}
		// Of a table with 14 rows, since 16 need no padding.
		fewer := testTable(9, 4, 1, true)
		all, err := (&Model{net: n, weights: s.weights, backend: backend}).Attention(context.Background(), fewer, weights.Indices(c.Layers)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range all {
			r.attention = append(r.attention, a.Weights...)
		}
		return r
	}
	want, got := run(1), run(tensorCoreRows)
	n := &network{rowUnit: tensorCoreRows}
	for rows, want := range map[int]int{1: 8, 8: 8, 9: 16, 506: 512} {
		if got := n.padded(rows); got != want {
			t.Errorf("%d rows are padded to %d, want %d", rows, got, want)
		}
	}
	// There is no padding on a processor, whose published results have none.
	if unit := rowUnitOn(backend); (unit == 1) == backends.HasDevice(backend) {
		t.Errorf("%s: batches have a multiple of %d rows, want 1 on a processor and %d on a GPU", backends.Name(backend), unit, tensorCoreRows)
	}
	closeTo(t, "losses", got.losses, want.losses, 1e-12)
	closeTo(t, "predictions", got.predictions, want.predictions, 1e-12)
	closeTo(t, "attention", got.attention, want.attention, 1e-12)
}
