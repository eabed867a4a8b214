package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A child is a worker process.
type child struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	requests *json.Encoder
	replies  chan reply // closed when the process has ended
	stderr   head
	ended    error // how, once replies is closed
}

// startChild runs this program again as a worker. The worker is the leader of a process group of its own, so that an
// interrupt from the terminal reaches only the planning process, and killing it kills all it started.
func startChild() (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("no worker process: %w", err)
	}
	c := &child{cmd: exec.Command(self), replies: make(chan reply)}
	c.cmd.Env = append(os.Environ(), workerVariable+"=1")
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.Stderr = &c.stderr
	c.cmd.WaitDelay = time.Second // a grandchild may hold the pipes open
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("no worker process: %w", err)
	}
	c.requests = json.NewEncoder(c.in)
	go c.read(out)
	return c, nil
}

func (c *child) read(out io.Reader) {
	defer close(c.replies)
	for d := json.NewDecoder(out); ; {
		var r reply
		if err := d.Decode(&r); err != nil {
			c.ended = c.cmd.Wait()
			return
		}
		c.replies <- r
	}
}

// kill ends the process and all it started, and waits until it is gone.
func (c *child) kill() {
	syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	c.in.Close()
	for range c.replies {
	}
}

// retire lets the process end by itself: it has nothing to do, and its input ends.
func (c *child) retire() {
	c.in.Close()
	timer := time.AfterFunc(5*time.Second, func() { syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	for range c.replies {
	}
}

// obituary says how the process ended, with the first that it wrote to standard error.
func (c *child) obituary() string {
	how := "the worker process ended"
	var exit *exec.ExitError
	if errors.As(c.ended, &exit) {
		how = "the worker process ended: " + exit.String()
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			how += " (the kernel does that when memory runs out)"
		}
	}
	if said := c.stderr.String(); said != "" {
		how += "; it said: " + said
	}
	return oneLine(how)
}

// A head keeps the beginning of what is written to it: a crash report of Go begins with its reason.
type head struct {
	mu   sync.Mutex
	text []byte
}

const headLimit = 1000

func (t *head) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[:min(len(p), headLimit-len(t.text))]...)
	return len(p), nil
}

func (t *head) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

// oneLine puts a message on one line of bearable length.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 500 {
		s = strings.ToValidUTF8(s[:500], "") + "…"
	}
	return s
}

// panicSite finds in a stack trace the first line of this module after the panic itself.
func panicSite(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	seenPanic := false
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "panic(") {
			seenPanic = true
		} else if seenPanic && strings.HasPrefix(l, "/") && !strings.Contains(l, "/runtime/") {
			site, _, _ := strings.Cut(l, " ")
			parts := strings.Split(site, "/")
			return strings.Join(parts[max(0, len(parts)-3):], "/")
		}
	}
	return "an unknown place"
}
