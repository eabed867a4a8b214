package plan

import "testing"

// A record on the same data set says more than one of more similar work on another.
func TestNearest(t *testing.T) {
	far, near, other := sample{"protein", 1, 10}, sample{"protein", 20, 30}, sample{"poker-hand", 100, 1}
	for _, c := range []struct {
		samples []sample
		want    sample
	}{
		{[]sample{far, near, other}, near}, {[]sample{other, near, far}, near}, {[]sample{near, other}, near}, {[]sample{other}, other},
	} {
		if got, ok := nearest(c.samples, "protein", 100); !ok || got != c.want {
			t.Errorf("of %v the nearest is %v", c.samples, got)
		}
	}
	if _, ok := nearest(nil, "protein", 100); ok {
		t.Error("none is near")
	}
}
