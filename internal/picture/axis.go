package picture

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// logarithmic is what the title of such an axis ends in.
const logarithmic = ", log scale"

// linearTicks labels multiples of 1, 2 or 5 times a power of ten, about five of them.
func linearTicks(from, to float64) []plot.Tick {
	power := math.Floor(math.Log10((to - from) / 5))
	step := math.Pow(10, power)
	for _, factor := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if (to-from)/step > 6 {
			step *= factor
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for i := math.Ceil(from / step); i*step <= to; i++ {
		value := i*step + 0 // not -0
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'f', decimals, 64)})
	}
	return ticks
}

// logTicks labels 1, 2 and 5 times powers of ten, or the powers alone where these are many, or what linearTicks labels where there would
// be one.
func logTicks(from, to float64) []plot.Tick {
	digits, step := []float64{1, 2, 5}, 1
	if decades := math.Log10(to / from); decades > 2.5 {
		digits, step = digits[:1], int(math.Ceil(decades/5))
	}
	var ticks []plot.Tick
	for exponent := int(math.Floor(math.Log10(from))); ; exponent += step {
		for _, digit := range digits {
			at := digit * math.Pow10(exponent)
			if at > to && len(ticks) < 2 {
				return linearTicks(from, to)
			} else if at > to {
				return ticks
			}
			if at >= from {
				ticks = append(ticks, plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'g', 6, 64)})
			}
		}
	}
}

// decadeTicks are logTicks with labels for powers of ten alone, and at most five, where the others would stand too close.
func decadeTicks(from, to float64) []plot.Tick {
	ticks, decades := logTicks(from, to), math.Log10(to/from)
	if decades <= 1.7 {
		return ticks
	}
	for i := range ticks {
		exponent := math.Log10(ticks[i].Value)
		if math.Abs(exponent-math.Round(exponent)) > 1e-9 {
			ticks[i].Label = ""
		}
	}
	return ticks
}

type axisRange struct {
	min, max float64
	log      bool // wished, and after widened so
}

func (r axisRange) set(a *plot.Axis) {
	a.Min, a.Max, a.Tick.Marker = r.min, r.max, plot.TickerFunc(linearTicks)
	if r.log {
		a.Scale, a.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decadeTicks)
		a.Label.Text += logarithmic
	}
}

// widened adds a margin. Logarithms are for numbers that differ by factors, but not for those next to nothing.
func (r axisRange) widened() axisRange {
	if r.log = r.log && r.max > 3*r.min && r.max < 1e5*r.min; r.log {
		margin := math.Pow(r.max/r.min, 0.05) * 1.02
		return axisRange{r.min / margin, r.max * margin, true}
	}
	margin := 0.05*(r.max-r.min) + 1e-3*math.Abs(r.max)
	return axisRange{r.min - margin, r.max + margin, false}
}
