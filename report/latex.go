package report

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"nptbench/internal/terminal"
)

const latexPreamble = `\documentclass[a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{booktabs,longtable,graphicx,siunitx}
\sisetup{group-digits=integer,group-separator={,},group-minimum-digits=4,detect-weight}
\usepackage[margin=2cm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.5\baselineskip}
\setlength{\LTleft}{0pt}
\sloppy
\begin{document}
`

// latexFiles are a document that compiles where its files are, and what it takes in: a fragment for each table and a PDF for each
// figure, for other documents to take in, too.
func latexFiles(d *Document, name string) []file {
	files := []file{{name + ".tex", func(w io.Writer) error { return writeLaTeX(w, d, name) }}}
	for _, b := range d.Blocks {
		switch b := b.(type) {
		case *Table:
			files = append(files, file{b.fragment(name), func(w io.Writer) error {
				io.WriteString(w, fragmentMark) // whose error the table's would be, too
				return writeLaTeXTable(w, b)
			}})
		case Figure:
			files = append(files, file{b.pdf(name), b.picture.WritePDF})
		}
	}
	return files
}

// fragment is the file of a table, and pdf that of a figure, beside the document of that name.
func (t *Table) fragment(document string) string { return document + "-tables/" + t.Name + ".tex" }

func (f Figure) pdf(document string) string {
	return document + "-figures/" + strings.TrimSuffix(f.File, ".svg") + ".pdf"
}

func writeLaTeX(w io.Writer, d *Document, name string) error {
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
		case Figure:
			fmt.Fprintf(out, "\n\\includegraphics[width=\\linewidth,height=0.85\\textheight,keepaspectratio]{%s}\n\n%s\n", b.pdf(name), latexText(b.Caption))
		case *Table:
			fmt.Fprintf(out, "\n{\\interlinepenalty10000 %s\\par}\n\\nopagebreak\n\\input{%s}\n", latexText(b.Caption), strings.TrimSuffix(b.fragment(name), ".tex"))
		}
	}
	fmt.Fprint(out, "\\end{document}\n")
	return out.Flush()
}

// latexRows is how many rows a table has at most that stands on one page, and may stand in a float.
const latexRows = 40

// fragmentMark begins a file of a table.
const fragmentMark = "% a table of a report of nptbench, which replaces or removes this file\n"

// writeLaTeXTable writes a table with its footnotes, without its caption. It needs the packages booktabs and siunitx, and longtable
// where it is long. How numbers look is for siunitx's options to say.
func writeLaTeXTable(w io.Writer, t *Table) error {
	out := bufio.NewWriter(w)
	align := ""
	heads := make([]string, len(t.Columns))
	size, widths := t.latexSize()
	for i, c := range t.Columns {
		align += map[bool]string{true: "r", false: "l"}[c.Right]
		heads[i] = c.latexHead(widths[i])
	}
	head := strings.Join(heads, " & ")
	environment := "tabular"
	if len(t.Rows) > latexRows {
		environment = "longtable"
	}
	fmt.Fprintf(out, "{\\%s\\setlength{\\parskip}{0pt}\n\\begin{%s}{@{}%s@{}}\n\\toprule\n%s \\\\\n\\midrule\n", size, environment, align, head)
	if environment == "longtable" {
		fmt.Fprint(out, "\\endhead\n\\bottomrule\n\\endfoot\n")
	}
	for i, row := range t.Rows {
		if t.newGroup(i) {
			if i > 0 {
				fmt.Fprint(out, "\\addlinespace\n")
			}
			fmt.Fprintf(out, "\\multicolumn{%d}{@{}l@{}}{\\textit{%s}} \\\\*\n", len(t.Columns), latexText(row.Group))
		}
		lines := row.broken(widths)
		for n, cells := range lines {
			texts := make([]string, len(cells))
			for j, c := range cells {
				texts[j] = latexCell(c, t.Columns[j].Right)
				if n > 0 && texts[j] != "" {
					texts[j] = `\quad ` + texts[j]
				}
			}
			together := map[bool]string{true: "*"}[n < len(lines)-1]
			fmt.Fprintf(out, "%s \\\\%s\n", strings.Join(texts, " & "), together)
		}
	}
	if environment == "tabular" {
		fmt.Fprint(out, "\\bottomrule\n")
	}
	fmt.Fprintf(out, "\\end{%s}\\par\n", environment)
	for i, note := range t.Notes {
		fmt.Fprintf(out, "\\textsuperscript{%d} %s\\par\n", i+1, latexText(note))
	}
	fmt.Fprint(out, "}\n")
	return out.Flush()
}

// writtenNumber is a number as reports write it.
const writtenNumber = `[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?`

// latexNumber is one, and latexNumbers a cell of nothing but one: with its spread, or beside another or itself in percent.
var (
	latexNumber  = regexp.MustCompile(writtenNumber)
	latexNumbers = regexp.MustCompile(strings.ReplaceAll(`^N( ± N)?( \(N( ± N)?( %)?\))?$`, "N", writtenNumber))
)

