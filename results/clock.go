package results

import "nptbench/internal/split"

// A Clock tells how long the cells of records took one core, or, where they are of networks on a GPU, that one. What served several
// cells counts once: a fit in equal parts, and a prediction for the first of its cells. Of a training that goes on after a cell, both
// count by what they took longer than before: a forest grows, and its prediction has that of the smaller forest in it. (A network
// predicts anew, which is nothing beside its training.) Cells whose fit and prediction took the same to the last bit had the prediction
// in common. The zero Clock is ready.
type Clock struct {
	trainings   map[training]took // up to the last cell
	predictions map[[2]float64]bool
}

// took is in seconds of one core.
type took struct{ fit, predict float64 }

// A training is known by the fold that it is of, its name there, and the cells that it served.
type training struct {
	dataset, digest string
	protocol        split.Protocol
	fold            int
	seed            uint64
	name            string
	cells           int
}

// Seconds returns what the fit and the prediction of a cell took by the clock, times processors. goesOn names the training among those of a
// fold where it serves one cell after another, so that its records have the times from its beginning; empty: it does not.
func (c *Clock) Seconds(r *Record, goesOn string) (fit, predict float64) {
	processors := r.Provenance.Processors()
	if goesOn != "" && r.Measure == "" {
		if c.trainings == nil {
			c.trainings = map[training]took{}
		}
		t := training{r.Dataset, r.DataDigest, r.Protocol, r.Fold, r.Seed, goesOn, r.FitCells}
		before := c.trainings[t]
		until := took{max(before.fit, processors*r.FitSeconds), max(before.predict, processors*r.PredictSeconds)}
		c.trainings[t] = until
		return until.fit - before.fit, until.predict - before.predict
	}
	if of := [2]float64{r.FitSeconds, r.PredictSeconds}; !c.predictions[of] {
		if c.predictions == nil {
			c.predictions = map[[2]float64]bool{}
		}
		c.predictions[of] = true
		predict = processors * r.PredictSeconds
	}
	return processors * r.FitSeconds / float64(max(1, r.FitCells)), predict
}
