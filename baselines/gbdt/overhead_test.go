package gbdt

import (
	"math"
	"os"
	"testing"

	"nptbench/baselines/internal/papertest"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// What a fit costs besides the library's own fit, in percent of that, for settings of the paper's grid on small tables.
func TestTrainerOverhead(t *testing.T) {
	if os.Getenv("NPT_LONG_TESTS") == "" {
		t.Skip("set NPT_LONG_TESTS=1 to measure for minutes")
	}
	for _, m := range all {
		needPython(t, m)
		for _, name := range []string{"yacht", "boston-housing", "concrete", "breast-cancer"} {
			on, _ := papertest.Fold(t, papertest.Load(t, name), split.Published, 0)
			on.Threads = 1
			var fit, more, worst, fits float64
			for _, rate := range []float64{0.001, 0.1} {
				for _, depth := range []int{3, 10} {
					if m == CatBoost && depth == 10 {
						continue // a minute for a fit, of which the rest is nothing
					}
					s, o := overhead(t, m, on, rate, depth)
					fit, more, worst, fits = fit+s, more+o, max(worst, o/s), fits+1
				}
			}
			t.Logf("%-17s %-14s %7.1f ms per fit, %4.1f ms more: %4.1f %%, at worst %4.1f %%",
				m.Name, name, fit/fits*1e3, more/fits*1e3, more/fit*100, worst*100)
		}
	}
}

// overhead is the least of three: seconds of the fit, and seconds more until the predictions are there.
func overhead(t *testing.T, m *method.Method, on *task.Task, rate float64, depth int) (fit, more float64) {
	fit, more = math.Inf(1), math.Inf(1)
	for range 3 {
		r := fitAll(t, m, on, rate, depth, 50, 100, 500, 1000)[0]
		fit = min(fit, r.Fit.Seconds())
		more = min(more, r.Details["overhead_seconds"].(float64))
	}
	return fit, more
}