// latexNumeric sets a cell of numbers. The spread is apart from its mean: siunitx would give both as many digits, and leave out a
// spread of 0.
func latexNumeric(text string) string {
	text = latexNumber.ReplaceAllStringFunc(text, func(number string) string {
		options := ""
		if number[0] == '+' {
			options = "[retain-explicit-plus]"
		}
		return `\num` + options + "{" + strings.ReplaceAll(number, ",", "") + "}"
	})
	return strings.NewReplacer("±", `$\pm$`, "%", `\%`).Replace(text)
}

func latexCell(c Cell, right bool) string {
	text := latexText(c.Text)
	if right && latexNumbers.MatchString(c.Text) {
		text = latexNumeric(c.Text)
	}
	switch c.Tone {
	case Good, First:
		text = `\textbf{` + text + "}"
	case Second:
		text = `\underline{` + text + "}"
	}
	if len(c.Notes) > 0 {
		text += `\textsuperscript{` + noteNumbers(c.Notes) + "}"
	}
	return text
}

// latexHead is the heading of a column, on as many lines as a width in letters takes.
func (c Column) latexHead(width int) string {
	lines := strings.Split(terminal.Wrap(c.Head, "", width), "\n")
	for i, line := range lines {
		lines[i] = latexText(line)
	}
	if len(lines) == 1 {
		return lines[0]
	}
	side := map[bool]string{true: "r", false: "l"}[c.Right]
	return fmt.Sprintf(`\shortstack[%s]{%s}`, side, strings.Join(lines, `\\`))
}

// longest is how many letters the longest cell of a column has.
func (t *Table) longest(i int) (letters int) {
	for _, row := range t.Rows {
		letters = max(letters, utf8.RuneCountInString(row.Cells[i].Text)+len(row.Cells[i].Notes))
	}
	return letters
}

// latexSize chooses the largest font at which a table fits the page, by about how many letters go into 17 cm, and each column's width in
// letters: that of its longest cell, or more if its heading takes more than two lines there. Where not even the smallest font will do,
// headings have more lines, and columns of text are narrower than their texts.
func (t *Table) latexSize() (size string, widths []int) {
	letters := 0
	least := make([]int, len(t.Columns)) // of a word of the heading, and of what is not broken
	for i, c := range t.Columns {
		for _, word := range strings.Fields(c.Head) {
			least[i] = max(least[i], utf8.RuneCountInString(word))
		}
		if c.Right {
			least[i] = max(least[i], t.longest(i))
		}
		width := max(least[i], t.longest(i))
		for strings.Count(terminal.Wrap(c.Head, "", width), "\n") > 1 {
			width++
		}
		widths = append(widths, width)
		letters += width + 2
	}
	switch {
	case letters <= 108:
		return "footnotesize", widths
	case letters <= 122:
		return "scriptsize", widths
	}
	terminal.Narrow(widths, least, letters-148)
	return `tiny\setlength{\tabcolsep}{2.5pt}`, widths
}

// broken breaks the texts of a row that are longer than their columns into lines; all else is in the first one.
func (r Row) broken(widths []int) (lines [][]Cell) {
	for i, c := range r.Cells {
		for n, text := range strings.Split(terminal.Wrap(c.Text, "", widths[i]-len(c.Notes)), "\n") {
			if n == len(lines) {
				lines = append(lines, make([]Cell, len(r.Cells)))
			}
			lines[n][i] = Cell{Text: text, Tone: c.Tone}
		}
		lines[0][i].Notes = c.Notes
	}
	return lines
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"^", `\textasciicircum{}`, "~", `\textasciitilde{}`, "<", `\textless{}`, ">", `\textgreater{}`,
	"|", `\textbar{}`, `"`, `\symbol{34}`, "[", "{[}", "*", "{*}", // the last two after \\ or \item
	"±", `$\pm$`, "–", "--", "…", `\ldots{}`, "√", `$\surd$`, "²", `$^2$`, "×", `$\times$`,
	"≤", `$\leq$`, "≥", `$\geq$`, "≈", `$\approx$`, "→", `$\to$`, "÷", `$\div$`, "χ", `$\chi$`)

// notInT1 are the letters from À to ž that this encoding of fonts lacks, as LaTeX has it (t1enc.dfu).
const notInT1 = "ĦħĸĿŀŉŦŧ"

// latexText escapes what LaTeX would take as a command. Characters that its usual fonts lack, as in a message that a
// record quotes, become question marks. Words too long for a line, such as digests, may be broken.
func latexText(s string) string {
	var out strings.Builder
	word := 0 // letters since the last place where a line may end
	previous := ' '
	for _, r := range s {
		if strings.ContainsRune("-'`,", r) && strings.ContainsRune("-'`,?!", previous) {
			out.WriteString("{}") // else the font makes one character of both
		}
		previous = r
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
		case r > '~' && (r < 'À' || r > 'ž' || strings.ContainsRune(notInT1, r)):
			out.WriteByte('?')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
