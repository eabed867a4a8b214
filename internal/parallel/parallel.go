// Package parallel divides loops among goroutines.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// For cuts 0 to n-1 into chunks of the given size, the last one shorter, and calls work(worker, from, to) for each, on as many goroutines
// as threads says, at least one; worker, below max(1, threads), is for memory that each needs for itself. When ctx is done it begins no
// further chunk and returns ctx's error.
func For(ctx context.Context, threads, n, size int, work func(worker, from, to int)) error {
	var next atomic.Int64
	var group sync.WaitGroup
	for worker := range min(max(1, threads), (n+size-1)/size) {
		group.Go(func() {
			for ctx.Err() == nil {
				to := int(next.Add(int64(size)))
				if to-size >= n {
					return
				}
				work(worker, to-size, min(to, n))
			}
		})
	}
	group.Wait()
	return ctx.Err()
}
