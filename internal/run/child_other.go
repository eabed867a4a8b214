//go:build !linux

package run

import "syscall"

// workerAttributes makes a worker the leader of a process group of its own.
func workerAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
