package plan

import "testing"

// A record on the same data set says more than one of more similar work on another, and the median more than a slow one.
func TestNearest(t *testing.T) {
	far, near, slow, other := sample{"protein", 1, 10}, sample{"protein", 20, 30}, sample{"protein", 20, 300}, sample{"poker-hand", 100, 1}
	for _, c := range []struct {
		samples []sample
		want    float64
	}{
		{[]sample{far, near, other}, 1.5}, {[]sample{other, near, far}, 1.5}, {[]sample{near, other}, 1.5}, {[]sample{other}, 0.01},
		{[]sample{slow, far, near, near, other}, 1.5},
	} {
		if got, ok := nearest(c.samples, "protein", 100); !ok || got != c.want {
			t.Errorf("of %v the nearest takes %v for work of 1, want %v", c.samples, got, c.want)
		}
	}
	if _, ok := nearest(nil, "protein", 100); ok {
		t.Error("none is near")
	}
}
