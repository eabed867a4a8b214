package stats

import (
	"fmt"
	"math"
)

// ShortPText prints a p-value as PText does, but with three decimals where it is not too small for them.
func ShortPText(logP float64) string {
	if p := math.Exp(logP); p >= 1e-3 {
		return fmt.Sprintf("%.3f", p)
	}
	return PText(logP)
}

// PText prints a p-value, given its natural logarithm: 0.0412, 8.8e-130, 1.2e-5, 1.2e-1210.
func PText(logP float64) string {
	if p := math.Exp(logP); p >= 1e-4 || math.IsNaN(p) {
		return fmt.Sprintf("%.4f", p)
	}
	if math.IsInf(logP, -1) {
		return "0"
	}
	log10 := logP / math.Ln10
	exponent := math.Floor(log10)
	mantissa := math.Round(10*math.Pow(10, log10-exponent)) / 10
	if mantissa >= 10 {
		mantissa, exponent = mantissa/10, exponent+1
	}
	return fmt.Sprintf("%.1fe%d", mantissa, int(exponent))
}
