package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"nptbench/internal/spelling"
)

// A parser appends the rows of one file to the columns of a table. Errors that concern a place in the file are a
// *lineError.
type parser func(r io.Reader, rows int, columns []*builder) error

// A lineError is an error in a line and column of text, both counted from 1; line 0 is the file as a whole, column 0 the line.
type lineError struct {
	line, column int
	err          error
}

func (e *lineError) Error() string { return e.err.Error() }
func (e *lineError) Unwrap() error { return e.err }

// A text is the form of a file with one row a line.
type text struct {
	separator byte     // ',' or ' ', which stands for a run of blanks and tabs
	header    []string // names in the first line; one nameless entry: a first line that is passed over
	skip      int      // lines before the first row that say nothing
	lines     int      // how many lines make up a row; 0 is 1
	trim      bool     // blanks around fields do not count
	arff      bool     // an ARFF file: rows follow the line @data, text may stand in quotes
	fields    []int    // which field of the file each column is; nil: in the same order
	missing   []string // fields that mean: no value
}

// maxLine is more than any line of any data set.
const maxLine = 1 << 16

// parse is the parser of text files.
func (f text) parse(r io.Reader, rows int, columns []*builder) error {
	s := &scanner{r: bufio.NewReaderSize(r, maxLine)}
	p := &rowParser{text: f, columns: f.inFileOrder(columns)}
	if err := f.start(s, len(p.columns)); err != nil {
		return s.fail(err)
	}
	for n := 0; ; {
		line, err := f.row(s)
		if err == io.EOF {
			if n < rows {
				return s.fail(fmt.Errorf("the file ends after %s, %d expected", spelling.Count(n, "row"), rows))
			}
			return nil
		}
		if err == nil && n == rows {
			err = fmt.Errorf("more than the expected %d rows", rows)
		}
		if err == nil {
			err = p.parse(line)
		}
		if err != nil {
			return s.fail(err)
		}
		n++
	}
}

// inFileOrder returns the column of every field of the file, nil for fields that are dropped.
func (f text) inFileOrder(columns []*builder) []*builder {
	if f.fields == nil {
		return columns
	}
	width := 0
	for _, field := range f.fields {
		width = max(width, field+1)
	}
	ordered := make([]*builder, width)
	for i, field := range f.fields {
		ordered[field] = columns[i]
	}
	return ordered
}

// start reads up to the first row and refuses what is no data at all.
func (f text) start(s *scanner, width int) error {
	if err := s.refuseForeign(); err != nil {
		return err
	}
	for range f.skip {
		if _, err := s.physical(); err != nil {
			return cutShort(err)
		}
	}
	switch {
	case f.arff:
		return f.skipARFFHeader(s, width)
	case f.header != nil:
		return f.checkHeader(s, width)
	}
	return nil
}

func (f text) checkHeader(s *scanner, width int) error {
	line, err := s.next()
	if err != nil {
		return cutShort(err)
	}
	names := strings.Split(string(line), string(f.separator))
	for i := range names {
		names[i] = strings.Trim(strings.TrimSpace(names[i]), `"`)
	}
	if len(names) != width {
		return fmt.Errorf("header of %s, %d expected", spelling.Count(len(names), "field"), width)
	}
	if _, isNumber := parseNumber([]byte(names[width-1]), false); isNumber {
		return errors.New("a row of numbers where the header line is expected")
	}
	for i, name := range f.header {
		if name != "" && names[i] != name {
			return fmt.Errorf("header field %d is %s, %q expected", i+1, quote([]byte(names[i])), name)
		}
	}
	return nil
}

// skipARFFHeader reads up to the line @data and counts the attributes.
func (f text) skipARFFHeader(s *scanner, width int) error {
	attributes := 0
	for {
		line, err := s.next()
		if err != nil {
			return cutShort(err)
		}
		switch word := strings.ToLower(string(bytes.TrimSpace(line))); {
		case strings.HasPrefix(word, "@attribute"):
			attributes++
		case word == "@data" && attributes == width:
			return nil
		case word == "@data":
			return fmt.Errorf("%s declared, %d expected", spelling.Count(attributes, "attribute"), width)
		}
	}
}

// row returns the text of the next row.
func (f text) row(s *scanner) ([]byte, error) {
	line, err := s.next()
	for err == nil && f.arff && len(line) > 0 && line[0] == '%' {
		line, err = s.next()
	}
	if f.lines < 2 || err != nil {
		return line, err
	}
	joined := bytes.Clone(line)
	for range f.lines - 1 {
		if line, err = s.next(); err != nil {
			return nil, cutShort(err)
		}
		joined = append(append(joined, f.separator), line...)
	}
	return joined, nil
}

func cutShort(err error) error {
	if err == io.EOF {
		return errors.New("the file ends before the first complete row")
	}
	return err
}

