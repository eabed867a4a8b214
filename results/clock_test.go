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

// A forest of 50, 100 and 1,000 trees that had grown after 10, 20 and 35 s, and predicted in 1, 2 and 20 s, took two threads 35 and 20 s, in
// whatever order the records are read; that of another fold, or of other cells, is another one.
func TestClockOfTraining(t *testing.T) {
	var clock Clock
	at := func(fit, predict float64, fold, cells int) *Record {
		return &Record{Cell: Cell{Fold: fold}, FitSeconds: fit, PredictSeconds: predict, FitCells: cells, Provenance: Provenance{Threads: 2}}
	}
	var total took
	for _, r := range []*Record{at(20, 2, 0, 3), at(10, 1, 0, 3), at(35, 20, 0, 3), at(5, 1, 1, 3), at(7, 3, 0, 1)} {
		fit, predict := clock.Seconds(r, "deep")
		total.fit, total.predict = total.fit+fit, total.predict+predict
	}
	fit, predict := clock.Seconds(at(10, 1, 0, 3), "wide")
	if want := (took{2 * (35 + 5 + 7), 2 * (20 + 1 + 3)}); total != want || fit != 20 || predict != 2 {
		t.Errorf("%v s, want %v, and %v and %v s of another training", total, want, fit, predict)
	}
}

// A fit under another seed, on another table or of another protocol is another fit.
func TestClockOfOtherFits(t *testing.T) {
	var clock Clock
	for _, cell := range []Cell{{}, {Seed: 43}, {Dataset: "yacht"}, {DataDigest: "ab"}, {Protocol: "corrected"}} {
		if fit, _ := clock.Seconds(&Record{Cell: cell, FitSeconds: 10, FitCells: 3}, "deep"); fit != 10 {
			t.Errorf("%+v: %v s", cell, fit)
		}
	}
}

// What is measured on the models of one training takes its own time each.
func TestClockOfMeasurements(t *testing.T) {
	var clock Clock
	total := 0.0
	for name, took := range map[string]float64{"corruption": 100, "predictions": 5} {
		_, predict := clock.Seconds(&Record{Cell: Cell{Measure: name, With: "{}"}, PredictSeconds: took}, "forest sqrt")
		total += predict
	}
	if total != 105 {
		t.Errorf("%v s, want 105", total)
	}
}

// The largest forest of a training may be read first.
func TestClockOfTrainingBackwards(t *testing.T) {
	var clock Clock
	var total took
	for _, r := range []*Record{{FitSeconds: 35, PredictSeconds: 20, FitCells: 2}, {FitSeconds: 10, PredictSeconds: 1, FitCells: 2}} {
		fit, predict := clock.Seconds(r, "deep")
		total.fit, total.predict = total.fit+fit, total.predict+predict
	}
	if want := (took{35, 20}); total != want {
		t.Errorf("%v s, want %v", total, want)
	}
}
