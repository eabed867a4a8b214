package npt

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"nptbench/internal/spelling"
	"nptbench/internal/task"
)

// A Frame is a table as a CSV file has it.
type Frame struct {
	Names []string   // of the columns
	Rows  [][]string // a field for each column, spaces around it do not count; "", "?", and "NA" and "NaN" in letters of any case stand for no value

	// Categories names columns whose values are categories, though they look like numbers, as 0 and 1 do.
	Categories []string
}

// ReadCSV reads a file with a header line. Errors name the file and the line, or the row, from 0. Empty lines are left
// out, but are an error where there is one column, since there they could stand for no value, which is "?" in such a file.
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
	lines, empty, err := readLines(text)
	if err != nil {
		return nil, fmt.Errorf("npt: %s: %w", path, err)
	}
	if len(lines) < 2 {
		return nil, fmt.Errorf("npt: %s: want a header line and at least one row", path)
	}
	f := &Frame{Names: lines[0], Rows: lines[1:]}
	if only := f.Names[0]; len(f.Names) == 1 && strings.ContainsAny(only, ";|\t") {
		return nil, fmt.Errorf("npt: %s: its only column is %q: want commas between the fields", path, only)
	}
	if f, err = f.check(); err != nil {
		return nil, fmt.Errorf("npt: %s: %w", path, err)
	}
	if empty > 0 && len(f.Names) == 1 {
		return nil, fmt.Errorf("npt: %s: line %d is empty: want a value, or ? for none", path, empty)
	}
	return f, nil
}

// readLines reads the lines of a CSV file that are not empty, and returns the number, from 1, of the first that is; 0: none.
func readLines(text io.Reader) (lines [][]string, empty int, err error) {
	r := csv.NewReader(text)
	r.TrimLeadingSpace = true // else a field in quotes may not follow a space
	r.FieldsPerRecord = -1    // check counts them
	for next := 1; ; {        // the line after the last one that was read
		end := r.InputOffset()
		fields, err := r.Read()
		if err == io.EOF {
			if r.InputOffset() > end && empty == 0 {
				empty = next
			}
			return lines, empty, nil
		}
		if err != nil {
			return nil, 0, err
		}
		line, _ := r.FieldPos(0)
		if line > next && empty == 0 {
			empty = next
		}
		next = line + 1 + strings.Count(strings.Join(fields, ""), "\n")
		lines = append(lines, fields)
	}
}

// Without returns a copy of the frame that lacks columns, such as an index without a name (""), or an id that is another in each row. A name
// that no column has is an error.
func (f *Frame) Without(columns ...string) (*Frame, error) {
	f, err := f.check()
	if err != nil {
		return nil, fmt.Errorf("npt: %w", err)
	}
	for _, name := range columns {
		if !slices.Contains(f.Names, name) {
			return nil, fmt.Errorf("npt: no column %q%s", name, spelling.Hint(name, f.Names))
		}
	}
	kept := func(fields []string) (of []string) {
		for j, field := range fields {
			if !slices.Contains(columns, f.Names[j]) {
				of = append(of, field)
			}
		}
		return of
	}
	left := &Frame{Names: kept(f.Names), Rows: make([][]string, len(f.Rows))}
	for i, row := range f.Rows {
		left.Rows[i] = kept(row)
	}
	for _, name := range f.Categories {
		if slices.Contains(left.Names, name) {
			left.Categories = append(left.Categories, name)
		}
	}
	return left, nil
}

// check returns the frame with names without spaces around them. It reports the first name that comes twice, the first row that has not a
// field for each column, or the first text that is not UTF-8, which a file of a predictor would not keep as it is.
func (f *Frame) check() (*Frame, error) {
	if f == nil {
		return nil, errors.New("there is no table")
	}
	f = &Frame{slices.Clone(f.Names), f.Rows, f.Categories}
	for i, name := range f.Names {
		f.Names[i] = strings.TrimSpace(name)
		if slices.Contains(f.Names[:i], f.Names[i]) {
			hint := ""
			if _, err := strconv.ParseFloat(f.Names[i], 64); err == nil {
				hint = ": is the header line missing?"
			}
			return nil, fmt.Errorf("two columns are called %q%s", f.Names[i], hint)
		}
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("the name of column %d, %q, is not UTF-8: convert the file", i, name)
		}
	}
	for i, row := range f.Rows {
		if len(row) != len(f.Names) {
			return nil, fmt.Errorf("row %d has %s, want %d", i, spelling.Count(len(row), "field"), len(f.Names))
		}
		for j, field := range row {
			if !utf8.ValidString(field) {
				return nil, fmt.Errorf("row %d: %q in column %q is not UTF-8: convert the file", i, field, f.Names[j])
			}
		}
	}
	for _, name := range f.Categories {
		if !slices.Contains(f.Names, name) {
			return nil, fmt.Errorf("no column %q%s, of Categories", name, spelling.Hint(name, f.Names))
		}
	}
	return f, nil
}

