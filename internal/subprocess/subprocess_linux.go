// Package subprocess finds programs that this one starts, makes them end with it, however it ends, and tells what they use.
package subprocess

import (
	"os/exec"
	"syscall"
)

// EndWithParent has the kernel send a signal to a command that is not started yet as soon as this process is gone, killed with
// SIGKILL for example. Elsewhere than on Linux it does nothing: a command has to end by itself when its standard input does.
func EndWithParent(cmd *exec.Cmd, signal syscall.Signal) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = signal
}
