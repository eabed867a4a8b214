package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/document"
	"nptbench/internal/method"
	"nptbench/internal/run"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
)

// foldPredictions are the predictions for the rows of one fold.
type foldPredictions struct {
	task  *task.Task
	truth *task.Truth
	line  int         // of the first prediction
	rows  []int32     // of the table, by position in the task
	at    []int32     // position in the task, by row
	lines []int       // by position: where the prediction stands; 0: nowhere
	p     [][]float64 // by position
	test  results.Metrics
}

// score computes the metrics, of validation rows only if there are predictions for them.
func (f *foldPredictions) score() (val, test results.Metrics, err error) {
	join := func(from, to int) (p method.Prediction) {
		for _, row := range f.p[from:to] {
			p = append(p, row...)
		}
		return p
	}
	t := f.task
	r := method.Result{Val: join(t.Train, t.Train+t.Val), Test: join(t.Train+t.Val, t.Rows())}
	if len(r.Val) == 0 {
		test, err = run.ScoreTest(t, f.truth, r.Test)
		return nil, test, err
	}
	return run.Score(t, f.truth, r)
}

// A reader reads a file of predictions. Every error names the line.
type reader struct {
	file    string
	lib     *dataset.Library
	columns map[string]int
	classes []int // columns of probabilities
	tables  map[string]*dataset.Table
	folds   map[task.Spec]*foldPredictions
	firsts  []task.Spec // the first fold of every data set and protocol, in the order of the file
}

// read reads predictions by data set, protocol and fold, in the order of the file, and checks that there is one for each test row of
// every fold of a data set and protocol, for each validation row of a fold or none, and for no other row.
func read(ctx context.Context, file string, content []byte, lib *dataset.Library) ([]*foldPredictions, error) {
	r := &reader{file: file, lib: lib, tables: map[string]*dataset.Table{}, folds: map[task.Spec]*foldPredictions{}}
	in, err := document.NewCSV(bytes.NewReader(content), file)
	if err != nil {
		return nil, err
	}
	if err := r.findColumns(in.Header); err != nil {
		return nil, fmt.Errorf("%s:1: %w", file, err)
	}
	for ctx.Err() == nil {
		record, line, err := in.Next()
		if err == io.EOF {
			return r.complete()
		}
		if err != nil {
			return nil, err
		}
		if err := r.add(ctx, line, record); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, line, err)
		}
	}
	return nil, ctx.Err()
}

const (
	probability  = "probability_"
	digestColumn = "data_digest" // may be left out for built-in data sets, whose tables do not change
)

func (r *reader) findColumns(header []string) error {
	r.columns = map[string]int{}
	twice := ""
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		if _, has := r.columns[name]; has {
			twice = name
		}
		r.columns[name] = i
	}
	for _, name := range []string{"dataset", "protocol", "fold", "row"} {
		if _, ok := r.columns[name]; !ok {
			return fmt.Errorf("there is no column %s; want dataset, protocol, fold, row, and prediction or %s0, %s1 and so on", name, probability, probability)
		}
	}
	if at, has := r.columns[""]; has {
		return fmt.Errorf("column %d has no name: leave it out", at+1)
	}
	if twice != "" {
		return fmt.Errorf("two columns are called %s", twice)
	}
	for {
		at, ok := r.columns[probability+strconv.Itoa(len(r.classes))]
		if !ok {
			break
		}
		r.classes = append(r.classes, at)
	}
	known := []string{"dataset", "protocol", "fold", "row", digestColumn, "prediction"}
	for i := range r.classes {
		known = append(known, probability+strconv.Itoa(i))
	}
	if _, ok := r.columns["prediction"]; !ok && len(r.classes) == 0 {
		return fmt.Errorf("there is neither a column prediction nor %s0", probability)
	}
	for _, name := range header {
		if !slices.Contains(known, strings.ToLower(strings.TrimSpace(name))) {
			return fmt.Errorf("the column %q is not known%s", name, spelling.Hint(name, known))
		}
	}
	return nil
}

