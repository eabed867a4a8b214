package forest

import (
	"context"
	"math"
	"math/bits"

	"nptbench/internal/parallel"
)

// indistinct is the distance up to which scikit-learn takes neighbouring values in a node to be the same.
const indistinct float32 = 1e-7

// maxCodes is how many different values of a column are told apart. Columns with more are cut into that many bins of
// about equally many rows.
const maxCodes = 1 << 16

// A column is a feature of the training rows in a form that splits are found in quickly. A column with one value has
// no codes.
type column struct {
	codes  []uint16 // by row
	bundle int      // of a two-valued column, else -1
	code   uint16   // of a two-valued column: of the rows with its rarer value, among the codes of the bundle

	// The smallest and the largest value of every code, ascending. Two-valued columns have two entries; rareHigh says
	// that the rarer value is the second.
	smallest, largest []float32
	rareHigh          bool

	// close says that some codes are so close together that it depends on a node's rows whether they are the same. Bins never are: their
	// edges say nothing of a node's rows in them.
	close bool
}

// many reports whether the column has more than two values.
func (c *column) many() bool { return len(c.smallest) > 2 || len(c.smallest) == 2 && c.bundle < 0 }

// A bundle is a set of two-valued columns of which at most one has its rarer value in any row, such as a one-hot
// encoding: one code per row says which. Code 0 is none of them. One pass over the rows counts all columns.
type bundle struct {
	codes   []uint16 // by row
	columns []int32  // by code-1
	first   int      // index of the bundle's first cell; cells are numbered through all bundles, one for every code
}

// cells returns the number of the bundle's codes.
func (b *bundle) cells() int { return len(b.columns) + 1 }

// threshold returns the number that a split above the given code, with next the following code in the node, compares
// with: as in scikit-learn halfway between the two values, in float64. It is rounded down to float32, which cannot
// change a comparison with float32 values.
func (c *column) threshold(code, next int) float32 {
	a, b := float64(c.largest[code]), float64(c.smallest[next])
	middle := a/2 + b/2
	t := float32(middle)
	if float64(t) > middle {
		t = math.Nextafter32(t, float32(math.Inf(-1)))
	}
	return t
}

// blockColumns is how many columns of many values are read together from the row-major matrix: a cache line.
const blockColumns = 16

// encode turns the rows of x, in the given order, into columns and bundles. When ctx is done it returns early; the result
// is of no use then.
func encode(ctx context.Context, x []float32, width int, order []int32, threads int) ([]column, []bundle) {
	columns, rare := make([]column, width), make([]bitset, width)
	encodeTwoValued(ctx, x, width, order, columns, rare, threads)
	var many []int
	for c := range columns {
		if columns[c].smallest == nil {
			many = append(many, c)
		}
	}
	encoders := make([]*encoder, max(1, threads))
	parallel.For(ctx, threads, len(many), blockColumns, func(worker, from, to int) {
		if encoders[worker] == nil {
			encoders[worker] = newEncoder(len(order))
		}
		e := encoders[worker]
		e.read(x, width, order, many[from:to])
		for i, c := range many[from:to] {
			columns[c] = e.rank(e.values[i])
		}
	})
	return columns, bundled(columns, rare, len(order))
}

// encodeTwoValued makes the columns with one or two values, and notes where the rarer one is. It reads the matrix twice from
// front to back, because most of the columns of a wide table are of this kind. Other columns are left alone.
func encodeTwoValued(ctx context.Context, x []float32, width int, order []int32, columns []column, rare []bitset, threads int) {
	place := make([]int32, len(order)) // by row of x
	for i, row := range order {
		place[row] = int32(i)
	}
	part := (width + max(1, threads) - 1) / max(1, threads)
	parallel.For(ctx, threads, width, part, func(_, first, last int) {
		found := findTwoValues(x, width, first, last)
		rarer := make([]float32, last-first)
		for i := range found {
			rarer[i] = found[i].column(&columns[first+i], len(order))
			if rarer[i] == rarer[i] {
				rare[first+i] = newBitset(len(order))
			}
		}
		for row, at := range place {
			for i, v := range x[row*width+first : row*width+last] {
				if v == rarer[i] {
					rare[first+i].set(int(at))
				}
			}
		}
	})
}

// twoValues are the two values of a column, which may be equal, and how many rows have the higher one; or many are more.
type twoValues struct {
	low, high float32
	highs     int
	many      bool
}

// findTwoValues looks at the columns from first to last-1.
func findTwoValues(x []float32, width, first, last int) []twoValues {
	found := make([]twoValues, last-first)
	for i, v := range x[first:last] {
		found[i].low, found[i].high = v, v
	}
	for row := range len(x) / width {
		for i, v := range x[row*width+first : row*width+last] {
			switch f := &found[i]; {
			case v == f.low:
			case v == f.high:
				f.highs++
			case f.low != f.high:
				f.many = true
			case v > f.high:
				f.high, f.highs = v, 1
			default:
				f.low, f.highs = v, row
			}
		}
	}
	return found
}

