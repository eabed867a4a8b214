// Package experimenttest does experiments in tests.
package experimenttest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"nptbench/internal/experiment"
	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
)

// Run does an experiment with a sweep, the text of its file, on the data sets of a folder. It returns the folder with the records and the
// report, which is a new one unless a further argument is -out, and what was printed. The test ends if any cell failed.
func Run(t testing.TB, s experiment.Spec, data, sweep string, more ...string) (out, said string) {
	t.Helper()
	out = t.TempDir()
	file := filepath.Join(out, "sweep.yaml")
	if err := os.WriteFile(file, []byte(sweep), 0o666); err != nil {
		t.Fatal(err)
	}
	exit, stdout, stderr := programtest.Run(t, func(ctx context.Context, e program.Env) (int, error) { return experiment.Run(ctx, e, s) },
		append([]string{"-data", data, "-sweep", file, "-out", out}, more...)...)
	if exit != program.ExitOK {
		t.Fatalf("exit %d\n%s%s", exit, stdout, stderr)
	}
	return out, stdout + stderr
}
