package results

import (
	"errors"
	"iter"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// numbered are the lines 0 to n-1, each with an error instead where it is a multiple of 100.
func numbered(n int, unread error) iter.Seq2[segmentLine, error] {
	return func(yield func(segmentLine, error) bool) {
		for i := range n {
			l := segmentLine{line: i, text: strconv.AppendInt(nil, int64(i), 10)}
			var err error
			if i%100 == 0 {
				err = unread
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// Results come in the order of the lines, errors among them.
func TestInOrder(t *testing.T) {
	unread := errors.New("unread")
	for _, n := range []int{0, 1, batchLines, 1000, 10 * batchLines * runtime.GOMAXPROCS(0)} {
		i := 0
		for line, err := range inOrder(numbered(n, unread), func(l segmentLine) (segmentLine, error) {
			if l.line%7 == 0 {
				runtime.Gosched()
			}
			return l, nil
		}) {
			if failed := i%100 == 0; failed != (err == unread) || !failed && (line.line != i || string(line.text) != strconv.Itoa(i)) {
				t.Fatalf("of %d: line %d, %v at place %d", n, line.line, err, i)
			}
			i++
		}
		if i != n {
			t.Errorf("%d of %d lines", i, n)
		}
	}
}

// Who stops early leaves nothing behind that goes on.
func TestInOrderStopped(t *testing.T) {
	before := runtime.NumGoroutine()
	read := 0
	for range inOrder(numbered(1<<40, nil), func(l segmentLine) (int, error) { return l.line, nil }) {
		if read++; read == 3 {
			break
		}
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// Of long lines no more are read ahead than processors can be given.
func TestInOrderOfLongLines(t *testing.T) {
	var read atomic.Int64
	text := make([]byte, batchBytes)
	for range inOrder(func(yield func(segmentLine, error) bool) {
		for read.Add(1) < 1000 && yield(segmentLine{text: text}, nil) {
		}
	}, func(segmentLine) (int, error) { return 0, nil }) {
		time.Sleep(10 * time.Millisecond)
		break
	}
	if most := int64(runtime.GOMAXPROCS(0) + 3); read.Load() > most {
		t.Errorf("%d lines of %d bytes were read for one, want %d at most", read.Load(), batchBytes, most)
	}
}
