package stats_test

import (
	"fmt"

	"nptbench/internal/stats"
)

// Is a method better than another by ten-fold cross-validation, where in each fold a tenth of the rows is for testing, a fifth for validation,
// and seven tenths for training?
func ExampleCorrectedT() {
	differences := []float64{-0.3, -0.1, -0.4, 0.1, -0.2, -0.3, 0, -0.2, -0.5, -0.1} // of RMSEs by fold
	const testRatio = 1.0 / 7
	corrected, students := stats.CorrectedT(differences, testRatio, 0.95), stats.CorrectedT(differences, 0, 0.95)
	fmt.Printf("%.2f ± %.2f, p = %.3f\n", corrected.Mean, corrected.StdErr, corrected.P)
	fmt.Printf("%.2f ± %.2f, p = %.3f, if folds shared no training rows\n", students.Mean, students.StdErr, students.P)
	// Output:
	// -0.20 ± 0.09, p = 0.053
	// -0.20 ± 0.06, p = 0.007, if folds shared no training rows
}
