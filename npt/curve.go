package npt

import "strconv"

// A curve is a learning curve: label losses of training steps, as in Progress, summed over consecutive steps. Point i of n
// has steps i S/n to (i+1) S/n of S; the last one has those beyond S, too, with which a training ends its last pass. It is empty after
// a checkpoint of a version that kept none.
type curve []point

type point struct {
	Sum   float64
	Steps int
}

const curvePoints = 200 // at most

func newCurve(steps int) curve { return make(curve, min(steps, curvePoints)) }

// add takes the loss of a step, which counts from 0, of a training of that many steps.
func (c curve) add(step, steps int, loss float64) {
	if len(c) == 0 {
		return
	}
	p := &c[min(step*len(c)/steps, len(c)-1)]
	p.Sum += loss
	p.Steps++
}

// means are the mean losses, to four digits.
func (c curve) means() []float64 {
	out := make([]float64, len(c))
	for i, p := range c {
		out[i], _ = strconv.ParseFloat(strconv.FormatFloat(p.Sum/float64(p.Steps), 'g', 4, 64), 64)
	}
	return out
}
