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

// The curve of a training has the losses that Progress tells, and falls.
func TestTrainingCurve(t *testing.T) {
	c := smallConfig()
	c.Steps = 30
	tr := newTestTrainer(t, testTable(30, 10, 10, true), c)
	var last float64
	tr.Progress = func(p Progress) { last = p.Target }
	train(t, tr)
	if len(tr.curve) != 30 || tr.curve[29].Sum/float64(tr.curve[29].Steps) != last {
		t.Errorf("%v, the last loss is %v", tr.curve, last)
	}
	if means := tr.curve.means(); slices.Max(means[:3]) < slices.Max(means[27:]) {
		t.Errorf("%v", means)
	}
}
