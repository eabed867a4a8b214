package npt

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/gomlx/compute"

	"nptbench/internal/backends"
)

func TestMain(m *testing.M) {
	if order := os.Getenv(killedVariable); order != "" {
		trainToBeKilled(order)
		return
	}
	os.Exit(m.Run())
}

// testBackend returns the backend of tests that do not depend on it: what GOMLX_BACKEND says, else the one for processors.
func testBackend(t testing.TB) compute.Backend {
	t.Helper()
	name := os.Getenv(compute.ConfigEnvVar)
	if name == "" {
		name = backends.Processor
	}
	return openTestBackend(t, name, 0)
}

// completeBackend returns a backend that has also what the one for processors lacks: sorting and bfloat16.
func completeBackend(t testing.TB) compute.Backend {
	t.Helper()
	if b := testBackend(t); b.Capabilities().Operations[compute.OpTypeSort] {
		return b
	}
	return openTestBackend(t, backends.Go, 0)
}

// hasLoops reports whether steps can be taken in a loop on the backend. GoMLX's own has loops, but not of derived gradients: it
// takes broadcasts out of graphs after it has compiled the bodies of their loops (v0.1.2).
func hasLoops(b compute.Backend) bool { return b.Name() == "xla" }

// loopBackend returns a backend that has loops.
func loopBackend(t testing.TB) compute.Backend {
	t.Helper()
	if b := testBackend(t); hasLoops(b) {
		return b
	}
	return openTestBackend(t, backends.CPU, 0)
}

// onCompleteBackends is onBackends without those that cannot sort.
func onCompleteBackends(t *testing.T, test func(*testing.T, compute.Backend)) {
	onBackends(t, func(t *testing.T, b compute.Backend) {
		if !b.Capabilities().Operations[compute.OpTypeSort] {
			t.Skip("no sorting there")
		}
		test(t, b)
	})
}

func openTestBackend(t testing.TB, name string, threads int) compute.Backend {
	t.Helper()
	b, err := backends.Open(name, threads)
	if errors.Is(err, backends.ErrNoXLA) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// onBackends runs a test on the backends for processors, XLA where its plugin is installed, and on what GOMLX_BACKEND says.
func onBackends(t *testing.T, test func(*testing.T, compute.Backend)) {
	names := []string{backends.Fused, backends.Go, backends.CPU}
	if name := os.Getenv(compute.ConfigEnvVar); name != "" && !slices.Contains(names, name) {
		names = append(names, name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { test(t, openTestBackend(t, name, 0)) })
	}
}
