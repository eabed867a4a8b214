package gbdt

import (
	"math"
	"slices"
	"testing"

	"nptbench/baselines/internal/papertest"
	"nptbench/internal/split"
)

// BenchmarkOverhead measures what a fit costs besides the library's own, until the predictions are there, for settings of the paper's grid on
// small tables: means over the settings, of each the least of all runs, and the worst setting.
func BenchmarkOverhead(b *testing.B) {
	for _, m := range all {
		for _, name := range []string{"yacht", "boston-housing", "concrete", "breast-cancer"} {
			b.Run(m.Name+"/"+name, func(b *testing.B) {
				needPython(b, m)
				on, _ := papertest.Fold(b, papertest.Load(b, name), split.Published, 0)
				on.Threads = 1
				type setting struct {
					rate  float64
					depth int
				}
				settings := []setting{{0.001, 3}, {0.1, 3}}
				if m != CatBoost { // of which a fit takes a minute, and the rest is nothing
					settings = append(settings, setting{0.001, 10}, setting{0.1, 10})
				}
				fits := slices.Repeat([]float64{math.Inf(1)}, len(settings))
				mores := slices.Clone(fits)
				for b.Loop() {
					for i, s := range settings {
						r := fitAll(b, m, on, s.rate, s.depth, 50, 100, 500, 1000)[0]
						fits[i] = min(fits[i], r.Fit.Seconds())
						mores[i] = min(mores[i], r.Details["overhead_seconds"].(float64))
					}
				}
				var fit, more, worst float64
				for i := range settings {
					fit, more, worst = fit+fits[i], more+mores[i], max(worst, mores[i]/fits[i])
				}
				each := 1e3 / float64(len(settings))
				b.ReportMetric(fit*each, "fit-ms")
				b.ReportMetric(more*each, "more-ms")
				b.ReportMetric(more/fit*100, "more-%")
				b.ReportMetric(worst*100, "worst-%")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
