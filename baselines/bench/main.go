// Bench measures k-NN, random forest and MLP beside scikit-learn's, on the same rows and cores, and writes the tables of
// baselines/BENCHMARKS.md. With -scaling it measures instead how time grows with the number of rows, and with -higgs what the paper's
// methods take on a table of eleven million rows (higgs.go).
//
// Both sides get the same encoded float32 matrix. Times are processor seconds of fitting and predicting, without starting
// programs, reading files or encoding.
package main

import (
	"context"
	"maps"
	"os"
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/program"
	"nptbench/internal/spelling"
)

const about = `Measures k-NN, random forest and MLP beside scikit-learn's, in seconds of the processor. With -scaling it measures how their time
grows with the rows, of ours alone, and with -higgs parts of fits of all methods on tables of Higgs' shape.`

func main() {
	if asked := os.Getenv(bigVariable); asked != "" {
		program.Main(func(ctx context.Context, e program.Env) (exit int, err error) {
			return program.ExitOK, fitBig(ctx, asked, e.Stdout)
		})
	}
	program.Main(bench)
}

// A measurer adds the rows of its table to a section of the document.
type measurer func(context.Context, *options, *section) error

// options are what the command line says.
type options struct {
	library          *dataset.Library
	python, document string
	methods, tables  []string // empty: all
	long             bool
	kept             string
	largest          int
	memory           float64
	threads          int

	name, command string // of the section, and of the make target that writes it
	measure       measurer
	rows          []rowName // of its table
}

// A rowName is the method of a row, and the table that it is measured on.
type rowName struct{ method, table string }

func parse(e program.Env) (*options, error) {
	o := &options{name: "comparison", command: "make bench-baselines", measure: compare, rows: compared()}
	f := program.NewFlags("bench", about)
	f.StringVar(&o.python, "python", ".venv/bin/python", "`program`, a Python with scikit-learn")
	f.StringVar(&o.document, "document", "", "Markdown `file` whose table is replaced; empty: none")
	data := f.Data()
	f.BoolVar(&o.long, "long", false, "without -scaling and -higgs: also what takes scikit-learn minutes")
	scaling := f.Bool("scaling", false, "measure how time grows with the number of rows, of ours alone")
	big := f.Bool("higgs", false, "measure parts of fits on tables of Higgs' shape")
	f.StringVar(&o.kept, "kept", "out/bench-higgs.jsonl", "with -higgs: `file` of what was measured, which is not measured again")
	f.IntVar(&o.largest, "largest", 1, "with -higgs: largest `share` of the rows that is measured: 64, 16, 4 or 1 for a 64th and so on")
	f.Float64Var(&o.memory, "memory", 24, "with -higgs: `GB` that a fit may take before it is ended")
	f.IntVar(&o.threads, "threads", 1, "without -higgs: threads of both sides")
	methods := f.List("methods", "only these methods, a `list` with commas; not with -document")
	tables := f.List("tables", "only these data sets, a `list` with commas; not with -document")
	if err := f.Parse(e); err != nil {
		return nil, err
	}
	meaning := map[string]bool{"kept": *big, "largest": *big, "memory": *big, "threads": !*big, "long": !*big && !*scaling, "python": !*big && !*scaling}
	for _, flag := range slices.Sorted(maps.Keys(meaning)) {
		if f.Given(flag) && !meaning[flag] {
			return nil, f.Errorf("-%s has no meaning here; bench -help says where it has", flag)
		}
	}
	switch {
	case o.threads < 1:
		return nil, f.Errorf("-threads %d: want at least 1", o.threads)
	case !slices.Contains(higgsShares, o.largest):
		return nil, f.Errorf("-largest %d: want 64, 16, 4 or 1", o.largest)
	case !(o.memory > 0):
		return nil, f.Errorf("-memory %v: want more than 0", o.memory)
	case *scaling && *big:
		return nil, f.Errorf("-scaling and -higgs: want one of them")
	case *scaling:
		o.name, o.command, o.measure = "scaling", "make bench-scaling", scale
		o.rows = scaledRows()
	case *big:
		o.name, o.command, o.measure = "higgs", "make bench-higgs", higgs
		o.rows = higgsRowNames()
	}
	o.library, o.methods, o.tables = dataset.NewLibrary(*data), *methods, *tables
	return o, o.checkFilters(f)
}

// checkFilters refuses names that the table does not have, and a document that would lose rows.
func (o *options) checkFilters(f *program.Flags) error {
	var methods, tables []string
	for _, r := range o.rows {
		methods, tables = append(methods, r.method), append(tables, r.table)
	}
	for _, filter := range []struct {
		flag         string
		given, known []string
	}{{"-methods", o.methods, methods}, {"-tables", o.tables, tables}} {
		for _, name := range filter.given {
			if !slices.Contains(filter.known, name) {
				slices.Sort(filter.known)
				return f.Errorf("%s: %q is not measured%s", filter.flag, name, spelling.Hint(name, slices.Compact(filter.known)))
			}
		}
	}
	switch {
	case !slices.ContainsFunc(o.rows, func(r rowName) bool { return o.wants(r.method, r.table) }):
		return f.Errorf("-methods, -tables: none of these methods is measured on one of these tables")
	case o.document != "" && len(o.methods)+len(o.tables) > 0:
		return f.Errorf("-document: its table would lose the rows that -methods or -tables leave out: want only one of these flags")
	}
	return nil
}

// wants reports whether the flags let a method and a table through.
func (o *options) wants(method, table string) bool {
	return (len(o.methods) == 0 || slices.Contains(o.methods, method)) && (len(o.tables) == 0 || slices.Contains(o.tables, table))
}

func bench(ctx context.Context, e program.Env) (exit int, err error) {
	o, err := parse(e)
	if err != nil {
		return program.ExitBadInput, err
	}
	s := &section{threads: o.threads, out: e.Stdout, log: e.Stderr}
	if err := o.measure(ctx, o, s); err != nil || o.document == "" {
		return program.ExitOK, err
	}
	return program.ExitOK, s.replaceIn(o.document, o.name, o.command)
}
