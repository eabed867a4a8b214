// Package subprocess makes programs that this one starts end with it, however it ends, and tells what they use.
package subprocess

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"nptbench/internal/machine"
)

// Self is the path of this program for running it again: on Linux that of the program that runs, even where another one has its name by now.
func Self() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}

// KilledForMemory reports whether the error says of a command that it, or the last that a shell ran, was killed with SIGKILL, as the kernel
// does when memory runs out, and the kernel has killed something for want of memory since machine.OOMKills was before.
func KilledForMemory(err error, before int) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, _ := exit.Sys().(syscall.WaitStatus)
	killed := status.Signaled() && status.Signal() == syscall.SIGKILL
	byShell := exit.ExitCode() == 128+int(syscall.SIGKILL)
	return (killed || byShell) && machine.OOMKills() > before
}
