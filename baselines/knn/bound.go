package knn

import (
	"encoding/binary"
	"math"
)

// The bound functions look at fanout rows or boxes at once. They sum in float32, for which index.limit allows.

// blockWithin computes lower bounds of the distances between a query and the rows of a block, and returns the rows whose
// bound is not above the limit, as bits. least is what a difference adds at least, per category.
func blockWithin(block lanes, q *query, least []uint8, limit float32, squared bool) uint32 {
	var sum [fanout]float32
	if len(q.codes) > 0 {
		differences(block.codes, q.codes, least, &sum)
	}
	for j, v := range q.numeric {
		if j%8 == 0 && none(&sum, limit) {
			return 0 // further columns only add to the sums
		}
		column := (*[fanout]float32)(block.numeric[j*fanout:])
		if squared {
			for i, x := range column {
				d := x - v
				sum[i] += d * d
			}
		} else {
			for i, x := range column {
				sum[i] += abs(x - v)
			}
		}
	}
	var mask uint32
	for i, s := range sum {
		if s <= limit {
			mask |= 1 << i
		}
	}
	return mask
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// none reports whether all sums are above the limit.
func none(sum *[fanout]float32, limit float32) bool {
	for _, s := range sum {
		if s <= limit {
			return false
		}
	}
	return true
}

// differences sums what the categories add that differ from the query's. It compares the codes of eight rows at a time,
// as the bytes of a word.
func differences(codes, query, least []uint8, sum *[fanout]float32) {
	const (
		each = 0x0101010101010101 // 1 in every byte
		low  = 0x7f * each        // all bits of a byte but the highest
		most = 127                // categories that a byte can count, each of which adds at most 2
	)
	for from := 0; from < len(query); from += most {
		var counts [fanout / 8]uint64
		for j := from; j < min(from+most, len(query)); j++ {
			column, code, add := (*[fanout]uint8)(codes[j*fanout:]), uint64(query[j])*each, uint64(least[j])
			for i := range counts {
				x := binary.LittleEndian.Uint64(column[8*i:]) ^ code
				counts[i] += ((x&low + low | x) >> 7 & each) * add // in every byte of x that is not 0
			}
		}
		for i := range sum {
			sum[i] += float32(uint8(counts[i/8] >> (8 * (i % 8))))
		}
	}
}

// boxBounds sets out to lower bounds of the distances between a query and whatever is in each of the boxes.
func boxBounds(low, high lanes, q *query, least []uint8, squared bool, out *[fanout]float32) {
	clear(out[:])
	for j, c := range q.codes {
		l, h := (*[fanout]uint8)(low.codes[j*fanout:]), (*[fanout]uint8)(high.codes[j*fanout:])
		for i := range out {
			if c < l[i] || c > h[i] {
				out[i] += float32(least[j])
			}
		}
	}
	for j, v := range q.numeric {
		l, h := (*[fanout]float32)(low.numeric[j*fanout:]), (*[fanout]float32)(high.numeric[j*fanout:])
		for i := range out {
			d := max(l[i]-v, v-h[i], 0)
			if squared {
				d *= d
			}
			out[i] += d
		}
	}
}
