// Import takes predictions that were made elsewhere, for the rows and folds that cmd/data -export-splits writes, scores them with the
// metrics of all methods, and leaves a record of each fold. With the folder of these records the method appears in reports beside the
// others:
//
//	go run ./cmd/data -export-splits splits
//	python3 cmd/import/hist_gradient_boosting.py splits predictions.csv
//	go run ./cmd/import -method hist-gradient-boosting -title HistGradientBoosting predictions.csv
//	go run ./experiments/table1 -with out/imported,results/published -report-only
//
// The file has a line for each test row of each fold: data set, protocol, fold, row, and a prediction or a probability for each class
// (read.go), and of a table of your own its data_digest. Validation rows may be there, too. What is wrong or missing is an error that names
// the line, or where that is not known the fold, and nothing is imported.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/methods"
	"nptbench/internal/metric"
	"nptbench/internal/program"
	"nptbench/internal/run"
	"nptbench/internal/task"
	"nptbench/internal/terminal"
	"nptbench/results"
	"nptbench/sweeps"
)

const about = `Takes predictions made elsewhere, scores them, and leaves records, with which the method appears in reports: give -with and the folder
to an experiment. FILE.csv has the columns dataset, protocol, fold, row, and prediction (of a number, in its own units) or
probability_0, probability_1 and so on, with a line for each test row of every fold of a data set and protocol. Rows, folds and classes
are numbered as "data -export-splits" writes them. Validation rows may be there too. For a table of your own, which may
change, it also has a column data_digest, with what the dataset.json says that was exported with the rows.`

func main() { program.Main(importPredictions) }

// options are what the command line says.
type options struct {
	file, method, title, data, out string
	seed                           uint64
	replace                        bool
}

func parse(e program.Env) (*options, error) {
	o := &options{}
	f := program.NewFlags("import", about, "-method NAME [-title TITLE] [flags] FILE.csv")
	f.Arguments = true
	data := f.Data()
	f.StringVar(&o.method, "method", "", "`name` of the method: small letters, digits and hyphens")
	f.StringVar(&o.title, "title", "", "`title` in tables (default the name)")
	f.StringVar(&o.out, "out", "out/imported", "`folder` for the records, one file for each method")
	f.Uint64Var(&o.seed, "seed", 42, "the `seed` of the sweep in whose report the predictions are to be; with another they are a repetition")
	f.BoolVar(&o.replace, "replace", false, "replace predictions of the same folds that have been imported before")
	if err := f.Parse(e); err != nil {
		return nil, err
	}
	o.data = *data
	if o.title == "" {
		o.title = o.method
	}
	switch {
	case f.NArg() != 1:
		return nil, f.Errorf("want one file of predictions, not %d", f.NArg())
	case o.out == "":
		return nil, f.Errorf("-out: want the name of a folder for the records")
	case !sweeps.MethodName.MatchString(o.method):
		return nil, f.Errorf("-method %q: want a name of small letters, digits and hyphens, a letter first", o.method)
	case !sweeps.Title.MatchString(o.title):
		return nil, f.Errorf("-title %q: want letters, digits, spaces and usual signs, a letter or a digit first", o.title)
	}
	for _, m := range methods.All() {
		if m.Name == o.method {
			return nil, f.Errorf("-method %s: that is a method of nptbench, %s; take another name", o.method, m.Title)
		}
	}
	o.file = f.Arg(0)
	return o, nil
}

func importPredictions(ctx context.Context, e program.Env) (exit int, err error) {
	o, err := parse(e)
	if err != nil {
		return program.ExitBadInput, err
	}
	lib := dataset.NewLibrary(o.data)
	lib.Log, lib.Terminal = e.Stderr, e.Terminal
	content, err := os.ReadFile(o.file)
	if err != nil {
		return program.ExitBadInput, err
	}
	all, err := read(ctx, o.file, content, lib)
	if err != nil {
		return program.ExitBadInput, err
	}
	sum := sha256.Sum256(content)
	records, err := o.records(all, map[string]any{"predictions_file": filepath.Base(o.file), "predictions_sha256": hex.EncodeToString(sum[:])})
	if err != nil {
		return program.ExitBadInput, err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return program.ExitFailed, err
	}
	path := filepath.Join(o.out, o.method+".jsonl.gz")
	unlock, err := results.Lock(ctx, path, e.Stderr)
	if err != nil {
		return program.ExitFailed, err
	}
	defer unlock()
	if err := o.compare(ctx, path, all, records); err != nil {
		return program.ExitBadInput, err
	}
	has, err := save(ctx, path, records)
	if err != nil {
		return program.ExitFailed, err
	}
	if err := printScores(e, all); err != nil {
		return program.ExitFailed, err
	}
	fmt.Fprintf(e.Stderr, "%d records of %s are in %s, which has %d; reports take them with -with %s\n", len(records), o.file, path, has, o.out)
	return program.ExitOK, nil
}

