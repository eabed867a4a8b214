// Package experiment is what the programs under experiments/ have in common: their flags, the way from a sweep to records,
// and their exit codes.
package experiment

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/program"
	"nptbench/internal/run"
	"nptbench/internal/split"
	"nptbench/npt"
)

// Options are the flags that experiments share.
type Options struct {
	Sweep    string
	Data     string
	Out      string
	With     []string // more folders of records, which are only read
	Filter   run.Filter
	Jobs     int
	Networks int // on a GPU
	Backend  string
	DryRun   bool
	FailFast bool
	Retry    bool

	KeepModels bool

	ReportOnly bool
}

// RecordFolders lists where records are read from; they are written to the first.
func (o *Options) RecordFolders() []string {
	return append([]string{filepath.Join(o.Out, "records")}, o.With...)
}

// Parse reads the flags of the named program. Errors have one line; it is flag.ErrHelp when help was asked for and printed.
func Parse(name, about, sweep string, e program.Env, methods []*method.Method) (*Options, error) {
	o := &Options{}
	fs := program.NewFlags(name, about)
	fs.More = func(w io.Writer) { describe(w, methods) }
	fs.StringVar(&o.Sweep, "sweep", sweep, "sweep `file`, or the bare name of a built-in one")
	data := fs.Data()
	fs.StringVar(&o.Out, "out", "out/"+name, "`folder` for records and reports")
	with := fs.List("with", "more folders of records to use, a `list` with commas; results/published has ours")
	datasets := fs.List("datasets", "run only these data sets of the sweep, a `list` with commas")
	only := fs.List("methods", "run only these methods of the sweep, a `list` with commas")
	protocol := fs.Choice("protocol", "", "`name` of a protocol, published, corrected or both, instead of what the sweep says", "published", "corrected", "both")
	fs.IntVar(&o.Jobs, "jobs", runtime.NumCPU(), "fits that run at the same time, each in a process of its own")
	fs.IntVar(&o.Networks, "networks", 1, "networks that train at the same time on a GPU, in one process, beside the fits of -jobs; 2 or more only where one leaves the GPU idle")
	fs.StringVar(&o.Backend, "backend", "auto", "where networks run: auto, fused, go, xla:cpu, xla:cuda or xla:PLUGIN; auto is $GOMLX_BACKEND, else xla:cuda if there is a GPU and that is installed, else fused")
	fs.BoolVar(&o.DryRun, "dry-run", false, "show what there is to do and do nothing")
	fs.BoolVar(&o.ReportOnly, "report-only", false, "run nothing, write the report of the records there are")
	fs.BoolVar(&o.FailFast, "fail-fast", false, "stop at the first failure")
	fs.BoolVar(&o.Retry, "retry-failed", false, "run again the cells whose record is a failure")
	fs.BoolVar(&o.KeepModels, "keep-models", false, "keep the fitted boosted trees in the folder models of -out, for the program score")
	if err := fs.Parse(e); err != nil {
		return nil, err
	}
	o.Data, o.With = *data, *with
	for _, dir := range o.With {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("-with: %w", err)
		}
	}
	o.Filter = run.Filter{Datasets: *datasets, Methods: *only}
	switch *protocol {
	case "":
	case "both":
		o.Filter.Protocols = split.Protocols
	default:
		o.Filter.Protocols = []split.Protocol{split.Protocol(*protocol)}
	}
	if o.Jobs < 1 {
		return nil, fmt.Errorf("-jobs %d: at least 1 fit must run at a time", o.Jobs)
	}
	if o.Networks < 1 {
		return nil, fmt.Errorf("-networks %d: at least 1 network must train at a time", o.Networks)
	}
	if o.Backend != "auto" {
		if _, err := npt.ResolveBackend(o.Backend); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// describe prints the data sets, and the methods with their parameters.
func describe(w io.Writer, methods []*method.Method) {
	fmt.Fprint(w, "\nData sets: ")
	for i, info := range dataset.Infos() {
		if i > 0 {
			fmt.Fprint(w, ", ")
		}
		fmt.Fprint(w, info.Name)
	}
	fmt.Fprintln(w, "\n\nMethods and their parameters, as sweep files name them:")
	for _, m := range methods {
		fmt.Fprintf(w, "\n  %s (%s): %s\n", m.Name, m.Title, m.Doc)
		for i := range m.Params {
			p := &m.Params[i]
			fmt.Fprintf(w, "    %-20s %s [%s, default %v]\n", p.Name, p.Doc, p.Allowed(dataset.Binary), p.Default)
			if p.RegressionChoices != nil {
				fmt.Fprintf(w, "    %-20s for regression: [%s, default %v]\n", "", p.Allowed(dataset.Regression), p.RegressionDefault)
			}
		}
	}
}
