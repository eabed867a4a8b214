package tabnet

import "testing"

// Many features are evaluated in fewer rows at a time, of which the comparisons of sparsemax stay few; one row is always.
func TestRowsAtATime(t *testing.T) {
	for _, c := range []struct{ rows, features, want int }{
		{100, 10, 100}, {100_000, 10, 8192}, {100_000, 64, 8192}, {100_000, 128, 2048}, {30, 784, 30}, {100_000, 784, 54}, {100_000, 10_000, 1},
	} {
		if got := atATime(c.rows, c.features); got != c.want {
			t.Errorf("%d rows of %d features: %d at a time, want %d", c.rows, c.features, got, c.want)
		}
	}
}
