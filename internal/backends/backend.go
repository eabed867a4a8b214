package backends

import (
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // registers "go"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/fused"
	"nptbench/internal/method"
)

// Names of backends, see Open.
const (
	Go       = "go"
	Fused    = fused.Name
	BFloat16 = fused.BFloat16
	CPU      = "xla:cpu"
	CUDA     = "xla:cuda"
)

// Processor is the one that networks run on where there is no GPU.
const Processor = Fused

// Resolve returns the backend that "auto" stands for here, and checks the form of other names, which it returns as
// they are. When a better backend cannot be had, because a GPU is without its plugin, there are both a result and an error that
// says why.
func Resolve(name string) (string, error) {
	if Automatic(name) {
		if !gpuIsHere() {
			return Processor, nil
		}
		// It is not opened here: that would take the GPU's memory, which this process may not be the one to use.
		if _, err := cudaPlugin.find(); err != nil {
			return Processor, fmt.Errorf("backend %s: there is a GPU, but %w", CUDA, err)
		}
		return CUDA, nil
	}
	if undecided(name) {
		name = os.Getenv(compute.ConfigEnvVar)
	}
	kind, plugin, _ := strings.Cut(name, ":")
	if name == Go || name == Fused || name == BFloat16 || kind == "xla" && plugin != "" {
		return name, nil
	}
	return "", fmt.Errorf("backend %q, of -backend or %s, is unknown, want auto, %s, %s, go, %s, %s or xla:PLUGIN", name, compute.ConfigEnvVar, Fused, BFloat16, CPU, CUDA)
}

// Automatic reports whether the choice of a backend with this name is left to Resolve.
func Automatic(name string) bool {
	return undecided(name) && undecided(os.Getenv(compute.ConfigEnvVar))
}

// undecided reports whether a name of a backend leaves the choice to others.
func undecided(name string) bool { return name == "" || name == "auto" }

// Open returns the GoMLX backend with the given name:
//
//   - "fused" is this project's, in Go and assembly (internal/fused). It needs nothing.
//   - "fused,products=bfloat16" is the same, but for what it multiplies: that is rounded to bfloat16 in products of more than 16
//     columns and more than one row, and summed in float32; on Linux by the processor's matrix unit (AMX) if it has one. A processor
//     that cannot multiply bfloat16 (AVX512_BF16) is an error; an Intel one without AMX was slower by it (npt/BENCHMARKS.md).
//   - "go" is GoMLX's own, in pure Go: several times slower, but with every operation and bfloat16.
//   - "xla:cpu" is XLA on the processor, where its plugin is installed (`make xla`; $NPT_XLA_CPU names the file where it lies
//     elsewhere).
//   - "xla:cuda" is XLA on an NVIDIA GPU, where its plugin is installed (`make xla-cuda`; $NPT_XLA_CUDA).
//   - "xla:PLUGIN" is XLA on whatever that PJRT plugin drives. PLUGIN is a path or a name that GoMLX finds. A program that was built
//     without a C compiler (CGO_ENABLED=0) is without XLA.
//   - "auto" and "" are what the environment variable GOMLX_BACKEND says; without it "xla:cuda" where a GPU and the plugin
//     are, else "fused".
//
// Options of GoMLX may follow a comma: "xla:cuda,tf32=false" has exact float32 products.
//
// threads is how many cores the backend should use; 0 are all of them (GOMAXPROCS). GoMLX's Go backend knows only one and all.
// XLA on the processor always has four threads, however many cores there are, because the last digits of its products
// depend on that number; the environment variable PJRT_NPROC sets another. Backends are opened once and shared: do not finalize
// one. (Another is opened in the place of one that is.) Nothing is ever downloaded.
func Open(name string, threads int) (compute.Backend, error) {
	resolved, err := Resolve(name)
	switch {
	case resolved == "":
		return nil, err
	case resolved == Go:
		return openGo(threads)
	case resolved == Fused:
		return openOnce(backendKey{Fused, threads}, func() (compute.Backend, error) { return fused.New(threads), nil })
	case resolved == BFloat16:
		return openOnce(backendKey{BFloat16, threads}, func() (compute.Backend, error) { return fused.NewBFloat16(threads) })
	}
	return openNamed(resolved)
}

