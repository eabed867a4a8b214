package document

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"nptbench/internal/spelling"
)

// A CSV is a file of comma-separated values that is being read. Its errors name the file and the line.
type CSV struct {
	Header []string // the names of the columns, by the first line

	file   string
	reader *csv.Reader
}

// NewCSV reads the first line of a file that messages call so, behind a byte order mark if it has one. It refuses one that seems to have
// another separator than a comma.
func NewCSV(in io.Reader, file string) (*CSV, error) {
	text := bufio.NewReader(in)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		text.Discard(3)
	}
	c := &CSV{file: file, reader: csv.NewReader(text)}
	c.reader.ReuseRecord = true
	header, _, err := c.Next()
	if err == io.EOF {
		return nil, fmt.Errorf("%s is empty, want a line with the names of columns", file)
	}
	const another = "is there another separator than a comma?"
	switch {
	case errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote):
		return nil, fmt.Errorf("%w; %s", err, another)
	case err != nil:
		return nil, err
	case len(header) == 1 && strings.ContainsAny(header[0], ";\t"):
		return nil, fmt.Errorf("%s:1: the only column is called %q: %s", file, header[0], another)
	}
	c.Header = slices.Clone(header)
	return c, nil
}

// Next returns the fields of the next line, as many as the header has, until it is called again, and where they begin. At the end the error
// is io.EOF.
func (c *CSV) Next() (fields []string, line int, err error) {
	fields, err = c.reader.Read()
	parse := (*csv.ParseError)(nil)
	switch {
	case err == nil:
		line, _ = c.reader.FieldPos(0)
	case errors.As(err, &parse):
		if parse.Err == csv.ErrFieldCount {
			parse.Err = fmt.Errorf("%s, the header has %d", spelling.Count(len(fields), "field"), len(c.Header))
		}
		err = fmt.Errorf("%s:%d: %w", c.file, parse.Line, parse.Err)
	case err != io.EOF:
		err = fmt.Errorf("%s: %w", c.file, err)
	}
	return fields, line, err
}
