package npt

import (
	"slices"
	"testing"

	"github.com/gomlx/compute"
)

// Steps that the device takes in a loop move the weights as steps of a call each do, with the same losses.
func TestStepsOfACall(t *testing.T) { onBackends(t, testStepsOfACall) }

func testStepsOfACall(t *testing.T, backend compute.Backend) {
	table := testTable(20, 10, 10, true)
	c := smallConfig()
	c.Hidden, c.Layers, c.Precision, c.TargetMask, c.Dropout = 4, 2, Float32, 0.5, 0.2
	n := newNetwork(c, table.Columns)
	n.parts = coresOf(backend)
	e, err := newEngine(n, table, backend)
	if err != nil {
		t.Fatal(err)
	}
	var steps []stepInput
	for i := range 2 * lookaheadSteps {
		codes := drawMask(newRand(uint64(i)), table, &c, trainMode)
		rows := []int32{int32(i), 30, 7, 39, 22} // another batch in every step
		steps = append(steps, stepInput{rows, codes, 0.01 / float64(i+1), 1 / float64(i+2)})
	}
	run := func(room int, lengths ...int) (losses []float64, s *state) {
		e.room, s = room, e.newState()
		left := steps
		for _, length := range lengths {
			sums, err := e.take(s, left[:length], nil)
			if err != nil {
				t.Fatal(err)
			}
			losses, left = append(losses, sums...), left[length:]
		}
		return losses, s
	}
	want, one := run(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	if len(want) != 2*lookaheadSteps*lossSumCount || slices.Compare(want[:4], want[4:8]) == 0 {
		t.Fatalf("losses %v", want)
	}
	for _, lengths := range [][]int{{6, 6}, {5, 1, 4, 2}, {1, 2, 3, 1, 5}} {
		got, many := run(lookaheadSteps, lengths...)
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