// A rowParser cuts a line into fields and hands each to its column.
type rowParser struct {
	text
	columns []*builder // of each field of the file; nil: dropped
}

func (p *rowParser) parse(line []byte) error {
	rest, more := line, true
	if p.separator == ' ' {
		rest = bytes.Trim(rest, " \t")
	}
	for i, column := range p.columns {
		if !more {
			return p.wrongWidth(line)
		}
		var field []byte
		field, rest, more = p.cut(rest)
		if column == nil {
			continue
		}
		if p.isMissing(field) {
			column.addMissing()
		} else if err := column.add(field); err != nil {
			return fmt.Errorf("field %d (%s): %w", i+1, column.name, err)
		}
	}
	if more {
		return p.wrongWidth(line)
	}
	return nil
}

// cut returns the first field, what follows the separator, and whether there was one.
func (p *rowParser) cut(line []byte) (field, rest []byte, more bool) {
	if p.arff {
		line = bytes.TrimLeft(line, " \t")
	}
	if p.arff && len(line) > 0 && (line[0] == '\'' || line[0] == '"') {
		if end := bytes.IndexByte(line[1:], line[0]); end >= 0 {
			field, line = line[1:end+1], line[end+2:]
			_, rest, more = bytes.Cut(line, []byte{p.separator})
			return field, rest, more
		}
	}
	if p.separator == ' ' {
		return cutBlank(line)
	}
	if at := bytes.IndexByte(line, p.separator); at >= 0 {
		field, rest, more = line[:at], line[at+1:], true
	} else {
		field = line
	}
	if p.trim || p.arff {
		field = bytes.TrimSpace(field)
	}
	return field, rest, more
}

// cutBlank is cut for fields between runs of blanks and tabs.
func cutBlank(line []byte) (field, rest []byte, more bool) {
	at := bytes.IndexAny(line, " \t")
	if at < 0 {
		return line, nil, false
	}
	return line[:at], bytes.TrimLeft(line[at:], " \t"), true
}

func (p *rowParser) isMissing(field []byte) bool {
	for _, m := range p.missing {
		if string(field) == m {
			return true
		}
	}
	return false
}

func (p *rowParser) wrongWidth(line []byte) error {
	n, rest, more := 0, line, true
	if p.separator == ' ' {
		rest = bytes.Trim(rest, " \t")
	}
	for more {
		_, rest, more = p.cut(rest)
		n++
	}
	return fmt.Errorf("%s, %d expected", spelling.Count(n, "field"), len(p.columns))
}

// A scanner reads lines that are not blank and counts all of them.
type scanner struct {
	r    *bufio.Reader
	line int
}

// next returns the next line that is not blank, without its end. It is valid until the next call.
func (s *scanner) next() ([]byte, error) {
	for {
		line, err := s.physical()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}

// physical returns the next line, blank or not, without its end.
func (s *scanner) physical() ([]byte, error) {
	line, err := s.r.ReadSlice('\n')
	if err == io.EOF && len(line) > 0 {
		err = nil // a last line without an end
	}
	if err == nil || err == bufio.ErrBufferFull {
		s.line++
	}
	if err == bufio.ErrBufferFull {
		err = fmt.Errorf("a line of more than %d bytes", maxLine)
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// refuseForeign looks at the first bytes, for what is put in a data file's place most often, and passes over a byte
// order mark.
func (s *scanner) refuseForeign() error {
	head, err := s.r.Peek(512)
	if err != nil && err != io.EOF {
		return err
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		s.r.Discard(3)
		head = head[3:]
	}
	start := bytes.ToLower(bytes.TrimSpace(head))
	switch {
	case len(start) == 0:
		return errors.New("the file is empty")
	case bytes.HasPrefix(start, []byte("<!doctype")), bytes.HasPrefix(start, []byte("<html")), bytes.HasPrefix(start, []byte("<?xml")):
		s.line = 1
		return errors.New("a web page (HTML or XML), not data")
	case bytes.HasPrefix(start, []byte("version https://git-lfs")):
		s.line = 1
		return errors.New("a Git LFS pointer, not data: run git lfs pull")
	case bytes.HasPrefix(start, []byte("pk\x03\x04")):
		return errors.New("a zip archive: unpack it, or save the spreadsheet as CSV")
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return errors.New("text in UTF-16: save it as UTF-8")
	case bytes.IndexByte(head, 0) >= 0:
		return errors.New("binary, not text")
	}
	start, _ = s.r.Peek(maxLine)
	if end := bytes.IndexByte(start, '\r'); bytes.IndexByte(start, '\n') < 0 && end >= 0 && end < len(start)-1 {
		return errors.New("its lines end with CR alone: save it with LF")
	}
	return nil
}

// fail gives an error the place that has been read last.
func (s *scanner) fail(err error) error { return &lineError{line: s.line, err: err} }
