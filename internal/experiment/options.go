package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"nptbench/internal/backends"
	"nptbench/internal/dataset"
	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/program"
	"nptbench/internal/split"
	"nptbench/internal/terminal"
	"nptbench/results"
)

// options are the flags of every experiment.
type options struct {
	Sweep      string
	Seed       *uint64 // nil: that of the sweep
	Plan       plan.Options
	ReportOnly bool
	DryRun     bool
	FailFast   bool
	KeepModels bool

	Data   string   // folder of the data sets
	Fetch  bool     // download what is missing
	Out    string   // folder for records and reports
	Report string   // folder of the report, in Out
	With   []string // more folders of records, which are only read
	Rows   []string // what else has rows of its own in the tables

	Log      string // file for a line about each finished fit; empty: none
	Jobs     int
	Networks int // on a GPU
	Backend  string

	Slurm    bool // the executor
	Cluster  []string
	GPU      []string // of the cluster: more arguments for networks
	TaskTime time.Duration
	Detach   bool
	Cancel   bool
}

// jobsPerCore bounds -jobs: each of those is a process, with a table in memory.
const jobsPerCore = 16

// parse reads the command line. Errors have one line; it is flag.ErrHelp when help was asked for and printed.
func parse(spec Spec, e program.Env, methods []*method.Method) (*options, error) {
	o := &options{}
	fs := program.NewFlags(spec.Name, spec.About)
	fs.More = func(w io.Writer) { describe(w, methods, e.Width) }
	fs.StringVar(&o.Sweep, "sweep", spec.Sweep, "sweep `file`, or the bare name of a built-in one")
	data := fs.Data()
	fs.BoolVar(&o.Fetch, "fetch", false, "download data sets that are missing before anything is run")
	fs.StringVar(&o.Out, "out", "", "`folder` for records and reports (default out/SWEEP)")
	with := fs.List("with", "more folders of records to use, a `list` with commas; results/published has ours")
	rows := &[]string{}
	if spec.Tables == nil { // else what has rows is a part of these
		rows = fs.List("rows", "variant or names of parameters, a `list` with commas, of which each value has a row of its own, as in an ablation (default: a method has one row, of what validation chooses in each fold)")
	}
	datasets := fs.List("datasets", "run only these data sets of the sweep, a `list` with commas; with -report-only show only these")
	only := fs.List("methods", "run only these methods of the sweep, a `list` with commas; with -report-only show only these")
	protocol := fs.Choice("protocol", "", "`name` of a protocol, published, corrected or both, instead of what the sweep says", "published", "corrected", "both")
	seed := fs.Uint64("seed", 0, "`number` that everything random is derived from, instead of the sweep's; records under other seeds count as repetitions in the report")
	fs.StringVar(&o.Log, "log", "", "`file` to add a line to for each finished fit")
	fs.IntVar(&o.Jobs, "jobs", runtime.GOMAXPROCS(0), "fits that run at the same time, each in a process of its own")
	fs.IntVar(&o.Networks, "networks", 1, "networks that train at the same time on a GPU, each in a process of its own, beside the fits of -jobs; 2 or 3 where one leaves the GPU idle and their memory has room")
	fs.StringVar(&o.Backend, "backend", "auto", "where networks run: auto, fused, fused,products=bfloat16, go, xla:cpu, xla:cuda or xla:PLUGIN; auto is $GOMLX_BACKEND, else xla:cuda if there is a GPU and that is installed, else fused")
	fs.BoolVar(&o.DryRun, "dry-run", false, "show what there is to do and do nothing")
	fs.BoolVar(&o.ReportOnly, "report-only", spec.Recorded, "run nothing, write the report of the records there are")
	fs.BoolVar(&o.FailFast, "fail-fast", false, "stop at the first failure")
	fs.BoolVar(&o.Plan.Retry, "retry-failed", false, "run again the cells whose record is a failure")
	fs.BoolVar(&o.KeepModels, "keep-models", false, "keep the fitted boosted trees, which the program score scores, and networks in the folder models of -out")
	executor := fs.Choice("executor", "local", "`who` does the fits: this machine, or Slurm, from its login node: -out, the data and the working directory must then be in a file system that all nodes mount", "local", "slurm")
	cluster := fs.String("slurm-args", "", "`arguments` for sbatch, with blanks between them: --partition=cpu --account=us --cpus-per-task=4")
	gpu := fs.String("slurm-gpu-args", "", "more `arguments` for sbatch, for tasks of networks: --partition=gpu --gres=gpu:1 (default: networks run where the rest does)")
	fs.DurationVar(&o.TaskTime, "slurm-task", 20*time.Minute, "how long a task of Slurm is to take: so many fits are packed into one")
	fs.BoolVar(&o.Detach, "detach", false, "with -executor slurm: return when everything is submitted; the same command shows later how it gets on")
	fs.BoolVar(&o.Cancel, "cancel", false, "with -executor slurm: end the tasks in Slurm, and do nothing else")
	if err := fs.Parse(e); err != nil {
		return nil, err
	}
	o.Slurm, o.Cluster, o.GPU = *executor == "slurm", strings.Fields(*cluster), strings.Fields(*gpu)
	for _, name := range []string{"slurm-args", "slurm-gpu-args", "slurm-task", "detach", "cancel"} {
		if fs.Given(name) && !o.Slurm {
			return nil, fmt.Errorf("-%s: want -executor slurm with it", name)
		}
	}
	if o.Slurm && fs.Given("jobs") {
		return nil, errors.New("-jobs: a task of Slurm trains one after the other, on the cores that -slurm-args gives it; leave it out")
	}
	for _, name := range []string{"dry-run", "report-only", "detach"} {
		if o.Cancel && fs.Given(name) {
			return nil, fmt.Errorf("-%s has no meaning with -cancel", name)
		}
	}
	if o.DryRun && o.ReportOnly && fs.Given("report-only") {
		return nil, errors.New("-dry-run has no meaning with -report-only, which runs nothing either")
	}
	if o.TaskTime <= 0 {
		return nil, fmt.Errorf("-slurm-task %v: want a time above 0, such as 20m", o.TaskTime)
	}
	o.Data, o.With, o.Rows = *data, *with, *rows
	for _, path := range append([]string{o.Sweep, o.Data, o.Out}, o.With...) {
		if !utf8.ValidString(path) { // worker processes are told it in JSON
			return nil, fmt.Errorf("%q is not UTF-8: want files and folders with names that are", path)
		}
	}
	if fs.Given("seed") {
		o.Seed = seed
	}
	for _, dir := range o.With {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("-with %s: there is no such folder; want one of records, such as that of an earlier run", dir)
		} else if err != nil {
			return nil, fmt.Errorf("-with: %w", err)
		}
		if segments, err := results.Segments(dir); err != nil {
			return nil, fmt.Errorf("-with: %w", err)
		} else if len(segments) == 0 {
			return nil, fmt.Errorf("-with %s: no records there, want files *.jsonl or *.jsonl.gz", dir)
		}
	}
	if o.Out == "" && fs.Given("out") {
		return nil, fmt.Errorf("-out: want the name of a folder for records and reports")
	}
	o.Plan.Datasets, o.Plan.Methods, o.Plan.ReportOnly, o.Plan.Absent = *datasets, *only, o.ReportOnly, o.DryRun
	switch *protocol {
	case "":
	case "both":
		o.Plan.Protocols = split.Protocols
	default:
		o.Plan.Protocols = []split.Protocol{split.Protocol(*protocol)}
	}
	if o.Jobs < 1 {
		return nil, fmt.Errorf("-jobs %d: at least 1 fit must run at a time", o.Jobs)
	}
	if most := jobsPerCore * runtime.GOMAXPROCS(0); o.Jobs > most {
		return nil, fmt.Errorf("-jobs %d: at most %d processes are started here, %d for each core", o.Jobs, most, jobsPerCore)
	}
	if o.Networks < 1 {
		return nil, fmt.Errorf("-networks %d: at least 1 network must train at a time", o.Networks)
	}
	if o.Backend != "auto" {
		if _, err := backends.Resolve(o.Backend); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// describe prints the data sets, and the methods and what can be measured on their models with the parameters, in so many columns.
func describe(w io.Writer, methods []*method.Method, width int) {
	var names []string
	for _, info := range dataset.Infos() {
		names = append(names, info.Name)
	}
	fmt.Fprintf(w, "\n%s\n\nMethods and their parameters, as sweep files name them:\n", terminal.Wrap("Data sets: "+strings.Join(names, ", "), "  ", width))
	with := func(head string, params []method.Param) {
		fmt.Fprintf(w, "\n%s\n", terminal.Indent(head, "  ", width))
		for i := range params {
			p := &params[i]
			text := fmt.Sprintf("%s [%s, default %v]", p.Doc, p.Allowed(dataset.Binary), p.Default)
			if p.RegressionChoices != nil {
				text += fmt.Sprintf("; for regression [%s, default %v]", p.Allowed(dataset.Regression), cmp.Or(p.RegressionDefault, p.Default))
			}
			fmt.Fprintf(w, "    %-20s %s\n", p.Name, strings.TrimSpace(terminal.Indent(text, strings.Repeat(" ", 25), width)))
		}
	}
	for _, m := range methods {
		with(fmt.Sprintf("%s (%s): %s", m.Name, m.Title, m.Doc), m.Params)
	}
	fmt.Fprintf(w, "\nMeasurements on fitted models, as sweep files name them under measure:\n")
	for _, m := range measure.All() {
		with(m.Name+": "+m.Doc, m.Params)
	}
}