// Try opens a backend and computes something on it that takes all that a network takes: XLA loads its libraries for
// products and its compiler for GPUs when they are first needed.
func Try(name string) error {
	b, err := Open(name, 0)
	if err != nil {
		return err
	}
	err = Guard(func() error {
		out, err := graph.CallOnce(b, func(x *graph.Node) *graph.Node { return graph.Erf(graph.Softmax(graph.Dot(x, x).Product(), -1)) }, [][]float32{{1, 2}, {3, 4}})
		if err != nil {
			return err
		}
		return out.FinalizeAll()
	})
	if err != nil {
		return fmt.Errorf("backend %s: %w", name, Error(err))
	}
	return nil
}

// xlaThreads is the smallest number of threads that XLA's client for CPUs can be given.
const xlaThreads = 4

var (
	backendsMu sync.Mutex
	backends   = map[backendKey]compute.Backend{}
)

type backendKey struct {
	name    string
	threads int
}

// openOnce returns the backend of that key, made once, and anew when somebody has finalized it.
func openOnce(key backendKey, create func() (compute.Backend, error)) (b compute.Backend, err error) {
	backendsMu.Lock()
	defer backendsMu.Unlock()
	if b := backends[key]; b != nil && !b.IsFinalized() {
		return b, nil
	}
	err = Guard(func() (err error) {
		b, err = create()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("backend %s: %w", key.name, Error(err))
	}
	backends[key] = b
	return b, nil
}

// openNamed opens XLA, or another backend that GoMLX knows by name and options.
func openNamed(name string) (compute.Backend, error) {
	base, options, _ := strings.Cut(name, ",")
	for _, p := range []*plugin{&cpuPlugin, &cudaPlugin} {
		if base != p.backend {
			continue
		}
		path, err := p.find()
		if err != nil {
			return nil, fmt.Errorf("backend %s: %w", name, err)
		}
		if p == &cudaPlugin {
			showToolchain(path)
		}
		if name = "xla:" + path; options != "" {
			name += "," + options
		}
	}
	return openOnce(backendKey{name: name}, func() (compute.Backend, error) {
		if !method.Accelerated(name) {
			keepMemory()
		}
		if os.Getenv("PJRT_NPROC") == "" { // looked at when XLA's client for CPUs makes its threads
			os.Setenv("PJRT_NPROC", strconv.Itoa(xlaThreads))
			defer os.Unsetenv("PJRT_NPROC")
		}
		return newXLA(name)
	})
}

// openGo opens the Go backend: on one thread, or with every operation started as soon as its inputs are there. GoMLX's
// default in between can deadlock.
func openGo(threads int) (compute.Backend, error) {
	if threads != 1 {
		threads = 0
	}
	return openOnce(backendKey{Go, threads}, func() (compute.Backend, error) {
		b, err := compute.NewWithConfig("go:")
		if err != nil {
			return nil, err
		}
		// The option "go:parallelism=N" does the same, but prints a line to the standard output.
		pool, ok := reflect.ValueOf(b).Elem().FieldByName("Workers").Interface().(interface{ SetMaxParallelism(int) })
		if !ok {
			return nil, fmt.Errorf("this version of GoMLX has no worker pool to set")
		}
		pool.SetMaxParallelism(threads - 1)
		return b, nil
	})
}

// exactProducts is the option of XLA on a GPU that changes numbers.
const exactProducts = ",tf32=false"

// Name is what tells a backend from others in records and checkpoints: the name by which it is opened, of XLA with what it runs on and,
// there, whether its products are exact.
func Name(b compute.Backend) string {
	if b.Name() == "Go Backend" {
		return Go
	}
	file, ok := pluginOf(b)
	if !ok {
		return b.Name()
	}
	if !HasDevice(b) {
		return CPU
	}
	name := "xla:" + file
	if strings.Contains(name, "cuda") {
		name = CUDA
	}
	backendsMu.Lock()
	defer backendsMu.Unlock()
	for key, known := range backends {
		if known == b && strings.Contains(key.name+",", exactProducts+",") {
			name += exactProducts
		}
	}
	return name
}

// Describe adds to a record's details what computed a network.
func Describe(details map[string]any, b compute.Backend) {
	details["backend"] = Name(b)
	if own, ok := b.(*fused.Backend); ok {
		details["products"] = own.Products()
	}
}

// HasDevice reports whether a backend has a device of its own.
func HasDevice(b compute.Backend) bool {
	file, ok := pluginOf(b)
	return ok && method.Accelerated("xla:"+file)
}
