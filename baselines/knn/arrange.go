package knn

import (
	"context"
	"math"
	"sync"
)

// arrange sorts rows so that near ones stand together: it cuts the list in two at the median of the feature that
// contributes most to the distances within it, and goes on with both parts until they fit into one block. Cuts lie at
// multiples of the largest power of fanout that is less than the list's length, so that every block, and every node
// above, is full but the last.
func (r *rows) arrange(ctx context.Context, list []int32, threads int) error {
	r.split(ctx, list, make([]neighbour, len(list)), threads)
	return ctx.Err()
}

func (r *rows) split(ctx context.Context, list []int32, keys []neighbour, threads int) {
	if len(list) <= fanout || ctx.Err() != nil {
		return
	}
	unit := fanout
	for unit*fanout < len(list) {
		unit *= fanout
	}
	cut := (len(list) + unit - 1) / unit / 2 * unit
	feature := r.widest(list)
	for i, row := range list {
		keys[i] = neighbour{r.value(int(row), feature), row}
	}
	selectSmallest(keys, cut)
	for i, k := range keys {
		list[i] = k.row
	}
	var wg sync.WaitGroup
	left := func() { r.split(ctx, list[:cut], keys[:cut], threads/2) }
	if threads > 1 {
		wg.Go(left)
	} else {
		left()
	}
	r.split(ctx, list[cut:], keys[cut:], threads-threads/2)
	wg.Wait()
}

// value returns the position of a row along a feature: numeric columns are counted first, then categories, of which
// only the low byte is used (see index).
func (r *rows) value(row, feature int) float64 {
	if feature < r.width {
		return float64(r.numeric[row*r.width+feature])
	}
	return float64(uint8(r.codes[row*len(r.absent)+feature-r.width]))
}

// widest returns the feature that contributes most to the mean distance of two rows of the list, judged by a sample.
func (r *rows) widest(list []int32) int {
	const sample = 256
	step := max(1, len(list)/sample)
	best, widest := 0, -1.0
	for f := range r.width + len(r.absent) {
		n, sum, squares := 0.0, 0.0, 0.0
		var counts [256]float64
		for i := 0; i < len(list); i += step {
			v := r.value(int(list[i]), f)
			n++
			if f < r.width {
				sum += v
				squares += v * v
			} else {
				counts[int(v)]++
			}
		}
		var spread float64
		if f < r.width {
			spread = 2 * (squares/n - sum/n*sum/n)
			if !r.squared {
				spread = math.Sqrt(max(0, spread))
			}
		} else {
			for _, c := range counts {
				squares += c / n * c / n
			}
			spread = 2 * (1 - squares)
		}
		if spread > widest {
			best, widest = f, spread
		}
	}
	return best
}
