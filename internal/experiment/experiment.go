// Package experiment is what the programs under experiments/ have in common: an experiment is a Spec, and Run does it. It reads
// a sweep, plans its cells (internal/plan), runs those that have no record (internal/run), and writes the report (report).
package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"nptbench/internal/backends"
	"nptbench/internal/dataset"
	"nptbench/internal/machine"
	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/methods"
	"nptbench/internal/plan"
	"nptbench/internal/program"
	"nptbench/internal/run"
	"nptbench/internal/slurm"
	"nptbench/internal/spelling"
	"nptbench/internal/terminal"
	"nptbench/report"
	"nptbench/results"
	"nptbench/sweeps"
)

// A Spec says what an experiment is.
type Spec struct {
	Name  string // of the program
	About string // in a line, for -help
	Sweep string // the built-in sweep that is run unless a flag names another
	Title string // of the report

	// Recorded: nothing is run, the report is of the records that there are, and says what the rest would take.
	Recorded bool

	// Of the report, see report.Spec.
	Says   string
	Series []string
	Chosen string
	Tables []report.Layout
	Claims []report.Claim
	Curves bool
	Setup  string // a built-in sweep: the paper's own; empty: no appendix
}

// Run does an experiment as the command line says.
func Run(ctx context.Context, e program.Env, s Spec) (exit int, err error) {
	o, sweep, err := s.load(e)
	if err != nil {
		return program.ExitBadInput, err
	}
	if o.Cancel {
		arrays, err := slurm.Cancel(ctx, o.slurmFolder())
		if err == nil {
			fmt.Fprintf(e.Stderr, "ended the tasks of %s in %s; what is recorded is kept\n", spelling.Count(arrays, "submission"), o.slurmFolder())
		}
		return program.ExitOK, err
	}
	if !o.DryRun && !o.ReportOnly && !o.Slurm { // before it is read what is done; several may watch the tasks of Slurm
		if err := o.checkNames(ctx, sweep); err != nil {
			return program.ExitBadInput, err
		}
		unlock, err := Lock(o.Out, e.Stderr)
		if err != nil {
			return program.ExitBadInput, err
		}
		defer unlock()
	}
	var log io.Writer // opened before anything is planned or downloaded, which may take long
	if o.Log != "" && !o.DryRun && !o.ReportOnly {
		if err := os.MkdirAll(o.Out, 0o777); err != nil { // where the log may be
			return program.ExitBadInput, fmt.Errorf("-out: %w", err)
		}
		file, err := os.OpenFile(o.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			return program.ExitBadInput, fmt.Errorf("-log: %w", err)
		}
		defer file.Close()
		log = file
	}
	p, store, err := o.plan(ctx, e, sweep)
	if err != nil {
		return program.ExitBadInput, err
	}
	asked, err := o.asked(s, p)
	if err != nil {
		return program.ExitFailed, err
	}
	if err := report.Check(asked); err != nil {
		return program.ExitBadInput, err
	}
	n := p.Count(p.Groups()...)
	switch {
	case o.DryRun:
		if err := checkNamed(p, o.Backend); err != nil {
			return program.ExitBadInput, err
		}
		estimate, from, err := o.estimate(ctx, p, store)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return program.ExitFailed, err
		}
		return program.ExitOK, p.Print(e.Stdout, estimate, from, runtime.GOMAXPROCS(0), memoryOfFit(p))
	case o.ReportOnly && n.Done == 0:
		others := ""
		if n := len(store.Index()); n > 0 {
			others = fmt.Sprintf(": what is there, %s, is of other settings or seeds, or of data or commands that have changed since or are not there", spelling.Count(n, "record"))
		}
		return program.ExitBadInput, fmt.Errorf("no records of sweep %s in %s%s", p.Sweep.Name, strings.Join(o.recordFolders(), ", "), others)
	case n.ToDo+n.Done == 0:
		return program.ExitFailed, errors.New("nothing of the sweep can be run here")
	}
	for _, dir := range []string{o.recordFolders()[0], o.Report} {
		if err := makeWritable(dir); err != nil && o.ReportOnly {
			return program.ExitBadInput, fmt.Errorf("-out: %w; a report of its records is written elsewhere by -out FOLDER -with %s", err, o.Out)
		} else if err != nil {
			return program.ExitBadInput, fmt.Errorf("-out: %w", err)
		}
	}
	fmt.Fprintf(e.Stderr, "%s: %d cells, %d to do\n", p.Sweep.Name, n.Cells, n.ToDo)
	recorded := n.Done
	if !o.ReportOnly {
		counts, code, err := o.execute(ctx, e, p, store, log)
		if err != nil || code == program.ExitInterrupted {
			return code, err
		}
		exit, recorded = code, recorded+counts.OK+counts.Failed
		if store, err = results.Open(ctx, o.recordFolders()...); err != nil {
			return program.ExitFailed, err
		}
	}
	if s.Recorded {
		asked.Estimate = estimateFrom(ctx, p, store)
	}
	if err := o.report(ctx, e, asked, store, recorded); err != nil {
		return program.ExitFailed, err
	}
	return exit, nil
}

