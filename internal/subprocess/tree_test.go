package subprocess

import (
	"os"
	"os/exec"
	"runtime"
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

func BenchmarkResidentMemory(b *testing.B) {
	for b.Loop() {
		ResidentMemory(os.Getpid())
	}
}
