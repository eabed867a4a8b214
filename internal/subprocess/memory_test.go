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

func TestTotalMemory(t *testing.T) {
	if total, free := TotalMemory(), FreeMemory(); runtime.GOOS == "linux" && (total < free || total < 1<<26) {
		t.Errorf("%d bytes in all, %d free", total, free)
	}
}

func TestFreeInGroup(t *testing.T) {
	for _, c := range []struct {
		files   map[string]string
		want    int64
		limited bool
	}{
		{map[string]string{"memory.max": "1000\n", "memory.current": "700\n", "memory.stat": "anon 500\ninactive_file 150\nactive_file 50\nworkingset_refault_file 9\n"}, 500, true},
		{map[string]string{"memory.max": "1000\n", "memory.current": "700\n"}, 300, true},
		{map[string]string{"memory.max": "1000\n", "memory.current": "1000\n"}, 1, true},
		{map[string]string{"memory.max": "max\n", "memory.current": "700\n"}, 0, false},
		{map[string]string{"memory.max": "1000\n"}, 0, false},
		{nil, 0, false},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if free, limited := freeInGroup(dir); free != c.want || limited != c.limited {
			t.Errorf("%v: %d, %v; want %d, %v", c.files, free, limited, c.want, c.limited)
		}
	}
}
