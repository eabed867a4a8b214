package backends

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
)

// FreeMemory is how many bytes a process could still take here: what the system has, and what a container may have. It is +Inf where Linux
// does not say.
func FreeMemory() float64 {
	free := math.Inf(1)
	meminfo, _ := os.ReadFile("/proc/meminfo")
	if at := bytes.Index(meminfo, []byte("MemAvailable:")); at >= 0 {
		var kB float64
		if n, _ := fmt.Sscanf(string(meminfo[at:]), "MemAvailable: %f kB", &kB); n == 1 {
			free = 1024 * kB
		}
	}
	group := func(name string) (float64, error) {
		text, _ := os.ReadFile("/sys/fs/cgroup/memory." + name)
		return strconv.ParseFloat(string(bytes.TrimSpace(text)), 64) // "max" is no number
	}
	if limit, err := group("max"); err == nil {
		if used, err := group("current"); err == nil {
			free = min(free, limit-used)
		}
	}
	return free
}
