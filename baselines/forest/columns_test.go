package forest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// encodeColumns encodes a matrix given by columns, rows in their order.
func encodeColumns(columns ...[]float32) ([]column, []bundle) {
	rows := len(columns[0])
	x := make([]float32, rows*len(columns))
	order := make([]int32, rows)
	for c, values := range columns {
		for i, v := range values {
			x[i*len(columns)+c] = v
			order[i] = int32(i)
		}
	}
	return encode(context.Background(), x, len(columns), order, 3)
}

func TestEncodeColumn(t *testing.T) {
	minusZero := float32(math.Copysign(0, -1))
	for name, c := range map[string]struct {
		values []float32
		codes  []uint16
		many   bool
		close  bool
	}{
		"constant":                {values: []float32{3, 3, 3}},
		"one row":                 {values: []float32{-1}},
		"zeros of both signs":     {values: []float32{0, minusZero, 0}},
		"two values, one to us":   {values: []float32{1, 1, 1 + 6e-8}},
		"many values, one to us":  {values: []float32{0, 3e-8, 6e-8, 9e-8}},
		"rare value below":        {values: []float32{5, -5, 5}, codes: []uint16{0, 1, 0}},
		"rare value above":        {values: []float32{5, 5, 7}, codes: []uint16{0, 0, 1}},
		"ranks":                   {values: []float32{9, -2, 4, 4, -2}, codes: []uint16{2, 0, 1, 1, 0}, many: true},
		"close pair apart":        {values: []float32{0, 5e-8, 1, 2}, codes: []uint16{0, 0, 1, 2}, many: true},
		"a run of close values":   {values: []float32{0, 8e-8, 16e-8, 1}, codes: []uint16{0, 1, 2, 3}, many: true, close: true},
		"three values, two to us": {values: []float32{0, 1, 5e-8}, codes: []uint16{0, 1, 0}, many: true},
		"largest numbers":         {values: []float32{-3e38, 3e38, 0}, codes: []uint16{0, 2, 1}, many: true},
		"zeros among many":        {values: []float32{2, minusZero, 1, 0}, codes: []uint16{2, 0, 1, 0}, many: true},
	} {
		t.Run(name, func(t *testing.T) {
			columns, bundles := encodeColumns(c.values)
			got := columns[0]
			if c.codes == nil {
				if len(got.smallest) != 1 || got.many() || len(bundles) != 0 {
					t.Fatalf("%+v is not constant", got)
				}
				return
			}
			if got.many() != c.many || got.close != c.close {
				t.Fatalf("many %v, close %v", got.many(), got.close)
			}
			for i, code := range got.codes {
				if code != c.codes[i] {
					t.Fatalf("codes %d, want %d", got.codes, c.codes)
				}
			}
		})
	}
}

func TestThreshold(t *testing.T) {
	columns, _ := encodeColumns([]float32{1, 2, 5, -3e38, 3e38}, []float32{1, math.Nextafter32(1, 2) + 1e-6, 1, 1, 1})
	c := &columns[0]
	for _, v := range []struct {
		code, next int
		want       float32
	}{{1, 2, 1.5}, {1, 3, 3}, {0, 1, -1.5e38}, {0, 4, 0}} {
		if got := c.threshold(v.code, v.next); got != v.want {
			t.Errorf("threshold between codes %d and %d is %v, want %v", v.code, v.next, got, v.want)
		}
	}
	two := &columns[1]
	if got := two.threshold(0, 1); got < two.largest[0] || got >= two.smallest[1] {
		t.Errorf("threshold %v does not separate %v and %v", got, two.largest[0], two.smallest[1])
	}
}

// Neighbouring numbers have no number between them: the threshold must be the lower one.
func TestThresholdOfNeighbours(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		a := float32(rng.NormFloat64()) * float32(math.Exp(20*rng.NormFloat64()))
		b := math.Nextafter32(a, float32(math.Inf(1)))
		c := column{largest: []float32{a, b}, smallest: []float32{a, b}}
		if got := c.threshold(0, 1); got != a {
			t.Fatalf("threshold between %v and its successor is %v", a, got)
		}
	}
}

func TestManyDifferentValues(t *testing.T) {
	const rows = 150_000
	values := make([]float32, rows)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range values {
		values[i] = float32(rng.Float64() * 1000)
		if i%10 == 0 {
			values[i] = 7 // heavy ties
		}
	}
	columns, _ := encodeColumns(values)
	c := columns[0]
	if n := len(c.smallest); n > maxCodes || n < maxCodes/2 {
		t.Fatalf("%d codes", n)
	}
	count := make([]int, len(c.smallest))
	for i, v := range values {
		code := c.codes[i]
		count[code]++
		if v < c.smallest[code] || v > c.largest[code] {
			t.Fatalf("%v has the code of %v to %v", v, c.smallest[code], c.largest[code])
		}
	}
	for code, n := range count {
		if n > 8*rows/maxCodes && (c.smallest[code] > 7 || c.largest[code] < 7) {
			t.Errorf("code %d stands for %d rows", code, n)
		}
		if code > 0 && c.smallest[code] <= c.largest[code-1] {
			t.Errorf("codes %d and %d overlap", code-1, code)
		}
	}
}

func TestBundles(t *testing.T) {
	// A one-hot encoding of three categories with a missing entry, the complement of its first column, and a
	// two-valued column that overlaps with all.
	columns, bundles := encodeColumns(
		[]float32{1, 0, 0, 0, 0, 1, 0},
		[]float32{0, 1, 0, 0, 0, 0, 1},
		[]float32{0, 0, 1, 0, 1, 0, 0},
		[]float32{0, 1, 1, 1, 1, 0, 1},
		[]float32{2, 2, 2, -1, -1, -1, 2},
	)
	want := []int{0, 0, 0, 1, 2}
	for i, c := range columns {
		if c.bundle != want[i] {
			t.Errorf("column %d is in bundle %d, want %d", i, c.bundle, want[i])
		}
	}
	if columns[3].rareHigh || !columns[0].rareHigh || columns[4].rareHigh {
		t.Error("wrong side is rare")
	}
	cells := 0
	for i, b := range bundles {
		if b.first != cells {
			t.Errorf("bundle %d begins at cell %d, want %d", i, b.first, cells)
		}
		cells += b.cells()
	}
	x := [][]float32{{1, 0, 0, 0, 2}, {0, 1, 0, 1, 2}, {0, 0, 1, 1, 2}, {0, 0, 0, 1, -1}, {0, 0, 1, 1, -1}, {1, 0, 0, 0, -1}, {0, 1, 0, 1, 2}}
	for row := range x {
		for i, c := range columns {
			rare := c.codes[row] == c.code
			if high := x[row][i] == c.smallest[1]; high != (rare == c.rareHigh) {
				t.Errorf("row %d, column %d: wrong code", row, i)
			}
		}
	}
}
