package stats

import "math"

// The studentised range of k normal variables with a known deviation (infinitely many degrees of freedom) is the difference
// between the largest and the smallest. Its probability of being above q is
//
//	k ∫ φ(z) [Φ(z)^(k-1) - (Φ(z)-Φ(z-q))^(k-1)] dz
//
// (Hartley, Biometrika 32, 1942), in the form in which small probabilities keep their digits.

// studentizedRangeTail is that probability.
func studentizedRangeTail(q float64, k int) float64 {
	if q <= 0 {
		return 1
	}
	const step = 1.0 / 32 // the trapezoidal rule is exact to the last bits for such integrands
	m := float64(k - 1)
	sum := 0.0
	for z := -10.0; z < q+10; z += step {
		below := math.Erfc(-z/math.Sqrt2) / 2
		outside := math.Erfc((q-z)/math.Sqrt2) / 2
		sum += math.Exp(-z*z/2) * math.Pow(below, m) * -math.Expm1(m*math.Log1p(-outside/below))
	}
	return math.Min(1, float64(k)*sum*step/math.Sqrt(2*math.Pi))
}

// studentizedRangeQuantile is the q that is exceeded with probability alpha, 0 < alpha < 1.
func studentizedRangeQuantile(alpha float64, k int) float64 {
	low, high := 0.0, 1.0
	for studentizedRangeTail(high, k) > alpha {
		low, high = high, 2*high
	}
	for {
		middle := (low + high) / 2
		if middle <= low || middle >= high {
			return middle
		}
		if studentizedRangeTail(middle, k) > alpha {
			low = middle
		} else {
			high = middle
		}
	}
}
