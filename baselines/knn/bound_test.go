package knn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomRows makes rows of numbers with a spread of the given powers of ten, and of features with the given numbers of
// categories, one entry in ten missing.
func randomRows(rng *rand.Rand, n, width int, low, high float64, categories []int, squared bool) *rows {
	r := &rows{n: n, squared: squared, width: width}
	for range n {
		for range width {
			r.numeric = append(r.numeric, float32(rng.NormFloat64()*math.Pow(10, low+(high-low)*rng.Float64())))
		}
		for _, c := range categories {
			code := rng.IntN(c)
			if rng.IntN(10) == 0 {
				code = c
			}
			r.codes = append(r.codes, uint16(code))
		}
	}
	for _, c := range categories {
		r.absent = append(r.absent, uint16(c))
		r.least = append(r.least, 1)
		r.gaps = append(r.gaps, len(r.gaps))
	}
	return r
}

var bounders = []struct {
	name   string
	within func(block lanes, q *query, least []uint8, limit float32, squared bool) uint32
	boxes  func(low, high lanes, q *query, least []uint8, squared bool, out *[fanout]float32)
}{
	{"vectorised", blockWithin, boxBounds},
	{"portable", blockWithinGo, boxBoundsGo},
}

// A row may be refused only if its distance is above the limit, and where bounds are tight it should be if it is well
// above.
func TestBounds(t *testing.T) {
	tests := []struct {
		name       string
		width      int
		low, high  float64 // powers of ten
		categories []int
		tight      bool
	}{
		{"one number", 1, 0, 0, nil, true},
		{"eight numbers", 8, 0, 0, nil, true},
		{"twenty-one numbers", 21, 0, 0, nil, true},
		{"many scales", 9, -20, 18, nil, true},
		{"squares below float32", 9, -35, -24, nil, false},
		{"squares above float32", 9, 19, 37, nil, false},
		{"mixed", 11, 0, 0, []int{2, 300, 70}, false},
		{"categories", 0, 0, 0, []int{2, 300, 70, 4}, false},
		{"more categories than a byte can count", 3, 0, 0, slices.Repeat([]int{1000}, 300), false},
	}
	for _, tt := range tests {
		for _, squared := range []bool{false, true} {
			r := randomRows(rand.New(rand.NewPCG(7, 8)), 300, tt.width, tt.low, tt.high, tt.categories, squared)
			for i, b := range bounders {
				t.Run(fmt.Sprintf("%s/squared %v/%s", tt.name, squared, b.name), func(t *testing.T) {
					checkBounds(t, r, i, tt.tight)
				})
			}
		}
	}
}

// checkBounds looks at the distances from the last rows to those of three blocks.
func checkBounds(t *testing.T, r *rows, bounder int, tight bool) {
	t.Helper()
	const blocks, indexed = 3, 3 * fanout
	x, err := newIndex(context.Background(), r, indexed, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, boxes := bounders[bounder], &x.levels[0]
	rng := rand.New(rand.NewPCG(9, 10))
	passed, far := 0, 0
	for row := indexed; row < r.n; row++ {
		var q query
		q.set(r, row)
		var bounds [fanout]float32
		b.boxes(boxes.low, boxes.high, &q, r.least, r.squared, &bounds)
		for block := range blocks {
			d := r.distance(row, int(x.order[rng.IntN(indexed)]))
			mask := b.within(x.blocks.group(block, r), &q, r.least, x.limit(d), r.squared)
			for lane, other := range x.order[block*fanout : (block+1)*fanout] {
				exact, passes := r.distance(row, int(other)), int(mask>>lane&1)
				if exact <= d && passes == 0 {
					t.Fatalf("a row at distance %v is refused at %v", exact, d)
				}
				if bounds[block] > x.limit(exact) {
					t.Fatalf("a box with a row at distance %v has the bound %v", exact, bounds[block])
				}
				if exact > 1.001*d {
					far++
					passed += passes
				}
			}
		}
	}
	if tight && passed > 0 || far == 0 {
		t.Errorf("%d of %d rows that are too far pass", passed, far)
	}
}
