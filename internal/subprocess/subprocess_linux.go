package subprocess

import (
	"os/exec"
	"syscall"
)

// EndWithParent has the kernel send a signal to a command that is not started yet as soon as this process is gone, killed with
// SIGKILL for example.
func EndWithParent(cmd *exec.Cmd, signal syscall.Signal) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = signal
}
