// Package stats has the tests, intervals and effect sizes by which methods are compared: over several data sets (wilcoxon.go,
// friedman.go, nemenyi.go, adjust.go) and over the folds of one (foldtest.go), with what gonum lacks of them. Sources stand with
// each function.
//
// Results are numbers with Warnings: what a reader must know to take the number right, one sentence each, to be printed as
// footnotes. Functions panic, as gonum's do, at values that are NaN and at pairs of unequal lengths: a program checks what a user gives it
// before.
//
// Golden vectors in testdata come from SciPy and mpmath; testdata/oracle.py makes them.
package stats

import (
	"fmt"
	"math"
	"slices"
)

// numbers refuses values that are NaN.
func numbers(all ...[]float64) {
	for _, values := range all {
		if i := slices.IndexFunc(values, math.IsNaN); i >= 0 {
			panic(fmt.Sprintf("stats: value %d is not a number", i+1))
		}
	}
}

// pairs refuses values that are NaN, and two lists of which one is longer.
func pairs(x, y []float64) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("stats: %d values cannot be paired with %d", len(x), len(y)))
	}
	numbers(x, y)
}
