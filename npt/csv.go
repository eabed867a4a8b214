package npt

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gomlx/compute"

	"nptbench/internal/backends"
	"nptbench/internal/checkpoint"
	"nptbench/internal/seed"
	"nptbench/internal/spelling"
	"nptbench/internal/task"
)

// From a CSV file to predictions: ReadCSV, Fit, Predictor.Predict. They encode the columns, hold rows out for validation, and
// undo the standardisation of predictions; who has encoded data works with Table, Trainer and Model.

// A Frame is a table as a CSV file has it.
type Frame struct {
	Names []string   // of the columns
	Rows  [][]string // a field for each column, spaces around it do not count; "", "?", and "NA" and "NaN" in letters of any case stand for no value
}

// ReadCSV reads a file with a header line. Errors name the file, and its line or, from 0, the row behind the header.
func ReadCSV(path string) (*Frame, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("npt: %w", err)
	}
	defer file.Close()
	text := bufio.NewReader(file)
	begin, _ := text.Peek(512)
	if bytes.IndexByte(begin, 0) >= 0 {
		return nil, fmt.Errorf("npt: %s: binary, or not in UTF-8: convert the file", path)
	}
	if mark := "\ufeff"; bytes.HasPrefix(begin, []byte(mark)) { // a byte order mark
		text.Discard(len(mark))
	}
	r := csv.NewReader(text)
	r.TrimLeadingSpace = true // else a field in quotes may not follow a space
	lines, err := r.ReadAll() // all with as many fields as the header
	if err != nil {
		return nil, fmt.Errorf("npt: %s: %w", path, err)
	}
	if len(lines) < 2 {
		return nil, fmt.Errorf("npt: %s: want a header line and at least one row", path)
	}
	f := &Frame{Names: lines[0], Rows: lines[1:]}
	if only := f.Names[0]; len(f.Names) == 1 && strings.ContainsAny(only, ";\t") {
		return nil, fmt.Errorf("npt: %s: its only column is %q: want commas between the fields", path, only)
	}
	for i, name := range f.Names {
		f.Names[i] = strings.TrimSpace(name)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("npt: %s: %w", path, err)
	}
	return f, nil
}

// check reports the first name that comes twice, the first row that has not a field for each column, or the first text that is not UTF-8,
// which a file of a predictor would not keep as it is.
func (f *Frame) check() error {
	if f == nil {
		return errors.New("there is no table")
	}
	for i, name := range f.Names {
		if slices.Contains(f.Names[:i], name) {
			return fmt.Errorf("two columns are called %q", name)
		}
		if !utf8.ValidString(name) {
			return fmt.Errorf("the name of column %d, %q, is not UTF-8: convert the file", i, name)
		}
	}
	for i, row := range f.Rows {
		if len(row) != len(f.Names) {
			return fmt.Errorf("row %d has %d fields, want %d", i, len(row), len(f.Names))
		}
		for j, field := range row {
			if !utf8.ValidString(field) {
				return fmt.Errorf("row %d: %q in column %q is not UTF-8: convert the file", i, field, f.Names[j])
			}
		}
	}
	return nil
}

// A Predictor predicts the target of rows from their features and from the rows that it was fitted on, which it keeps as context.
// Goroutines may use it at the same time.
type Predictor struct {
	model   *Model
	context *Table // all rows are training or validation rows
	columns []frameColumn
	target  int
}

// A frameColumn is how a column is encoded.
type frameColumn struct {
	Name      string
	Classes   []string `json:",omitempty"` // in order; nil: numbers
	Mean, Std float64  // of the numbers of the training rows
}

// A Prediction is that of one row.
type Prediction struct {
	Value         float64            // of a target of numbers, in its own units
	Class         string             // of a target of classes: the most probable one
	Probabilities map[string]float64 // of all classes
}

