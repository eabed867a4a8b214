package subprocess

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// tree returns a process and all that it started.
func tree(pid int) []int {
	all := []int{pid}
	for _, child := range Children(pid) {
		all = append(all, tree(child)...)
	}
	return all
}

// ProcessorTime returns user and system time so far of a process and all it started, in Linux's ticks of 10 ms; elsewhere 0.
func ProcessorTime(pid int) (total time.Duration) {
	for _, pid := range tree(pid) {
		total += timeOf(pid)
	}
	return total
}

// timeOf is that of a process alone, and of children that it has waited for.
func timeOf(pid int) (total time.Duration) {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := bytes.Cut(stat, []byte(") ")) // after the name
	fields := bytes.Fields(rest)
	if len(fields) < 15 {
		return 0
	}
	for _, ticks := range fields[11:15] { // user and system, of itself and of them
		n, _ := strconv.ParseInt(string(ticks), 10, 64)
		total += time.Duration(n) * 10 * time.Millisecond
	}
	return total
}

// OwnTime returns user and system time so far of this process alone, 0 where the system does not tell.
func OwnTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Children returns the processes that the threads of a process started, as Linux lists them: asking for the parent of every
// process of the machine instead takes a third of a core at the rate at which budgets of memory are watched. Elsewhere there are none.
func Children(pid int) (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, word := range bytes.Fields(text) {
			if child, err := strconv.Atoi(string(word)); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}
