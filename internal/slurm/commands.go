package slurm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// answerTimeout is how long one of Slurm's commands may take; a controller that is down keeps them waiting.
var answerTimeout = time.Minute

// errNoAnswer says that Slurm may have done what a command asked for, or not.
var errNoAnswer = errors.New("no answer from Slurm in time")

// call runs one of Slurm's commands, as it is found in PATH, and returns what it prints. The command has a process group of its own, so that
// an interrupt from the terminal reaches only this process, which ends the command when ctx is done. The error wraps errNoAnswer where that
// is the reason.
func call(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err == nil {
		return stdout.String(), nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s is not in PATH: run this where Slurm's commands are, as on a login node", name)
	}
	said, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
	said = cmp.Or(strings.TrimPrefix(said, name+": "), err.Error())
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || strings.Contains(stderr.String(), "timed out on send/recv") { // by the command's own clock
		return "", fmt.Errorf("%s: %w: %s", name, errNoAnswer, said)
	}
	return "", fmt.Errorf("%s: %s", name, said)
}

// submit starts an array of n tasks and returns its number. Once begun it is not interrupted, or nobody would know the number.
func submit(ctx context.Context, n int, script string, args ...string) (id string, err error) {
	ctx = context.WithoutCancel(ctx)
	args = append([]string{"--parsable", fmt.Sprintf("--array=0-%d", n-1)}, append(args, script)...)
	out, err := call(ctx, "sbatch", args...)
	if err != nil {
		return "", err
	}
	id, _, _ = strings.Cut(strings.TrimSpace(out), ";") // a name of the cluster may follow
	if _, err := strconv.Atoi(id); err != nil {
		return "", fmt.Errorf("sbatch printed %q, want the number of a job", strings.TrimSpace(out))
	}
	return id, nil
}

// cancel ends arrays: tasks that run, and those that wait.
func cancel(ctx context.Context, ids ...string) error {
	_, err := call(ctx, "scancel", ids...)
	return err
}

// maxArray is how many tasks an array may have.
func maxArray(ctx context.Context) (int, error) {
	out, err := call(ctx, "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(out) {
		if name, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == "MaxArraySize" {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err == nil && n > 1 {
				return n, nil
			}
			return 0, fmt.Errorf("no job arrays can be submitted here: Slurm's MaxArraySize is %s", strings.TrimSpace(value))
		}
	}
	return 0, errors.New("scontrol show config names no MaxArraySize")
}

// A state is what Slurm says of a task.
type state struct {
	name string // PENDING, RUNNING, COMPLETED, ...; empty: it does not know the task
	why  string // it waits, or has ended; may be empty
}

// unlaunched reports whether Slurm holds back a task that it could not start on a node. It does so until somebody releases the task.
func (s state) unlaunched() bool {
	return s.name == "PENDING" && strings.ReplaceAll(strings.ToLower(s.why), "_", " ") == "launch failed requeued held"
}

// text is what a person is told of a state: that a task waits for others or for a node is the rule, and other reasons may last for ever.
func (s state) text() string {
	if s.name == "PENDING" && !slices.Contains([]string{"", "none", "priority", "resources"}, strings.ToLower(s.why)) {
		return "pending (" + s.why + ")"
	}
	return strings.ToLower(s.name)
}

// active reports whether a task waits or runs, or will run again.
func (s state) active() bool {
	switch s.name {
	case "PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING",
		"REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT":
		return true
	}
	return false
}

// A taskName is the name of an array and the index of a task in it. Jobs are asked for by name: one whose number is not known
// any more makes squeue fail.
type taskName struct {
	job   string
	index int
}

// queued asks for the states of tasks: those that wait or run, and those that have ended minutes ago.
func queued(ctx context.Context, names []string) (map[taskName]state, error) {
	out, err := call(ctx, "squeue", "--noheader", "--array", "--states=all", "--name="+strings.Join(names, ","), "--format=%j|%K|%T|%r")
	if err != nil {
		return nil, err
	}
	return states(out, func(columns []string) (taskName, state, bool) {
		if len(columns) != 4 {
			return taskName{}, state{}, false
		}
		index, err := strconv.Atoi(columns[1])
		return taskName{columns[0], index}, state{columns[2], columns[3]}, err == nil
	}), nil
}

// accounted asks the accounting for the states of tasks that have ended, since a time; such tasks it lists one by one. There may be no
// accounting, which is no error.
func accounted(ctx context.Context, names []string, since time.Time) map[taskName]state {
	out, err := call(ctx, "sacct", "--noheader", "--parsable2", "--allocations", "--name="+strings.Join(names, ","),
		"--starttime="+since.Format("2006-01-02T15:04:05"), "--format=JobName,JobID,State")
	if err != nil {
		return nil
	}
	return states(out, func(columns []string) (taskName, state, bool) {
		if len(columns) != 3 {
			return taskName{}, state{}, false
		}
		_, index, _ := strings.Cut(columns[1], "_")
		i, err := strconv.Atoi(index)
		name, _, _ := strings.Cut(columns[2], " ") // CANCELLED by whom
		return taskName{columns[0], i}, state{name: name}, err == nil
	})
}

// states reads a table of columns that | parts.
func states(table string, read func(columns []string) (taskName, state, bool)) map[taskName]state {
	all := map[taskName]state{}
	for line := range strings.Lines(table) {
		if name, s, ok := read(strings.Split(strings.TrimSpace(line), "|")); ok {
			all[name] = s
		}
	}
	return all
}
