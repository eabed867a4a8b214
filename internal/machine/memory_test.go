package machine

import (
	"cmp"
	"errors"
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

// The least limit counts of the process's own control group and those around it, as in a job of Slurm or a slice of systemd.
func TestControlGroups(t *testing.T) {
	defer func(root, own string) { controlGroupRoot, ownControlGroup = root, own }(controlGroupRoot, ownControlGroup)
	machine := KernelBytes("/proc/meminfo", "MemTotal:")
	for name, c := range map[string]struct {
		own    string
		limits map[string]string // by folder under the root
		want   int64             // 0: as without control groups
	}{
		"own":              {"0::/slurm/job_1\n", map[string]string{"": "64000", "slurm": "max", "slurm/job_1": "8000"}, 8000},
		"around it":        {"4:memory:/else\n0::/slurm/job_1\n", map[string]string{"slurm": "4000", "slurm/job_1": "max", "else": "2000"}, 4000},
		"root alone":       {"0::/\n", map[string]string{"": "16000", "slurm": "4000"}, 16000},
		"not shown":        {"0::/docker/1\n", map[string]string{"": "16000"}, 16000},
		"outside the root": {"0::/../../job_2\n", map[string]string{"../../job_2": "2000", "": "16000"}, 16000},
		"version 1":        {"4:memory:/else\n", map[string]string{"else": "2000"}, 0},
		"no limit":         {"0::/slurm\n", map[string]string{"slurm": "max"}, 0},
		"no file":          {"", map[string]string{"": "16000"}, 16000},
	} {
		dir := t.TempDir()
		controlGroupRoot, ownControlGroup = filepath.Join(dir, "a", "cgroup"), filepath.Join(dir, "self")
		write := func(file, text string) {
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		if c.own != "" {
			write(ownControlGroup, c.own)
		}
		for group, limit := range c.limits {
			write(filepath.Join(controlGroupRoot, group, "memory.max"), limit+"\n")
			write(filepath.Join(controlGroupRoot, group, "memory.current"), "1000\n")
		}
		if total := TotalMemory(); total != cmp.Or(c.want, machine) {
			t.Errorf("%s: %d bytes in all, want %d", name, total, cmp.Or(c.want, machine))
		}
		if free := FreeMemory(); machine > 0 && (c.want > 0 && free != c.want-1000 || c.want == 0 && free <= 1<<20) {
			t.Errorf("%s: %d bytes are free of %d", name, free, cmp.Or(c.want, machine))
		}
	}
}
