package terminal

import (
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Wrap breaks text into lines of at most so many columns, where words allow it; all but the first begin with indent.
func Wrap(text, indent string, width int) string { return wrap(text, "", indent, width) }

// Indent does the same with the first line, too, beginning with indent.
func Indent(text, indent string, width int) string { return wrap(text, indent, indent, width) }

// wrap begins the first line with first and the others with indent.
func wrap(text, first, indent string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = first + word
		case twwidth.Width(line)+1+twwidth.Width(word) > width:
			lines = append(lines, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, line), "\n")
}
