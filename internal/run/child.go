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

	"nptbench/internal/subprocess"
)

// A child is a worker process.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr head
	kills  sync.Once
	killed chan struct{} // closed: nobody waits for replies any more
	gone   chan struct{} // closed when the process has ended
	ended  error         // how, once it is gone

	garbled bool // it was killed because what it sent could not be read

	asking   sync.Mutex
	requests *json.Encoder

	mu     sync.Mutex
	number int           // of the last call
	calls  map[int]*call // that the worker has not finished, by number
}

// A call is a job that a worker was asked for.
type call struct {
	number   int
	replies  chan reply // closed when the process has ended before the job
	together int        // most calls that were in flight at a time while this one was, guarded by the child's mu
}

// patience is how long a worker has to do what it is asked to: to stop a job, or to end.
const patience = 5 * time.Second

// startChild runs this program again as a worker. The worker is the leader of a process group of its own, so that an
// interrupt from the terminal reaches only the planning process, and killing it kills all it started.
func startChild() (*child, error) {
	self, err := subprocess.Self()
	if err != nil {
		return nil, fmt.Errorf("no worker process: %w", err)
	}
	c := &child{cmd: exec.Command(self), killed: make(chan struct{}), gone: make(chan struct{}), calls: map[int]*call{}}
	c.cmd.Env = append(os.Environ(), workerVariable+"=1")
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.Stdout, c.cmd.Stderr = &c.stderr, &c.stderr
	in, replies, err := subprocess.StartWithAnswers(c.cmd, syscall.SIGTERM) // at which it ends what it started, too
	if err != nil {
		return nil, fmt.Errorf("no worker process: %w", err)
	}
	c.in = in
	c.requests = json.NewEncoder(c.in)
	go c.read(replies)
	return c, nil
}

// read passes replies on to those who wait for them. What is no reply is the end of the process: nobody knows what else is lost.
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
		c.mu.Lock()
		to := c.calls[r.Number]
		if r.Done {
			delete(c.calls, r.Number)
		}
		c.mu.Unlock()
		if to == nil {
			continue
		}
		select {
		case to.replies <- r:
		case <-c.killed:
		}
	}
	c.ended = c.cmd.Wait()
	c.signal(syscall.SIGKILL) // what it started and has not ended
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.gone)
	for _, to := range c.calls {
		close(to.replies)
	}
}

// call asks for a job. When the process has ended, the replies have too.
func (c *child) call(r request) *call {
	k := c.register()
	r.Number = k.number
	c.ask(r)
	return k
}

func (c *child) register() *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	k := &call{number: c.number, replies: make(chan reply)}
	c.calls[k.number] = k
	for _, other := range c.calls {
		other.together = max(other.together, len(c.calls))
	}
	if c.isGone() {
		close(k.replies)
	}
	return k
}

// ask sends a request. When this fails the process has ended, and its replies too.
func (c *child) ask(r request) {
	c.asking.Lock()
	defer c.asking.Unlock()
	c.requests.Encode(r)
}

// stop asks the worker to stop a job.
func (c *child) stop(k *call) { c.ask(request{Number: k.number, Stop: true}) }

// together returns how many jobs the process had at most at the same time while it had this one.
func (c *child) together(k *call) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return k.together
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
	c.kills.Do(func() {
		close(c.killed)
		c.signal(syscall.SIGKILL)
		c.in.Close()
	})
	<-c.gone
}

// signal sends a signal to the process and all it started.
func (c *child) signal(s syscall.Signal) { syscall.Kill(-c.cmd.Process.Pid, s) }

// retire lets the process end by itself: it has nothing to do, and its input ends.
func (c *child) retire() {
	c.in.Close()
	timer := time.AfterFunc(patience, func() { c.signal(syscall.SIGKILL) })
	defer timer.Stop()
	<-c.gone
}

// causeOfDeath says how the process ended, with the first that it printed since it last had nothing to do.
func (c *child) causeOfDeath() string {
	if c.garbled {
		return "what it sent is no reply; it said: " + oneLine(c.stderr.String())
	}
	how := "the worker process ended"
	var exit *exec.ExitError
	if errors.As(c.ended, &exit) {
		how = "the worker process ended: " + exit.String()
		if subprocess.Killed(exit) {
			how += " (the kernel does that when memory runs out)"
		}
	}
	if said := c.stderr.String(); said != "" {
		how += "; it said: " + said
	}
	return oneLine(how)
}

// A head keeps the beginning of what is written to it since the last jobMark: a crash report of Go begins with its reason.
type head struct {
	mu   sync.Mutex
	text []byte
}

const headLimit = 1000

func (t *head) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	said := p
	if mark := bytes.LastIndexByte(p, jobMark); mark >= 0 {
		t.text, said = nil, p[mark+1:]
	}
	t.text = append(t.text, said[:min(len(said), headLimit-len(t.text))]...)
	return len(p), nil
}

func (t *head) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
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