// column makes a column out of the values, unless they are many, and returns the rarer one if two are told apart, else NaN.
func (f *twoValues) column(c *column, rows int) (rarer float32) {
	nan := float32(math.NaN())
	switch {
	case f.many:
		return nan
	case f.high <= f.low+indistinct:
		*c = column{bundle: -1, smallest: []float32{f.low}, largest: []float32{f.high}}
		return nan
	}
	both := []float32{f.low, f.high}
	*c = column{smallest: both, largest: both, rareHigh: 2*f.highs <= rows}
	if c.rareHigh {
		return f.high
	}
	return f.low
}

type encoder struct {
	values       [blockColumns][]float32
	keys, buffer []key
	starts       []int
}

func newEncoder(rows int) *encoder {
	e := &encoder{keys: make([]key, rows), buffer: make([]key, rows)}
	for i := range e.values {
		e.values[i] = make([]float32, rows)
	}
	return e
}

func (e *encoder) read(x []float32, width int, order []int32, columns []int) {
	for i, row := range order {
		values := x[int(row)*width:][:width]
		for j, c := range columns {
			e.values[j][i] = values[c]
		}
	}
}

// rank replaces values by their ranks among the different ones.
func (e *encoder) rank(values []float32) column {
	low, high := uint32(math.MaxUint32), uint32(0)
	for i, v := range values {
		u := sortable(v)
		low, high = min(low, u), max(high, u)
		e.keys[i] = makeKey(u, i)
	}
	sorted := sortKeys(e.keys, e.buffer, low, high)
	e.starts = codeStarts(e.starts[:0], values, sorted)
	starts := thinned(e.starts, len(values))
	c := column{
		bundle:   -1,
		codes:    make([]uint16, len(values)),
		smallest: make([]float32, len(starts)),
		largest:  make([]float32, len(starts)),
	}
	for code, start := range starts {
		end := len(sorted)
		if code+1 < len(starts) {
			end = starts[code+1]
		}
		c.smallest[code], c.largest[code] = values[sorted[start].index()], values[sorted[end-1].index()]
		for _, k := range sorted[start:end] {
			c.codes[k.index()] = uint16(code)
		}
		c.close = c.close || len(starts) == len(e.starts) && code > 0 && c.smallest[code] <= c.largest[code-1]+indistinct
	}
	return c
}

// codeStarts appends where in the sorted values a new code begins. Where neighbours are too close to be told apart, a run of
// them has one code if even its ends are too close, else every different value has its own.
func codeStarts(out []int, values []float32, sorted []key) []int {
	at := func(i int) float32 { return values[sorted[i].index()] }
	for start := 0; start < len(sorted); {
		out = append(out, start)
		end := start + 1
		for end < len(sorted) && at(end) <= at(end-1)+indistinct {
			end++
		}
		if at(end-1) > at(start)+indistinct {
			for i := start + 1; i < end; i++ {
				if at(i) != at(i-1) {
					out = append(out, i)
				}
			}
		}
		start = end
	}
	return out
}

// thinned leaves at most maxCodes starts, the first of every bin of rows/maxCodes rows that has one.
func thinned(starts []int, rows int) []int {
	if len(starts) <= maxCodes {
		return starts
	}
	kept, last := starts[:0], -1
	for _, s := range starts {
		if bin := s * maxCodes / rows; bin != last {
			kept, last = append(kept, s), bin
		}
	}
	return kept
}

// sortable maps floating-point numbers to integers of the same order.
func sortable(v float32) uint32 {
	u := math.Float32bits(v)
	if u>>31 != 0 {
		return ^u
	}
	return u | 1<<31
}

// bundled puts every two-valued column into the first bundle that it fits.
func bundled(columns []column, rare []bitset, rows int) []bundle {
	var bundles []bundle
	var taken []bitset
	for i := range columns {
		c := &columns[i]
		if rare[i] == nil {
			continue
		}
		c.bundle = 0
		for c.bundle < len(bundles) &&
			(len(bundles[c.bundle].columns) == math.MaxUint16 || taken[c.bundle].intersects(rare[i])) {
			c.bundle++
		}
		if c.bundle == len(bundles) {
			bundles = append(bundles, bundle{codes: make([]uint16, rows)})
			taken = append(taken, newBitset(rows))
		}
		b := &bundles[c.bundle]
		b.columns = append(b.columns, int32(i))
		c.codes, c.code = b.codes, uint16(len(b.columns))
		rare[i].each(func(row int) { b.codes[row] = c.code })
		taken[c.bundle].add(rare[i])
		rare[i] = nil
	}
	cells := 0
	for i := range bundles {
		bundles[i].first = cells
		cells += bundles[i].cells()
	}
	return bundles
}

// A bitset is a set of rows.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) set(i int) { s[i/64] |= 1 << (i % 64) }

func (s bitset) intersects(other bitset) bool {
	for i, w := range other {
		if s[i]&w != 0 {
			return true
		}
	}
	return false
}

func (s bitset) add(other bitset) {
	for i, w := range other {
		s[i] |= w
	}
}

func (s bitset) each(f func(int)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(i*64 + bits.TrailingZeros64(w))
		}
	}
}
