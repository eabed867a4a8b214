// Compare says how methods differ, from results by fold: of our own reports (folds.csv), or of any CSV file with the columns data
// set, fold, method, metric and value.
//
//	go run ./cmd/compare -in out/table1-quick/report/folds.csv -methods xgboost,catboost
//
// On each data set it prints every method's mean, its difference from the first one, p and how large the effect is; over several data
// sets, mean ranks with Friedman's, Nemenyi's and the signed-rank test. What a reader must know besides is in footnotes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"nptbench/internal/filesystem"
	"nptbench/internal/picture"
	"nptbench/internal/program"
	"nptbench/report"
)

const about = `Compares methods by their results on the folds of data sets: those of a report's folds.csv, or of any CSV file with the columns
data set, fold, method, metric and value (and, where there are such, protocol, repetition, seed, train rows, test rows, split digest: folds
with different ones have different rows, and data digest: a data set with two of them, whose table has changed, is refused; a column called
resample in place of fold needs the train and test rows). A repetition cuts
the data set anew; under several seeds, or with one split digest, rows are the same, and the mean of a method's results counts. -by names
further columns that tell methods apart. The first method is the one that the others are compared with. Results on the same folds are paired.`

func main() { program.Main(run) }

// defaultIn is what is read where -in says nothing.
const defaultIn = "out/table1-quick/report/folds.csv"

// options are what the command line says.
type options struct {
	in              string
	methods         []string // empty: all
	metrics         []string // empty: those of the file; of a report, those by which Table 1 ranks
	datasets        []string // empty: all
	by              []string // further columns that tell methods apart
	larger, smaller []string // metrics that the program does not know
	alpha           float64
	protocol        []string // one; empty: all
	csv             bool
	plot            string // file; empty: none
}

func parse(e program.Env) (*options, error) {
	o := &options{}
	f := program.NewFlags("compare", about)
	f.StringVar(&o.in, "in", defaultIn, "`file` with the results; - is standard input")
	methods := f.List("methods", "compare these, a `list` with commas, the others with the first (default all, in the order of the file)")
	metrics := f.List("metric", "compare by these, a `list` with commas (default all; of a report, those by which Table 1 ranks)")
	datasets := f.List("datasets", "on these data sets only, a `list` with commas")
	protocol := f.String("protocol", "", "folds of this protocol only, published or corrected in a report (default all)")
	by := f.List("by", "further columns that tell methods apart, a `list` with commas")
	larger := f.List("larger", "metrics, a `list` with commas, of which larger is better, where the program does not know that")
	smaller := f.List("smaller", "metrics, a `list` with commas, of which smaller is better, where the program does not know that")
	f.Float64Var(&o.alpha, "alpha", 0.05, "level of tests; intervals have the level 1 - alpha")
	f.BoolVar(&o.csv, "csv", false, "print CSV, a line for each quantity, in full precision")
	f.StringVar(&o.plot, "plot", "", "`file`, .svg or .pdf, for a picture of the first two methods fold by fold")
	if err := f.Parse(e); err != nil {
		return nil, err
	}
	if !(o.alpha > 0 && o.alpha < 1 && 1-o.alpha < 1) {
		return nil, f.Errorf("-alpha %v: want a number between 0 and 1, such as 0.05", o.alpha)
	}
	if *protocol != "" {
		o.protocol = []string{*protocol}
	}
	o.methods, o.metrics, o.datasets, o.by, o.larger, o.smaller = *methods, *metrics, *datasets, *by, *larger, *smaller
	return o, nil
}

func run(ctx context.Context, e program.Env) (exit int, err error) {
	o, err := parse(e)
	if err != nil {
		return program.ExitBadInput, err
	}
	type answer struct {
		tables []*table
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		tables, err := o.read(e)
		answers <- answer{tables, err}
	}()
	var tables []*table
	select {
	case a := <-answers:
		tables, err = a.tables, a.err
	case <-ctx.Done(): // reading from a terminal cannot be ended
		return program.ExitInterrupted, ctx.Err()
	}
	if err != nil {
		return program.ExitBadInput, err
	}
	comparisons := make([]*comparison, len(tables))
	for i, t := range tables {
		if comparisons[i], err = t.compare(o.alpha); err != nil {
			return program.ExitBadInput, fmt.Errorf("%s: %w", o.name(), err)
		}
	}
	if o.plot != "" {
		panels, err := plot(o.plot, comparisons)
		if err != nil {
			return program.ExitBadInput, err
		}
		drawn := picture.Scatters(nil, panels)
		write := drawn.WriteSVG
		if filepath.Ext(o.plot) == ".pdf" {
			write = drawn.WritePDF
		}
		err = filesystem.WriteFile(o.plot, write)
		if err != nil {
			return program.ExitFailed, fmt.Errorf("-plot: %w", err)
		}
	}
	if o.csv {
		return program.ExitOK, writeCSV(e.Stdout, comparisons)
	}
	return program.ExitOK, report.WriteTerminal(e.Stdout, shown(o.name(), comparisons), e.Width, e.Color)
}

// name is what messages call the file.
func (o *options) name() string {
	if o.in == "-" {
		return "standard input"
	}
	return o.in
}

// read reads the file and chooses what of it is compared.
func (o *options) read(e program.Env) ([]*table, error) {
	var in io.Reader = e.Stdin
	if o.in != "-" {
		f, err := os.Open(o.in)
		if o.in == defaultIn && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no %s, which make reproduce-table1 writes: name another report's folds.csv, or any such file, with -in", o.in)
		}
		if err != nil {
			return nil, fmt.Errorf("-in: %w", err)
		}
		defer f.Close()
		in = f
	}
	results, err := read(in, o.name(), o.by)
	if err != nil {
		return nil, err
	}
	return o.choose(results)
}
