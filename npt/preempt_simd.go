//go:build goexperiment.simd && unix

package npt

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// AvoidPreemption starts the program again with GODEBUG=asyncpreemptoff=1 when it was built with GOEXPERIMENT=simd and
// runs without that; programs that compute on the Go backend call it first. On success it does not return, or there was
// nothing to do.
//
// With Go 1.26, a goroutine that was preempted by a signal returns with the processor's wide registers in use. Code
// without SIMD runs slowly then, math.Exp a hundred times, until something clears them.
func AvoidPreemption() error {
	const setting = "asyncpreemptoff=1"
	debug := os.Getenv("GODEBUG")
	if strings.Contains(debug, "asyncpreemptoff=") {
		return nil
	}
	if debug != "" {
		debug += ","
	}
	program, err := os.Executable()
	if err == nil {
		err = os.Setenv("GODEBUG", debug+setting)
	}
	if err == nil {
		err = syscall.Exec(program, os.Args, os.Environ())
	}
	return fmt.Errorf("npt: starting again with GODEBUG=%s: %w", debug+setting, err)
}
