package subprocess

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// A budget of memory must also count what a worker starts, such as a Python process that trains.
func TestResidentMemoryCountsChildren(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("children are counted on Linux only")
	}
	alone := ResidentMemory(os.Getpid())
	c := exec.Command("sleep", "10")
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	own := ResidentMemory(c.Process.Pid)
	if with := ResidentMemory(os.Getpid()); own == 0 || with < alone+own/2 {
		t.Errorf("%d bytes alone, %d with a child of %d", alone, with, own)
	}
}

func TestProcessorModel(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	name := ProcessorModel()
	if err == nil && runtime.GOARCH == "amd64" && (name == "" || !strings.Contains(string(text), "model name\t: "+name+"\n")) {
		t.Errorf("%q, in\n%.500s", name, text)
	}
	if name := modelIn("processor\t: 0\nBogoMIPS\t: 2100.00\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd40\n\n"); name != "ARM, implementer 0x41, part 0xd40" {
		t.Errorf("of a processor without a name %q", name)
	}
}

func BenchmarkResidentMemory(b *testing.B) {
	for b.Loop() {
		ResidentMemory(os.Getpid())
	}
}