// memoryOfFit is how much memory a fit may have: the sweep's budget, or what this machine has, or its control groups allow.
func memoryOfFit(p *plan.Plan) int64 {
	if budget := p.Sweep.Budget.Memory; budget > 0 {
		return budget
	}
	if total := machine.TotalMemory(); total > 0 {
		return total
	}
	return math.MaxInt64
}

// makeWritable makes a folder, if it is not there, and makes sure that files can be written to it.
func makeWritable(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".writable-")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// asked is the report of a plan.
func (o *options) asked(s Spec, p *plan.Plan) (asked report.Spec, err error) {
	asked = report.Spec{
		Name: s.Name, Title: s.Title, Says: s.Says, Plan: p, Series: slices.Concat(s.Series, o.Rows), Chosen: s.Chosen, Tables: s.Tables, Claims: s.Claims,
		Curves: s.Curves, Methods: methods.All(),
	}
	if s.Setup != "" {
		asked.Setup, err = sweeps.Load(s.Setup, sweeps.Catalogue{Methods: asked.Methods, Datasets: dataset.Infos()})
	}
	return asked, err
}

// report writes and prints what the records come to. It is an error if there are fewer than are known to have been written.
func (o *options) report(ctx context.Context, e program.Env, asked report.Spec, store *results.Store, recorded int) error {
	summary, err := report.Collect(until(ctx, store.Records()), asked)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	unwritten := summary.Write(o.Report) // for want of space, say: what there is is printed all the same
	if err := cmp.Or(summary.Print(e.Stdout, e.Width, e.Color), unwritten); err != nil {
		return err
	}
	where := fmt.Sprintf("The report, for a browser: %s.html. Beside it: summary.md, what came out on a page; %[2]s.md and %[2]s.tex, the report again; "+
		"cells.csv and folds.csv, all numbers.", filepath.Join(o.Report, asked.Name), asked.Name)
	fmt.Fprintf(e.Stderr, "\n%s\n", terminal.Wrap(where, "", e.Width))
	if summary.Records < recorded {
		return fmt.Errorf("records are lost: there were %d, and the report found %d in %s", recorded, summary.Records, strings.Join(o.recordFolders(), ", "))
	}
	return nil
}

// Plan plans an experiment as the command line says, and estimates how long its cells take.
func Plan(ctx context.Context, e program.Env, s Spec) (*plan.Plan, *plan.Estimate, error) {
	o, sweep, err := s.load(e)
	if err != nil {
		return nil, nil, err
	}
	p, store, err := o.plan(ctx, e, sweep)
	if err != nil {
		return nil, nil, err
	}
	estimate, _, err := o.estimate(ctx, p, store)
	return p, estimate, cmp.Or(err, ctx.Err())
}

// load reads the command line and the sweep.
func (s Spec) load(e program.Env) (*options, *sweeps.Sweep, error) {
	all := methods.All()
	o, err := parse(s, e, all)
	if err != nil {
		return nil, nil, err
	}
	lib := o.library(e)
	datasets := lib.Infos()
	sweep, err := sweeps.Load(o.Sweep, sweeps.Catalogue{Methods: all, Datasets: datasets, Folders: lib.Dirs, Measurements: measure.All()})
	if err != nil {
		return nil, nil, err
	}
	if o.Seed != nil {
		sweep.Seed = *o.Seed
	}
	folder := "report"
	if o.Out == "" {
		o.Out = filepath.Join("out", sweep.Name)
		if s.Recorded { // beside the report of the run
			folder += "-" + s.Name
		}
	}
	o.Report = filepath.Join(o.Out, folder)
	return o, sweep, nil
}

// estimateFrom learns from records how long cells take.
func estimateFrom(ctx context.Context, p *plan.Plan, store *results.Store) *plan.Estimate {
	return p.Estimate(until(ctx, store.Records()))
}

// Published is the folder of our own records, in the repository, and gpuRecords that of networks that a GPU trained.
const (
	Published  = "results/published"
	gpuRecords = "results/published/gpu"
)

