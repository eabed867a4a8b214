package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// writeMarkdown writes a document as GitHub shows it. Columns are padded, so that the source can be read as well.
func writeMarkdown(w io.Writer, d *Document) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %s\n", markdownText(d.Title))
	for _, b := range d.Blocks {
		fmt.Fprintln(out)
		markdownBlock(out, b)
	}
	return out.Flush()
}

func markdownBlock(out io.Writer, b Block) {
	switch b := b.(type) {
	case Heading:
		fmt.Fprintf(out, "## %s\n", markdownText(string(b)))
	case Paragraph:
		fmt.Fprintln(out, markdownText(string(b)))
	case List:
		for _, item := range b {
			fmt.Fprintf(out, "- %s\n", markdownText(item))
		}
	case Figure:
		caption := markdownText(b.Caption)
		fmt.Fprintf(out, "![%s](%s)\n\n%s\n", caption, b.File, caption) // a page does not show what stands for a picture
	case *Table:
		markdownTable(out, b)
	}
}

func markdownTable(out io.Writer, t *Table) {
	fmt.Fprintf(out, "%s\n\n<!-- table %s -->\n", markdownText(t.Caption), t.Name)
	defer fmt.Fprintln(out, "<!-- end -->")
	columns := t.Columns
	if t.Grouped != "" {
		columns = append([]Column{{Head: t.Grouped}}, columns...)
	}
	grid := markdownGrid(t, columns)
	width := make([]int, len(columns))
	for _, line := range grid {
		for i, text := range line {
			width[i] = max(width[i], utf8.RuneCountInString(text), 2)
		}
	}
	for n, line := range grid {
		for i, text := range line {
			space := strings.Repeat(" ", width[i]-utf8.RuneCountInString(text))
			if columns[i].Right {
				fmt.Fprintf(out, "| %s%s ", space, text)
			} else {
				fmt.Fprintf(out, "| %s%s ", text, space)
			}
		}
		fmt.Fprintln(out, "|")
		if n > 0 {
			continue
		}
		for i, c := range columns {
			if c.Right {
				fmt.Fprintf(out, "|%s:", strings.Repeat("-", width[i]+1))
			} else {
				fmt.Fprintf(out, "|%s", strings.Repeat("-", width[i]+2))
			}
		}
		fmt.Fprintln(out, "|")
	}
	if len(t.Notes) > 0 {
		fmt.Fprintln(out)
	}
	for i, note := range t.Notes {
		lineBreak := `\`
		if i == len(t.Notes)-1 {
			lineBreak = ""
		}
		fmt.Fprintf(out, "<sup>%d</sup> %s%s\n", i+1, markdownText(note), lineBreak)
	}
}

// markdownGrid returns the texts of a table, the headings first. A group's name stands in its first row.
func markdownGrid(t *Table, columns []Column) [][]string {
	var heads []string
	for _, c := range columns {
		heads = append(heads, markdownText(c.Head))
	}
	grid := [][]string{heads}
	for i, row := range t.Rows {
		var line []string
		if t.newGroup(i) {
			line = append(line, markdownText(row.Group))
		} else if t.Grouped != "" {
			line = append(line, "")
		}
		for _, c := range row.Cells {
			text := markdownText(c.Text)
			switch c.Tone {
			case Good, First:
				text = "**" + text + "**"
			case Second:
				text = "<ins>" + text + "</ins>" // GitHub takes <u> away
			}
			if len(c.Notes) > 0 {
				text += "<sup>" + noteNumbers(c.Notes) + "</sup>"
			}
			line = append(line, text)
		}
		grid = append(grid, line)
	}
	return grid
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "<", "&lt;", "[", `\[`, "]", `\]`, "~", `\~`, "$", `\$`, "&", "&amp;", "\n", " ")

func markdownText(s string) string { return markdownEscapes.Replace(s) }
