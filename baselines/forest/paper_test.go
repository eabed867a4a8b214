package forest

import (
	"math"
	"os"
	"testing"

	"nptbench/baselines/internal/papertest"
	harness "nptbench/internal/run"
	"nptbench/internal/split"
)

// With the paper's grid, folds and selection, forests land on the paper's numbers within the spread over seeds. That spread
// is wide, because another seed selects other settings (baselines/PAPER.md): over 12 seeds the standard deviations of the
// means over folds are 0.039 on Boston, 0.028 on Concrete, 0.015 on Yacht, and 0.45 on Breast Cancer. The tolerance is at least
// two of them.
//
// Protein is the exception: the paper has 3.57, which is what all features ("auto") give, here and with scikit-learn. But
// validation clearly prefers "sqrt", in both, and that gives 3.54 (300 trees of scikit-learn 1.2.1: validation loss 0.345
// against 0.351, test RMSE 3.547 against 3.577).
func TestPaper(t *testing.T) {
	if os.Getenv("NPT_LONG_TESTS") == "" {
		t.Skip("takes minutes; NPT_LONG_TESTS=1 runs it")
	}
	for _, tt := range []struct {
		dataset, metric string
		want, tolerance float64
	}{
		{"boston-housing", "rmse", 3.78, 0.13},
		{"concrete", "rmse", 5.48, 0.12},
		{"yacht", "rmse", 0.91, 0.04},
		{"breast-cancer", "accuracy", 94.20, 1},
		{"protein", "rmse", 3.54, 0.02},
	} {
		t.Run(tt.dataset, func(t *testing.T) {
			table := papertest.Load(t, tt.dataset)
			mean := 0.0
			for fold := range table.Info.RunFolds {
				tk, truth := papertest.Fold(t, table, split.Published, fold)
				tk.Seed = uint64(fold)
				_, metrics, err := harness.Score(tk, truth, papertest.Select(t, Method, tk, grid(t, tk.Info)))
				if err != nil {
					t.Fatal(err)
				}
				mean += metrics[tt.metric] / float64(table.Info.RunFolds)
			}
			if !(math.Abs(mean-tt.want) <= tt.tolerance) {
				t.Errorf("mean test %s is %.4f, want %v up to %v", tt.metric, mean, tt.want, tt.tolerance)
			}
		})
	}
}
