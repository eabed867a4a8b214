package stats

import "math"

// upperTail is the probability that a standard normal variable is above z, and its natural logarithm, which is finite where the
// probability is too small for a float64.
func upperTail(z float64) (p, logP float64) {
	x := z / math.Sqrt2
	p = math.Erfc(x) / 2
	switch {
	case z < 0:
		return p, math.Log1p(-math.Erfc(-x) / 2)
	case x < 10:
		return p, math.Log(p)
	case math.IsInf(x, 1):
		return 0, math.Inf(-1)
	}
	// erfc(x) = exp(-x²)/(x sqrt(π)) (1 - 1/(2x²) + 1·3/(2x²)² - ...): Abramowitz and Stegun, 7.1.23. For x of at least 10 the terms
	// fall below 1e-17 before they grow again.
	sum, term := 1.0, 1.0
	for k := 1.0; math.Abs(term) > 1e-17; k++ {
		term *= -(2*k - 1) / (2 * x * x)
		sum += term
	}
	return p, -x*x - math.Log(2*x*math.Sqrt(math.Pi)/sum)
}
