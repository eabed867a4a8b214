package measure

import "testing"

// A map has its first row at the top, and what is to be followed is to the right.
func TestPictures(t *testing.T) {
	if g := (grid{{1, 2}, {3, 4}}); g.Z(0, 0) != 3 || g.Z(1, 0) != 4 || g.Z(1, 1) != 2 {
		t.Errorf("%v, %v and %v, want 3, 4 and 2", g.Z(0, 0), g.Z(1, 0), g.Z(1, 1))
	}
	following := newOutcome("follow", "prediction").Table
	following.Lines = [][]float64{{0, 0}, {10, 1}}
	if p, err := plotFollowing(following); err != nil || p.X.Max != 10 || p.Y.Max != 1 {
		t.Errorf("up to (%v, %v), want (10, 1), error %v", p.X.Max, p.Y.Max, err)
	}
}
