package npt

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"nptbench/internal/seed"
	"nptbench/internal/spelling"
)

// From a CSV file to predictions: ReadCSV, Fit, Predictor.Predict. They encode the columns, hold rows out for validation, and
// undo the standardisation of predictions; who has encoded data works with Table, Trainer and Model.

// A Frame is a table as a CSV file has it.
type Frame struct {
	Names []string   // of the columns
	Rows  [][]string // a field for each column; "", "NA", "NaN" and "?" stand for no value
}

// ReadCSV reads a file with a header line. Errors name file and line.
func ReadCSV(path string) (*Frame, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("npt: %w", err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll() // all with as many fields as the header
	if err != nil {
		return nil, fmt.Errorf("npt: %s: %w", path, err)
	}
	if len(lines) < 2 {
		return nil, fmt.Errorf("npt: %s: want a header line and at least one row", path)
	}
	f := &Frame{Names: lines[0], Rows: lines[1:]}
	for i, name := range f.Names {
		if slices.Contains(f.Names[:i], name) {
			return nil, fmt.Errorf("npt: %s: line 1: two columns are called %q", path, name)
		}
	}
	return f, nil
}

// check reports the first row that has not a field for each column.
func (f *Frame) check() error {
	for i, row := range f.Rows {
		if len(row) != len(f.Names) {
			return fmt.Errorf("npt: row %d has %d fields, want %d", i, len(row), len(f.Names))
		}
	}
	return nil
}

// A Predictor predicts the target of rows from their features and from the rows that it was fitted on, which it keeps as context.
type Predictor struct {
	model   *Model
	context *Table // all rows are training or validation rows
	columns []frameColumn
	target  int
}

// A frameColumn is how a column is encoded.
type frameColumn struct {
	name      string
	classes   []string // in order; nil: numbers
	mean, std float64  // of the numbers of the training rows
}

// A Prediction is that of one row.
type Prediction struct {
	Value       float64 // of a target of numbers, in its own units
	Class       string  // of a target of classes: the most probable one
	Probability float64 // of that class
}

// Fit trains an NPT to predict a column from the others. Columns whose values are all numbers are continuous, others are
// categories. A fifth of the rows, drawn by c.Seed, are validation rows, which choose the step whose weights are kept.
func Fit(ctx context.Context, f *Frame, target string, c Config) (*Predictor, error) {
	at := slices.Index(f.Names, target)
	if at < 0 {
		return nil, fmt.Errorf("npt: no column %q%s", target, spelling.Hint(target, f.Names))
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	rows := slices.Clone(f.Rows)
	for i, row := range rows {
		if noValue(row[at]) {
			return nil, fmt.Errorf("npt: row %d has no %s", i, target)
		}
	}
	rng := rand.New(rand.NewPCG(seed.Derive(c.Seed, "held out"), 0))
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	val := len(rows) / 5
	p := &Predictor{target: at}
	for j, name := range f.Names {
		p.columns = append(p.columns, newFrameColumn(name, j, rows, len(rows)-val))
	}
	p.context = &Table{Train: len(rows) - val, Val: val}
	for j, column := range p.columns {
		p.context.Columns = append(p.context.Columns, Column{Name: column.name, Categories: len(column.classes), Target: j == at})
	}
	if err := p.encode(p.context, rows); err != nil {
		return nil, err
	}
	trainer, err := NewTrainer(p.context, c, nil)
	if err != nil {
		return nil, err
	}
	defer trainer.free()
	if err := trainer.Train(ctx); err != nil {
		return nil, err
	}
	p.model, err = trainer.Model()
	return p, err
}

func noValue(field string) bool { return slices.Contains([]string{"", "NA", "NaN", "?"}, field) }

// newFrameColumn looks at the values of column j, of which the first rows are training rows.
func newFrameColumn(name string, j int, rows [][]string, train int) frameColumn {
	c := frameColumn{name: name, std: 1}
	var numbers []float64
	isNumber := true
	for i, row := range rows {
		if noValue(row[j]) {
			continue
		}
		if at, known := slices.BinarySearch(c.classes, row[j]); !known {
			c.classes = slices.Insert(c.classes, at, row[j])
		}
		x, err := strconv.ParseFloat(row[j], 64)
		isNumber = isNumber && err == nil && finite(x)
		if i < train {
			numbers = append(numbers, x)
		}
	}
	if !isNumber {
		return c
	}
	c.classes = nil
	for _, x := range numbers {
		c.mean += x / float64(len(numbers))
	}
	variance := 0.0
	for _, x := range numbers {
		variance += (x - c.mean) * (x - c.mean) / float64(len(numbers))
	}
	if variance > 0 {
		c.std = math.Sqrt(variance)
	}
	return c
}

// encode adds rows to a table. A category that no row of the training had is taken for no value; a text among numbers is an error.
func (p *Predictor) encode(t *Table, rows [][]string) error {
	for i, row := range rows {
		for j, c := range p.columns {
			missing := noValue(row[j])
			if c.classes == nil {
				x, err := strconv.ParseFloat(row[j], 64)
				switch {
				case missing:
					x = c.mean
				case err != nil || !finite(x):
					return fmt.Errorf("npt: row %d: %q in column %q, whose values were all numbers in training: want a number, or \"\" for no value", i, row[j], c.name)
				}
				t.Values = append(t.Values, float32((x-c.mean)/c.std))
			} else {
				at, known := slices.BinarySearch(c.classes, row[j])
				channels := make([]float32, len(c.classes))
				if missing = missing || !known; !missing {
					channels[at] = 1
				}
				t.Values = append(t.Values, channels...)
			}
			t.Missing = append(t.Missing, missing && j != p.target)
		}
	}
	return nil
}

// Predict predicts the target of rows of a frame, whose columns may come in any order and need not have the target. The result has
// one prediction for each row. A category that the training did not have is no value, like "": the network has no input for it.
//
// The error names the row, counted from 0, that has too few or too many fields, or a text in a column of numbers.
func (p *Predictor) Predict(ctx context.Context, f *Frame) ([]Prediction, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	place := make([]int, len(p.columns))
	for j, c := range p.columns {
		if place[j] = slices.Index(f.Names, c.name); place[j] < 0 && j != p.target {
			return nil, fmt.Errorf("npt: no column %q, which the training had%s", c.name, spelling.Hint(c.name, f.Names))
		}
	}
	t := *p.context
	t.Values, t.Missing, t.Test = slices.Clone(t.Values), slices.Clone(t.Missing), len(f.Rows)
	ordered := make([][]string, len(f.Rows))
	for i, fields := range f.Rows {
		ordered[i] = make([]string, len(p.columns))
		for j := range p.columns {
			if j != p.target {
				ordered[i][j] = fields[place[j]]
			}
		}
	}
	if err := p.encode(&t, ordered); err != nil {
		return nil, err
	}
	rows, err := p.model.Predict(ctx, &t)
	if err != nil {
		return nil, err
	}
	out := make([]Prediction, len(rows))
	for i, row := range rows {
		if c := p.columns[p.target]; c.classes == nil {
			out[i].Value = row[0]*c.std + c.mean
		} else {
			best := slices.Index(row, slices.Max(row))
			out[i] = Prediction{Class: c.classes[best], Probability: row[best]}
		}
	}
	return out, nil
}