// Fit trains an NPT to predict a column from the others. Columns whose values are all finite numbers are continuous, those of which
// at least half are not are categories, and what is in between is an error that names row, counted from 0, and field: classes that are
// called 0 and 1 need a letter before each. A fifth of the rows, of which there must be five, are validation rows, drawn by c.Seed, which
// choose the step whose weights are kept.
func Fit(ctx context.Context, f *Frame, target string, c Config) (*Predictor, error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("npt: %w", err)
	}
	at := slices.Index(f.Names, target)
	if at < 0 {
		return nil, fmt.Errorf("npt: no column %q%s", target, spelling.Hint(target, f.Names))
	}
	if len(f.Names) == 1 {
		return nil, fmt.Errorf("npt: the only column is %s: want at least one to predict it from", target)
	}
	values := map[string]bool{} // of the target
	order := make([]int, len(f.Rows))
	for i, row := range f.Rows {
		if noValue(strings.TrimSpace(row[at])) {
			return nil, fmt.Errorf("npt: row %d has no %s", i, target)
		}
		values[strings.TrimSpace(row[at])] = true
		order[i] = i
	}
	if len(order) < 5 {
		return nil, fmt.Errorf("npt: %s, want at least 5, of which one is for validation", spelling.Count(len(order), "row"))
	}
	if len(values) == 1 {
		return nil, fmt.Errorf("npt: %s is %q in all rows: want at least two values to learn from", target, f.Rows[0][at])
	}
	rng := rand.New(rand.NewPCG(seed.Derive(c.Seed, "held out"), 0))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	val := len(order) / 5
	p := &Predictor{target: at, context: &Table{Train: len(order) - val, Val: val}}
	for j, name := range f.Names {
		column, err := newFrameColumn(f, j, order, p.context.Train)
		if err != nil {
			return nil, err
		}
		p.columns = append(p.columns, column)
		p.context.Columns = append(p.context.Columns, Column{Name: name, Categories: len(column.Classes), Target: j == at})
	}
	for _, i := range order {
		if err := p.encode(p.context, f.Rows[i]); err != nil {
			return nil, fmt.Errorf("npt: row %d: %w", i, err)
		}
	}
	if c.ClassBalancing && p.columns[at].Classes == nil {
		return nil, fmt.Errorf("npt: ClassBalancing: true, want false: %s is a column of numbers", target)
	}
	trainer, err := NewTrainer(p.context, c, nil)
	if err != nil {
		return nil, err
	}
	defer func() {
		trainer.free()
		backends.ReturnMemory()
	}()
	if err := trainer.Train(ctx); err != nil {
		return nil, err
	}
	p.model, err = trainer.Model()
	return p, err
}

func noValue(field string) bool {
	return field == "" || field == "?" || strings.EqualFold(field, "NA") || strings.EqualFold(field, "NaN")
}

// mostClasses is how many categories a column may have that has another one in more than every second row, as names and numbers of rows are.
const mostClasses = 1000

// newFrameColumn looks at the values of column j, row by row in that order, of which the first are training rows. Where most are
// numbers, but not all, it is an error that names the first row of another one.
func newFrameColumn(f *Frame, j int, order []int, train int) (frameColumn, error) {
	c := frameColumn{Name: f.Names[j]}
	var numbers []float64 // of training rows
	var others []int      // rows
	classes, valid := map[string]bool{}, 0
	for place, i := range order {
		field := strings.TrimSpace(f.Rows[i][j])
		if noValue(field) {
			continue
		}
		classes[field] = true
		x, err := strconv.ParseFloat(field, 64)
		if err != nil || !finite(x) {
			others = append(others, i)
			continue
		}
		valid++
		if place < train {
			numbers = append(numbers, x)
		}
	}
	switch {
	case valid > len(others) && len(others) > 0:
		i := slices.Min(others)
		return c, fmt.Errorf("npt: row %d: %q in column %q, where %d of %d values are numbers: want a number, or \"\" for no value; "+
			"where numbers are categories, a letter before each", i, f.Rows[i][j], c.Name, valid, valid+len(others))
	case len(others) > 0:
		c.Classes = slices.Sorted(maps.Keys(classes))
		if n := len(c.Classes); n > mostClasses && n > len(order)/2 {
			return c, fmt.Errorf("npt: column %q has %d different texts in %d rows: want categories, or leave it out", c.Name, n, len(order))
		}
		return c, nil
	}
	c.Mean, c.Std = task.MeanStd(len(numbers), func(i int) float64 { return numbers[i] }, func(int) bool { return true })
	if !finite(c.Std) {
		return c, fmt.Errorf("npt: column %q: its numbers are too large or too small, their variance is no number: divide or multiply them all by a power of ten", c.Name)
	}
	return c, nil
}

// largest is what a standardised number may be, so that what a network computes from it is finite.
const largest = 1e15

