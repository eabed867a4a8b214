package npt

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/gomlx/compute"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(killedVariable); path != "" {
		trainToBeKilled(path)
		return
	}
	os.Exit(m.Run())
}

// testBackend returns the backend of tests that do not depend on it: what GOMLX_BACKEND says, else the Go backend, which
// compiles small networks in no time.
func testBackend(t testing.TB) compute.Backend {
	t.Helper()
	name := os.Getenv(compute.ConfigEnvVar)
	if name == "" {
		name = goBackend
	}
	return openTestBackend(t, name, 0)
}

func openTestBackend(t testing.TB, name string, threads int) compute.Backend {
	t.Helper()
	b, err := OpenBackend(name, threads)
	if errors.Is(err, errNoPlugin) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// onBackends runs a test on the Go backend, on XLA where its plugin is installed, and on what GOMLX_BACKEND says.
func onBackends(t *testing.T, test func(*testing.T, compute.Backend)) {
	names := []string{goBackend, cpuBackend}
	if name := os.Getenv(compute.ConfigEnvVar); name != "" && !slices.Contains(names, name) {
		names = append(names, name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { test(t, openTestBackend(t, name, 0)) })
	}
}
