package terminal

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text into lines of at most so many columns, where words allow it; all but the first begin with indent.
func Wrap(text, indent string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, line), "\n")
}
