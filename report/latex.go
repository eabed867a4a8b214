package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

const latexPreamble = `\documentclass[a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{booktabs,longtable}
\usepackage[margin=2cm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\LTleft}{0pt}
\sloppy
\begin{document}
`

// writeLaTeX writes a document that compiles by itself; its tables (booktabs, longtable) can be copied from it. Figures
// are left out, because LaTeX does not read SVG.
func writeLaTeX(w io.Writer, d *Document) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, latexPreamble)
	fmt.Fprintf(out, "\\section*{%s}\n", latexText(d.Title))
	for _, b := range d.Blocks {
		switch b := b.(type) {
		case Heading:
			fmt.Fprintf(out, "\n\\subsection*{%s}\n", latexText(string(b)))
		case Paragraph:
			fmt.Fprintf(out, "\n%s\n", latexText(string(b)))
		case List:
			fmt.Fprint(out, "\n\\begin{itemize}\n")
			for _, item := range b {
				fmt.Fprintf(out, "\\item %s\n", latexText(item))
			}
			fmt.Fprint(out, "\\end{itemize}\n")
		case *Table:
			latexTable(out, b)
		}
	}
	fmt.Fprint(out, "\\end{document}\n")
	return out.Flush()
}

func latexTable(out io.Writer, t *Table) {
	align := ""
	heads := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		align += map[bool]string{true: "r", false: "l"}[c.Right]
		heads[i] = latexText(c.Head)
	}
	head := strings.Join(heads, " & ")
	fmt.Fprintf(out, "\n{\\%s\n\\begin{longtable}{@{}%s@{}}\n\\caption*{%s}\\\\\n", t.latexSize(), align, latexText(t.Caption))
	fmt.Fprintf(out, "\\toprule\n%s \\\\\n\\midrule\n\\endfirsthead\n", head)
	fmt.Fprintf(out, "\\toprule\n%s \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n", head)
	for i, row := range t.Rows {
		if t.newGroup(i) {
			if i > 0 {
				fmt.Fprint(out, "\\addlinespace\n")
			}
			fmt.Fprintf(out, "\\multicolumn{%d}{@{}l@{}}{\\textit{%s}} \\\\*\n", len(t.Columns), latexText(row.Group))
		}
		texts := make([]string, len(row.Cells))
		for j, c := range row.Cells {
			texts[j] = latexText(c.Text)
			if number, negative := strings.CutPrefix(texts[j], "-"); negative && number[0] != '-' {
				texts[j] = "$-$" + number
			}
			switch c.Tone {
			case Good, First:
				texts[j] = `\textbf{` + texts[j] + "}"
			case Second:
				texts[j] = `\underline{` + texts[j] + "}"
			}
			if len(c.Notes) > 0 {
				texts[j] += `\textsuperscript{` + noteNumbers(c.Notes) + "}"
			}
		}
		fmt.Fprintf(out, "%s \\\\\n", strings.Join(texts, " & "))
	}
	fmt.Fprint(out, "\\end{longtable}\n")
	for i, note := range t.Notes {
		fmt.Fprintf(out, "\\textsuperscript{%d} %s\\par\n", i+1, latexText(note))
	}
	fmt.Fprint(out, "}\n")
}

// latexSize is the size of letters in which a table is not wider than the page, by about how many of them go into 17 cm.
func (t *Table) latexSize() string {
	letters := 0
	for i, c := range t.Columns {
		longest := utf8.RuneCountInString(c.Head)
		for _, row := range t.Rows {
			longest = max(longest, utf8.RuneCountInString(row.Cells[i].Text)+len(row.Cells[i].Notes))
		}
		letters += longest + 2
	}
	switch {
	case letters <= 108:
		return "footnotesize"
	case letters <= 122:
		return "scriptsize"
	}
	return `tiny\setlength{\tabcolsep}{3pt}`
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"^", `\textasciicircum{}`, "~", `\textasciitilde{}`, "<", `\textless{}`, ">", `\textgreater{}`,
	"|", `\textbar{}`, `"`, `\textquotedbl{}`,
	"±", `$\pm$`, "–", "--", "…", `\ldots{}`, "√", `$\surd$`, "²", `$^2$`, "×", `$\times$`,
	"≤", `$\leq$`, "≈", `$\approx$`, "→", `$\to$`)

// latexText escapes what LaTeX would take as a command. Characters that its usual fonts lack, as in a message that a
// record quotes, become question marks.
// Words too long for a line, such as digests, may be broken.
func latexText(s string) string {
	var out strings.Builder
	word := 0 // letters since the last place where a line may end
	for _, r := range s {
		if word++; unicode.IsSpace(r) {
			word = 0
		} else if word > 20 {
			out.WriteString(`\allowbreak{}`)
			word = 1
		}
		escaped := latexEscapes.Replace(string(r))
		switch {
		case escaped != string(r):
			out.WriteString(escaped)
		case r < ' ':
			out.WriteByte(' ')
		case r > '~' && (r < 0xc0 || r > 0x17f): // T1 has the Latin letters
			out.WriteByte('?')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
