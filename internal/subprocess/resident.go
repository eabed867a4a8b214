package subprocess

import (
	"cmp"
	"fmt"
	"time"
)

// A MemoryWatch tells, as often as it is asked, how much memory a process and all it started have.
type MemoryWatch struct {
	pid  int
	idle map[int]time.Duration // what was there before and has used no more processor time than that

	most   int64 // the largest sum of sizes of several processes
	shared int64 // how much of it was counted more than once
}

// WatchMemory begins a watch. What the process has started before is counted once it uses processor time: until then it waits for work that
// another fit may have.
func WatchMemory(pid int) *MemoryWatch {
	w := &MemoryWatch{pid: pid, idle: map[int]time.Duration{}}
	for _, started := range tree(pid)[1:] {
		w.idle[started] = timeOf(started)
	}
	return w
}

// Resident is the size in bytes; 0 when the process is gone, and elsewhere than on Linux. Pages that forked processes share are counted
// once: how many these are is asked anew whenever the size is larger than before, since Linux looks at every page for that.
func (w *MemoryWatch) Resident() (size int64) {
	var busy []int
	for _, pid := range tree(w.pid) {
		if before, ok := w.idle[pid]; ok && timeOf(pid) == before {
			continue
		}
		delete(w.idle, pid)
		busy = append(busy, pid)
		size += residentOf(pid)
	}
	if len(busy) < 3 { // a worker and what it started have hardly a page in common
		return size
	}
	if size > w.most {
		w.most, w.shared = size, size
		for _, pid := range busy {
			w.shared -= cmp.Or(KernelBytes(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "\nPss:"), residentOf(pid))
		}
	}
	return max(0, size-w.shared)
}

func residentOf(pid int) int64 { return KernelBytes(fmt.Sprintf("/proc/%d/status", pid), "VmRSS:") }
