package knn

// blockWithinGo computes lower bounds of the distances between a query and the fanout rows of a block, and returns the
// rows whose bound is not above the limit, as bits. numeric is width x fanout, codes features x fanout.
func blockWithinGo(numeric []float32, codes []uint8, q *query, least []uint8, limit float32, squared bool) uint32 {
	sum := mismatches(codes, codes, q.codes, least)
	for j, v := range q.numeric {
		column := (*[fanout]float32)(numeric[j*fanout:])
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

// boxBoundsGo sets out to lower bounds of the distances between a query and the rows in each of fanout boxes.
func boxBoundsGo(low, high []float32, first, last []uint8, q *query, least []uint8, squared bool, out *[fanout]float32) {
	*out = mismatches(first, last, q.codes, least)
	for j, v := range q.numeric {
		l, h := (*[fanout]float32)(low[j*fanout:]), (*[fanout]float32)(high[j*fanout:])
		for i := range out {
			d := max(l[i]-v, v-h[i], 0)
			if squared {
				d *= d
			}
			out[i] += d
		}
	}
}

// mismatches sums what the features add whose code is outside of the range from first to last.
func mismatches(first, last, codes, least []uint8) (sum [fanout]float32) {
	for j, c := range codes {
		f, l, w := (*[fanout]uint8)(first[j*fanout:]), (*[fanout]uint8)(last[j*fanout:]), float32(least[j])
		for i := range sum {
			if c < f[i] || c > l[i] {
				sum[i] += w
			}
		}
	}
	return sum
}
