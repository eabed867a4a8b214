package experiment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/program"
	"nptbench/internal/run"
	"nptbench/npt"
	"nptbench/results"
	"nptbench/sweeps"
)

// Plan reads which cells have records, plans the rest, and says on standard error what is damaged or cannot be run here.
func Plan(sweep *sweeps.Sweep, o *Options, e program.Env) (*run.Plan, error) {
	index, damages, err := results.ReadIndex(o.RecordFolders()...)
	if err != nil {
		return nil, err
	}
	for _, d := range damages {
		fmt.Fprintln(e.Stderr, d)
	}
	plan, err := run.NewPlan(sweep, run.PlanOptions{Filter: o.Filter, Retry: o.Retry, ReportOnly: o.ReportOnly}, library(o, e), index)
	if err != nil {
		return nil, err
	}
	for _, line := range plan.LeftOut() {
		fmt.Fprintln(e.Stderr, line)
	}
	for _, s := range plan.Subsets {
		fmt.Fprintln(e.Stderr, s)
	}
	return plan, nil
}

func library(o *Options, e program.Env) *dataset.Library {
	lib := dataset.NewLibrary(o.Data)
	lib.Log = e.Stderr
	return lib
}

// Execute runs a plan, unless only a report is wanted, and says how it went.
func Execute(ctx context.Context, plan *run.Plan, o *Options, e program.Env) (exit int, err error) {
	fmt.Fprintf(e.Stderr, "%s: %d cells, %d to do\n", plan.Sweep.Name, plan.Cells(), plan.ToDo())
	if o.ReportOnly {
		return program.ExitOK, nil
	}
	backend := ""
	if plan.Networks() {
		backend, err = chooseBackend(ctx, o, e)
		if ctx.Err() != nil {
			return program.ExitInterrupted, nil
		}
		if err != nil {
			return program.ExitBadInput, err
		}
	}
	writer := results.NewWriter(o.RecordFolders()[0])
	networks := 0
	if npt.Accelerated(backend) {
		networks = o.Networks
	}
	progress := run.NewProgress(e.Stderr, e.Terminal, plan, o.Jobs, networks)
	settings := run.Options{
		Library: library(o, e), Records: writer, Folders: o.RecordFolders(), Jobs: o.Jobs, FailFast: o.FailFast, Progress: progress,
		Checkpoints: filepath.Join(o.Out, "checkpoints"), Backend: backend, Networks: networks,
	}
	if o.KeepModels {
		settings.Models = filepath.Join(o.Out, "models")
		if done := plan.Cells() - plan.ToDo(); done > 0 {
			fmt.Fprintf(e.Stderr, "-keep-models: %d cells have records and are not fitted again; their models are there only if they were kept then\n", done)
		}
	}
	outcome, err := run.Execute(ctx, plan, settings)
	os.Remove(settings.Checkpoints) // when nothing is left in it
	progress.Close()
	if closed := writer.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return program.ExitFailed, err
	}
	fmt.Fprintf(e.Stderr, "%d cells done, %d failed", outcome.OK, outcome.Failed)
	if outcome.TakenOver > 0 {
		fmt.Fprintf(e.Stderr, " (%d of the same tasks under the other protocol, taken over)", outcome.TakenOver)
	}
	if outcome.Left > 0 {
		fmt.Fprintf(e.Stderr, ", %d left: the same command goes on from here", outcome.Left)
	}
	fmt.Fprintln(e.Stderr)
	switch {
	case ctx.Err() != nil:
		return program.ExitInterrupted, nil
	case outcome.Failed+outcome.Left+plan.FailedBefore() > 0, slices.ContainsFunc(plan.Skipped, func(s run.Skip) bool { return !s.Extra }):
		return program.ExitFailed, nil
	}
	return program.ExitOK, nil
}
