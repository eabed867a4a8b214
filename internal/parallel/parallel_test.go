package parallel

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
)

// Every number is in one chunk, whatever the numbers of threads and of chunks, and no worker is at two chunks at a time.
func TestFor(t *testing.T) {
	for _, threads := range []int{0, 1, 3, 8} {
		for _, n := range []int{0, 1, 5, 64, 65} {
			seen, busy := make([]int, n), make([]atomic.Bool, max(1, threads))
			err := For(t.Context(), threads, n, 5, func(worker, from, to int) {
				if busy[worker].Swap(true) || to-from > 5 {
					t.Errorf("%d threads, %d numbers: worker %d has chunk %d to %d", threads, n, worker, from, to)
				}
				for i := from; i < to; i++ {
					seen[i]++
				}
				busy[worker].Store(false)
			})
			if err != nil || slices.ContainsFunc(seen, func(times int) bool { return times != 1 }) {
				t.Errorf("%d threads: %v, %v", threads, seen, err)
			}
		}
	}
}

func TestForStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var chunks atomic.Int64
	err := For(ctx, 2, 1000, 1, func(_, _, _ int) {
		chunks.Add(1)
		cancel()
	})
	if !errors.Is(err, context.Canceled) || chunks.Load() > 2 {
		t.Errorf("%d chunks, error %v", chunks.Load(), err)
	}
}
