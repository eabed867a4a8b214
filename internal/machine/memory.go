// Package machine tells what the machine has that this program runs on, and what of its memory is free.
package machine

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// FreeMemory is how many bytes processes could still take here, or in the control groups that limit them, 0 where that is not known.
func FreeMemory() int64 {
	free := KernelBytes("/proc/meminfo", "MemAvailable:")
	for _, dir := range controlGroups() {
		if limited, ok := freeInGroup(dir); ok {
			free = min(free, limited)
		}
	}
	return free
}

// TotalMemory is how many bytes all processes together could have here, or in the control groups that limit them, 0 where that is not known.
func TotalMemory() int64 {
	total := KernelBytes("/proc/meminfo", "MemTotal:")
	for _, dir := range controlGroups() {
		if most, limited := groupNumber(dir, "memory.max"); limited && (total == 0 || most < total) {
			total = most
		}
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

// Where the kernel shows control groups (version 2), and in which of them this process is; variables for tests.
var controlGroupRoot, ownControlGroup = "/sys/fs/cgroup", "/proc/self/cgroup"

// controlGroups are the folders of the control group of this process and of all around it, each of which may limit it. In a container the kernel
// may name one that is not shown there: what has no folder limits nothing.
func controlGroups() (dirs []string) {
	text, _ := os.ReadFile(ownControlGroup)
	_, own, _ := strings.Cut("\n"+string(text), "\n0::")
	own, _, _ = strings.Cut(own, "\n")
	for at := filepath.Join("/", own); at != "/"; at = filepath.Dir(at) {
		dirs = append(dirs, filepath.Join(controlGroupRoot, at))
	}
	return append(dirs, controlGroupRoot)
}

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
