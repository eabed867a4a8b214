package run

import (
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"nptbench/internal/backends"
	"nptbench/internal/machine"
	"nptbench/internal/subprocess"
)

// littleMemory is what earlier jobs may leave in a process: to free all before every job would cost a run of many small fits a tenth of
// its time.
const littleMemory = 64 << 20

// forgetEarlierJobs frees what is of no more use in this process, if it is more, and makes the kernel forget its largest resident size so
// far: then peakMemory is that of the jobs that begin now. Only Linux can. What pools keep outlives two collections.
func forgetEarlierJobs() {
	for range 3 {
		if machine.KernelBytes("/proc/self/status", "VmRSS:") <= littleMemory {
			break
		}
		backends.ReturnMemory()
		debug.FreeOSMemory()
	}
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakMemory returns the largest resident size in bytes since the last reset, and 0 where that is not known.
func peakMemory() int64 { return machine.KernelBytes("/proc/self/status", "VmHWM:") }

// processorTime returns user and system time of this process so far and of all it started.
func processorTime() (total time.Duration) {
	for _, pid := range subprocess.Children(os.Getpid()) {
		total += subprocess.ProcessorTime(pid)
	}
	var waitedFor syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &waitedFor) == nil {
		total += time.Duration(waitedFor.Utime.Nano() + waitedFor.Stime.Nano())
	}
	return total + subprocess.OwnTime()
}
