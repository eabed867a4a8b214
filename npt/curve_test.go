package npt

import (
	"slices"
	"testing"
)

// Every point has its steps, the last one those beyond the end, too.
func TestCurve(t *testing.T) {
	c := newCurve(450)
	for step := range 460 {
		c.add(step, 450, float64(step))
	}
	steps := 0
	for i, p := range c {
		if steps += p.Steps; i < len(c)-1 && (p.Steps < 2 || p.Steps > 3) {
			t.Errorf("point %d has %d steps", i, p.Steps)
		}
	}
	if means := c.means(); len(c) != curvePoints || steps != 460 || means[0] != 1 || means[1] != 3.5 || means[199] != 453.5 {
		t.Errorf("%d points of %d steps: %v", len(c), steps, means)
	}
	if short := newCurve(3); len(short) != 3 {
		t.Errorf("%d points of 3 steps", len(short))
	}
}

// The curve of a training has the losses that Progress tells.
func TestTrainingCurve(t *testing.T) {
	c := smallConfig()
	c.Steps = 30
	tr := newTestTrainer(t, testTable(30, 10, 10, true), c)
	told := make(curve, c.Steps) // after every step, since each is a pass and is followed by an evaluation
	tr.Progress = func(p Progress) { told[p.Step-1] = point{p.Target, 1} }
	train(t, tr)
	if !slices.Equal(tr.curve, told) {
		t.Errorf("%v, want %v", tr.curve, told)
	}
}