// add takes a line.
func (r *reader) add(ctx context.Context, line int, record []string) error {
	field := func(name string) string { return strings.TrimSpace(record[r.columns[name]]) }
	key := task.Spec{Dataset: field("dataset"), Protocol: split.Protocol(field("protocol"))}
	if !slices.Contains(split.Protocols, key.Protocol) {
		return fmt.Errorf("the protocol is %q, want published or corrected", key.Protocol)
	}
	var err error
	if key.Fold, err = strconv.Atoi(field("fold")); err != nil {
		return fmt.Errorf("the fold is %q, want its number from 0", field("fold"))
	}
	f := r.folds[key]
	if f == nil {
		if f, err = r.begin(ctx, key, line); err != nil {
			return err
		}
	}
	_, has := r.columns[digestColumn]
	if !has && !dataset.BuiltIn(key.Dataset) {
		return fmt.Errorf("%s is your own table, which may have changed since its rows were exported: want a column %s, with what their dataset.json says",
			key.Dataset, digestColumn)
	}
	if has && field(digestColumn) != f.task.Digest {
		return fmt.Errorf("%s is %.16q, and %.16q of the table of %s that is here: were its rows exported from another one?",
			digestColumn, field(digestColumn), f.task.Digest, key.Dataset)
	}
	row, err := strconv.Atoi(field("row"))
	if err != nil {
		return fmt.Errorf("the row is %q, want its number from 0", field("row"))
	}
	if row < 0 || row >= len(f.at) {
		return fmt.Errorf("%s has no row %d: it has %d, the first is row 0", key.Dataset, row, len(f.at))
	}
	position := int(f.at[row])
	switch {
	case position < f.task.Train:
		return fmt.Errorf("row %d of %s is a training row of %s fold %d, want test rows, and validation rows if there are predictions for them",
			row, key.Dataset, key.Protocol, key.Fold)
	case f.lines[position] > 0:
		return fmt.Errorf("row %d of %s, %s fold %d, stands in line %d already", row, key.Dataset, key.Protocol, key.Fold, f.lines[position])
	}
	f.lines[position] = line
	f.p[position], err = r.prediction(f.task, record)
	return err
}

// prediction reads the numbers of a line: one in the units of the target, which it standardises, or a probability for each class.
func (r *reader) prediction(t *task.Task, record []string) (p []float64, err error) {
	number := func(name, text string) (float64, error) {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return 0, fmt.Errorf("%s is %q, want a number", name, text)
		}
		return x, nil
	}
	at, hasNumber := r.columns["prediction"]
	if !t.Info.Problem.Classification() {
		if !hasNumber {
			return nil, fmt.Errorf("%s is a regression: want a column prediction", t.Info.Name)
		}
		for class, column := range r.classes {
			if strings.TrimSpace(record[column]) != "" {
				return nil, fmt.Errorf("%s is a regression: %s%d must be empty", t.Info.Name, probability, class)
			}
		}
		x, err := number("prediction", record[at])
		return []float64{(x - t.TargetMean) / t.TargetStd}, err
	}
	if hasNumber && strings.TrimSpace(record[at]) != "" {
		return nil, fmt.Errorf("%s has classes: prediction must be empty, and there must be a probability for each class", t.Info.Name)
	}
	if len(r.classes) < t.Info.Classes {
		return nil, fmt.Errorf("%s has %d classes, the file columns for %d", t.Info.Name, t.Info.Classes, len(r.classes))
	}
	sum := 0.0
	for class, column := range r.classes {
		name := probability + strconv.Itoa(class)
		if class >= t.Info.Classes {
			if strings.TrimSpace(record[column]) != "" {
				return nil, fmt.Errorf("%s has %d classes: %s must be empty", t.Info.Name, t.Info.Classes, name)
			}
			continue
		}
		x, err := number(name, record[column])
		if err != nil {
			return nil, err
		}
		if x < 0 || x > 1+run.ProbabilitySlack {
			return nil, fmt.Errorf("%s is %v, want a probability from 0 to 1", name, x)
		}
		p = append(p, x)
		sum += x
	}
	if math.Abs(sum-1) > run.ProbabilitySlack {
		return nil, fmt.Errorf("the probabilities sum to %v, not to 1", sum)
	}
	return p, nil
}

