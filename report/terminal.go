package report

import (
	"bufio"
	"fmt"
	"io"

	"nptbench/internal/terminal"
)

// WriteTerminal writes a document as plain text, in colours if asked to. Text and tables are fitted
// into the width; figures are left out.
func WriteTerminal(w io.Writer, d *Document, width int, colour bool) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, paint(d.Title, bold, colour))
	for i, b := range d.Blocks {
		switch b := b.(type) {
		case Heading:
			fmt.Fprintf(out, "\n%s\n", paint(string(b), bold, colour))
		case Paragraph:
			fmt.Fprintf(out, "\n%s\n", terminal.Wrap(string(b), "", width))
		case List:
			fmt.Fprintln(out)
			for _, item := range b {
				fmt.Fprintln(out, terminal.Wrap("- "+item, "  ", width))
			}
		case *Table:
			if _, first := d.Blocks[max(0, i-1)].(Heading); !first {
				fmt.Fprintln(out)
			}
			if err := terminalTable(out, b, width, colour); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func terminalTable(out io.Writer, t *Table, width int, colour bool) error {
	fmt.Fprintln(out, terminal.Wrap(t.Caption, "", width))
	if len(t.Rows) > 0 {
		if err := terminalGrid(out, t, width, colour); err != nil {
			return err
		}
	}
	for i, note := range t.Notes {
		fmt.Fprintln(out, terminal.Wrap(fmt.Sprintf("[%d] %s", i+1, note), "    ", width))
	}
	return nil
}

func terminalGrid(out io.Writer, t *Table, width int, colour bool) error {
	var grid terminal.Table
	for _, c := range t.Columns {
		grid.Columns = append(grid.Columns, terminal.Column(c))
	}
	for i, row := range t.Rows {
		if t.newGroup(i) {
			name := make([]string, len(t.Columns))
			name[0] = paint(row.Group, bold, colour)
			grid.Append(name...)
		}
		texts := make([]string, len(row.Cells))
		for j, c := range row.Cells {
			texts[j] = paint(c.Text, ansi[c.Tone], colour)
			if len(c.Notes) > 0 {
				texts[j] += " [" + noteNumbers(c.Notes) + "]"
			}
		}
		if t.Grouped != "" {
			texts[0] = "  " + texts[0]
		}
		grid.Append(texts...)
	}
	return grid.Render(out, width)
}

const bold = "1"

// ansi are the parameters of the escape sequences for tones: green, yellow, red, grey, bold, underlined.
var ansi = map[Tone]string{Good: "32", Fair: "33", Bad: "31", Faint: "90", First: bold, Second: "4"}

func paint(text, code string, colour bool) string {
	if !colour || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
