package results

import "nptbench/internal/split"

// A Clock tells how long the cells of records took one core. What served several cells counts once: a fit in equal parts, a training that
// goes on after a cell by what it took since the one before, and a prediction for the first of its cells. Cells whose fit and prediction
// took the same to the last bit had the prediction in common. The zero Clock is ready.
type Clock struct {
	trainings   map[training]float64 // seconds of one core, up to the last cell
	predictions map[[2]float64]bool
}

// A training is known by the fold that it is of, its name there, and the cells that it served.
type training struct {
	dataset, digest string
	protocol        split.Protocol
	fold            int
	seed            uint64
	name            string
	cells           int
}

// Seconds returns what the fit and the prediction of a cell took by the clock, times threads. goesOn names the training among those of a
// fold where it serves one cell after another, so that its records have the time from its beginning; empty: it does not.
func (c *Clock) Seconds(r *Record, goesOn string) (fit, predict float64) {
	threads := float64(max(1, r.Provenance.Threads))
	if goesOn == "" {
		fit = threads * r.FitSeconds / float64(max(1, r.FitCells))
	} else {
		if c.trainings == nil {
			c.trainings = map[training]float64{}
		}
		t, until := training{r.Dataset, r.DataDigest, r.Protocol, r.Fold, r.Seed, goesOn, r.FitCells}, threads*r.FitSeconds
		fit = max(0, until-c.trainings[t])
		c.trainings[t] += fit
	}
	if of := [2]float64{r.FitSeconds, r.PredictSeconds}; !c.predictions[of] {
		if c.predictions == nil {
			c.predictions = map[[2]float64]bool{}
		}
		c.predictions[of] = true
		predict = threads * r.PredictSeconds
	}
	return fit, predict
}
