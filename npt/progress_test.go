package npt

import (
	"math"
	"testing"
	"time"
)

// What a minute or more ago took long, as compiling does, is forgotten.
func TestPace(t *testing.T) {
	var p pace
	start := time.Now()
	if _, steps, _ := p.since(milestone{start, 1, 10}); steps != 0 {
		t.Errorf("%d steps are known from one milestone", steps)
	}
	now := start.Add(40 * time.Second) // for a second program
	for step := 2; step < 200; step++ {
		now = now.Add(time.Second)
		took, steps, rows := p.since(milestone{now, step, 10 * step})
		if rows != 10*steps {
			t.Fatalf("%d rows in %d steps", rows, steps)
		}
		if rate := took.Seconds() / float64(steps); step > 125 && rate != 1 || step == 2 && rate != 41 {
			t.Errorf("step %d: %v s a step, over %v", step, rate, took)
		}
	}
}

func TestProgressInALine(t *testing.T) {
	p := Progress{Step: 7, Steps: 2000, LearningRate: 1e-3, Tradeoff: 0.98765, Target: 0.12346, Feature: 1, Validation: math.NaN()}
	if got, want := p.String(), "step 7 of 2000, label loss 0.1235, feature loss 1, learning rate 0.001, lambda 0.988"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Validation, p.Best, p.BestStep, p.RowsPerSecond = 0.2, 0.1, 3, 1234.6
	if got, want := p.String(), "step 7 of 2000, label loss 0.1235, feature loss 1, validation 0.2 (lowest 0.1 at step 3), "+
		"learning rate 0.001, lambda 0.988, 1235 rows/s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
