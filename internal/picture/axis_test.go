package picture

import (
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

func TestTicks(t *testing.T) {
	tests := []struct {
		ticks    func(from, to float64) []plot.Tick
		from, to float64
		want     string
	}{
		{linearTicks, 0.92, 1.03, "0.92 0.94 0.96 0.98 1.00 1.02"},
		{linearTicks, 3.38, 3.88, "3.4 3.5 3.6 3.7 3.8"},
		{linearTicks, 48, 104, "50 60 70 80 90 100"},
		{linearTicks, 2.7, 4.8, "3.0 3.5 4.0 4.5"},
		{linearTicks, 4.2699, 4.2761, "4.270 4.272 4.274 4.276"},
		{logTicks, 0.6, 15.1, "1 2 5 10"},
		{logTicks, 0.05, 0.9, "0.05 0.1 0.2 0.5"},
		{logTicks, 0.27, 0.48, "0.30 0.35 0.40 0.45"},
		{logTicks, 0.6, 1500, "1 10 100 1000"},
		{logTicks, 4, 3e6, "100 10000 1e+06"},
	}
	for _, tt := range tests {
		var labels []string
		for _, tick := range tt.ticks(tt.from, tt.to) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != tt.want {
			t.Errorf("from %v to %v: %s, want %s", tt.from, tt.to, got, tt.want)
		}
	}
}

// Ticks have labels that fit, whatever the range.
func TestScatterTicks(t *testing.T) {
	for _, r := range []axisRange{{0.97, 1, false}, {-0.1, 3, false}, {3.4, 3.9, true}, {0.5, 300, true}, {1e-3, 40, true}, {1e-9, 1, true}} {
		w := r.widened()
		ticks := linearTicks(w.min, w.max)
		if w.log {
			ticks = decadeTicks(w.min, w.max)
		}
		labels := 0
		for _, tick := range ticks {
			if tick.Label == "-0" {
				t.Errorf("%v: a tick at -0", r)
			}
			if tick.Label != "" {
				labels++
			}
		}
		if labels < 2 || labels > 9 {
			t.Errorf("%v: %d labels", r, labels)
		}
	}
}
