package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"nptbench/internal/spelling"
)

// A csvForm is the form of a data set of one's own: RFC 4180 with a header line, whose names say which field is which column.
type csvForm struct {
	separator      rune
	target, groups string    // names of the columns that have a value in every row; what missing lists may be a class or a group
	parts          string    // name of the column of a given split
	missing        []string  // fields that mean: no value
	missingNumbers []float64 // those of them that are numbers
	skipped        []string  // names of fields that are no columns
}

// parse is the parser of such files.
func (f csvForm) parse(r io.Reader, rows int, columns []*builder) error {
	s := &scanner{r: bufio.NewReaderSize(r, maxLine)}
	if err := s.refuseForeign(); err != nil {
		return s.fail(err)
	}
	lines := csv.NewReader(s.r)
	lines.Comma, lines.ReuseRecord = f.separator, true
	header, err := lines.Read()
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) && (parse.Err == csv.ErrBareQuote || parse.Err == csv.ErrQuote) {
		parse.Err = fmt.Errorf("%w; is there another separator than %q?", parse.Err, f.separator)
	}
	if err != nil {
		return csvError(cutShort(err))
	}
	at, err := f.match(header, columns, lines.FieldPos)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		row, err := lines.Read()
		switch {
		case err == io.EOF && n == rows:
			return f.refuse(columns)
		case err == io.EOF:
			return fmt.Errorf("%s, %d declared", spelling.Count(n, "row"), rows)
		case errors.Is(err, csv.ErrFieldCount):
			line, _ := lines.FieldPos(0)
			return &lineError{line: line, err: fmt.Errorf("%s, the header has %d", spelling.Count(len(row), "field"), len(header))}
		case err != nil:
			return csvError(err)
		case n == rows:
			line, _ := lines.FieldPos(0)
			return &lineError{line: line, err: fmt.Errorf("more than the declared %s", spelling.Count(rows, "row"))}
		}
		for i, column := range at {
			if column == nil {
				continue
			}
			if err := f.add(column, row[i]); err != nil {
				line, place := lines.FieldPos(i)
				return &lineError{line, place, fmt.Errorf("column %s: %w", column.name, err)}
			}
		}
	}
}

// MostNames is how many rows may each have a category of their own: of more, these are names of the rows.
const MostNames = 20

// refuse refuses columns without any value, of which methods could learn nothing, those whose categories name the rows, and categories that
// are the same number.
func (f csvForm) refuse(columns []*builder) error {
	for _, c := range columns {
		if len(c.missing) == c.n && !slices.Contains(c.missing, false) {
			return fmt.Errorf("column %s has no value in any row: declare it skip", c.name)
		}
		if c.levels != nil {
			continue
		}
		switch n := len(c.texts); {
		case c.name == f.groups && n == c.n:
			return fmt.Errorf("column %s has another group for each of the %s rows: leave groups out", c.name, spelling.Thousands(c.n))
		case c.name == f.groups:
		case n == c.n && n > MostNames:
			return fmt.Errorf("column %s has another category in each of the %s rows: declare it skip, or number", c.name, spelling.Thousands(c.n))
		case n > 1000 && n > c.n/2:
			return fmt.Errorf("column %s has %s categories in %s rows: declare it skip, or number", c.name, spelling.Thousands(n), spelling.Thousands(c.n))
		}
		first := map[string]string{}
		for i, number := range plainNumbers(c.texts) {
			if other, again := first[number]; again && c.name == f.groups {
				return fmt.Errorf("column %s: the groups %q and %q are the same number: make them alike, or put a letter before them", c.name, other, c.texts[i])
			} else if again {
				return fmt.Errorf("column %s: the categories %q and %q are the same number: declare it number, make them alike, or put a letter before them where they are names", c.name, other, c.texts[i])
			}
			first[number] = c.texts[i]
		}
	}
	return nil
}

