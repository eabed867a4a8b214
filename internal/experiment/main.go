package experiment

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"nptbench/internal/method"
	"nptbench/internal/run"
	"nptbench/npt"
)

// Main runs a program, or serves as one of the processes that it starts, and exits. The first interrupt cancels the context, a
// second one ends the process at once.
func Main(methods []*method.Method, program func(context.Context, Env) (exit int, err error)) {
	if run.IsWorker() {
		out := os.Stdout
		os.Stdout = os.Stderr // replies go to standard output, so nothing else may
		if err := run.Work(os.Stdin, out, methods); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(ExitFailed)
		}
		os.Exit(ExitOK)
	}
	if name := os.Getenv(probeVariable); name != "" {
		if err := npt.TryBackend(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(ExitFailed)
		}
		os.Exit(ExitOK)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	exit, err := program(ctx, Env{
		Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr,
		Terminal: term.IsTerminal(int(os.Stderr.Fd())), Color: term.IsTerminal(int(os.Stdout.Fd())),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, strings.TrimSpace(err.Error()))
	}
	os.Exit(exit)
}
