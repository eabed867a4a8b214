package knn

// The bound functions look at fanout rows or boxes at once. They have a vectorised form (bound_amd64.s) and this
// portable one. Their float32 sums may differ in the last digits. The neighbours do not: index.limit allows for it.

// blockWithinGo computes lower bounds of the distances between a query and the rows of a block, and returns the rows
// whose bound is not above the limit, as bits. least is what a difference adds at least, per feature.
func blockWithinGo(block lanes, q *query, least []uint8, limit float32, squared bool) uint32 {
	sum := mismatches(block.codes, block.codes, q.codes, least)
	for j, v := range q.numeric {
		column := (*[fanout]float32)(block.numeric[j*fanout:])
		for i, x := range column {
			if d := x - v; squared {
				sum[i] += d * d
			} else {
				sum[i] += max(d, -d)
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

// boxBoundsGo sets out to lower bounds of the distances between a query and whatever is in each of the boxes.
func boxBoundsGo(low, high lanes, q *query, least []uint8, squared bool, out *[fanout]float32) {
	*out = mismatches(low.codes, high.codes, q.codes, least)
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

// mismatches sums what the features add whose code is outside of the range from low to high.
func mismatches(low, high, codes, least []uint8) (sum [fanout]float32) {
	for j, c := range codes {
		l, h, w := (*[fanout]uint8)(low[j*fanout:]), (*[fanout]uint8)(high[j*fanout:]), float32(least[j])
		for i := range sum {
			if c < l[i] || c > h[i] {
				sum[i] += w
			}
		}
	}
	return sum
}
