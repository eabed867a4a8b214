// Package terminal gives the tables of results that programs print one look, and fits them and running text into the terminal's width.
package terminal

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// A Column is the head of a column; Right aligns what stands in it to the right, for numbers.
type Column struct {
	Head  string
	Right bool
}

// A Table has a cell in each row for each column. Cells may be indented by spaces, and coloured by escape sequences.
type Table struct {
	Columns []Column
	Rows    [][]string
}

// Append adds a row.
func (t *Table) Append(cells ...string) { t.Rows = append(t.Rows, cells) }

// Render writes the table in at most so many columns of the terminal, as far as words and numbers, which are not broken, allow.
// Heads and text are wrapped. Columns that find no place then follow in a table of their own below, beside the leading columns of text,
// which say what its rows are.
func (t *Table) Render(w io.Writer, width int) error {
	least := make([]int, len(t.Columns))
	for c := range least {
		least[c] = t.least(c)
	}
	for _, part := range t.parts(least, width) {
		if err := t.render(w, part, t.widths(part, least, width)); err != nil {
			return err
		}
	}
	return nil
}

// padding is what a column takes beside its widest cell.
const padding = 2

// natural is the width of a column whose cells are in one line each, and least its width with heads and text broken at
// every word, but for labels of rows.
func (t *Table) natural(column int) (width int) {
	width = twwidth.Width(t.Columns[column].Head)
	for _, row := range t.Rows {
		width = max(width, twwidth.Width(row[column]))
	}
	return width
}

func (t *Table) least(column int) (width int) {
	width = longestLine(wrap(t.Columns[column].Head, "", "", 0))
	for _, row := range t.Rows {
		if t.Columns[column].Right {
			width = max(width, twwidth.Width(row[column]))
		} else {
			width = max(width, longestLine(t.wrapCell(row[column], column, 0)))
		}
	}
	natural := t.natural(column)
	for column < t.labels() && width < natural && slices.ContainsFunc(t.Rows, func(row []string) bool { return strings.Count(t.wrapCell(row[column], column, width), "\n") > 1 }) {
		width++ // a label of a row has two lines at most
	}
	return width
}

// labels is how many columns say what the rows are: those of text in front of the first one of numbers.
func (t *Table) labels() int {
	return max(1, slices.IndexFunc(t.Columns, func(c Column) bool { return c.Right }))
}

func longestLine(text string) (width int) {
	for line := range strings.SplitSeq(text, "\n") {
		width = max(width, twwidth.Width(line))
	}
	return width
}

// parts are the columns of each of the tables that are to stand below each other.
func (t *Table) parts(least []int, width int) (parts [][]int) {
	taken := func(columns []int) (sum int) {
		for _, c := range columns {
			sum += least[c] + padding
		}
		return sum
	}
	first := make([]int, t.labels())
	for i := range first {
		first[i] = i
	}
	if taken(first) > width/2 {
		first = first[:1]
	}
	part := slices.Clone(first)
	for c := len(first); c < len(t.Columns); c++ {
		if len(part) > len(first) && taken(append(slices.Clone(part), c)) > width {
			parts = append(parts, part)
			part = slices.Clone(first)
		}
		part = append(part, c)
	}
	return append(parts, part)
}

// widths are those of some columns, as narrow as they must be.
func (t *Table) widths(columns, least []int, width int) []int {
	widths, narrowest := make([]int, len(columns)), make([]int, len(columns))
	excess := -width
	for i, c := range columns {
		widths[i], narrowest[i] = t.natural(c), least[c]
		excess += widths[i] + padding
	}
	Narrow(widths, narrowest, excess)
	return widths
}

// Narrow takes so much from the widths of columns, always from the widest one that is wider than the least that it may have, as long as
// there is one.
func Narrow(widths, least []int, by int) {
	for ; by > 0; by-- {
		widest := -1
		for i := range widths {
			if widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func (t *Table) render(w io.Writer, columns, widths []int) error {
	heads, align := make([]string, len(columns)), make([]tw.Align, len(columns))
	for i, c := range columns {
		heads[i], align[i] = wrap(t.Columns[c].Head, "", "", widths[i]), tw.AlignLeft
		if t.Columns[c].Right {
			align[i] = tw.AlignRight
		}
	}
	config := tablewriter.NewConfigBuilder().
		WithHeaderAutoFormat(tw.Off).WithHeaderAutoWrap(tw.WrapNone).WithRowAutoWrap(tw.WrapNone).WithTrimSpace(tw.Off)
	config.Header().Alignment().WithPerColumn(align)
	config.Row().Alignment().WithPerColumn(align)
	table := tablewriter.NewTable(w,
		tablewriter.WithConfig(config.Build()),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Symbols:  tw.NewSymbols(tw.StyleLight),
			Borders:  tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.On, Bottom: tw.On},
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}},
		})))
	table.Header(heads)
	for _, row := range t.Rows {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = t.wrapCell(row[c], c, widths[i])
		}
		if err := table.Append(cells); err != nil {
			return err
		}
	}
	return table.Render()
}

var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

const reset = "\x1b[0m"

// wrapCell wraps a text that is wider than a cell of a column. A colour ends with each line and goes on in the next.
func (t *Table) wrapCell(text string, column, width int) string {
	if twwidth.Width(text) <= width || text == "" {
		return text
	}
	first := text[:len(text)-len(strings.TrimLeft(text, " "))]
	indent := first
	if column == 0 {
		indent += "  " // what a label goes on with stands under it
	}
	lines := strings.Split(wrap(text, first, indent, width), "\n")
	on := ""
	for i, line := range lines {
		start := on
		if all := colour.FindAllString(line, -1); all != nil {
			on = all[len(all)-1]
		}
		if on == reset {
			on = ""
		}
		if lines[i] = start + line; on != "" {
			lines[i] += reset
		}
	}
	return strings.Join(lines, "\n")
}
