package results

import "testing"

// Two cells of a fit of 10 s that were predicted together in 2 s, by two threads, take 24 s of a core; one that was predicted alone has
// that to itself.
func TestClock(t *testing.T) {
	var clock Clock
	shared := &Record{FitSeconds: 10, FitCells: 2, PredictSeconds: 2, Provenance: Provenance{Threads: 2}}
	alone := &Record{FitSeconds: 10, FitCells: 2, PredictSeconds: 3}
	for i, c := range []struct {
		r            *Record
		fit, predict float64
	}{{shared, 10, 4}, {shared, 10, 0}, {alone, 5, 3}, {&Record{FitSeconds: 1}, 1, 0}} {
		if fit, predict := clock.Seconds(c.r); fit != c.fit || predict != c.predict {
			t.Errorf("record %d: %v and %v s, want %v and %v", i, fit, predict, c.fit, c.predict)
		}
	}
}
