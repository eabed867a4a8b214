package knn

import (
	"context"
	"sync"
	"sync/atomic"
)

// parallel cuts 0..n into chunks of the given size and calls work(worker, from, to) for each, on as many goroutines as
// threads says; worker is below threads. It stops early, with ctx.Err(), when ctx is done.
func parallel(ctx context.Context, threads, n, size int, work func(worker, from, to int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for worker := range min(threads, (n+size-1)/size) {
		wg.Go(func() {
			for ctx.Err() == nil {
				to := int(next.Add(int64(size)))
				if to-size >= n {
					return
				}
				work(worker, to-size, min(to, n))
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}
