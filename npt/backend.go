package npt

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"  // registers "go"
	"github.com/gomlx/go-xla/compute/xla" // registers "xla"
)

// OpenBackend returns the GoMLX backend with the given name. "go" is GoMLX's own, in pure Go. "xla:PLUGIN" runs on
// whatever the PJRT plugin drives, a GPU for instance; PLUGIN is a path or a name that GoMLX finds, with GoMLX's options
// after a comma. "auto" and "" mean what the environment variable GOMLX_BACKEND says, else "go". Nothing is ever
// downloaded. Backends are opened once and shared.
//
// threads bounds how many cores the Go backend uses: 1 or all of them (GOMAXPROCS).
func OpenBackend(name string, threads int) (backend compute.Backend, err error) {
	if name == "" || name == "auto" {
		name = os.Getenv(compute.ConfigEnvVar)
	}
	if name == "" || name == "go" {
		if threads == 1 {
			return openGo(0)
		}
		return openGo(-1)
	}
	if kind, _, _ := strings.Cut(name, ":"); kind != "go" && kind != "xla" {
		return nil, fmt.Errorf("npt: backend %q is unknown, want auto, go or xla:PLUGIN", name)
	}
	return openNamed(name)
}

var (
	backendsMu sync.Mutex
	backends   = map[string]compute.Backend{}
)

func openNamed(name string) (compute.Backend, error) {
	backendsMu.Lock()
	defer backendsMu.Unlock()
	if b := backends[name]; b != nil {
		return b, nil
	}
	xla.EnableAutoInstall(false)
	var b compute.Backend
	err := guard(func() (err error) {
		b, err = compute.NewWithConfig(name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("npt: backend %s: %w", name, oneLine(err))
	}
	backends[name] = b
	return b, nil
}

// onGo reports whether a backend is GoMLX's own.
func onGo(b compute.Backend) bool { return b.String() == gobackend.BackendName }

// coresOf returns how many operations a backend should be given at the same time: the number of cores for the Go backend,
// which runs most operations on one, and 1 for backends that spread every operation.
func coresOf(b compute.Backend) int {
	backendsMu.Lock()
	defer backendsMu.Unlock()
	if b == backends[goKey(-1)] {
		return runtime.GOMAXPROCS(0)
	}
	return 1
}

func goKey(parallelism int) string { return fmt.Sprint("go parallelism ", parallelism) }

// openGo opens the Go backend. parallelism is 0 for one thread; -1 starts every operation as soon as its inputs are
// there. GoMLX's default in between can deadlock.
func openGo(parallelism int) (compute.Backend, error) {
	backendsMu.Lock()
	defer backendsMu.Unlock()
	key := goKey(parallelism)
	if b := backends[key]; b != nil {
		return b, nil
	}
	b, err := compute.NewWithConfig("go:")
	if err != nil {
		return nil, fmt.Errorf("npt: backend go: %w", oneLine(err))
	}
	// The option "go:parallelism=N" does the same, but prints a line to the standard output.
	pool, ok := reflect.ValueOf(b).Elem().FieldByName("Workers").Interface().(interface{ SetMaxParallelism(int) })
	if !ok {
		return nil, fmt.Errorf("npt: backend go: this version of GoMLX has no worker pool to set")
	}
	pool.SetMaxParallelism(parallelism)
	backends[key] = b
	return b, nil
}

// guard turns a panic of GoMLX, which reports errors in graphs by panicking, into an error.
func guard(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			err = r
		default:
			err = fmt.Errorf("%v", r)
		}
	}()
	return f()
}

// oneLine cuts stack traces and hints off an error's message.
func oneLine(err error) error {
	line, _, cut := strings.Cut(err.Error(), "\n")
	if !cut {
		return err
	}
	return fmt.Errorf("%s", line)
}
