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
		if fit, predict := clock.Seconds(c.r, ""); fit != c.fit || predict != c.predict {
			t.Errorf("record %d: %v and %v s, want %v and %v", i, fit, predict, c.fit, c.predict)
		}
	}
}

// A training that served cells after 10, 20 and 35 s took two threads 35 s, in whatever order the records are read; that of another fold,
// or of other cells, is another one.
func TestClockOfTraining(t *testing.T) {
	var clock Clock
	at := func(seconds float64, fold, cells int) *Record {
		return &Record{Cell: Cell{Fold: fold}, FitSeconds: seconds, FitCells: cells, Provenance: Provenance{Threads: 2}}
	}
	total := 0.0
	for _, r := range []*Record{at(20, 0, 3), at(10, 0, 3), at(35, 0, 3), at(5, 1, 3), at(7, 0, 1)} {
		fit, _ := clock.Seconds(r, "deep")
		total += fit
	}
	if fit, _ := clock.Seconds(at(10, 0, 3), "wide"); total != 2*(35+5+7) || fit != 20 {
		t.Errorf("%v s, and %v s of another training", total, fit)
	}
}
