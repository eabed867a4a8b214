package run

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/shirou/gopsutil/v4/process"
)

// resetPeakMemory makes the kernel forget the largest resident size of this process so far. Only Linux can.
func resetPeakMemory() { os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakMemory returns the largest resident size in bytes since the last reset, and 0 where that is not known.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	number, _, _ := bytes.Cut(rest, []byte("kB"))
	kib, _ := strconv.ParseInt(string(bytes.TrimSpace(number)), 10, 64)
	return kib << 10
}

// residentMemory returns the resident size in bytes of a process and all it started; 0 when it is gone.
func residentMemory(pid int) int64 {
	p, err := process.NewProcess(int32(pid))
	if err != nil {
		return 0
	}
	total := int64(0)
	if m, err := p.MemoryInfo(); err == nil {
		total = int64(m.RSS)
	}
	for _, child := range children(pid) {
		total += residentMemory(child)
	}
	return total
}

// children returns the processes that the threads of a process started, as Linux lists them: asking for the parent of every
// process of the machine instead takes a third of a core at the rate at which the budget is watched.
func children(pid int) []int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var out []int
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, word := range bytes.Fields(text) {
			if child, err := strconv.Atoi(string(word)); err == nil {
				out = append(out, child)
			}
		}
	}
	return out
}
