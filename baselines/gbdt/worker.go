package gbdt

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"nptbench/internal/machine"
	"nptbench/internal/method"
	"nptbench/internal/subprocess"
)

//go:embed trainer.py
var trainer string

// A fitRequest is what the trainer is asked; the arrays follow it as bytes.
type fitRequest struct {
	Method    string         `json:"method"`
	Params    map[string]any `json:"params"`
	Classify  bool           `json:"classify"`
	Seed      int            `json:"seed"`
	Threads   int            `json:"threads"`
	Counts    []int          `json:"counts"` // other numbers of trees
	Rows      int            `json:"rows"`
	Width     int            `json:"width"`
	CheckRows int            `json:"check_rows"` // whose raw scores by all trees are wanted
	Stride    int            `json:"stride"`     // of each so many of them, also those of the other counts, and the predictions

	x      []float32 // Rows x Width
	y      []float64 // regression
	labels []int32   // classification: 0 to the number of classes - 1, all of them there
	check  []float32 // CheckRows x Width

	TellSeconds float64              `json:"tell_seconds,omitempty"` // between calls of grown; 0: none
	grown       func(iterations int) // is told how many iterations are done, where the library tells; CatBoost does not
}

// A fitAnswer is the model and the library's own predictions. Of a long fit some come before it with the number of iterations
// alone.
type fitAnswer struct {
	Iterations  int     `json:"iterations"`
	Error       string  `json:"error"`
	OutOfMemory bool    `json:"out_of_memory"`
	Broken      bool    `json:"broken"` // the error is of the Python environment, not of the fit
	Python      string  `json:"python"`
	Version     string  `json:"version"` // of the library
	FitSeconds  float64 `json:"fit_seconds"`
	PeakBytes   int64   `json:"peak_bytes"` // largest resident set of the trainer during the fit; 0: unknown
	Arrays      []struct {
		Name  string `json:"name"`
		Bytes int    `json:"bytes"`
	} `json:"arrays"`

	arrays map[string][]byte
}

func (a *fitAnswer) bytes(name string) []byte       { return a.arrays[name] }
func (a *fitAnswer) int32s(name string) []int32     { return fromBytes[int32](a.arrays[name]) }
func (a *fitAnswer) float64s(name string) []float64 { return fromBytes[float64](a.arrays[name]) }

// A worker is a trainer process. It serves one fit at a time. Its answers come through a pipe of their own, file descriptor 3:
// what it and its libraries print cannot be taken for one.
type worker struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *bufio.Reader
	printed subprocess.Said
	killed  atomic.Bool  // by us
	ended   func() error // waits for the end of the process and says how it went

	oomKills int // of this machine, when the fit began
}

// trainerCommand starts Python with the trainer's source.
func trainerCommand() (*exec.Cmd, error) {
	path, err := pythonPath()
	if err != nil {
		return nil, err
	}
	return isolated(context.Background(), path, trainer), nil
}

// errNotStarted wraps errors of a trainer that did not come to fit anything.
var errNotStarted = errors.New("the trainer did not start")

// startWorker starts a trainer and waits until it is ready for requests. Its errors wrap errNotStarted, or are ctx's.
func startWorker(ctx context.Context, cmd *exec.Cmd) (*worker, error) {
	w := &worker{cmd: cmd, oomKills: machine.OOMKills(), printed: subprocess.Said{Tail: 4096}}
	cmd.Stdout, cmd.Stderr = &w.printed, &w.printed
	in, answers, err := subprocess.StartWithAnswers(cmd, syscall.SIGKILL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotStarted, err)
	}
	w.in, w.answers = in, bufio.NewReaderSize(answers, 1<<16)
	w.ended = sync.OnceValue(func() error {
		defer answers.Close()
		return cmd.Wait()
	})
	keep := context.AfterFunc(ctx, w.kill)
	_, err = w.read()
	if killed := !keep(); killed || err != nil {
		if !killed {
			err = fmt.Errorf("%w: %w", errNotStarted, w.failure(err))
		}
		w.stop()
		return nil, cmp.Or(ctx.Err(), err)
	}
	return w, nil
}

// kill ends the process, whatever it is doing.
func (w *worker) kill() {
	w.killed.Store(true)
	w.cmd.Process.Kill()
}

// stop ends the process and waits for its end.
func (w *worker) stop() {
	w.kill()
	w.ended()
}

// fit has the process serve a request. When the error is not nil the worker may not be used again.
func (w *worker) fit(ctx context.Context, request *fitRequest) (*fitAnswer, error) {
	w.oomKills = machine.OOMKills()
	keep := context.AfterFunc(ctx, w.kill)
	answer, err := w.exchange(request)
	if !keep() {
		err = ctx.Err()
	} else if err != nil && !errors.Is(err, errNotStarted) {
		err = w.failure(err)
	}
	if err != nil {
		w.stop()
	}
	return answer, err
}

func (w *worker) exchange(request *fitRequest) (*fitAnswer, error) {
	line, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("%w: it ended before it was asked", errNotStarted)
	}
	for _, part := range [][]byte{toBytes(request.x), toBytes(request.y), toBytes(request.labels), toBytes(request.check)} {
		if _, err := w.in.Write(part); err != nil {
			return nil, err
		}
	}
	answer, err := w.read()
	for err == nil && answer.Iterations > 0 && request.grown != nil {
		request.grown(answer.Iterations)
		answer, err = w.read()
	}
	return answer, err
}

// read takes one answer.
func (w *worker) read() (*fitAnswer, error) {
	line, err := w.answers.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	answer := &fitAnswer{arrays: map[string][]byte{}}
	if err := json.Unmarshal(line, answer); err != nil {
		return nil, err
	}
	for _, a := range answer.Arrays {
		// Whole numbers of float64, so that the bytes lie where numbers may.
		b := toBytes(make([]float64, (a.Bytes+7)/8))[:a.Bytes]
		if _, err := io.ReadFull(w.answers, b); err != nil {
			return nil, err
		}
		answer.arrays[a.Name] = b
	}
	return answer, nil
}

// failure says how the process ended and what it printed last. The error wraps method.ErrMemory or method.ErrCrash, unless the
// process is alive and did not keep to the protocol.
func (w *worker) failure(cause error) error {
	w.in.Close()
	defer time.AfterFunc(time.Second, w.kill).Stop()
	how := w.ended()
	if w.killed.Load() { // it went on, so it must have sent something else than an answer
		return fmt.Errorf("the trainer's answer makes no sense: %w", cause)
	}
	last := w.printed.String()
	kind := method.ErrCrash
	if strings.Contains(last, "MemoryError") || strings.Contains(last, "bad_alloc") || subprocess.KilledForMemory(how, w.oomKills) {
		kind = method.ErrMemory
	}
	if how == nil {
		how = errors.New("it ended without an answer")
	}
	return fmt.Errorf("trainer %w: %w%s", kind, how, lastLine(last))
}

type number interface{ int32 | float32 | float64 }

// toBytes shows numbers as they lie in memory: both processes run on the same machine.
func toBytes[T number](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(*new(T))))
}

// fromBytes is the reverse; b begins where a number may.
func fromBytes[T number](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}
