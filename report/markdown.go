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
			fmt.Fprintf(out, "![%s](%s)\n", markdownText(b.Caption), b.File)
		case *Table:
			markdownTable(out, b)
		}
	}
	return out.Flush()
}

func markdownTable(out io.Writer, t *Table) {
	fmt.Fprintf(out, "%s\n\n", markdownText(t.Caption))
	grid := [][]string{make([]string, len(t.Columns))}
	for i, c := range t.Columns {
		grid[0][i] = markdownText(c.Head)
	}
	for _, row := range t.Rows {
		line := make([]string, len(row.Cells))
		for i, c := range row.Cells {
			line[i] = markdownText(c.Text)
			if c.Tone == Good {
				line[i] = "**" + line[i] + "**"
			}
			for j, n := range c.Notes {
				line[i] += fmt.Sprintf("%s<sup>%d</sup>", map[bool]string{true: "<sup>,</sup>"}[j > 0], n)
			}
		}
		grid = append(grid, line)
	}
	width := make([]int, len(t.Columns))
	for _, line := range grid {
		for i, text := range line {
			width[i] = max(width[i], utf8.RuneCountInString(text), 2)
		}
	}
	for n, line := range grid {
		for i, text := range line {
			space := strings.Repeat(" ", width[i]-utf8.RuneCountInString(text))
			if t.Columns[i].Right {
				fmt.Fprintf(out, "| %s%s ", space, text)
			} else {
				fmt.Fprintf(out, "| %s%s ", text, space)
			}
		}
		fmt.Fprintln(out, "|")
		if n > 0 {
			continue
		}
		for i, c := range t.Columns {
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
		// A backslash at the end of a line breaks it.
		fmt.Fprintf(out, "<sup>%d</sup> %s%s\n", i+1, markdownText(note), map[bool]string{true: `\`}[i < len(t.Notes)-1])
	}
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "<", "&lt;", "[", `\[`, "]", `\]`, "~", `\~`, "&", "&amp;", "\n", " ")

func markdownText(s string) string { return markdownEscapes.Replace(s) }