// encode adds a row to a table. A category that no row of the training had is taken for no value; a text among numbers, or a number that
// the network cannot take, is an error.
func (p *Predictor) encode(t *Table, fields []string) error {
	for j, c := range p.columns {
		field := strings.TrimSpace(fields[j])
		missing := noValue(field)
		if c.Classes != nil {
			at, known := slices.BinarySearch(c.Classes, field)
			channels := make([]float32, len(c.Classes))
			if missing = missing || !known; !missing {
				channels[at] = 1
			}
			t.Values = append(t.Values, channels...)
		} else {
			x, err := strconv.ParseFloat(field, 64)
			standardised := float32((x - c.Mean) / c.Std)
			switch {
			case missing:
				standardised = 0
			case err != nil || !finite(x):
				return fmt.Errorf("%q in column %q, whose values were all numbers in training: want a number, or \"\" for no value", field, c.Name)
			case !(math.Abs(float64(standardised)) <= largest):
				return fmt.Errorf("%q in column %q, whose values were about %.3g ± %.3g in training, is too large", field, c.Name, c.Mean, c.Std)
			}
			t.Values = append(t.Values, standardised)
		}
		t.Missing = append(t.Missing, missing && j != p.target)
	}
	return nil
}

// Predict predicts the target of rows of a frame, whose columns may come in any order and need not have the target. The result has
// one prediction for each row. A category that the training did not have is no value, like "": the network has no input for it.
// Rows that are asked for together see each other's features: another row beside it changes a prediction a little. With a BatchSize, the
// more rows there are, the fewer of the fitted ones each is predicted with (see Model.Predict).
//
// The error names the row, counted from 0, that has too few or too many fields, or a text or too large a number in a column of numbers;
// or it says that there are too many rows for the BatchSize.
func (p *Predictor) Predict(ctx context.Context, f *Frame) ([]Prediction, error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("npt: %w", err)
	}
	place := make([]int, len(p.columns))
	for j, c := range p.columns {
		if place[j] = slices.Index(f.Names, c.Name); place[j] < 0 && j != p.target {
			return nil, fmt.Errorf("npt: no column %q, which the training had%s", c.Name, spelling.Hint(c.Name, f.Names))
		}
	}
	t := *p.context
	t.Values, t.Missing, t.Test = slices.Clone(t.Values), slices.Clone(t.Missing), len(f.Rows)
	for i, fields := range f.Rows {
		ordered := make([]string, len(p.columns))
		for j, at := range place {
			if j != p.target {
				ordered[j] = fields[at]
			}
		}
		if err := p.encode(&t, ordered); err != nil {
			return nil, fmt.Errorf("npt: row %d: %w", i, err)
		}
	}
	rows, err := p.model.Predict(ctx, &t)
	if err != nil {
		return nil, err
	}
	out := make([]Prediction, len(rows))
	for i, row := range rows {
		if c := p.columns[p.target]; c.Classes == nil {
			out[i].Value = row[0]*c.Std + c.Mean
		} else {
			out[i] = Prediction{Class: c.Classes[slices.Index(row, slices.Max(row))], Probabilities: map[string]float64{}}
			for class, name := range c.Classes {
				out[i].Probabilities[name] = row[class]
			}
		}
	}
	return out, nil
}

// A predictorHeader describes a file with a Predictor: the table is what it keeps as context.
type predictorHeader struct {
	Config  Config
	Table   Table
	Columns []frameColumn
	Target  int
}

// Save writes the predictor to a file, which is replaced as a whole, and makes its folder if it is not there. The rows that it was fitted
// on are in the file, since it predicts from them.
func (p *Predictor) Save(path string) error {
	h := predictorHeader{p.model.net.Config, *p.context, p.columns, p.target}
	if err := checkpoint.Write(path, "predictor", h, p.model.weights); err != nil {
		return fmt.Errorf("npt: %w", err)
	}
	return nil
}

// LoadPredictor reads a predictor that Save wrote. Its predictions are those of the one that was saved, bit for bit on the same backend.
// A nil backend is as for NewTrainer.
func LoadPredictor(path string, backend compute.Backend) (*Predictor, error) {
	var h predictorHeader
	m, err := loadModel(path, "predictor", backend, &h, func() (Config, []Column, error) {
		err := h.Table.check()
		if columns := len(h.Table.Columns); err == nil && (len(h.Columns) != columns || h.Target < 0 || h.Target >= columns || h.Table.Test != 0) {
			err = errors.New("damaged: its header contradicts itself")
		}
		return h.Config, h.Table.Columns, err
	})
	if err != nil {
		return nil, err
	}
	return &Predictor{m, &h.Table, h.Columns, h.Target}, nil
}
