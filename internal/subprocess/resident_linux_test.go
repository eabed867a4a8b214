package subprocess

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// holderVariable makes the test program one that holds a file in memory.
const holderVariable = "SUBPROCESS_HOLDER"

const held = 50 << 20 // bytes

// hold maps a file, as forked processes have pages in common, and does what it reads: it writes to all pages, which are its own then, or works.
func hold(path string) {
	f, err := os.Open(path)
	if err != nil {
		os.Exit(1)
	}
	memory, err := syscall.Mmap(int(f.Fd()), 0, held, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
	if err != nil {
		os.Exit(1)
	}
	sum := byte(0)
	for i := 0; i < held; i += 4096 {
		sum += memory[i]
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch lines.Text() {
		case "write":
			for i := 0; i < held; i += 4096 {
				memory[i] = sum + 1
			}
		case "work":
			for i := 0; ; i++ {
				memory[i%held]++
			}
		}
	}
}

// A holder is a process that holds the file until the test ends, or it is killed.
type holder struct {
	*os.Process
	in io.Writer
}

func holders(t *testing.T, n int) (all []holder) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "held")
	if f, err := os.Create(path); err != nil || f.Truncate(held) != nil || f.Close() != nil {
		t.Fatal(err)
	}
	for range n {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), holderVariable+"="+path)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill(); c.Wait() })
		eventually(t, "it is in memory", func() bool { return residentOf(c.Process.Pid) > held })
		all = append(all, holder{c.Process, in})
	}
	return all
}

// eventually waits for something that a process does soon.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

// A budget of memory counts what a worker starts, such as a Python process that trains; not one that waits since an earlier fit.
func TestMemoryWatchCountsWhatWorks(t *testing.T) {
	waits := holders(t, 1)[0]
	eventually(t, "it waits", func() bool {
		before := timeOf(waits.Pid)
		time.Sleep(100 * time.Millisecond)
		return timeOf(waits.Pid) == before
	})
	alone := residentOf(os.Getpid())
	w := WatchMemory(os.Getpid())
	if size := w.Resident(); size > alone+held/2 {
		t.Errorf("%d bytes with a process that waits, %d without", size, alone)
	}
	io.WriteString(waits.in, "work\n")
	eventually(t, "it is counted", func() bool { return w.Resident() > alone+held/2 })
	waits.Kill()
	eventually(t, "it is gone", func() bool { return w.Resident() < alone+held/2 })
	holders(t, 1) // since the watch began: it is counted although it waits
	if size := w.Resident(); size < alone+held/2 {
		t.Errorf("%d bytes with a process that was started, %d without", size, alone)
	}
}

// What processes have in common counts once, until they write to it.
func TestMemoryWatchCountsSharedPagesOnce(t *testing.T) {
	if _, err := os.Stat("/proc/self/smaps_rollup"); err != nil {
		t.Skip(err)
	}
	w := WatchMemory(os.Getpid())
	all := holders(t, 4)
	own := residentOf(os.Getpid()) // without the file, more where races are looked for
	for _, h := range all {
		own += residentOf(h.Pid) - held
	}
	if size := w.Resident(); size < held || size > own+held+held/2 {
		t.Errorf("%d bytes, want hardly more than the %d that all have in common, and at most %d of their own", size, held, own)
	}
	for _, h := range all[1:] {
		io.WriteString(h.in, "write\n")
	}
	eventually(t, "each has its own", func() bool { return w.Resident() > own+3*held })
	for _, h := range all[2:] {
		h.Kill()
	}
	eventually(t, "two are gone", func() bool { size := w.Resident(); return held < size && size < own+2*held+held/2 })
}

func BenchmarkMemoryWatch(b *testing.B) {
	w := WatchMemory(os.Getpid())
	for b.Loop() {
		w.Resident()
	}
}
