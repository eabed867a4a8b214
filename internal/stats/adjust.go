package stats

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Holm adjusts p-values of several tests, so that those of at most alpha can be rejected with an error of alpha over all of them:
// step down, the smallest times their number, and so on, never below one before (Holm, Scandinavian Journal of Statistics 6, 1979).
func Holm(p []float64) []float64 {
	for i, x := range p {
		if !(x >= 0 && x <= 1) {
			panic(fmt.Sprintf("stats: p-value %d is %v, want one from 0 to 1", i+1, x))
		}
	}
	order := make([]int, len(p))
	floats.ArgsortStable(slices.Clone(p), order)
	adjusted := make([]float64, len(p))
	largest := 0.0
	for place, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(p)-place)))
		adjusted[i] = largest
	}
	return adjusted
}
