package stats

import (
	"fmt"
	"math"
	"testing"
)

// The values are those of scipy.stats.kendalltau 1.16.
func TestKendall(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{10, 20, 30, 40}, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		{[]float64{12, 2, 1, 12, 2}, []float64{1, 4, 7, 1, 0}, -0.47140452079103173},
		{[]float64{2.5, 1, 1, 3}, []float64{1, 1, 2, 2}, 0.22360679774997896},
		{[]float64{-.12, -.41, -.17, -.79, .86, -.15, .11, .01, .21, .07}, []float64{.38, -.07, -.05, .2, .39, .11, .05, .25, .2, -.04}, 0.3595732599803958},
	} {
		near(t, "tau", Kendall(c.x, c.y), c.want)
		near(t, "tau the other way", Kendall(c.y, c.x), c.want)
	}
	if tau := Kendall([]float64{1, 1, 1}, []float64{1, 2, 3}); !math.IsNaN(tau) {
		t.Errorf("%v where all values are equal", tau)
	}
	refused(t, func() { Kendall([]float64{1, 2}, []float64{1, 2, 3}) }, "two values were paired with three")
	refused(t, func() { Kendall([]float64{1, 2}, []float64{1, math.NaN()}) }, "NaN was ordered")
}

// Exact for few pairs: of the 5040 orders of seven 27 have two inversions or fewer (scipy.stats.kendalltau's p), of nine one has none. Of ten
// pairs the share of orders with nine inversions or fewer, or as many that agree, is that of the generating function of inversions.
func TestKendallP(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, 2. / 24},
		{[]float64{2.5, 1, 1, 3}, []float64{1, 1, 2, 2}, 1},
		{[]float64{1, 2, 3, 4, 5, 6, 7}, []float64{1, 2, 4, 3, 5, 7, 6}, 54. / 5040},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, []float64{9, 8, 7, 6, 5, 4, 3, 2, 1}, 2. / 362880},
		{[]float64{1, 1, 1}, []float64{1, 2, 3}, 1},
	} {
		near(t, fmt.Sprint(c.x, c.y, ": p"), KendallP(c.x, c.y), c.want)
	}
	ten := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if p := KendallP(ten, ten); !(p > 0 && p < 1e-4) {
		t.Errorf("p of ten pairs is %v, want about %v", p, 2./3628800)
	}
	if p, want := KendallP(ten, []float64{1, 3, 2, 5, 4, 10, 9, 6, 7, 8}), 0.016666115520282188; !(math.Abs(p-want) <= 4*math.Sqrt(want/maxSamples)) {
		t.Errorf("p of ten pairs is %v, want %v", p, want)
	}
}
