// Package parallel divides loops among goroutines.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// For cuts 0 to n-1 into chunks of the given size, the last one shorter, and calls work(worker, from, to) for each, on as many goroutines
// as threads says, at least one; worker, below max(1, threads), is for memory that each needs for itself. When ctx is done it begins no
// further chunk and returns ctx's error. What work panics with, the caller panics with once the others have ended.
func For(ctx context.Context, threads, n, size int, work func(worker, from, to int)) error {
	var next atomic.Int64
	var group sync.WaitGroup
	var failed atomic.Pointer[any]
	do := func(worker int) {
		defer func() {
			if r := recover(); r != nil {
				failed.Store(&r)
			}
		}()
		for ctx.Err() == nil {
			to := int(next.Add(int64(size)))
			if to-size >= n {
				return
			}
			work(worker, to-size, min(to, n))
		}
	}
	for worker := 1; worker < min(threads, (n+size-1)/size); worker++ {
		group.Go(func() { do(worker) })
	}
	do(0)
	group.Wait()
	if r := failed.Load(); r != nil {
		panic(*r)
	}
	return ctx.Err()
}
