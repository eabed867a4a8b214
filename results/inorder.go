package results

import (
	"iter"
	"runtime"
)

// batchLines is how many lines go to a processor at a time.
const batchLines = 32

// inOrder yields what do makes of the lines of a sequence, or the sequence's errors, in its order. Lines are handed out in batches
// to all processors. The report of 135,000 records takes 6 s instead of 8.5 by it, on two processors.
func inOrder[T any](lines iter.Seq2[segmentLine, error], do func(segmentLine) (T, error)) iter.Seq2[T, error] {
	type result struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		pending, stop := make(chan chan []result, runtime.GOMAXPROCS(0)), make(chan struct{})
		defer close(stop)
		go func() {
			defer close(pending)
			for b := range batches(lines) {
				done := make(chan []result, 1)
				select {
				case pending <- done:
				case <-stop:
					return
				}
				go func() {
					results := make([]result, len(b.lines))
					for i, line := range b.lines {
						if results[i].err = b.errs[i]; b.errs[i] == nil {
							results[i].value, results[i].err = do(line)
						}
					}
					done <- results
				}()
			}
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

// A batch is lines of segments, and what is wrong with each; nil: nothing.
type batch struct {
	lines []segmentLine
	errs  []error
}

func batches(lines iter.Seq2[segmentLine, error]) iter.Seq[*batch] {
	return func(yield func(*batch) bool) {
		b := new(batch)
		for line, err := range lines {
			b.lines, b.errs = append(b.lines, line), append(b.errs, err)
			if len(b.lines) == batchLines {
				if !yield(b) {
					return
				}
				b = &batch{make([]segmentLine, 0, batchLines), make([]error, 0, batchLines)}
			}
		}
		if len(b.lines) > 0 {
			yield(b)
		}
	}
}
