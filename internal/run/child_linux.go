package run

import "syscall"

// workerAttributes makes a worker the leader of a process group of its own, and has the kernel end it with this process.
func workerAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
