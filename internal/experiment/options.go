// Package experiment is what the programs under experiments/ have in common: their flags, the way from a sweep to records,
// and their exit codes.
package experiment

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/run"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
	"nptbench/npt"
)

// Exit codes of every experiment.
const (
	ExitOK          = 0
	ExitFailed      = 1   // some cells failed, or could not be run because data or a program is missing
	ExitBadInput    = 2   // nothing was run
	ExitInterrupted = 130 // everything finished was kept
)

// Env is all that an experiment touches besides files.
type Env struct {
	Args           []string // without the program's name
	Stdout, Stderr io.Writer
	Terminal       bool // Stderr is one: progress may redraw a line
	Color          bool // Stdout is one
}

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

// ErrHelp says that the user asked for help and was given it.
var ErrHelp = flag.ErrHelp

// Parse reads the flags of the named program. Errors have one line.
func Parse(program, about, sweep string, e Env, methods []*method.Method) (*Options, error) {
	o := &Options{}
	fs := flag.NewFlagSet(program, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are the caller's to print, once
	fs.StringVar(&o.Sweep, "sweep", sweep, "sweep `file`, or the bare name of a built-in one")
	fs.StringVar(&o.Data, "data", "", "`folder` with the data sets (default $NPT_DATA_DIR, else ./data, else ../shared/data)")
	fs.StringVar(&o.Out, "out", "out/"+program, "`folder` for records and reports")
	with := fs.String("with", "", "more folders of records to use, a `list` with commas; results/published has ours")
	datasets := fs.String("datasets", "", "run only these data sets of the sweep, a `list` with commas")
	only := fs.String("methods", "", "run only these methods of the sweep, a `list` with commas")
	protocol := fs.String("protocol", "", "published, corrected or both, instead of what the sweep says")
	fs.IntVar(&o.Jobs, "jobs", runtime.NumCPU(), "fits that run at the same time, each in a process of its own")
	fs.IntVar(&o.Networks, "networks", 1, "networks that train at the same time on a GPU, in one process, beside the fits of -jobs; 2 or more only where one leaves the GPU idle")
	fs.StringVar(&o.Backend, "backend", "auto", "where networks run: auto, fused, go, xla:cpu, xla:cuda or xla:PLUGIN; auto is $GOMLX_BACKEND, else xla:cuda if there is a GPU and that is installed, else fused")
	fs.BoolVar(&o.DryRun, "dry-run", false, "show what there is to do and do nothing")
	fs.BoolVar(&o.ReportOnly, "report-only", false, "run nothing, write the report of the records there are")
	fs.BoolVar(&o.FailFast, "fail-fast", false, "stop at the first failure")
	fs.BoolVar(&o.Retry, "retry-failed", false, "run again the cells whose record is a failure")
	fs.BoolVar(&o.KeepModels, "keep-models", false, "keep the fitted boosted trees in the folder models of -out, for the program score")
	err := fs.Parse(e.Args)
	if errors.Is(err, flag.ErrHelp) {
		help(e.Stdout, fs, program, about, methods)
		return nil, ErrHelp
	}
	if err != nil {
		return nil, fmt.Errorf("%w; %s -help lists the flags", err, program)
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("%q is not a flag; %s -help lists them", fs.Arg(0), program)
	}
	o.With = list(*with)
	for _, dir := range o.With {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("-with: %w", err)
		}
	}
	o.Filter = run.Filter{Datasets: list(*datasets), Methods: list(*only)}
	if o.Filter.Protocols, err = protocols(*protocol); err != nil {
		return nil, err
	}
	if o.Jobs < 1 {
		return nil, fmt.Errorf("-jobs %d: at least 1 fit must run at a time", o.Jobs)
	}
	if o.Networks < 1 {
		return nil, fmt.Errorf("-networks %d: at least 1 network must train at a time", o.Networks)
	}
	if o.Backend != "auto" {
		_, err = npt.ResolveBackend(o.Backend)
	}
	return o, err
}

func list(s string) []string {
	var out []string
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	return out
}

func protocols(s string) ([]string, error) {
	switch s {
	case "":
		return nil, nil
	case "both":
		return []string{string(split.Published), string(split.Corrected)}, nil
	case string(split.Published), string(split.Corrected):
		return []string{s}, nil
	}
	return nil, fmt.Errorf("-protocol %q: want published, corrected or both%s", s, didYouMean(s, "published", "corrected", "both"))
}

func didYouMean(s string, candidates ...string) string {
	if n := spelling.Nearest(s, candidates); n != "" {
		return fmt.Sprintf(" (did you mean %q?)", n)
	}
	return ""
}

// help prints the flags, the data sets, and the methods with their parameters.
func help(w io.Writer, fs *flag.FlagSet, program, about string, methods []*method.Method) {
	fmt.Fprintf(w, "%s: %s\n\nFlags:\n", program, about)
	fs.SetOutput(w)
	fs.PrintDefaults()
	fmt.Fprintf(w, "\nExit codes: %d all cells done; %d some failed or could not be run; %d bad input; %d interrupted, what is finished is kept.\n",
		ExitOK, ExitFailed, ExitBadInput, ExitInterrupted)
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
