//go:build !cgo

package backends

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// Without a C compiler networks compute on the processor; XLA is an error that says why, though it may be installed.
func TestWithoutCgo(t *testing.T) {
	before := gpuDevices
	defer func() { gpuDevices = before }()
	t.Setenv("GOMLX_BACKEND", "")
	gpuDevices = filepath.Join(t.TempDir(), "none")
	if name, err := Resolve("auto"); name != Processor || err != nil {
		t.Errorf("auto is %q, error %v", name, err)
	}
	gpuDevices = t.TempDir()
	if name, err := Resolve("auto"); name != Processor || !errors.Is(err, ErrNoXLA) {
		t.Errorf("where there is a GPU auto is %q, error %v", name, err)
	}
	if err := Try(Processor); err != nil {
		t.Error(err)
	}
	for _, name := range []string{CPU, CUDA, "xla:plugin"} {
		if _, err := Open(name, 1); !errors.Is(err, ErrNoXLA) || !strings.Contains(err.Error(), "CGO_ENABLED=0") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
