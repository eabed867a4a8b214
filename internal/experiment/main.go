package experiment

import (
	"fmt"
	"os"

	"nptbench/internal/method"
	"nptbench/internal/program"
	"nptbench/internal/run"
	"nptbench/npt"
)

// Main runs a program, or serves as one of the processes that it starts, and exits.
func Main(methods []*method.Method, f program.Func) {
	if run.IsWorker() {
		out := os.Stdout
		os.Stdout = os.Stderr // replies go to standard output, so nothing else may
		if err := run.Work(os.Stdin, out, methods); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(program.ExitFailed)
		}
		os.Exit(program.ExitOK)
	}
	if name := os.Getenv(probeVariable); name != "" {
		if err := npt.TryBackend(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(program.ExitFailed)
		}
		os.Exit(program.ExitOK)
	}
	program.Main(f)
}
