// Table1 reproduces the paper's Tables 1 and 8 to 12: NPT against the baselines on ten tables.
//
// It reads a sweep, runs the cells that have no record yet, and writes the tables, each number beside the paper's.
package main

import (
	"context"
	"errors"
	"path/filepath"

	"nptbench/internal/dataset"
	"nptbench/internal/experiment"
	"nptbench/internal/methods"
	"nptbench/internal/program"
	"nptbench/report"
	"nptbench/results"
	"nptbench/sweeps"
)

const about = "reproduces the paper's Tables 1 and 8 to 12, each number beside the paper's"

func main() { experiment.Main(methods.All(), table1) }

func table1(ctx context.Context, e program.Env) (exit int, err error) {
	all := methods.All()
	o, err := experiment.Parse("table1", about, "table1-quick", e, all)
	if err != nil {
		return program.ExitBadInput, err
	}
	sweep, err := sweeps.Load(o.Sweep, sweeps.Catalogue{Methods: all, Datasets: dataset.Infos()})
	if err != nil {
		return program.ExitBadInput, err
	}
	plan, err := experiment.Plan(sweep, o, e)
	if err != nil {
		return program.ExitBadInput, err
	}
	if plan.Cells() == 0 {
		return program.ExitFailed, errors.New("nothing of the sweep can be run here")
	}
	if o.DryRun {
		return program.ExitOK, plan.Print(e.Stdout)
	}
	exit, err = experiment.Execute(ctx, plan, o, e)
	if err != nil || exit == program.ExitInterrupted {
		return exit, err
	}
	summary, err := report.Collect(results.Read(o.RecordFolders()...), experiment.ReportPlan("Table 1", plan, all))
	if err != nil {
		return program.ExitFailed, err
	}
	if err := summary.Write(filepath.Join(o.Out, "report")); err != nil {
		return program.ExitFailed, err
	}
	return exit, summary.Print(e.Stdout, e.Color)
}
