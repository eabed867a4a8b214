package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"nptbench/internal/spelling"
)

// A columnSpec is what is known of a column beforehand.
type columnSpec struct {
	name   string
	kind   ColumnType
	levels []string // categorical: the only values there can be, in ascending order; nil: whatever the file holds
	single bool     // continuous: the numbers are float32 by origin, however many digits the file spends on them
	date   bool     // continuous: a date, month/day/year, which becomes the number of days since 1 January 1970
}

// maxCategories is what a uint16 code can count.
const maxCategories = 1 << 16

// A builder collects the fields of one column, row by row.
type builder struct {
	columnSpec
	rows    int // how many to make room for at first
	n       int // how many there are
	f32     []float32
	f64     []float64
	codes   []uint16
	missing []bool

	numbered bool     // categorical: all levels are numbers, so their form in the file does not matter
	texts    []string // categorical: distinct texts of the file, in order of appearance
	index    map[string]uint16
	lastText string // the previous row's text and code: neighbours are often equal
	lastCode uint16
}

func newBuilder(spec columnSpec, rows int) *builder {
	b := &builder{columnSpec: spec, rows: rows, numbered: plainNumbers(spec.levels) != nil}
	if spec.kind == Categorical {
		b.codes = make([]uint16, 0, rows)
		b.index = map[string]uint16{}
	} else {
		b.f32 = make([]float32, 0, rows)
	}
	return b
}

// add appends a field. The error says what is wrong with it and what would be right.
func (b *builder) add(field []byte) error {
	b.n++
	if b.kind == Categorical {
		return b.addText(field)
	}
	v, err := b.value(field)
	if err == nil {
		b.addNumber(v)
	}
	return err
}

// addMissing appends a missing entry.
func (b *builder) addMissing() {
	b.missing = append(b.missing, make([]bool, b.n-len(b.missing)+1)...)
	b.missing[b.n] = true
	b.n++
	if b.kind == Categorical {
		b.codes = append(b.codes, 0)
		return
	}
	b.addNumber(0)
}

// addNumber appends a number. A column moves to float64 with the first number that float32 cannot hold.
func (b *builder) addNumber(v float64) {
	if b.f64 == nil {
		if f := float32(v); b.single || float64(f) == v {
			b.f32 = append(b.f32, f)
			return
		}
		b.f64 = make([]float64, 0, b.rows)
		for _, f := range b.f32 {
			b.f64 = append(b.f64, float64(f))
		}
		b.f32 = nil
	}
	b.f64 = append(b.f64, v)
}

func (b *builder) value(field []byte) (float64, error) {
	if b.date {
		return days(string(field))
	}
	v, ok := parseNumber(field, b.single)
	if !ok {
		return 0, fmt.Errorf("%s is not a number%s", quote(field), whyNot(string(field)))
	}
	return v, nil
}

var looksLikeDate = regexp.MustCompile(`^\d+[-/.]\d+[-/.]\d+`)

// whyNot says in parentheses why a field is no number, where that is plain.
func whyNot(field string) string {
	_, err := strconv.ParseFloat(field, 64)
	switch {
	case strings.TrimSpace(field) != field:
		return " (it has blanks around it)"
	case strings.Contains(field, ","):
		return " (numbers have a point, and no commas)"
	case looksLikeDate.MatchString(field):
		return " (write dates as numbers, such as days, or declare the column skip)"
	case errors.Is(err, strconv.ErrRange):
		return " (it is too large)"
	}
	return ""
}

// days turns month/day/year into the number of days since 1 January 1970.
func days(s string) (float64, error) {
	t, err := time.Parse("1/2/2006", s)
	if err != nil {
		return 0, fmt.Errorf("%s is not a date (month/day/year)", quote([]byte(s)))
	}
	return float64(t.Unix() / (24 * 60 * 60)), nil
}

// parseNumber reads a finite decimal number: no hexadecimal digits, infinities or NaN. A single one is rounded once, to
// float32.
func parseNumber(field []byte, single bool) (float64, bool) {
	for _, c := range field {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	bits := 64
	if single {
		bits = 32
	}
	v, err := strconv.ParseFloat(string(field), bits)
	return v, err == nil
}

func (b *builder) addText(field []byte) error {
	if len(b.texts) > 0 && string(field) == b.lastText {
		b.codes = append(b.codes, b.lastCode)
		return nil
	}
	code, ok := b.index[string(field)]
	if !ok {
		var err error
		if code, err = b.newCategory(field); err != nil {
			return err
		}
	}
	b.lastText, b.lastCode = b.texts[code], code
	b.codes = append(b.codes, code)
	return nil
}

func (b *builder) newCategory(field []byte) (uint16, error) {
	text := string(field)
	for i := range field {
		if field[i] < ' ' {
			return 0, fmt.Errorf("%s contains a control character", quote(field))
		}
	}
	if b.levels != nil && !slices.Contains(b.levels, text) && !(b.numbered && slices.Contains(b.levels, plainNumber(field))) {
		return 0, fmt.Errorf("%s is not a declared category%s", quote(field), spelling.Hint(text, b.levels))
	}
	if len(b.texts) == maxCategories {
		return 0, fmt.Errorf("more than %d distinct values", maxCategories)
	}
	code := uint16(len(b.texts))
	b.texts = append(b.texts, text)
	b.index[text] = code
	return code, nil
}

// plainNumber writes a number in the shortest plain form ("0.150" and "1.5e-01" both as "0.15"); "" if it is not one, or one of so many digits
// that others round to it.
func plainNumber(field []byte) string {
	v, ok := parseNumber(field, false)
	if !ok || math.Abs(v) >= 1<<53 {
		return ""
	}
	if v == 0 {
		v = 0 // not -0
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// column returns the finished column: categories in ascending order, numerically when all of them are numbers.
func (b *builder) column() Column {
	if b.missing != nil {
		b.missing = append(b.missing, make([]bool, b.n-len(b.missing))...)
	}
	c := Column{Name: b.name, Type: b.kind, F32: b.f32, F64: b.f64, Codes: b.codes, Missing: b.missing}
	if b.kind == Continuous {
		return c
	}
	names, compare := b.texts, strings.Compare
	if plain := plainNumbers(b.texts); plain != nil && (b.levels == nil || b.numbered) {
		names, compare = plain, compareNumbers
	}
	c.Categories = slices.Clone(names)
	slices.SortFunc(c.Categories, compare)
	c.Categories = slices.Compact(c.Categories)
	if b.levels != nil {
		c.Categories = slices.Clone(b.levels)
	}
	recode := make([]uint16, len(names))
	for i, name := range names {
		at, _ := slices.BinarySearchFunc(c.Categories, name, compare)
		recode[i] = uint16(at)
	}
	for row, code := range c.Codes {
		if !c.IsMissing(row) {
			c.Codes[row] = recode[code]
		}
	}
	return c
}

// plainNumbers returns all texts in their shortest plain form, or nil when one of them is no number.
func plainNumbers(texts []string) []string {
	plain := make([]string, len(texts))
	for i, text := range texts {
		if plain[i] = plainNumber([]byte(text)); plain[i] == "" {
			return nil
		}
	}
	return plain
}

func compareNumbers(a, b string) int {
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	return cmp.Compare(x, y)
}

// quote shows a field in an error message, on one line and not too long.
func quote(field []byte) string {
	if len(field) == 0 {
		return "an empty field"
	}
	if len(field) > 40 {
		end := 40
		for end > 37 && !utf8.RuneStart(field[end]) {
			end--
		}
		return strconv.Quote(string(field[:end])) + "..."
	}
	return strconv.Quote(string(field))
}
