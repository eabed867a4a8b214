package results

// A Clock tells how long the cells of records took one core. What served several cells counts once: a fit in equal parts, a prediction
// for the first of them. Cells whose fit and prediction took the same to the last bit had the prediction in common. The zero Clock is
// ready.
type Clock struct {
	predictions map[[2]float64]bool
}

// Seconds returns what the fit and the prediction of a cell took by the clock, times threads.
func (c *Clock) Seconds(r *Record) (fit, predict float64) {
	threads := float64(max(1, r.Provenance.Threads))
	fit = threads * r.FitSeconds / float64(max(1, r.FitCells))
	if of := [2]float64{r.FitSeconds, r.PredictSeconds}; !c.predictions[of] {
		if c.predictions == nil {
			c.predictions = map[[2]float64]bool{}
		}
		c.predictions[of] = true
		predict = threads * r.PredictSeconds
	}
	return fit, predict
}
