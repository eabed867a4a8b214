package gbdt

import (
	"fmt"
	"math"
	"testing"
)

// The first n trees of a large fit are the fit of n trees: this is why one fit serves all tree counts.
func TestPrefixEqualsSeparateFit(t *testing.T) {
	counts := []int{1, 7, 20, 60}
	for _, m := range all {
		for _, k := range kinds {
			t.Run(fmt.Sprint(m.Name, "/", k.kind), func(t *testing.T) {
				needPython(t, m)
				on := awkwardTask(k.kind, k.classes, 300, 50, 100)
				together := fitAll(t, m, on, 0.3, 5, counts...)
				for i, n := range counts {
					alone := fitAll(t, m, on, 0.3, 5, n)[0]
					for j, want := range alone.Test {
						if got := together[i].Test[j]; math.Abs(got-want) > 1e-14 {
							t.Fatalf("%d trees: number %d is %v from the fit of %d trees, %v from its own fit", n, j, got, counts[len(counts)-1], want)
						}
					}
				}
				t.Log(together[3].Details, together[3].Fit)
			})
		}
	}
}