// records scores all folds. A fold that both protocols make alike has one record.
func (o *options) records(all []*foldPredictions, details map[string]any) (records []*results.Record, err error) {
	config := results.Config(method.Config{results.ImportedParam: o.title}.JSON()) // as a plan has it
	provenance := run.Provenance()
	provenance.Code = run.CodeVersion()
	for _, f := range all {
		r := &results.Record{
			Status: results.OK,
			Cell: results.Cell{Dataset: f.task.Info.Name, DataDigest: f.task.Digest,
				Protocol: task.Canonical(f.task.Info, f.task.Protocol, f.task.Fold), Fold: f.task.Fold, Method: o.method, Config: config, Seed: o.seed},
			Rows: [3]int{f.task.Train, f.task.Val, f.task.Test}, SplitDigest: f.task.Split, Subset: f.task.Subset,
			Details: details, FitCells: 1, Sweep: "import", Provenance: provenance,
		}
		r.ID = r.Cell.ID()
		r.Provenance.Finished = time.Now().UTC().Truncate(time.Millisecond)
		if r.Val, r.Test, err = f.score(); err != nil {
			return nil, fmt.Errorf("%s: %s, %s fold %d: %w", o.file, f.task.Info.Name, f.task.Protocol, f.task.Fold, err)
		}
		f.test = r.Test
		at := slices.IndexFunc(records, func(other *results.Record) bool { return other.ID == r.ID })
		if at < 0 {
			records = append(records, r)
		} else if !same(records[at], r) {
			return nil, fmt.Errorf("%s: fold %d of %s is the same under both protocols, but its predictions are not: predict it once, and write these lines for both", o.file, r.Fold, r.Dataset)
		} else if records[at].Val == nil {
			records[at].Val = r.Val
		}
	}
	return records, nil
}

// same reports whether two records have the same metrics, but for rounding; of validation rows only if both have some.
func same(a, b *results.Record) bool {
	return sameMetrics(a.Test, b.Test) && (len(a.Val) == 0 || len(b.Val) == 0 || sameMetrics(a.Val, b.Val))
}

func sameMetrics(a, b results.Metrics) bool {
	for name, x := range a {
		if y, ok := b[name]; !ok || math.Abs(x-y) > 1e-9*math.Abs(x) {
			return false
		}
	}
	return len(a) == len(b)
}

// compare refuses records that would replace others unless they may, another title for the same method, and other predictions of a fold that
// both protocols share where only one of them is replaced. Records of the same predictions keep the metrics of validation rows that are not
// given again.
func (o *options) compare(ctx context.Context, path string, all []*foldPredictions, records []*results.Record) error {
	if _, err := os.Stat(path); err != nil {
		return nil // a new one
	}
	store, err := results.Open(ctx, path)
	if err != nil {
		return err
	}
	for _, i := range store.Imports {
		if i.Title != o.title {
			return fmt.Errorf("-title %s: %s has %s as %q; give the same title, or remove the file", o.title, path, o.method, i.Title)
		}
	}
	shared := func(r *results.Record) bool {
		f := all[slices.IndexFunc(all, func(f *foldPredictions) bool { return f.task.Info.Name == r.Dataset })]
		return task.Shared(f.task.Info, r.Fold)
	}
	type repetition struct {
		dataset, digest string
		seed            uint64
	}
	stay, replaced := map[repetition]string{}, map[repetition]bool{} // folds by one protocol, and the fold of both
	for before, err := range store.Records() {
		if err != nil {
			return err
		}
		at := slices.IndexFunc(records, func(r *results.Record) bool { return r.ID == before.ID })
		if at >= 0 { // the last one stands: this one, also where the clock of the other was ahead
			if after := before.Provenance.Finished.Add(time.Millisecond); after.After(records[at].Provenance.Finished) {
				records[at].Provenance.Finished = after
			}
		}
		switch {
		case at < 0:
			stay[repetition{before.Dataset, before.DataDigest, before.Seed}] = string(before.Protocol)
		case same(before, records[at]):
			if records[at].Val == nil {
				records[at].Val = maps.Clone(before.Val)
			}
		case !o.replace:
			fold := fmt.Sprintf("%s fold %d", before.Protocol, before.Fold)
			if shared(before) {
				fold = fmt.Sprintf("fold %d, the same in both protocols,", before.Fold)
			}
			return fmt.Errorf("%s, %s has been imported with other predictions; -replace takes these instead", before.Dataset, fold)
		case shared(before):
			replaced[repetition{before.Dataset, before.DataDigest, before.Seed}] = true
		}
	}
	for r := range replaced {
		if protocol, ok := stay[r]; ok {
			return fmt.Errorf("the first fold of %s is that of both protocols, and its %s folds would stay from other predictions: give both in one file, or remove %s",
				r.dataset, protocol, path)
		}
	}
	return nil
}

// save adds the records to a file, all or none, and returns how many it then has.
func save(ctx context.Context, path string, records []*results.Record) (n int, err error) {
	dir, err := os.MkdirTemp("", "import-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	w := results.NewWriter(dir)
	for _, r := range records {
		if err := w.Append(r); err != nil {
			return 0, err
		}
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	n, _, err = results.Merge(ctx, path, false, dir)
	return n, err
}

// printScores prints the mean test metrics by data set and protocol, over the folds on whose test rows they are defined.
func printScores(e program.Env, all []*foldPredictions) error {
	grid := terminal.Table{Columns: []terminal.Column{{Head: "data set"}, {Head: "folds"}, {Head: "metric"}, {Head: "mean", Right: true}}}
	for i := 0; i < len(all); {
		first, n := all[i].task, 0
		for i < len(all) && all[i].task.Info.Name == first.Info.Name && all[i].task.Protocol == first.Protocol {
			i++
			n++
		}
		for _, m := range metric.Of(first.Info.Problem) {
			sum, defined := 0.0, 0
			for _, f := range all[i-n : i] {
				if x, ok := f.test[m.Name]; ok {
					sum += x
					defined++
				}
			}
			folds, mean := fmt.Sprintf("%d %s", n, first.Protocol), "not defined"
			if defined < n {
				folds = fmt.Sprintf("%d of %s", defined, folds)
			}
			if defined > 0 {
				mean = fmt.Sprintf("%.6g", sum/float64(defined))
			}
			grid.Append(first.Info.Name, folds, m.Title, mean)
		}
	}
	return grid.Render(e.Stdout, e.Width)
}
