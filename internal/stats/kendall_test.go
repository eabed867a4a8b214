package stats

import (
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
}

// Of all orders of the second list, and for seven numbers scipy.stats.kendalltau's exact p.
func TestKendallP(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, 2. / 24},
		{[]float64{2.5, 1, 1, 3}, []float64{1, 1, 2, 2}, 1},
		{[]float64{1, 2, 3, 4, 5, 6, 7}, []float64{1, 2, 4, 3, 5, 7, 6}, 0.0107},
	} {
		if p := KendallP(c.x, c.y); !(math.Abs(p-c.want) <= 4*math.Sqrt(c.want/20_000)) {
			t.Errorf("%v, %v: p = %v, want %v", c.x, c.y, p, c.want)
		}
	}
}
