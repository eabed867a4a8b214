package backends

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/fused"
	"nptbench/internal/method"
)

// Call runs a graph on its backend; whatever goes wrong comes back as an error of one line.
func Call(b compute.Backend, exec *graph.Exec, args []any) (out []*tensors.Tensor, err error) {
	err = Guard(func() (err error) {
		out, err = exec.Call(args...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("backend %s: %w", Name(b), Error(err))
	}
	return out, nil
}

// Release frees the memory of tensors, on the device too, except of those that are still in use.
func Release(old []*tensors.Tensor, used ...[]*tensors.Tensor) error {
	for _, t := range old {
		if slices.ContainsFunc(used, func(u []*tensors.Tensor) bool { return slices.Contains(u, t) }) {
			continue
		}
		if err := t.FinalizeAll(); err != nil {
			return Error(err)
		}
	}
	return nil
}

// ReturnMemory lets go of what backends keep for the next graph, as between trainings that are not alike.
func ReturnMemory() {
	backendsMu.Lock()
	defer backendsMu.Unlock()
	for _, b := range backends {
		if f, ok := b.(*fused.Backend); ok {
			f.ReleaseIdle()
		}
	}
	returnMemory()
}

// Donate adds tensors to the arguments of a graph, which may reuse their memory, but of those in keep.
func Donate(b compute.Backend, args []any, ts []*tensors.Tensor, keep ...[]*tensors.Tensor) ([]any, error) {
	for _, t := range ts {
		if slices.ContainsFunc(keep, func(k []*tensors.Tensor) bool { return slices.Contains(k, t) }) {
			args = append(args, t)
			continue
		}
		donated, err := graph.DonateTensorBuffer(t, b, 0)
		if err != nil {
			return nil, Error(err)
		}
		args = append(args, donated)
	}
	return args, nil
}

// Floats copies a tensor of floating-point numbers to the host.
func Floats(t *tensors.Tensor) ([]float64, error) {
	var out []float64
	err := t.ConstFlatData(func(data any) {
		switch data := data.(type) {
		case []float32:
			out = make([]float64, len(data))
			for i, v := range data {
				out[i] = float64(v)
			}
		case []float64:
			out = append(out, data...)
		}
	})
	if err != nil {
		return nil, Error(err)
	}
	return out, nil
}

// Tensor is the reverse of Floats: a tensor of float64, or of float32.
func Tensor(numbers []float64, dtype dtypes.DType, dims ...int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(numbers, dims...)
	}
	narrow := make([]float32, len(numbers))
	for i, x := range numbers {
		narrow[i] = float32(x)
	}
	return tensors.FromFlatDataAndDimensions(narrow, dims...)
}

// Guard turns a panic of GoMLX, which reports errors in graphs by panicking, into an error.
func Guard(f func() error) (err error) {
	defer func() {
		r := recover()
		if r != nil && os.Getenv(debugVariable) != "" {
			debug.PrintStack()
		}
		switch r := r.(type) {
		case nil:
		case error:
			err = r
		default:
			err = fmt.Errorf("%v", r)
		}
	}()
	return f()
}

// debugVariable, when set, has whole errors of backends and the stacks of panics on standard error, and so the log of GoMLX in programs
// (package program).
const debugVariable = "NPT_DEBUG"

// Error cuts stack traces and hints off the message of a backend's error, and has one that says that memory ran out wrap method.ErrMemory.
func Error(err error) error {
	if os.Getenv(debugVariable) != "" {
		fmt.Fprintf(os.Stderr, "%+v\n", err)
	}
	line, _, cut := strings.Cut(err.Error(), "\n")
	for _, sign := range []string{"RESOURCE_EXHAUSTED", "PJRT error (code=8)", "ut of memory"} {
		if strings.Contains(line, sign) {
			return fmt.Errorf("%w: %s", method.ErrMemory, strings.TrimPrefix(line, method.ErrMemory.Error()+": "))
		}
	}
	if cut {
		return fmt.Errorf("%s", line)
	}
	return err
}
