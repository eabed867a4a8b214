//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTime is what this process has used of all cores. It depends less than the clock on what else the machine does.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
