// Bench measures k-NN, random forest and MLP beside scikit-learn's, on the same rows and cores, and writes the tables of
// baselines/BENCHMARKS.md. With -scaling it measures instead how time grows with the number of rows, and with -higgs what the paper's
// methods take on a table of eleven million rows (higgs.go).
//
// Both sides get the same encoded float32 matrix. Times are processor seconds of fitting and predicting, without starting
// programs, reading files or encoding.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"nptbench/internal/dataset"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	work := func() error { return run(ctx, os.Args[1:], os.Stdout) }
	if asked := os.Getenv(bigVariable); asked != "" {
		work = func() error { return fitBig(ctx, asked) }
	}
	if err := work(); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		os.Exit(2)
	}
}

// options are the flags.
type options struct {
	python, document string
	methods, tables  []string
	data             string
	long, scaling    bool
	higgs            bool
	kept             string
	largest          int
	memory           float64
	threads          int
}

func parse(args []string) (o options, err error) {
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.StringVar(&o.python, "python", ".venv/bin/python", "Python with scikit-learn")
	fs.StringVar(&o.document, "document", "", "Markdown file whose table is replaced; empty: none")
	fs.StringVar(&o.data, "data", "", "folder of the data sets")
	fs.BoolVar(&o.long, "long", false, "also what takes scikit-learn minutes")
	fs.BoolVar(&o.scaling, "scaling", false, "measure how time grows with the number of rows, of ours alone")
	fs.BoolVar(&o.higgs, "higgs", false, "measure parts of fits on tables of Higgs' shape")
	fs.StringVar(&o.kept, "kept", "out/bench-higgs.jsonl", "with -higgs: file of what was measured, which is not measured again")
	fs.IntVar(&o.largest, "largest", 1, "with -higgs: largest share of the rows that is measured: 64, 16, 4 or 1 for a 64th and so on")
	fs.Float64Var(&o.memory, "memory", 24, "with -higgs: `GB` that a fit may take before it is ended")
	fs.IntVar(&o.threads, "threads", 1, "threads of both sides")
	methods := fs.String("methods", "", "only these methods, separated by commas")
	tables := fs.String("tables", "", "only these data sets, separated by commas")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if o.threads < 1 {
		return o, fmt.Errorf("-threads: %d, want at least 1", o.threads)
	}
	if *methods != "" {
		o.methods = strings.Split(*methods, ",")
	}
	if *tables != "" {
		o.tables = strings.Split(*tables, ",")
	}
	return o, nil
}

// wants reports whether the flags let a method and a table through.
func (o *options) wants(method, table string) bool {
	return (o.methods == nil || slices.Contains(o.methods, method)) && (o.tables == nil || slices.Contains(o.tables, table))
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	library := dataset.NewLibrary(o.data)
	s := &section{name: "comparison", command: "make bench-baselines", threads: o.threads, out: out}
	measure := compare
	if o.higgs {
		s.name, s.command = "higgs", "make bench-higgs"
		measure = func(ctx context.Context, o *options, _ *dataset.Library, s *section) error { return higgs(ctx, o, s) }
	}
	if o.scaling {
		s.name, s.command = "scaling", "make bench-scaling"
		measure = scale
	}
	if err := measure(ctx, &o, library, s); err != nil {
		return err
	}
	return s.replaceIn(o.document)
}
