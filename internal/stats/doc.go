// Package stats has the tests, intervals and effect sizes by which methods are compared: over several data sets (wilcoxon.go,
// friedman.go, nemenyi.go, adjust.go) and over the folds of one (foldtest.go), with what gonum lacks of them. Sources stand with
// each function.
//
// Results are numbers with Warnings: what a reader must know to take the number right, one sentence each, to be printed as
// footnotes. Input that is no number, or of unequal lengths, is an error.
//
// Golden vectors in testdata come from SciPy and mpmath; testdata/oracle.py makes them.
package stats

import (
	"fmt"
	"math"
)

// numbers refuses values that are NaN.
func numbers(name string, values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) {
			return fmt.Errorf("stats: value %d of %s is not a number", i+1, name)
		}
	}
	return nil
}
