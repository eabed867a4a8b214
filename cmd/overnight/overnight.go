// Overnight does long work on one machine while nobody needs it: sweeps in order of value, one fit at a time on all cores where there
// are networks to train and else a fit on each, until its hours are over. Whatever ends it, the same command goes on from there.
//
//	go run ./cmd/overnight [-hours 8] [-out DIR] [-plan] [SWEEP ...]
//
// Each sweep has a folder of its own below DIR, with records, checkpoints and a report; DIR/log has a line for each finished
// fit. `make overnight` runs it at the lowest priority, `make overnight-merge` takes its records over into results/published.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"nptbench/internal/experiment"
	"nptbench/internal/plan"
	"nptbench/internal/program"
)

const about = `Runs sweeps one after the other until its hours are over, one fit at a time on all cores where there are networks to train and else a fit on each core, and goes on from there the next time.`

// inOrderOfValue are the sweeps that are run when none is named.
var inOrderOfValue = []string{"npt-boston", "npt-narrow", "yacht-self-only", "npt-width", "mlp-large", "npt-variants", "npt-base"}

// mostHours is how many a time.Duration holds.
const mostHours = float64(math.MaxInt64 / time.Hour)

func main() {
	experiment.ServeProcess()
	program.Main(run)
}

func run(ctx context.Context, e program.Env) (exit int, err error) {
	f := program.NewFlags("overnight", about, "[-hours 8] [-out DIR] [-data DIR] [-plan] [SWEEP ...]")
	f.Arguments = true
	hours := f.Float64("hours", 8, "stop after so many hours; a training that is cut short leaves a checkpoint")
	out := f.String("out", filepath.Join("out", "overnight"), "`folder` for records, checkpoints, reports and the log")
	only := f.Bool("plan", false, "show what there is to do and do nothing")
	data := f.Data()
	if err := f.Parse(e); err != nil {
		return program.ExitBadInput, err
	}
	if !(*hours > 0 && *hours <= mostHours) {
		return program.ExitBadInput, f.Errorf("-hours %g: want more than 0, and at most %.0f", *hours, mostHours)
	}
	if *out == "" {
		return program.ExitBadInput, f.Errorf("-out: want the name of a folder for records, checkpoints, reports and the log")
	}
	sweeps := f.Args()
	if len(sweeps) == 0 {
		sweeps = inOrderOfValue
	}
	name := func(sweep string) string { return strings.TrimSuffix(filepath.Base(sweep), ".yaml") }
	for i, sweep := range sweeps {
		if slices.ContainsFunc(sweeps[:i], func(other string) bool { return name(other) == name(sweep) }) {
			return program.ExitBadInput, f.Errorf("two sweeps are called %s: their results would be in one folder", name(sweep))
		}
	}
	with := []string{"-with", experiment.Published} // whose cells are not run again
	if _, err := os.Stat(experiment.Published); err != nil {
		fmt.Fprintf(e.Stderr, "no %s here: what its records have is done again\n", experiment.Published)
		with = nil
	}
	args := func(sweep string, more ...string) program.Env {
		e := e
		e.Args = slices.Concat([]string{"-sweep", sweep, "-out", filepath.Join(*out, name(sweep)), "-data", *data}, with, more)
		return e
	}
	jobs := map[string]string{} // by sweep
	for _, sweep := range sweeps {
		p, estimate, err := experiment.Plan(ctx, args(sweep, "-dry-run"), spec)
		if err != nil {
			return program.ExitBadInput, err
		}
		jobs[sweep] = strconv.Itoa(runtime.GOMAXPROCS(0))
		if slices.ContainsFunc(p.Groups(), func(g *plan.Group) bool { return g.Method.Network && p.Count(g).ToDo > 0 }) {
			jobs[sweep] = "1"
		}
		n := p.Count(p.Groups()...)
		fmt.Fprintf(e.Stdout, "%s: %d of %d cells to do, about %s\n", sweep, n.ToDo, n.Cells, p.Time(estimate, runtime.GOMAXPROCS(0)))
	}
	if *only {
		return program.ExitOK, nil
	}
	unlock, err := experiment.Lock(*out, e.Stderr)
	if err != nil {
		return program.ExitBadInput, err
	}
	defer unlock()
	over := fmt.Errorf("the %g hours are over", *hours)
	night, cancel := context.WithTimeoutCause(ctx, time.Duration(*hours*float64(time.Hour)), over)
	defer cancel()
	for _, sweep := range sweeps {
		code, err := experiment.Run(night, args(sweep, "-fetch", "-jobs", jobs[sweep], "-log", filepath.Join(*out, "log")), spec)
		switch {
		case errors.Is(context.Cause(night), over):
			if err != nil && !errors.Is(err, night.Err()) {
				fmt.Fprintf(e.Stderr, "%s: %v\n", sweep, err)
				exit = program.ExitFailed
			}
			fmt.Fprintf(e.Stderr, "%v: the same command goes on from here\n", over)
			if p, _, err := experiment.Plan(ctx, args(sweep, "-dry-run"), spec); err == nil && p.Count(p.Groups()...).Failed > 0 {
				exit = program.ExitFailed
			}
			return exit, nil
		case ctx.Err() != nil:
			return program.ExitInterrupted, ctx.Err()
		case err != nil: // the others may be spared what befell this one
			fmt.Fprintf(e.Stderr, "%s: %v\n", sweep, err)
		}
		if code == program.ExitBadInput { // of one sweep, beside others that ran
			code = program.ExitFailed
		}
		exit = max(exit, code)
	}
	return exit, nil
}

var spec = experiment.Spec{Name: "overnight", About: about, Title: "Long runs"}
