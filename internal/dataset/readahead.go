package dataset

import (
	"context"
	"io"
	"sync"
)

// readAhead runs a producer in a goroutine of its own, a few blocks ahead of whoever reads what it writes: decompression
// and parsing then take a core each. Closing it stops the producer and waits for it.
func readAhead(ctx context.Context, produce func(w io.Writer) error) *aheadReader {
	ctx, cancel := context.WithCancel(ctx)
	a := &aheadReader{ctx: ctx, cancel: cancel, blocks: make(chan []byte, 8), free: make(chan []byte, 10)}
	a.producer.Go(func() {
		defer close(a.blocks)
		a.err = produce(aheadWriter{a})
		if a.err == nil {
			a.err = io.EOF
		}
	})
	return a
}

type aheadReader struct {
	ctx      context.Context
	cancel   context.CancelFunc
	blocks   chan []byte // what has been produced
	free     chan []byte // blocks to be used again
	current  []byte
	block    []byte // the block that current is the rest of
	err      error  // of the producer; set before blocks is closed
	producer sync.WaitGroup
}

func (a *aheadReader) Read(b []byte) (int, error) {
	if len(a.current) == 0 {
		if a.block != nil {
			a.free <- a.block
		}
		var more bool
		if a.block, more = <-a.blocks; !more {
			return 0, a.err
		}
		a.current = a.block
	}
	n := copy(b, a.current)
	a.current = a.current[n:]
	return n, nil
}

func (a *aheadReader) Close() {
	a.cancel()
	a.producer.Wait()
}

type aheadWriter struct{ *aheadReader }

func (w aheadWriter) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	var block []byte
	select {
	case block = <-w.free:
	default:
	}
	block = append(block[:0], b...)
	select {
	case <-w.ctx.Done():
		return 0, w.ctx.Err()
	case w.blocks <- block:
		return len(b), nil
	}
}