// match returns the column of every field by the header, nil for fields that are skipped. position is where a field begins.
func (f csvForm) match(header []string, columns []*builder, position func(field int) (line, column int)) ([]*builder, error) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	fail := func(field int, format string, args ...any) error {
		line, column := position(field)
		return &lineError{line, column, fmt.Errorf("header field %d, %w", field+1, fmt.Errorf(format, args...))}
	}
	known := func(name string) bool {
		return slices.Contains(names, name) || slices.Contains(f.skipped, name) && name != "" || spelling.Nearest(name, names) != ""
	}
	if len(header) > 1 && !slices.ContainsFunc(header, known) {
		return nil, fail(0, "%s, is not declared, nor is any other: is the header line missing?", quote([]byte(header[0])))
	}
	var unknown []int // fields
	at := make([]*builder, len(header))
	for i, name := range header {
		if i > 0 && slices.Contains(header[:i], name) {
			return nil, fail(i, "%s, comes twice: rename one of them in the file", quote([]byte(name)))
		}
		column := slices.Index(names, name)
		if column < 0 && !slices.Contains(f.skipped, name) {
			unknown = append(unknown, i)
		}
		if column >= 0 {
			at[i] = columns[column]
		}
	}
	if len(unknown) > 0 {
		name := header[unknown[0]]
		if len(header) == 1 && strings.ContainsAny(name, ",;\t") {
			return nil, fail(0, "%s, is not declared: is there another separator than %q?", quote([]byte(name)), f.separator)
		}
		text := quote([]byte(name)) + ", is not declared" + spelling.Hint(name, names)
		if name == "" {
			text = `has no name and is not declared: a column that is no feature is "": skip`
		}
		const most = 10 // others that are named
		for i, field := range unknown[1:min(1+most, len(unknown))] {
			text += []string{"; also undeclared: ", ", "}[min(i, 1)] + quote([]byte(header[field]))
		}
		if more := len(unknown) - 1 - most; more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		return nil, fail(unknown[0], "%s", text)
	}
	for _, name := range append(names, f.skipped...) {
		if !slices.Contains(header, name) {
			return nil, &lineError{line: 1, err: fmt.Errorf("no column %q in the header, though it is declared", name)}
		}
	}
	return at, nil
}

// add appends a field to a column.
func (f csvForm) add(column *builder, field string) error {
	if column.name == f.parts {
		if !slices.Contains(partNames, field) {
			return fmt.Errorf("%s is no part; want train, val or test", quote([]byte(field)))
		}
		return column.add([]byte(field))
	}
	missing := column.name != f.groups && f.isMissing(field)
	if missing && column.name != f.target {
		column.addMissing()
		return nil
	}
	err := error(nil)
	switch {
	case missing && standsForNothing(field):
		return errNoTarget
	case missing && column.kind == Continuous: // -999 would be learnt
		return fmt.Errorf("the target is %s, which missing lists: leave the row out, or take another sign for gaps in the file", quote([]byte(field)))
	case column.name == f.groups && standsForNothing(field):
		return errNoGroup
	case !utf8.ValidString(field):
		err = fmt.Errorf("%s is not UTF-8", quote([]byte(field)))
	case column.kind == Categorical && (field == "" || strings.TrimSpace(field) != field):
		err = fmt.Errorf("%s is not a category: it is empty, or has blanks around it", quote([]byte(field)))
	case column.kind == Categorical && column.levels == nil && standsForNothing(field):
		return fmt.Errorf("%s may be a category, or stand for no value: list all categories of the column, or this under missing", quote([]byte(field)))
	default:
		err = column.add([]byte(field))
	}
	if err != nil && (missing || standsForNothing(field)) {
		if column.name == f.target {
			return errNoTarget
		}
		err = fmt.Errorf("%w; if it stands for a missing value, list it under missing", err)
	}
	return err
}

// standsForNothing reports whether a field is what many files have where there is no value.
func standsForNothing(field string) bool {
	return slices.Contains([]string{"", "?", "na", "n/a", "nan", "null", "none"}, strings.ToLower(field))
}

var (
	errNoTarget = errors.New("the target has no value; leave the row out")
	errNoGroup  = errors.New("the row has no group; give it one of its own, or leave the row out")
)

// isMissing reports whether a field stands for no value, a number by its value: -999.0 is -999.
func (f csvForm) isMissing(field string) bool {
	if slices.Contains(f.missing, field) {
		return true
	}
	if len(f.missingNumbers) == 0 {
		return false
	}
	x, err := strconv.ParseFloat(field, 64)
	return err == nil && slices.Contains(f.missingNumbers, x)
}

// csvError says in our form what package csv found wrong.
func csvError(err error) error {
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		if parse.StartLine < parse.Line { // a quoted field that ends nowhere ends with the file
			return &lineError{line: parse.StartLine, err: fmt.Errorf("in the row that begins here: %w", parse.Err)}
		}
		return &lineError{parse.Line, parse.Column, parse.Err}
	}
	return err
}
