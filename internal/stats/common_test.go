package stats

import (
	"slices"
	"testing"
)

// A method that has finished little is left out where that leaves more to compare, and only then.
func TestCompleteBlocks(t *testing.T) {
	methods := []string{"a", "b", "c", "none"}
	for _, c := range []struct {
		finished, least int // by c
		methods         []string
		datasets        int
	}{{2, 2, []string{"a", "b"}, 10}, {4, 2, []string{"a", "b", "c"}, 4}, {10, 2, []string{"a", "b", "c"}, 10}, {4, 5, []string{"a", "b"}, 10}, {4, 11, nil, 0}} {
		ranked, on := CompleteBlocks(methods, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, c.least, func(m string, d int) bool { return m != "none" && (m != "c" || d < c.finished) })
		if !slices.Equal(ranked, c.methods) || len(on) != c.datasets {
			t.Errorf("%+v: %v on %v", c, ranked, on)
		}
	}
}
