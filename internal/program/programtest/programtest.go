// Package programtest runs programs in tests, from the command line to the exit code.
package programtest

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"nptbench/internal/program"
)

// Run runs a program with these arguments, an empty standard input, and the test's environment.
func Run(t testing.TB, f program.Func, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	exit = f.Run(t.Context(), program.Env{
		Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: os.Getenv, Width: 80,
	})
	return exit, out.String(), errs.String()
}
