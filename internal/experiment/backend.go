package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"nptbench/internal/backends"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/program"
	"nptbench/internal/subprocess"
)

// chooseBackend returns where networks run, and says so of them on standard error, also why it is not a better one. The error is
// about a backend that was asked for by name.
func chooseBackend(ctx context.Context, asked, networks string, e program.Env) (name string, err error) {
	name, reason := backends.Resolve(asked)
	if name == "" {
		return "", reason
	}
	if method.Accelerated(name) {
		err := probe(ctx, name)
		if ctx.Err() != nil { // an interrupt ends the probe, too
			return "", ctx.Err()
		}
		if err != nil && !backends.Automatic(asked) {
			return "", fmt.Errorf("%w; -backend %s runs networks on the processor", err, backends.Processor)
		}
		if err != nil {
			name, reason = backends.Processor, err
		}
	}
	if reason != nil {
		fmt.Fprintln(e.Stderr, reason)
	}
	device := "processor"
	if method.Accelerated(name) {
		device = "GPU"
	}
	fmt.Fprintf(e.Stderr, "%s: on the %s (backend %s)\n", networks, device, name)
	return name, nil
}

// onGPU reports whether networks are meant to run on a GPU, here or on a cluster's nodes, whatever its login node has.
func (o *options) onGPU() bool {
	if o.Slurm && backends.Automatic(o.Backend) {
		return len(o.GPU) > 0
	}
	name, _ := backends.Resolve(o.Backend)
	return method.Accelerated(name)
}

// checkNamed returns an error if there are networks to run and the backend that was asked for by name is none, or cannot run them.
// It opens no GPU: that may be on another machine than the plan's.
func checkNamed(p *plan.Plan, asked string) error {
	if backends.Automatic(asked) || networks(p) == nil {
		return nil
	}
	name, err := backends.Resolve(asked)
	if err != nil {
		return err
	}
	return checkBackend(p, name)
}

// networks are the titles of the methods that are networks and have something to do.
func networks(p *plan.Plan) (titles []string) {
	for _, g := range p.Groups() {
		if g.Method.Network && p.Count(g).ToDo > 0 && !slices.Contains(titles, g.Method.Title) {
			titles = append(titles, g.Method.Title)
		}
	}
	return titles
}

// checkBackend returns an error if there is a configuration to run that the backend cannot.
func checkBackend(p *plan.Plan, backend string) error {
	for _, g := range p.Groups() {
		if g.Method.CheckBackend == nil {
			continue
		}
		for s := range p.ToDo(g) {
			if err := g.Method.CheckBackend(s.Canonical, backend); err != nil {
				return err
			}
		}
	}
	return nil
}

// probeVariable is set in the environment of a process that is to open a backend and nothing else.
const probeVariable = "NPTBENCH_PROBE"

// probe has another process open a backend with a device of its own, whose memory this process must leave to its workers.
// Without it, a GPU that cannot be used would turn up as the failure of every cell.
func probe(ctx context.Context, backend string) error {
	self, err := subprocess.Self()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), probeVariable+"="+backend)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	if err == nil {
		return nil
	}
	for line := range strings.Lines(stderr.String()) {
		if strings.HasPrefix(line, "backend ") { // others may be XLA's
			return errors.New(strings.TrimSpace(line))
		}
	}
	return fmt.Errorf("backend %s: the process that tried it: %w", backend, err)
}