// begin makes the fold of a first line.
func (r *reader) begin(ctx context.Context, key task.Spec, line int) (*foldPredictions, error) {
	table := r.tables[key.Dataset]
	if table == nil {
		info, err := r.lib.Lookup(key.Dataset)
		if err != nil {
			return nil, err
		}
		if info.Copies != nil {
			return nil, fmt.Errorf("%s is made by copying rows: predictions of it cannot be imported", key.Dataset)
		}
		if table, err = r.lib.Load(ctx, key.Dataset); err != nil {
			return nil, err
		}
		r.tables[key.Dataset] = table
	}
	if key.Fold < 0 || key.Fold >= table.Info.RunFolds {
		return nil, fmt.Errorf("%s has no fold %d: its folds are 0 to %d", key.Dataset, key.Fold, table.Info.RunFolds-1)
	}
	rows, err := split.Make(split.RuleOf(table), key.Protocol, key.Fold)
	if err != nil {
		return nil, err
	}
	t, truth, err := task.Encode(table, rows, key.Protocol, key.Fold, task.AllRows)
	if err != nil {
		return nil, err
	}
	t.X = nil // nobody needs the features
	f := &foldPredictions{task: t, truth: truth, line: line, rows: rows.Rows(), at: make([]int32, table.Rows),
		lines: make([]int, table.Rows), p: make([][]float64, table.Rows)}
	for position, row := range f.rows {
		f.at[row] = int32(position)
	}
	r.folds[key] = f
	if !slices.ContainsFunc(r.firsts, func(s task.Spec) bool { return s.Dataset == key.Dataset && s.Protocol == key.Protocol }) {
		r.firsts = append(r.firsts, key)
	}
	return f, nil
}

// complete checks that nothing is missing, and returns the folds by data set, protocol and number.
func (r *reader) complete() (all []*foldPredictions, err error) {
	if len(r.firsts) == 0 {
		return nil, fmt.Errorf("%s has no predictions", r.file)
	}
	for _, first := range r.firsts {
		for fold := range r.tables[first.Dataset].Info.RunFolds {
			f := r.folds[task.Spec{Dataset: first.Dataset, Protocol: first.Protocol, Fold: fold}]
			if f == nil {
				return nil, fmt.Errorf("%s:%d: here %s under %s folds begins, of which fold %d is missing: want all of 0 to %d",
					r.file, r.folds[first].line, first.Dataset, first.Protocol, fold, r.tables[first.Dataset].Info.RunFolds-1)
			}
			if err := f.check(); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", r.file, f.line, err)
			}
			all = append(all, f)
		}
	}
	return all, nil
}

// check says which rows of a fold lack a prediction.
func (f *foldPredictions) check() error {
	t := f.task
	for _, part := range []struct {
		name     string
		from, to int
		optional bool
	}{{"test", t.Train + t.Val, t.Rows(), false}, {"validation", t.Train, t.Train + t.Val, true}} {
		missing, first := 0, 0
		for position := part.from; position < part.to; position++ {
			if f.lines[position] == 0 {
				if missing == 0 {
					first = position
				}
				missing++
			}
		}
		if missing > 0 && !(part.optional && missing == part.to-part.from) {
			return fmt.Errorf("here %s, %s fold %d, begins, of which %d of %d %s rows have no prediction, such as row %d",
				t.Info.Name, t.Protocol, t.Fold, missing, part.to-part.from, part.name, f.rows[first])
		}
	}
	return nil
}
