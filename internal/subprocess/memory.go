package subprocess

import (
	"bytes"
	"os"
	"strconv"
)

// FreeMemory is how many bytes processes could still take here, 0 where that is not known. The limit of a container is not in it.
func FreeMemory() int64 { return KernelBytes("/proc/meminfo", "MemAvailable:") }

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
