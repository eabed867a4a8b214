package backends

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute"
)

func TestUnknownBackend(t *testing.T) {
	for _, name := range []string{"cuda", "xla", "xla:", "xla:/no/such/plugin.so", "xla:no-such-plugin", "go:ops_sequential"} {
		if _, err := Open(name, 1); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestTryBackend(t *testing.T) {
	for _, name := range []string{Fused, Go, CPU, os.Getenv(compute.ConfigEnvVar)} {
		if err := Try(name); err != nil && !errors.Is(err, ErrNoXLA) {
			t.Error(err)
		}
	}
	if err := Try("xla:/no/such/plugin.so"); err == nil {
		t.Error("a backend that is not there passes")
	}
}

// A backend that somebody has finalized is opened anew, once.
func TestOpenFinalized(t *testing.T) {
	for _, name := range []string{Fused, Go, CPU} {
		old, err := Open(name, 1)
		if errors.Is(err, ErrNoXLA) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		old.Finalize()
		b, err := Open(name, 1)
		if err != nil || b.IsFinalized() {
			t.Errorf("%s: finalized, or error %v", name, err)
		}
		if again, err := Open(name, 1); again != b || err != nil {
			t.Errorf("%s: opened twice, or error %v", name, err)
		}
	}
}

// Records and checkpoints tell backends apart, XLA's on a processor from that on a GPU, by that of its options which changes numbers, too.
func TestNames(t *testing.T) {
	names := map[string]string{Fused: Fused, CPU: CPU, CPU + ",shared_buffers=false,tf32=false": CPU}
	if path, err := CPUPlugin(); err == nil {
		for file, want := range map[string]string{"xla_cuda_plugin.so": CUDA, "tpu_plugin.so": "xla:tpu_plugin.so"} { // as which it passes
			link := filepath.Join(t.TempDir(), file)
			if err := os.Symlink(path, link); err != nil {
				t.Fatal(err)
			}
			names["xla:"+link], names["xla:"+link+",tf32=false"] = want, want+",tf32=false"
		}
	}
	for name, want := range names {
		b, err := Open(name, 1)
		if errors.Is(err, ErrNoXLA) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := Name(b); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// What multiplied is told of our own backend, by another name where the bits are others.
func TestDescribe(t *testing.T) {
	products := map[any]string{}
	for _, name := range []string{Fused, BFloat16, Go} {
		b, err := Open(name, 1)
		if name == BFloat16 && err != nil {
			continue // not on this processor
		}
		if err != nil {
			t.Fatal(err)
		}
		details := map[string]any{}
		Describe(details, b)
		if details["backend"] != Name(b) {
			t.Errorf("%s is %v", name, details)
		}
		by := details["products"]
		if other, known := products[by]; known {
			t.Errorf("%s and %s both multiply %v", name, other, by)
		}
		products[by] = name
	}
	if products[nil] != Go {
		t.Errorf("products of %v", products)
	}
}
