package gbdt

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"nptbench/internal/method"
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

	// grown is called about every so many seconds with the number of iterations that are done, where these are not 0 and the
	// library tells.
	TellSeconds float64 `json:"tell_seconds,omitempty"`
	grown       func(iterations int)
}

// A fitAnswer is what comes back: first the model and what made it, then the rest; before them, of a long fit, some with the
// number of iterations alone.
type fitAnswer struct {
	Iterations  int     `json:"iterations"`
	Error       string  `json:"error"`
	OutOfMemory bool    `json:"out_of_memory"`
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

// A worker is a trainer process. It serves one fit at a time.
type worker struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr tail
	killed atomic.Bool  // by us
	ended  func() error // waits for the end of the process and says how it went

	kernelKills int // when the fit began
}

// trainerCommand starts Python with the trainer's source.
func trainerCommand() (*exec.Cmd, error) {
	p, err := findPython()
	if err != nil {
		return nil, err
	}
	return isolated(p.path, trainer), nil
}

func startWorker(cmd *exec.Cmd) (*worker, error) {
	w := &worker{cmd: cmd}
	cmd.Stderr = &w.stderr
	cmd.WaitDelay = time.Second
	var err error
	if w.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	widen(out)
	w.out = bufio.NewReaderSize(out, 1<<16)
	w.ended = sync.OnceValue(cmd.Wait)
	return w, cmd.Start()
}

// kill ends the process, whatever it is doing.
func (w *worker) kill() {
	w.killed.Store(true)
	w.cmd.Process.Kill()
}

// fit has the process serve a request. When the error is not nil the worker may not be used again.
func (w *worker) fit(ctx context.Context, request *fitRequest, use func(*fitAnswer)) (*fitAnswer, error) {
	w.kernelKills = kernelKills()
	stop := context.AfterFunc(ctx, w.kill)
	defer stop()
	answer, err := w.exchange(request, use)
	if ctx.Err() != nil {
		err = ctx.Err()
	} else if err != nil {
		err = w.obituary(err)
	}
	if err != nil {
		w.kill()
		w.ended()
	}
	return answer, err
}

func (w *worker) exchange(request *fitRequest, use func(*fitAnswer)) (*fitAnswer, error) {
	line, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return nil, errGone
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
	if err != nil || answer.Error != "" {
		return answer, err
	}
	if answer.Version == "" {
		return nil, errors.New("it begins without a model")
	}
	use(answer)
	rest, err := w.read()
	if err != nil {
		return nil, err
	}
	rest.Python, rest.Version = answer.Python, answer.Version
	maps.Copy(rest.arrays, answer.arrays)
	return rest, nil
}

// read takes one answer.
func (w *worker) read() (*fitAnswer, error) {
	line, err := w.out.ReadBytes('\n')
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
		if _, err := io.ReadFull(w.out, b); err != nil {
			return nil, err
		}
		answer.arrays[a.Name] = b
	}
	return answer, nil
}

// errGone says that the process was gone before it was asked.
var errGone = errors.New("nobody was there to read the request")

// obituary says how the process ended and what it said last. The error wraps method.ErrMemory or method.ErrCrash, unless the
// process is alive and did not keep to the protocol.
func (w *worker) obituary(cause error) error {
	w.in.Close()
	impatience := time.AfterFunc(time.Second, w.kill)
	defer impatience.Stop()
	how := w.ended()
	if w.killed.Load() { // it lives on, so it must have said something else than an answer
		return fmt.Errorf("the trainer's answer makes no sense: %w", cause)
	}
	last := w.stderr.String()
	kind := method.ErrCrash
	if strings.Contains(last, "MemoryError") || strings.Contains(last, "bad_alloc") || kernelKills() > w.kernelKills {
		kind = method.ErrMemory
	}
	if how == nil {
		how = errors.New("it ended without an answer")
	}
	if cause == errGone {
		how = fmt.Errorf("%w, %w", how, errGone)
	}
	return fmt.Errorf("trainer %w: %w%s", kind, how, lastLine(last))
}

// kernelKills counts the processes of this machine that the kernel has killed because memory ran out; 0 where it does not
// tell.
func kernelKills() int {
	counters, err := os.ReadFile("/proc/vmstat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(counters), "\noom_kill ")
	number, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.Atoi(number)
	return n
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	last []byte
}

const tailBytes = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	if extra := len(t.last) - tailBytes; extra > 0 {
		t.last = append(t.last[:0], t.last[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
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
