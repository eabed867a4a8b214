package npt

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

// Columns of as many different numbers, or texts, as there are rows take no longer than columns of few.
func TestManyDifferentValues(t *testing.T) {
	for _, letter := range []string{"", "n"} {
		f := &Frame{Names: []string{"x"}}
		for i := range 200_000 {
			f.Rows = append(f.Rows, []string{letter + strconv.Itoa(i*7919%200_000)})
		}
		start := time.Now()
		c, err := newFrameColumn(f, 0, count(len(f.Rows)), 150_000)
		if took := time.Since(start); err != nil || !slices.IsSorted(c.classes) || len(c.classes) != len(letter)*200_000 || took > 5*time.Second {
			t.Errorf("%d classes after %v, error %v", len(c.classes), took, err)
		}
	}
}
