package seed

import "testing"

func TestDerive(t *testing.T) {
	// Fixed for ever: other seeds would be other results under the same cell.
	if got := Derive(uint64(42), "yacht", "published", 3); got != 8161425113826536100 {
		t.Errorf("got %d", got)
	}
	seen := map[uint64]bool{}
	for _, parts := range [][]any{{1, 23}, {12, 3}, {"1", "23", ""}, {"", "1", "23"}, {"123"}, {}} {
		seen[Derive(parts...)] = true
	}
	if len(seen) != 6 {
		t.Errorf("%d different seeds for 6 different purposes", len(seen))
	}
}
