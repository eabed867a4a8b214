package subprocess

import (
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"
)

// running starts a program that ends with the test.
func running(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("what processes have is known on Linux only")
	}
	c := exec.Command(name, args...)
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		for _, pid := range tree(c.Process.Pid) {
			if p, err := os.FindProcess(pid); err == nil {
				p.Kill()
			}
		}
		c.Wait()
	})
	return c
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
	const shell = "read line; while :; do :; done" // waits, and then works
	here, there, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	c := exec.Command("sh", "-c", shell)
	c.Stdin = here
	if err := c.Start(); err != nil || runtime.GOOS != "linux" {
		t.Skip("what processes have is known on Linux only: ", err)
	}
	stop := sync.OnceFunc(func() { c.Process.Kill(); c.Wait() })
	defer stop()
	own := func() int64 { return residentOf(c.Process.Pid) }
	eventually(t, "the shell waits", func() bool {
		before := timeOf(c.Process.Pid)
		time.Sleep(100 * time.Millisecond)
		return own() > 0 && timeOf(c.Process.Pid) == before
	})
	w := WatchMemory(os.Getpid())
	slack := own() / 2 // by which this process itself may change
	if alone, self := w.Resident(), residentOf(os.Getpid()); alone > self+slack {
		t.Errorf("%d bytes with a shell that waits, which has %d; %d without", alone, own(), self)
	}
	there.WriteString("go\n")
	eventually(t, "the shell that works is counted", func() bool { return w.Resident() >= residentOf(os.Getpid())+slack })

	stop()
	started := running(t, "perl", "-e", `$x = "x" x 100e6; sleep 20`) // since the watch began: counted at once
	eventually(t, "a process of 100 MB", func() bool { return residentOf(started.Process.Pid) > 100e6 })
	if with := w.Resident(); with < 100e6 {
		t.Errorf("%d bytes with a process of 100 MB that was started", with)
	}
}

// A program that forks has the pages that its children share with it once.
func TestMemoryWatchCountsSharedPagesOnce(t *testing.T) {
	w := WatchMemory(running(t, "perl", "-e", `$x = "x" x 100e6; for (1 .. 7) { unless (fork) { sleep 30; exit } } sleep 30`).Process.Pid)
	eventually(t, "eight processes of 100 MB", func() bool {
		all, sum := tree(w.pid), int64(0)
		for _, pid := range all {
			sum += residentOf(pid)
		}
		return len(all) == 8 && sum > 800e6
	})
	if size := w.Resident(); size < 100e6 || size > 250e6 {
		t.Errorf("%d bytes, want those 100 MB and a little for each of eight processes", size)
	}
	if again := w.Resident(); again < 100e6 || again > 250e6 {
		t.Errorf("%d bytes at a second look", again)
	}
}

func BenchmarkMemoryWatch(b *testing.B) {
	w := WatchMemory(os.Getpid())
	for b.Loop() {
		w.Resident()
	}
}
