package subprocess

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestKernelBytes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "meminfo")
	if err := os.WriteFile(file, []byte("MemTotal:       24689580 kB\nMemAvailable:   21034500 kB\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]int64{"MemTotal:": 24689580 << 10, "MemAvailable:": 21034500 << 10, "SwapFree:": 0} {
		if got := KernelBytes(file, field); got != want {
			t.Errorf("%s %d, want %d", field, got, want)
		}
	}
	if got := KernelBytes(file+"s", "MemTotal:"); got != 0 {
		t.Errorf("%d of no file", got)
	}
	if runtime.GOOS == "linux" && FreeMemory() <= 0 {
		t.Error("no memory is free")
	}
}
