package subprocess

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// FreeMemory is how many bytes processes could still take here, or in the container that limits them, 0 where that is not known.
func FreeMemory() int64 {
	free := KernelBytes("/proc/meminfo", "MemAvailable:")
	if limited, ok := freeInGroup(controlGroup); ok {
		free = min(free, limited)
	}
	return free
}

// TotalMemory is how many bytes all processes together could have here, or in the container that limits them, 0 where that is not known.
func TotalMemory() int64 {
	total := KernelBytes("/proc/meminfo", "MemTotal:")
	if most, limited := groupNumber(controlGroup, "memory.max"); limited && (total == 0 || most < total) {
		return most
	}
	return total
}

// OOMKills counts the processes of this machine that the kernel has killed because memory ran out; 0 where it does not tell.
func OOMKills() int {
	counters, _ := os.ReadFile("/proc/vmstat")
	_, rest, _ := bytes.Cut(counters, []byte("\noom_kill "))
	number, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.Atoi(string(number))
	return n
}

// controlGroup is the folder of the control group of a container, as its processes see it (version 2).
const controlGroup = "/sys/fs/cgroup"

// groupNumber is what a file of a control group says; false where it is no number, as memory.max is "max" without a limit.
func groupNumber(dir, name string) (int64, bool) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}

// freeInGroup is what a control group leaves of its memory. Pages of files are given back when memory is short, those that were used lately,
// too, as Linux counts them for MemAvailable.
func freeInGroup(dir string) (free int64, limited bool) {
	most, limited := groupNumber(dir, "memory.max")
	used, known := groupNumber(dir, "memory.current")
	if !limited || !known {
		return 0, false
	}
	stat, _ := os.ReadFile(filepath.Join(dir, "memory.stat"))
	free = most - used
	for line := range strings.Lines(string(stat)) {
		if name, number, _ := strings.Cut(strings.TrimSpace(line), " "); name == "inactive_file" || name == "active_file" {
			n, _ := strconv.ParseInt(number, 10, 64)
			free += n
		}
	}
	return max(free, 1), true // 0 would be: not known
}

// KernelBytes is a size that Linux tells in a file of /proc, such as VmHWM: in self/status; 0 elsewhere.
func KernelBytes(file, field string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(text, []byte(field))
	number, _, _ := bytes.Cut(rest, []byte("kB"))
	kib, _ := strconv.ParseInt(string(bytes.TrimSpace(number)), 10, 64)
	return kib << 10
}
