package report

import (
	"slices"

	"nptbench/internal/picture"
	"nptbench/internal/spelling"
)

// A Document is a report before it is written in some format.
type Document struct {
	Title  string
	Blocks []Block
}

// A Block is a part of a document: Heading, Paragraph, List, Figure or *Table.
type Block interface{ block() }

// A Heading begins a section.
type Heading string

// A Paragraph is running text, without markup.
type Paragraph string

// A List is an unordered list of texts.
type List []string

// A Figure is a picture in files beside the document, SVG and PDF.
type Figure struct {
	File, Caption string // File is the SVG

	picture picture.Picture
}

// A Table has a caption above it and footnotes below it. Its rows may be in groups; writers show the group's name in a
// line of its own or in a first column.
type Table struct {
	Name    string // by which other documents take it
	Caption string
	Grouped string // heading of the groups, empty when there are none
	Columns []Column
	Rows    []Row
	Notes   []string // footnote 1 is the first
}

// A Column has a heading; numbers are set to the right.
type Column struct {
	Head  string
	Right bool
}

// A Row is one cell for each column. In a grouped table, all rows of a group name it.
type Row struct {
	Group string
	Cells []Cell
}

// newGroup reports whether a group begins at row i.
func (t *Table) newGroup(i int) bool {
	return t.Grouped != "" && (i == 0 || t.Rows[i].Group != t.Rows[i-1].Group)
}

// A Cell is a text with its footnotes.
type Cell struct {
	Text  string
	Value string // the number that the text shows, in full, a time in seconds; empty: it shows none
	Tone  Tone
	Notes []int  // numbers of footnotes
	Of    *Group // whose records the number comes from; nil: it is none of records
}

// A Tone says how a cell is to be taken. Writers with colours show it; Good and First are bold, Second is underlined.
type Tone uint8

const (
	Neutral Tone = iota
	Good
	Fair
	Bad
	Faint
	First  // best of its column
	Second // the next
)

// String is the name of a tone.
func (t Tone) String() string {
	return [...]string{"", "good", "fair", "bad", "faint", "first", "second"}[t]
}

func (Heading) block()   {}
func (Paragraph) block() {}
func (List) block()      {}
func (Figure) block()    {}
func (*Table) block()    {}

// Note returns the number of the footnote with this text, adding it if it is new.
func (t *Table) Note(text string) int {
	if i := slices.Index(t.Notes, text); i >= 0 {
		return i + 1
	}
	t.Notes = append(t.Notes, text)
	return len(t.Notes)
}

// notes returns the numbers of several footnotes, ascending.
func (t *Table) notes(texts []string) []int {
	var numbers []int
	for _, text := range texts {
		numbers = append(numbers, t.Note(text))
	}
	slices.Sort(numbers)
	return numbers
}

// number is the cell of a number, NaN where there is none, and count that of an integer.
func number(text string, x float64) Cell { return Cell{Text: text, Value: full(x)} }

func count(n int) Cell { return number(spelling.Thousands(n), float64(n)) }

func cells(texts ...string) []Cell {
	out := make([]Cell, len(texts))
	for i, text := range texts {
		out[i].Text = text
	}
	return out
}
