package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/task"
	"nptbench/results"
)

// testNetwork can misbehave as a network can that shares its process. Every configuration is a job of its own.
func testNetwork() *method.Method {
	return &method.Method{
		Name: "network", Title: "Network", Doc: "for tests", Network: true,
		Params: []method.Param{
			{Name: "number", Type: method.Int, Default: 0},
			{Name: "mode", Type: method.Choice, Default: "ok",
				Choices: []string{"ok", "exit", "killed", "panic", "patient", "deaf", "memory", "crowded", "eat"}},
		},
		Run: runNetwork,
	}
}

var networks atomic.Int32 // that train in this process

// besideOthers waits for another network to train in this process, for a while.
func besideOthers() bool {
	for range 50 {
		if networks.Load() > 1 {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func runNetwork(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
	networks.Add(1)
	defer networks.Add(-1)
	time.Sleep(100 * time.Millisecond)
	r := method.Result{Val: make([]float64, t.Val), Test: make([]float64, t.Test), Details: map[string]any{"process": os.Getpid()}}
	switch batch[0].String("mode") {
	case "exit":
		fmt.Fprintln(os.Stderr, "something broke")
		os.Exit(3)
	case "killed": // as by the kernel, beside others
		left := filepath.Join(t.CheckpointDir, "state")
		if _, err := os.Stat(left); err == nil {
			r.Details["resumed"] = true
		} else if besideOthers() {
			if err := errors.Join(os.MkdirAll(t.CheckpointDir, 0o777), os.WriteFile(left, nil, 0o666)); err != nil {
				return err
			}
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	case "panic":
		panic("out of its wits")
	case "patient":
		<-ctx.Done()
		return ctx.Err()
	case "deaf":
		select {}
	case "memory":
		r.Err = fmt.Errorf("no room for this: %w", method.ErrMemory)
	case "crowded":
		if besideOthers() {
			r.Err = fmt.Errorf("no room beside others: %w", method.ErrMemory)
		}
	case "eat":
		for {
			b := make([]byte, 16<<20)
			for k := 0; k < len(b); k += 4096 {
				b[k] = 1
			}
			eaten = append(eaten, b)
			time.Sleep(5 * time.Millisecond)
		}
	}
	done(r)
	return nil
}

// onDevice runs a plan with so many networks at a time, as on a device of their own.
func onDevice(t *testing.T, ctx context.Context, p *plan.Plan, lib *dataset.Library, dir string, networks int) Counts {
	t.Helper()
	pool := &Pool{
		Library: lib, Sweep: p.Sweep, Records: results.NewWriter(dir), Jobs: 3, Networks: networks,
		Checkpoints: filepath.Join(dir, "checkpoints"),
	}
	jobs := p.Jobs()
	progress := NewProgress(io.Discard, false, jobs, pool.Jobs, pool.Networks)
	o, err := Execute(ctx, jobs, pool, false, progress)
	progress.Close()
	if closed := pool.Records.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	if len(progress.running) > 0 {
		t.Errorf("%d jobs still run", len(progress.running))
	}
	for k, waiting := range progress.waiting {
		if len(waiting) > 0 && o.Left == 0 {
			t.Errorf("%d jobs of %+v wait", len(waiting), k)
		}
	}
	return o
}

// On a device of their own, networks have a process, which does nothing else.
func TestNetworksOnADevice(t *testing.T) {
	lib := library(t)
	s := parse(t, "name: test\nseed: 7\nprotocols: [published]\ndatasets: [waves]\nfolds: 6\nmethods:\n  - {method: mean, params: {pause: 50}}\n  - method: network\n")
	for networks := range 3 {
		dir := t.TempDir()
		if o := onDevice(t, t.Context(), planned(t, s, lib, dir, plan.Options{}), lib, dir, networks); o != (Counts{OK: 12}) {
			t.Fatal(o)
		}
		processes, together := map[string]map[any]int{"network": {}, "mean": {}}, 0
		for _, r := range records(t, dir) {
			processes[r.Cell.Method][r.Details["process"]]++
			n := r.Provenance.Networks
			together = max(together, n)
			if (n > 1) != (r.PeakMemoryBytes == 0) || (n > 1) != (r.ProcessorSeconds == 0) || n == 1 || n > networks || n > 0 && r.Cell.Method != "network" {
				t.Errorf("a record of %d networks in a process, %d at a time, has a peak memory of %d and %v s", n, networks, r.PeakMemoryBytes, r.ProcessorSeconds)
			}
		}
		shared := 0
		for p := range processes["network"] {
			shared += processes["mean"][p]
		}
		if networks > 0 && (len(processes["network"]) > 1 || shared > 0) || networks > 1 && together != networks {
			t.Errorf("%d networks at a time: %d together, fits by process %v", networks, together, processes)
		}
	}
}

// Whatever becomes of a process with several networks in it, the one whose fault it is gets the failure, and all others their
// result.
func TestFailuresBesideOthers(t *testing.T) {
	lib := library(t)
	for _, c := range []struct {
		mode, budget  string
		kind, message string // empty: it succeeds when it is run again
	}{
		{"exit", "", "crash", "exit status 3; it said: something broke"},
		{"killed", "", "", ""},
		{"panic", "", "crash", "panic: out of its wits at internal/run/networks_test.go"},
		{"patient", "budget: {time: 2s}\n", "timeout", "budget of 2s"},
		{"deaf", "budget: {time: 2s}\n", "timeout", "budget of 2s"},
		{"memory", "", "memory", "no room for this"},
		{"crowded", "", "", ""},
		{"eat", "budget: {memory: 400MiB}\n", "memory", "the budget is 0.39 GiB"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := parse(t, "name: test\nseed: 7\nprotocols: [published]\ndatasets: [waves]\nfolds: 1\n"+c.budget+
				"methods:\n  - method: network\n    grid: {number: [0, 1], mode: [ok, "+c.mode+"]}\n")
			want, processes, resumed := Counts{OK: 2, Failed: 2}, map[any]bool{}, false
			if c.kind == "" {
				want = Counts{OK: 4}
			}
			if o := onDevice(t, t.Context(), planned(t, s, lib, dir, plan.Options{}), lib, dir, 2); o != want {
				t.Errorf("outcome %+v, want %+v", o, want)
			}
			for _, r := range records(t, dir) {
				bad := strings.Contains(string(r.Config), c.mode)
				if bad && c.kind != "" {
					if r.Failure == nil || r.Failure.Kind != c.kind || !strings.Contains(r.Failure.Message, c.message) {
						t.Errorf("%s: failure %+v, want %s: ...%s...", r.Config, r.Failure, c.kind, c.message)
					}
				} else if r.Status != results.OK {
					t.Errorf("%s: %+v", r.Config, r.Failure)
				} else {
					processes[r.Details["process"]] = true
				}
				resumed = resumed || r.Details["resumed"] == true
			}
			if resumed != (c.mode == "killed") {
				t.Errorf("one was resumed: %v", resumed)
			}
			if left, err := os.ReadDir(filepath.Join(dir, "checkpoints")); len(left) > 0 {
				t.Errorf("checkpoints are left: %v, %v", left, err)
			}
			if calm := c.mode == "panic" || c.mode == "patient" || c.mode == "memory" || c.mode == "crowded"; calm && len(processes) != 1 {
				t.Errorf("%d processes for what one can do", len(processes))
			}
		})
	}
}

// An interruption ends all networks of a process; none of them leaves a record, and the next run has them all.
func TestInterruptedTogether(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	s := parse(t, "name: test\nseed: 7\nprotocols: [published]\ndatasets: [waves]\nfolds: 2\nmethods:\n  - {method: network, params: {mode: patient}}\n  - method: network\n")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	started := time.Now()
	o := onDevice(t, ctx, planned(t, s, lib, dir, plan.Options{}), lib, dir, 3)
	if time.Since(started) > 7*time.Second || o != (Counts{OK: 2, Left: 2}) || len(records(t, dir)) != 2 {
		t.Errorf("outcome %+v with %d records after %v", o, len(records(t, dir)), time.Since(started))
	}
	if left := len(planned(t, s, lib, dir, plan.Options{}).Jobs()); left != 2 {
		t.Errorf("%d jobs to do, want 2", left)
	}
}
