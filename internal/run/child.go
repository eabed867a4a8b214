package run

import (
	"bytes"
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
	"unicode"

	"nptbench/internal/machine"
	"nptbench/internal/subprocess"
	"nptbench/results"
)

// A child is a worker process.
type child struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	replies  chan reply // closed when the process has ended
	asked    int        // how many jobs it was asked for
	stderr   printed
	ends     sync.Once
	over     chan struct{} // closed by ends: nobody waits for replies any more
	gone     chan struct{} // closed when the process has ended
	ended    error         // how, once it is gone
	garbled  bool          // it was killed because what it sent could not be read
	oomKills int           // machine.OOMKills when it was last asked
}

// patience is how long a worker has to end when it has nothing more to do, and to keep what it has reached when a run is interrupted.
const patience = 5 * time.Second

// startChild runs this program again as a worker. The worker is the leader of a process group of its own, so that an
// interrupt from the terminal reaches only the planning process, and killing it kills all it started.
func startChild() (*child, error) {
	self, err := subprocess.Self()
	if err != nil {
		return nil, fmt.Errorf("no worker process: %w", err)
	}
	c := &child{cmd: exec.Command(self), replies: make(chan reply), over: make(chan struct{}), gone: make(chan struct{})}
	c.cmd.Args[0] = os.Args[0] + " worker" // for who lists processes
	c.stderr.Head = 1000
	c.cmd.Env = append(os.Environ(), workerVariable+"=1")
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.Stdout, c.cmd.Stderr = &c.stderr, &c.stderr
	in, replies, err := subprocess.StartWithAnswers(c.cmd, syscall.SIGTERM) // at which it ends what it started, too
	if err != nil {
		return nil, fmt.Errorf("no worker process: %w", err)
	}
	c.in = in
	go c.read(replies)
	return c, nil
}

// read passes replies on to who waits for them. What is no reply is the end of the process: nobody knows what else is lost.
func (c *child) read(replies io.ReadCloser) {
	defer replies.Close()
	for d := json.NewDecoder(replies); ; {
		var r reply
		if err := d.Decode(&r); err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				c.garbled = true
				c.signal(syscall.SIGKILL)
			}
			break
		}
		select {
		case c.replies <- r:
		case <-c.over:
		}
	}
	c.ended = c.cmd.Wait()
	c.signal(syscall.SIGKILL) // what it started and has not ended
	close(c.gone)
	close(c.replies)
}

// ask numbers a request and sends it, once the one before is done. When this fails the process has ended, and its replies too.
func (c *child) ask(r *request) {
	c.asked++
	r.Number, c.oomKills = c.asked, machine.OOMKills()
	json.NewEncoder(c.in).Encode(r)
}

func (c *child) isGone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// kill ends the process and all it started, and waits until it is gone.
func (c *child) kill() {
	c.end()
	if !c.isGone() {
		c.signal(syscall.SIGKILL)
	}
	<-c.gone
}

// end has its input end, and nobody wait for its replies.
func (c *child) end() {
	c.ends.Do(func() {
		close(c.over)
		c.in.Close()
	})
}

// signal sends a signal to the process and all it started.
func (c *child) signal(s syscall.Signal) { syscall.Kill(-c.cmd.Process.Pid, s) }

// retire lets the process end by itself, since its input ends: at once, or when it has kept what it has reached.
func (c *child) retire() {
	c.end()
	timer := time.AfterFunc(patience, func() { c.signal(syscall.SIGKILL) })
	defer timer.Stop()
	<-c.gone
}

// causeOfDeath says how the process ended, with the first that it printed in its last job.
func (c *child) causeOfDeath() *results.Failure {
	if c.garbled {
		return &results.Failure{Kind: "crash", Message: "what it sent is no reply; it said: " + oneLine(c.stderr.String())}
	}
	kind, how := "crash", "the worker process ended"
	var exit *exec.ExitError
	if errors.As(c.ended, &exit) {
		how = "the worker process ended: " + exit.String()
		if subprocess.KilledForMemory(exit, c.oomKills) {
			kind = "memory"
			how += ": the kernel killed it, as memory ran out"
		}
	}
	if said := c.stderr.String(); said != "" {
		how += "; it said: " + said
	}
	return &results.Failure{Kind: kind, Message: oneLine(how)}
}

// printed is what a worker has printed since it began its last job: a crash report of Go begins with its reason.
type printed struct{ subprocess.Said }

func (t *printed) Write(p []byte) (int, error) {
	said := p
	if mark := bytes.LastIndexByte(p, jobMark); mark >= 0 {
		t.Forget()
		said = p[mark+1:]
	}
	t.Said.Write(said)
	return len(p), nil
}

// oneLine puts a message on one line of bearable length, without what would change colours or ring on a terminal.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if len(s) > 500 {
		s = strings.ToValidUTF8(s[:500], "") + "…"
	}
	return s
}

// panicSite finds in a stack trace the first call after the panic that is not the runtime's.
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
