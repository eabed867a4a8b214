package subprocess

import (
	"cmp"
	"fmt"
	"time"

	"nptbench/internal/machine"
)

// A MemoryWatch tells, as often as it is asked, how much memory a process and all it started have.
type MemoryWatch struct {
	pid  int
	idle map[int]time.Duration // what was there before and has used no more processor time than that

	// Of several processes, when it was last asked which pages they share:
	asked      time.Time
	processes  int
	sum, share int64 // of their sizes, and of their shares of pages
}

// shareInterval is how often it is asked at least.
const shareInterval = time.Second

// WatchMemory begins a watch. What the process has started before is counted once it uses processor time: until then it waits for work that
// another fit may have.
func WatchMemory(pid int) *MemoryWatch {
	w := &MemoryWatch{pid: pid, idle: map[int]time.Duration{}}
	for _, started := range tree(pid)[1:] {
		w.idle[started] = timeOf(started)
	}
	return w
}

// Resident is the size in bytes; 0 when the process is gone, and elsewhere than on Linux. Of three and more processes, which may have been
// forked from one another, pages that several have count once. Since Linux looks at every page for that, a size that is less than a second
// old may take pages for shared that are so no longer.
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
	if len(busy) != w.processes || size > w.sum+w.sum/10 || time.Since(w.asked) >= shareInterval {
		w.asked, w.processes, w.sum, w.share = time.Now(), len(busy), size, 0
		for _, pid := range busy {
			w.share += cmp.Or(machine.KernelBytes(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "\nPss:"), residentOf(pid))
		}
	}
	return w.share + max(0, size-w.sum)
}

func residentOf(pid int) int64 {
	return machine.KernelBytes(fmt.Sprintf("/proc/%d/status", pid), "VmRSS:")
}