// A frameColumn is how a column is encoded.
type frameColumn struct {
	Name        string
	Classes     []string `json:",omitempty"` // in order; nil: numbers
	Mean, Std   float64  // of the numbers of training rows, with SemiSupervised those of a feature in validation rows, too
	Least, Most float64  `json:",omitzero"`  // of these numbers, both 0 in files of earlier versions
	Constant    bool     `json:",omitempty"` // the values of these rows are all alike: of other numbers the network knows nothing
}

// text is what the network predicts of the column: the value of its channels. Of a number that was always the same it has learnt nothing.
func (c frameColumn) text(channels []float32) string {
	switch {
	case c.Classes != nil:
		return c.Classes[slices.Index(channels, slices.Max(channels))]
	case c.Constant:
		return strconv.FormatFloat(c.Mean, 'g', 6, 64)
	}
	return strconv.FormatFloat(float64(channels[0])*c.Std+c.Mean, 'g', 6, 64)
}

func noValue(field string) bool {
	return field == "" || field == "?" || strings.EqualFold(field, "NA") || strings.EqualFold(field, "NaN")
}

// number reads a finite number. What only Go reads as one, such as 18_25 or 0x1p4, is a text.
func number(field string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(field, 64)
	return x, err == nil && finite(x) && !strings.ContainsAny(field, "_xX")
}

// mostClasses is how many categories a column may have: an entry of it takes as many numbers.
const mostClasses = 1000

// newFrameColumn looks at the values of column j, row by row in that order, of which training sees the first. Where most are numbers, but not
// all, it is an error that names the first row of another one, and so are numbers with a comma, where nothing else would make it
// categories.
func newFrameColumn(f *Frame, j int, order []int, seen int) (frameColumn, error) {
	c := frameColumn{Name: f.Names[j]}
	var numbers []float64 // that training sees
	var others []int      // rows
	valid, commas := 0, 0
	classes, learnt := map[string]bool{}, map[string]bool{} // of all rows, and of those that training sees
	categories := slices.Contains(f.Categories, c.Name)
	for place, i := range order {
		field := strings.TrimSpace(f.Rows[i][j])
		if noValue(field) {
			continue
		}
		if classes[field] = true; place < seen {
			learnt[field] = true
		}
		x, ok := number(field)
		if categories || !ok {
			others = append(others, i)
			if _, ok := number(strings.ReplaceAll(field, ",", "")); ok && strings.Contains(field, ",") {
				commas++
			}
			continue
		}
		valid++
		if place < seen {
			numbers = append(numbers, x)
		}
	}
	switch {
	case valid > len(others) && len(others) > 0:
		i := slices.Min(others)
		return c, fmt.Errorf("npt: row %d: %q in column %q, where %d of %d values are numbers: want a number, or \"\" for no value; "+
			"where these are categories, name the column in Categories", i, f.Rows[i][j], c.Name, valid, valid+len(others))
	case commas == len(others) && commas > 0 && !categories:
		return c, fmt.Errorf("npt: row %d: %q in column %q: want numbers with a point and without commas; where these are categories, name the column in Categories",
			others[0], strings.TrimSpace(f.Rows[others[0]][j]), c.Name)
	case len(others) > 0:
		c.Classes, c.Constant = slices.Sorted(maps.Keys(classes)), len(learnt) < 2
		if n := len(c.Classes); n > mostClasses {
			return c, fmt.Errorf("npt: column %q has %d different texts in %d rows: want at most %d categories, or leave it out", c.Name, n, len(order), mostClasses)
		}
		return c, nil
	case len(numbers) == 0:
		return c, fmt.Errorf("npt: column %q has no value in the %d rows that it would be standardised by: leave it out", c.Name, seen)
	}
	c.Mean, c.Std = task.MeanStd(len(numbers), func(i int) float64 { return numbers[i] }, func(int) bool { return true })
	if !finite(c.Std) {
		return c, fmt.Errorf("npt: column %q: its numbers are too large or too small, their variance is no number: divide or multiply them all by a power of ten", c.Name)
	}
	c.Least, c.Most = slices.Min(numbers), slices.Max(numbers)
	c.Constant = c.Least == c.Most
	return c, nil
}

// largest is what a standardised number may be, so that what a network computes from it is finite.
const largest = 1e15

// far reports whether a number lies outside of those that training saw by more than these are apart.
func (c *frameColumn) far(field string) bool {
	x, ok := number(strings.TrimSpace(field))
	width := c.Most - c.Least
	return c.Classes == nil && ok && width > 0 && (x < c.Least-width || x > c.Most+width)
}

// encode adds a row to a table. A category that no row of the training had is taken for no value, and any number in a column that had but
// one there for that; a text among numbers, or a number that the network cannot take, is an error.
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
			x, ok := number(field)
			standardised := float32((x - c.Mean) / c.Std)
			switch {
			case missing:
				standardised = 0
			case !ok:
				return fmt.Errorf("%q in column %q, whose values were all numbers in training: want a number, or \"\" for no value", field, c.Name)
			case c.Constant:
				standardised = 0
			case !(math.Abs(float64(standardised)) <= largest):
				return fmt.Errorf("%q in column %q, whose values were about %.3g ± %.3g in training, is too large", field, c.Name, c.Mean, c.Std)
			}
			t.Values = append(t.Values, standardised)
		}
		t.Missing = append(t.Missing, missing && j != p.target)
	}
	return nil
}
