package npt

import "math"

// A Schedule names how the learning rate changes over the steps of a training.
type Schedule string

const (
	Constant     Schedule = "constant"                // schedule: the same rate in all steps
	FlatAnneal   Schedule = "flat-and-anneal"         // schedule: flat, then a cosine to 0
	CosineCyclic Schedule = "cosine-cyclic"           // schedule: warm-up, then cosine cycles with warm restarts (fairseq)
	Polynomial   Schedule = "polynomial-decay-warmup" // schedule: warm-up, then a straight line to 1e-7
	minimalRate           = 1e-7                      // where CosineCyclic starts and Polynomial ends
)

var schedules = []string{string(Constant), string(FlatAnneal), string(CosineCyclic), string(Polynomial)}

// learningRate returns the rate of the step with the given index, 0 to c.Steps-1 (a training may overshoot a little).
func (c *Config) learningRate(step int) float64 {
	s, total := float64(step), float64(c.Steps)
	switch c.Schedule {
	case FlatAnneal:
		return c.LR * flatAnneal(s, total, c.FlatShare)
	case CosineCyclic:
		return cosineCyclic(s, c.warmupSteps(), c.LR)
	case Polynomial:
		return polynomial(s, total, c.warmupSteps(), c.LR)
	}
	return c.LR
}

// warmupSteps returns the number of steps with a rising rate.
func (c *Config) warmupSteps() float64 { return math.Floor(float64(c.Steps) * c.Warmup) }

// flatAnneal is 1 for the first share of the steps, s <= total*share-1 as the published code compares them; the first annealed
// step has the second point of the cosine, (1+cos(pi/length))/2.
func flatAnneal(s, total, share float64) float64 {
	first := math.Floor(total*share-1) + 1
	length := math.Floor(total * (1 - share))
	if s < first || length == 0 {
		return 1
	}
	return 0.5 * (1 + math.Cos(math.Pi*min(s-first+1, length)/length))
}

// cosineCyclic rises linearly for the warm-up steps, at least one, then follows cosines: the first lasts twice the warm-up, each
// further one is twice as long and half as high as the one before.
func cosineCyclic(s, warmup, peak float64) float64 {
	if s < warmup {
		return minimalRate + s*(peak-minimalRate)/warmup
	}
	s -= warmup
	length, low := 2*warmup, minimalRate
	for s >= length {
		s -= length
		length *= 2
		peak /= 2
		low /= 2
	}
	return low + 0.5*(peak-low)*(1+math.Cos(math.Pi*s/length))
}

// polynomial rises linearly from 0 for the warm-up steps and falls linearly to the minimal rate at the last.
func polynomial(s, total, warmup, peak float64) float64 {
	switch {
	case s < warmup:
		return peak * s / warmup
	case s >= total:
		return minimalRate
	}
	return minimalRate + (peak-minimalRate)*(1-(s-warmup)/(total-warmup))
}

// tradeoffAt returns lambda, the weight of the feature loss, at the step with the given index. As in the published code its cosine is one step
// late: it begins at step 1, not 0, and ends with 0 at step c.Steps+1, not c.Steps.
func (c *Config) tradeoffAt(step int) float64 {
	if c.FeatureMask == 0 {
		return 0
	}
	s, total := float64(step), float64(c.Steps)
	switch {
	case !c.Anneal || step == 0:
		return c.Tradeoff
	case s > total+1:
		return 0
	}
	return c.Tradeoff * 0.5 * (1 + math.Cos(math.Pi*(s-1)/total))
}
