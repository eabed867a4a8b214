package stats

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Bootstrap is the percentile interval of a statistic of independent values: the quantiles of the statistic over so many samples
// that are drawn from the values with replacement (Efron, Annals of Statistics 7, 1979). The same seed gives the same interval. For
// few values such intervals are too short.
func Bootstrap(values []float64, statistic func([]float64) float64, level float64, resamples int, seed uint64) (low, high float64, err error) {
	switch {
	case len(values) == 0:
		return 0, 0, errors.New("stats: a bootstrap needs a value at least")
	case resamples < 1 || !(level > 0 && level < 1):
		return 0, 0, fmt.Errorf("stats: a bootstrap of level %v by %d samples: want a level between 0 and 1, and a sample at least", level, resamples)
	}
	if err := numbers("the sample", values); err != nil {
		return 0, 0, err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	sample := make([]float64, len(values))
	found := make([]float64, resamples)
	for i := range found {
		for j := range sample {
			sample[j] = values[random.IntN(len(values))]
		}
		found[i] = statistic(sample)
	}
	slices.Sort(found)
	quantile := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, found, nil) }
	return quantile((1 - level) / 2), quantile((1 + level) / 2), nil
}