// estimate is an estimate from the records, and where those say nothing from the published ones, if they are there. It also names the
// folders.
func (o *options) estimate(ctx context.Context, p *plan.Plan, store *results.Store) (e *plan.Estimate, from string, err error) {
	e, from = estimateFrom(ctx, p, store), strings.Join(o.recordFolders(), ", ")
	if _, err := os.Stat(Published); err != nil || p.Known(e) {
		return e, from, nil
	}
	folders := []string{Published}
	if p.OnGPU {
		folders = []string{gpuRecords, Published}
	}
	folders = slices.DeleteFunc(folders, func(folder string) bool { return slices.Contains(o.recordFolders(), folder) })
	if len(folders) == 0 {
		return e, from, nil
	}
	last := e
	for _, folder := range folders { // one by one: they have cells in common
		published, err := results.Open(ctx, folder)
		if err != nil {
			return nil, "", err
		}
		last.Else = estimateFrom(ctx, p, published)
		last = last.Else
	}
	return e, from + ", else " + strings.Join(folders, ", ") + " (other machines)", nil
}

// until ends a sequence when ctx does.
func until(ctx context.Context, records iter.Seq2[*results.Record, error]) iter.Seq2[*results.Record, error] {
	return func(yield func(*results.Record, error) bool) {
		for r, err := range records {
			if ctx.Err() != nil || !yield(r, err) {
				return
			}
		}
	}
}

// plan reads which records there are, plans the cells that have none, and says on standard error what is damaged or cannot be run here, and
// which programs may have changed.
func (o *options) plan(ctx context.Context, e program.Env, s *sweeps.Sweep) (*plan.Plan, *results.Store, error) {
	store, err := results.Open(ctx, o.recordFolders()...)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range store.Damages {
		fmt.Fprintf(e.Stderr, "%v; skipped\n", d)
	}
	if store.Conflict != nil {
		fmt.Fprintln(e.Stderr, store.Conflict)
	}
	for _, i := range store.Imports {
		if err := s.Import(method.Imported(i.Method, i.Title, results.ImportedParam), i.Datasets); err != nil {
			return nil, nil, err
		}
	}
	p, err := plan.New(ctx, s, o.Plan, o.library(e), store.Index())
	if err != nil {
		return nil, nil, err
	}
	p.OnGPU = !o.ReportOnly && o.onGPU()
	lines := p.WhyLeftOut()
	if !o.ReportOnly {
		lines = append(lines, p.Unseen()...)
	}
	for _, line := range lines {
		if e.Terminal { // elsewhere a line is one for who looks for it
			line = terminal.Wrap(line, "  ", e.Width)
		}
		fmt.Fprintln(e.Stderr, line)
	}
	for _, d := range p.Datasets {
		if d.Subset != "" {
			fmt.Fprintf(e.Stderr, "%s: %s\n", d.Info.Name, d.Subset)
		}
	}
	return p, store, nil
}

// checkNames refuses -datasets and -methods of which the sweep knows nothing, before a folder is made. Methods that were imported are
// known by their records only: of those the plan knows more.
func (o *options) checkNames(ctx context.Context, s *sweeps.Sweep) error {
	err := o.Plan.Check(s)
	if err == nil {
		return nil
	}
	store, openErr := results.Open(ctx, o.recordFolders()...)
	if openErr != nil {
		return openErr
	}
	if slices.ContainsFunc(store.Imports, func(i results.Import) bool { return slices.Contains(o.Plan.Methods, i.Method) }) {
		return nil
	}
	return err
}

// recordFolders lists where records are read from; they are written to the first.
func (o *options) recordFolders() []string {
	return append([]string{filepath.Join(o.Out, "records")}, o.With...)
}

// slurmFolder is where tasks of Slurm find what they are to do.
func (o *options) slurmFolder() string { return filepath.Join(o.Out, "slurm") }

func (o *options) library(e program.Env) *dataset.Library {
	lib := dataset.NewLibrary(o.Data)
	lib.Log, lib.Terminal = e.Stderr, e.Terminal
	lib.Download = o.Fetch && !o.DryRun && !o.ReportOnly
	return lib
}

// Main is the main function of an experiment. Its binary is also that of the processes that it starts.
func Main(s Spec) {
	ServeProcess()
	program.Main(func(ctx context.Context, e program.Env) (int, error) { return Run(ctx, e, s) })
}

// ServeProcess does what this process was started for, and exits, if an experiment has started it. It comes first in main.
func ServeProcess() {
	var err error
	switch backend := os.Getenv(probeVariable); {
	case run.IsWorker():
		run.Serve(methods.All(), measure.All())
	case slurm.IsTask():
		err = slurm.Serve(methods.All(), func(ctx context.Context, asked string) (string, error) {
			return chooseBackend(ctx, asked, "networks", program.Env{Stderr: os.Stderr})
		})
	case backend != "":
		err = backends.Try(backend)
	default:
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(program.ExitFailed)
	}
	os.Exit(program.ExitOK)
}
