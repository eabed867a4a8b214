// Package program is what all programs have in common: what they touch of the process (Env), their exit codes, interrupts,
// and one shape of flags, help and errors (Flags, in flags.go). A program is a Func; its main function calls Main with it, a
// test calls it through package programtest.
package program

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"
	"k8s.io/klog/v2"
)

// Exit codes of every program.
const (
	ExitOK          = 0
	ExitFailed      = 1   // something failed, or could not be done because data or a program is missing
	ExitBadInput    = 2   // nothing was done
	ExitInterrupted = 130 // what was finished is kept
)

// Env is all that a program touches of its process.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(name string) string // "" for a variable that is not set
	Terminal       bool                     // Stderr is a terminal on which a line can be redrawn
	Color          bool                     // Stdout is a terminal, and nobody asked for no colours
	Width          int                      // of the terminal in columns; 80 where that is not known
}

// A Func is a program. It stops soon after the context ends. An error is printed in one line; with flag.ErrHelp and with the
// context's error, once that has ended, the exit code does not matter.
type Func func(ctx context.Context, e Env) (exit int, err error)

// Programs do not show the log of GoMLX, whose warnings come back as errors, too; nor do processes that an experiment starts, which do not
// come to Main.
func init() {
	if os.Getenv("NPT_DEBUG") == "" {
		klog.LogToStderr(false)
		klog.SetOutput(io.Discard)
	}
}

// Main runs a program and exits. The first SIGINT, SIGTERM or SIGHUP cancels the context; after it SIGINT and SIGTERM end the process at
// once. A SIGHUP does not, since a terminal that is closed may send two, and under nohup none does anything.
func Main(f Func) {
	ctx, cancel := context.WithCancel(context.Background())
	signals, hangups := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hangups, syscall.SIGHUP)
	}
	go func() {
		select {
		case <-signals:
		case <-hangups:
		}
		signal.Stop(signals) // before anybody knows of the first one
		cancel()
	}()
	os.Exit(f.Run(ctx, environment()))
}

// Run runs a program, prints its error, and returns the exit code.
func (f Func) Run(ctx context.Context, e Env) (exit int) {
	exit, err := f(ctx, e)
	switch {
	case err == nil:
		return exit
	case errors.Is(err, flag.ErrHelp):
		return ExitOK
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		fmt.Fprintln(e.Stderr, "interrupted")
		return ExitInterrupted
	}
	fmt.Fprintln(e.Stderr, strings.TrimSpace(err.Error()))
	return cmp.Or(exit, ExitFailed)
}

// environment returns the Env of this process.
func environment() Env {
	e := Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Width: 80}
	plain := os.Getenv("TERM") == "dumb"
	e.Terminal = term.IsTerminal(int(os.Stderr.Fd())) && !plain
	e.Color = term.IsTerminal(int(os.Stdout.Fd())) && !plain && os.Getenv("NO_COLOR") == ""
	for _, file := range []*os.File{os.Stdout, os.Stderr} {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			e.Width = width
			break
		}
	}
	return e
}
