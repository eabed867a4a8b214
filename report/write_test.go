package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/internal/terminal"
)

// nasty has what formats give a meaning to.
const nasty = `50% of $x_1 & {y} ~ ^ # \cmd | <b>*bold*</b> "quoted" [link](x) ` + "`code`\tμ → 界\n\x07second line"

func nastySummary(t *testing.T) *Summary {
	f := newFixture()
	f.Title, f.description = "Title "+nasty, nasty
	f.expect("boston-housing", published, "knn", 1)
	f.expect("boston-housing", corrected, "knn", 1)
	f.expect("breast-cancer", published, "knn", 1)
	f.ok("boston-housing", published, "knn", 0, 0, mse(0.1), rmse(4)).Variant = nasty
	for fold := 1; fold < 10; fold++ {
		f.failed("boston-housing", published, "knn", fold, 0, "error", nasty)
	}
	return collect(t, f)
}

func TestMarkdownIsWellFormed(t *testing.T) {
	for _, s := range []*Summary{goldenSummary(t), nastySummary(t)} {
		var out bytes.Buffer
		if err := writeMarkdown(&out, s.Document()); err != nil {
			t.Fatal(err)
		}
		escaped := regexp.MustCompile(`\\.`)
		bars := 0 // of the table so far
		for line := range strings.Lines(out.String()) {
			n := strings.Count(escaped.ReplaceAllString(line, ""), "|")
			if !strings.HasPrefix(line, "|") {
				if n > 0 {
					t.Errorf("bar outside of a table: %s", line)
				}
				bars = 0
				continue
			}
			if bars > 0 && n != bars {
				t.Errorf("%d bars, the table has %d: %s", n, bars, line)
			}
			bars = n
			if strings.ContainsAny(escaped.ReplaceAllString(line, ""), "`[]~_") {
				t.Errorf("markup in a table: %s", line)
			}
		}
	}
}

func TestLaTeXIsWellFormed(t *testing.T) {
	for _, s := range []*Summary{goldenSummary(t), nastySummary(t)} {
		var written, taken []string
		for _, f := range latexFiles(s.Document(), "table1") {
			if f.name != "table1.tex" {
				written = append(written, f.name)
			}
			if strings.HasSuffix(f.name, ".pdf") { // see TestPDF
				continue
			}
			var out bytes.Buffer
			if err := f.write(&out); err != nil {
				t.Fatal(err)
			}
			checkLaTeX(t, strings.TrimPrefix(out.String(), fragmentMark))
			for _, m := range regexp.MustCompile(`\\(input|includegraphics.*)\{(.*?)\}`).FindAllStringSubmatch(out.String(), -1) {
				taken = append(taken, m[2]+map[bool]string{true: ".tex"}[m[1] == "input"])
			}
		}
		if !slices.Equal(written, taken) || len(taken) < 2 {
			t.Errorf("the document takes in %q, there are %q", taken, written)
		}
	}
}

// A long table goes over pages, which a float cannot.
func TestLongLaTeXTable(t *testing.T) {
	for rows, want := range map[int]string{latexRows: "tabular", latexRows + 1: "longtable"} {
		table := &Table{Columns: []Column{{Head: "Method"}}}
		for range rows {
			table.Rows = append(table.Rows, Row{Cells: cells("k-NN")})
		}
		var out bytes.Buffer
		if err := writeLaTeXTable(&out, table); err != nil || !strings.Contains(out.String(), `\begin{`+want+"}") {
			t.Errorf("%d rows: %v, want a %s", rows, err, want)
		}
		checkLaTeX(t, out.String())
	}
}

// Where letters cannot be small enough for a table, its headings and texts are broken into lines: no line has more letters than the page
// has room for, and no word is lost.
func TestWideLaTeXTable(t *testing.T) {
	long := "NPT, 4 layers, e = 16, 400 steps: deletion, rows = 15, per_deletion = 0.005, remaining = 0.01"
	for _, of := range []struct {
		texts, numbers int
		head           string // of numbers
	}{{1, 0, ""}, {2, 4, "RMSE"}, {1, 6, "RMSE"}, {1, 8, "Poker Hand accuracy, corrupted"}} {
		table, row := &Table{}, Row{}
		for range of.texts {
			table.Columns, row.Cells = append(table.Columns, Column{Head: "Measured"}), append(row.Cells, Cell{Text: long})
		}
		for range of.numbers {
			table.Columns, row.Cells = append(table.Columns, Column{of.head, true}), append(row.Cells, number("10.13 ± 0.18", 10.13))
		}
		table.Rows = []Row{{Cells: cells(slices.Repeat([]string{"k-NN"}, len(row.Cells))...)}, row}
		size, widths := table.latexSize()
		words := make([]string, len(row.Cells))
		for _, line := range row.broken(widths) {
			letters := 0
			for i, c := range line {
				letters += utf8.RuneCountInString(c.Text) + 2
				words[i] = strings.TrimSpace(words[i] + " " + c.Text)
			}
			if letters > 148 || strings.HasPrefix(size, "foot") && letters > 108 {
				t.Errorf("%d columns: a line of %d letters, %s", len(row.Cells), letters, size)
			}
		}
		wide := 0
		for i, c := range table.Columns {
			wide += widths[i] + 2
			lines := strings.FieldsFunc(strings.TrimSuffix(strings.TrimPrefix(c.latexHead(widths[i]), `\shortstack[r]{`), "}"), func(r rune) bool { return r == '\\' })
			for _, line := range lines {
				if len(line) > widths[i] {
					t.Errorf("%d columns: heading %q in %d letters", len(row.Cells), lines, widths[i])
				}
			}
			if strings.Join(lines, " ") != c.Head {
				t.Errorf("the heading %q became %q", c.Head, lines)
			}
		}
		if wide > 148 {
			t.Errorf("%d columns: %d letters", len(row.Cells), wide)
		}
		for i, c := range row.Cells {
			if words[i] != c.Text {
				t.Errorf("%q became %q", c.Text, words[i])
			}
		}
		var out bytes.Buffer
		if err := writeLaTeXTable(&out, table); err != nil {
			t.Error(err)
		}
		checkLaTeX(t, out.String())
	}
}

// checkLaTeX checks what a compiler would trip over: braces, environments, the number of columns of each row, and
// characters that the fonts lack.
func checkLaTeX(t *testing.T, source string) {
	t.Helper()
	plain := regexp.MustCompile(`\\[\\{}$&#%_]`).ReplaceAllString(source, "")
	depth := 0
	for _, r := range plain {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case '#', '%', '_', '~':
			t.Errorf("unescaped %c", r)
		}
		if r > 0x17f || r < ' ' && r != '\n' {
			t.Errorf("character %q", r)
		}
		if depth < 0 {
			t.Fatal("unbalanced braces")
		}
	}
	if depth != 0 || strings.Count(plain, "$")%2 != 0 {
		t.Errorf("%d open braces, %d dollars", depth, strings.Count(plain, "$"))
	}
	var open []string
	for _, m := range regexp.MustCompile(`\\(begin|end)\{(\w+)\}`).FindAllStringSubmatch(source, -1) {
		if m[1] == "begin" {
			open = append(open, m[2])
		} else if len(open) == 0 || open[len(open)-1] != m[2] {
			t.Fatalf("%s ends among %v", m[2], open)
		} else {
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("not ended: %v", open)
	}
	for _, table := range regexp.MustCompile(`(?s)begin\{(?:tabular|longtable)\}\{@\{\}(\w+)@\{\}\}\n(.*?)\\end\{`).FindAllStringSubmatch(source, -1) {
		for line := range strings.Lines(table[2]) {
			if !strings.HasSuffix(line, " \\\\\n") {
				continue // a rule, or the name of a group
			}
			columns := strings.Count(strings.ReplaceAll(line, `\&`, ""), "&") + 1
			if columns != len(table[1]) {
				t.Errorf("%d columns in a table of %d: %s", columns, len(table[1]), line)
			}
		}
	}
}

func TestLaTeXText(t *testing.T) {
	if got := latexText("[a] *b"); got != "{[}a] {*}b" { // what \\ before it would take for its argument
		t.Errorf("escaped to %s", got)
	}
	if got := latexText(nasty); strings.ContainsAny(got, "→界\n\t") || !strings.Contains(got, `50\% of \$x\_1 \& \{y\}`) {
		t.Errorf("escaped to %s", got)
	}
	if got := latexText("--flag ``q'' ?`,,"); got != "-{}-flag `{}`q'{}' ?{}`{},{}," { // what the font would make one character of
		t.Errorf("escaped to %s", got)
	}
	if got := latexText("±–…é≤≥≈→"); got != `$\pm$--\ldots{}é$\leq$$\geq$$\approx$$\to$` {
		t.Errorf("escaped to %s", got)
	}
}

// What T1 lacks of the Latin letters stops LaTeX, as do the signs between them.
func TestLettersOfLaTeX(t *testing.T) {
	if got := latexText("Àÿ×÷ ĀĈĠĥĦħıĳķĸ ľĿŀŁňŉŊťŦŧ Ũžſƀ"); got != `Àÿ$\times$$\div$ ĀĈĠĥ??ıĳķ? ľ??Łň?Ŋť?? Ũž??` {
		t.Errorf("escaped to %s", got)
	}
}

func TestCSVFilesAreRectangular(t *testing.T) {
	for _, s := range []*Summary{goldenSummary(t), nastySummary(t)} {
		dir := t.TempDir()
		if err := s.Write(dir); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"cells.csv", "folds.csv", "ranks.csv", "mean-ranks.csv", "failures.csv"} {
			content, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll() // refuses rows of other lengths
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for _, row := range rows {
				for i, field := range row {
					if strings.Contains(field, "NaN") || strings.Contains(field, "Inf") {
						t.Errorf("%s: %s is %s", name, rows[0][i], field)
					}
				}
			}
			if name == "cells.csv" && strings.Join(rows[0][:9], ",") != "dataset,protocol,method,metric,mean,stderr,n,paper,paper_stderr" {
				t.Errorf("cells.csv begins with %v", rows[0][:9])
			}
		}
	}
}

func TestNumbersAreKeptInFull(t *testing.T) {
	e := foldsEntry(t, "knn", []float64{0.1, 0.2, 0.3, 1, 1, 1, 1, 1, 1, 1. / 3}, nil)
	var out bytes.Buffer
	if err := (&Summary{Numbers: []*Number{e}}).writeCells(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rows[1][4], full(e.Mean); got != want || len(want) < 16 {
		t.Errorf("mean %s, want %s", got, want)
	}
}

// A report that cannot be written says so in one line and leaves the old one as it was.
func TestWriteToAnImpossiblePlace(t *testing.T) {
	s := nastySummary(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(filepath.Join(file, "report")); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "cells.csv"), 0o755); err != nil { // in the way of a file
		t.Fatal(err)
	}
	if err := s.Write(dir); err == nil || !strings.Contains(err.Error(), "cells.csv") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		x      float64
		digits int
		want   string
	}{{0.0046, 3, "+0.005"}, {-0.18, 3, "-0.180"}, {-0.0001, 3, "0.000"}, {0.0001, 3, "0.000"}, {0, 2, "0.00"}} {
		if got := Signed(tt.x, tt.digits); got != tt.want {
			t.Errorf("Signed(%v, %d) = %s, want %s", tt.x, tt.digits, got, tt.want)
		}
	}
	for x, want := range map[float64]string{-0.0001: "0.00 ± 0.00", 0.0001: "0.00 ± 0.00", -0.018: "-0.02 ± 0.00", 0.018: "0.02 ± 0.00"} {
		if got := plusMinus(x, 0, 2); got != want {
			t.Errorf("plusMinus(%v, 0, 2) = %s, want %s", x, got, want)
		}
	}
	if got, want := plusMinus(2066e6, 392870414.67, 2), "2.066e+09 ± 3.929e+08"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := terminal.Wrap(strings.Repeat("word ", 4), "  ", 16); got != "word word word\n  word" {
		t.Errorf("wrapped to %q", got)
	}
}

func TestMessagesCannotCommandATerminal(t *testing.T) {
	long := "python3 mine.py: exit status 1: Traceback (most recent call last):\n File " + strings.Repeat("x", 200) + "\nModuleNotFoundError: No module named 'numpy'"
	if got := bothEnds(long); !strings.HasPrefix(got, "python3 mine.py: exit status 1: ") || !strings.HasSuffix(got, " … ModuleNotFoundError: No module named 'numpy'") {
		t.Errorf("%q", got)
	}
	if got := bothEnds("a\x1b[31mred\x07\r\n  b\u200e"); got != "a [31mred b" {
		t.Errorf("%q", got)
	}
}

// The summary counts every number but those of MSE, and every claim, once, and its links lead to headings of the report.
func TestSummary(t *testing.T) {
	s := goldenSummary(t)
	s.Claims = []Claim{{ID: "first", Says: "It is the best."}, {ID: "second", Says: "It is near 4.27.",
		Test: Near(4.27, 2, Where{"method", []string{"knn"}}, Where{"metric", []string{"rmse"}}, Where{"dataset", []string{"boston-housing"}})},
		{ID: "half", Says: "It is near 4.27 on both.", Count: 2, Test: Near(4.27, 2, Where{"method", []string{"knn"}}, Where{"metric", []string{"rmse"}}, Where{"dataset", []string{"boston-housing"}})},
		{ID: "third", Says: "NPT is as good on Higgs.", Test: func(*Summary) []Evidence { return []Evidence{{For: Yes, Smaller: true}} }},
		{ID: "fourth", Says: "It is better.", Test: func(*Summary) []Evidence { return []Evidence{{For: Unclear}} }}}
	var summary, report bytes.Buffer
	if err := errors.Join(s.writeSummary(&summary), writeMarkdown(&report, s.Document())); err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(report.String(), -1) {
		headings[headingLink(m[1])] = true
	}
	links := regexp.MustCompile(`\(table1\.md(#.*?)\)`).FindAllStringSubmatch(summary.String(), -1)
	for _, m := range links {
		if !headings[m[1]] {
			t.Errorf("the report has no heading %s", m[1])
		}
	}
	sum := 0
	for _, m := range regexp.MustCompile(`(?m)^- (\d+) `).FindAllStringSubmatch(summary.String(), -1) {
		n, _ := strconv.Atoi(m[1])
		sum += n
	}
	counted := 0
	for _, n := range s.Numbers {
		if n.Metric != metric.MSE {
			counted++
		}
	}
	if sum != counted || len(links) < 10 || !strings.Contains(summary.String(), "\n\n14,463 of 18,928 cells have a record, 2 of them a failure. "+
		"Everything is in the [report](table1.md). MSE, which says what RMSE says, is not counted.\n\n") {
		t.Errorf("%d of %d numbers with %d links:\n%s", sum, counted, len(links), summary.String())
	}
	reproduced, rest, _ := strings.Cut(summary.String(), "## Not decided, fewer than three seeds: 1 of 6 numbers\n\n- 1 not graded")
	if _, not, _ := strings.Cut(rest, "## Not reproduced: 2 of 6 numbers\n\n"); !strings.HasPrefix(not, "- 1 differs: ") || !strings.Contains(not, "\n- 1 failed: ") {
		t.Errorf("not reproduced is other than what differs and what failed:\n%s", summary.String())
	}
	smaller, untested, _ := strings.Cut(rest, "## Not tested, or only in part")
	_, smaller, _ = strings.Cut(smaller, "## As in the paper, by direction alone or at a smaller size: 1 of 5 claims\n")
	if _, unclear, _ := strings.Cut(smaller, "## Not clear: 1 of 5 claims\n"); !strings.Contains(unclear, "not clear: It is better.") {
		t.Errorf("what is not clear has no part of its own:\n%s", summary.String())
	}
	if !strings.Contains(reproduced, "holds: It is near 4.27.") || !strings.Contains(untested, "not tested: It is the best.") || !strings.Contains(untested, "[claim](table1.md#what-the-paper-claims) holds, on the 1 of 2 that were measured: It is near") || !strings.Contains(smaller, "holds at this size: NPT is as good on Higgs.") {
		t.Errorf("claims are in the wrong part:\n%s", summary.String())
	}
}

// The summary has the numbers of every verdict under one heading.
func TestSummaryOfEveryVerdict(t *testing.T) {
	parts := map[string][]Verdict{
		"Reproduced": {Reproduced},
		"Reproduced as far as a part of the test rows tells":           {ReproducedOnPart},
		"Not reproduced, and not excluded by other seeds of ours":      {NotExcluded},
		"Not decided, fewer than three seeds":                          {NotGraded},
		"Not reproduced":                                               {Differs, FailedCell},
		"As in the paper, by direction alone or at a smaller size":     {SameDirection},
		"Not as in the paper, by direction alone or at a smaller size": {OppositeDirection},
		"Not clear":                   {PaperNotClear, NotClear},
		"Not tested, or only in part": {Extrapolated, NotComparable, Partial, Undefined, NotRun, NoPaper, NotJudged},
	}
	f := newFixture()
	f.expect("protein", published, "knn", 1)
	s := collect(t, f)
	of := *s.Numbers[0]
	s.Numbers = nil
	for _, verdicts := range parts {
		for _, v := range verdicts {
			n := of
			n.Verdict = v
			s.Numbers = append(s.Numbers, &n)
		}
	}
	var summary bytes.Buffer
	if err := s.writeSummary(&summary); err != nil {
		t.Fatal(err)
	}
	for heading, verdicts := range parts {
		_, part, _ := strings.Cut(summary.String(), "\n## "+heading+": ")
		part, _, _ = strings.Cut(part, "\n## ")
		for _, v := range verdicts {
			if !strings.Contains(part, "\n- 1 "+string(v)) {
				t.Errorf("no %q under %s:\n%s", v, heading, summary.String())
			}
		}
	}
}

// What no table of Table 1's report shows is not counted.
func TestOnlyWhatIsShownCounts(t *testing.T) {
	f := newFixture()
	f.expect("lookup", published, "knn", 1)
	s := collect(t, f)
	if judged := s.judged(); len(s.Numbers) != 3 || !slices.Equal(judged, []judgement{{NotRun, "RMSE (Table 11)"}}) { // not MSE, and not Pearson's r
		t.Errorf("%d numbers, of which count %v", len(s.Numbers), judged)
	}
}

// A method that has failed altogether keeps its row, which says so, and there are no footnotes but those that are marked.
func TestFailedMethodKeepsItsRow(t *testing.T) {
	for _, protocol := range []split.Protocol{published, corrected} {
		f := newFixture()
		f.folds = "3"
		for _, method := range []string{"knn", "golearn-knn", "mlp"} {
			f.expect("yacht", protocol, method, 1)
		}
		for fold := range 3 {
			f.ok("yacht", protocol, "knn", fold, 0, mse(0.1), rmse(4))
			f.failed("yacht", protocol, "golearn-knn", fold, 0, "error", "no numpy")
		}
		tables := collect(t, f).tables(true)
		at := slices.IndexFunc(tables, func(b Block) bool { table, ok := b.(*Table); return ok && table.Name == "rmse" })
		table := tables[at].(*Table)
		row := table.Rows[slices.IndexFunc(table.Rows, func(r Row) bool { return r.Cells[0].Text == "k-NN (golearn)" })]
		cell := row.Cells[slices.IndexFunc(row.Cells, func(c Cell) bool { return c.Text == "failed" })]
		if len(cell.Notes) == 0 || !strings.Contains(table.Notes[slices.Max(cell.Notes)-2], "no numpy") {
			t.Errorf("%s: %+v, %q", protocol, row, table.Notes)
		}
		table.checkFootnotes(t)
	}
}

// A report in which the paper has no number says nothing of the paper.
func TestOwnReport(t *testing.T) {
	for _, protocol := range []split.Protocol{published, corrected} {
		f := newFixture()
		f.Says, f.Claims = "So it is.", []Claim{{ID: "own", Method: "golearn-knn", Says: "It is the best."}}
		f.expect("yacht", protocol, "golearn-knn", 1)
		f.ok("yacht", protocol, "golearn-knn", 0, 0, mse(0.1), rmse(4))
		s := collect(t, f)
		var out bytes.Buffer
		if err := errors.Join(writeMarkdown(&out, s.Document()), s.writeSummary(&out), s.Print(&out, 80, false)); err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(out.String(), "## What ran")
		for _, not := range []string{"Table 1", "aper", "aim", "reproduced", "verdict", "no paper value"} {
			if strings.Contains(text, not) || strings.Contains(strings.TrimPrefix(out.String(), text), "no paper value") {
				t.Errorf("%s: %q stands in\n%s", protocol, not, out.String())
			}
		}
		if strings.Count(out.String(), "<!-- table glance-"+string(protocol)) != 2 { // in the report and in the summary
			t.Errorf("%s: no overview in\n%s", protocol, text)
		}
		if !strings.Contains(text, "# test\n") || !strings.Contains(text, "## RMSE\n") || !strings.Contains(text, "4.000") {
			t.Errorf("%s:\n%s", protocol, text)
		}
	}
}

// Where no fold is complete there is no overview, and the report, the summary and the terminal say why.
func TestNoFoldIsComplete(t *testing.T) {
	for _, m := range []string{"golearn-knn", "knn"} { // of which the paper has nothing, and something
		f := newFixture()
		for _, protocol := range split.Protocols {
			f.expect("yacht", protocol, m, 2)
		}
		f.ok("yacht", published, m, 0, 0, mse(0.1), rmse(4))
		for _, setting := range []int{0, 1} {
			f.ok("yacht", corrected, m, 1, setting, mse(0.1), rmse(4))
		}
		s := collect(t, f)
		var report, summary, terminal bytes.Buffer
		if err := errors.Join(writeMarkdown(&report, s.Document()), s.writeSummary(&summary), s.Print(&terminal, 200, false)); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{report.String(), summary.String(), terminal.String()} {
			const line = "No method has a result yet on a published fold on which all its settings have been run.\n"
			if said := strings.Contains(text, line); said != (s.own || text == terminal.String()) || strings.Contains(text, "on a corrected fold") {
				t.Errorf("%s: said %t in\n%s", m, said, text)
			}
		}
	}
}

// Footnotes of a row in which nothing stands are left out with it.
func TestFootnotesOfNoRow(t *testing.T) {
	f := newFixture()
	f.expect("yacht", published, "knn", 1)
	f.expect("yacht", published, "mlp", 1)
	f.ok("yacht", published, "knn", 0, 0, mse(0.1), rmse(4))
	empty := Part{"x", false, nil, func(t *Table, c comparison) Cell {
		return Cell{Text: none, Notes: []int{t.Note(c.any().Series.Title)}}
	}, nil}
	l := Layout{Rows: []string{"series"}, Columns: []string{"metric"}, Show: []Part{Ours, empty}}
	if table := l.table(collect(t, f).Numbers); len(table.Rows) != 1 || !slices.Equal(table.Notes, []string{"k-NN"}) {
		t.Errorf("%d rows with the footnotes %q", len(table.Rows), table.Notes)
	}
}

// What ran has the sizes of each data set, and so has the page with the records.
func TestSizesOfWhatRan(t *testing.T) {
	f := newFixture()
	f.grids = map[string]string{"protein npt": "layers: [2]", "yacht npt": "layers: [4]"}
	f.expect("protein", published, "npt", 1)
	f.expect("yacht", published, "npt", 1)
	f.ok("protein", published, "npt", 0, 0, mse(1), rmse(4))
	s := collect(t, f)
	var methods []string
	for _, row := range s.coverage().Rows {
		if row.Cells[1].Text != "k-NN" {
			methods = append(methods, row.Group+": "+row.Cells[1].Text)
		}
	}
	var page bytes.Buffer
	if err := writeHTML(&page, s.Document(), s); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(methods, "Protein: NPT, 2 layers") || !slices.Contains(methods, "Yacht: NPT, 4 layers") ||
		!strings.Contains(page.String(), "<summary>Protein, NPT, 2 layers, published folds") {
		t.Errorf("%q", methods)
	}
}

// A p that is too small for three decimals has an exponent.
func TestSmallP(t *testing.T) {
	for p, want := range map[float64]string{0.0412: "0.041", 1.23e-5: "1.2e-5", 1: "1.000", math.NaN(): none} {
		if got := (fact{Number: &Number{Mean: p}}).pCell(&Table{}, comparison{}).Text; got != want {
			t.Errorf("p = %v is written %s, want %s", p, got, want)
		}
	}
}

// Figures that are no learning curves have a heading of their own.
func TestHeadingsOfFigures(t *testing.T) {
	s := goldenSummary(t)
	s.Curves = true
	for _, g := range s.Groups {
		for _, rec := range g.chosen() {
			rec.Details = map[string]any{"steps": 10.0, "learning_curve": []any{2.0, 1.0}}
		}
	}
	heading, under := Heading(""), map[string]Heading{}
	for _, b := range s.Document().Blocks {
		switch b := b.(type) {
		case Heading:
			heading = b
		case Figure:
			under[b.File] = heading
		}
	}
	if under["table1-agreement.svg"] != "Further figures" || under["table1-time.svg"] != "Further figures" || under["table1-curves.svg"] != "Learning curves" {
		t.Errorf("%v", under)
	}
}

// What ran says which library trained a method.
func TestLibraries(t *testing.T) {
	f := newFixture()
	f.expect("boston-housing", published, "xgboost", 1)
	for fold := range 3 {
		f.ok("boston-housing", published, "xgboost", fold, 0, mse(0.1), rmse(4)).Details = map[string]any{"library": "xgboost 1.7." + strconv.Itoa(4-fold/2)}
	}
	row := collect(t, f).coverage().Rows[0].Cells
	if got := row[len(row)-1].Text; got != "xgboost 1.7.3, xgboost 1.7.4" {
		t.Errorf("libraries %q", got)
	}
}

// LaTeX has numbers for siunitx where a cell of a column of numbers has nothing else, each as it is; all else stays text.
func TestLaTeXNumbers(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"0.04", `\num{0.04}`},
		{"-0.04", `\num{-0.04}`},
		{"+0.04 (+0.2 %)", `\num[retain-explicit-plus]{+0.04} (\num[retain-explicit-plus]{+0.2} \%)`},
		{"1.00 ± 0.00", `\num{1.00} $\pm$ \num{0.00}`},
		{"149 ± 52.6", `\num{149} $\pm$ \num{52.6}`},
		{"12.02 ± 0.69 (12.02 ± 0.65)", `\num{12.02} $\pm$ \num{0.69} (\num{12.02} $\pm$ \num{0.65})`},
		{"11,340 (3,780)", `\num{11340} (\num{3780})`},
		{"(25,25,25)", "(25,25,25)"},
		{"25,25", "25,25"},
		{"24, 48", "24, 48"},
		{"25-500", "25-500"},
		{"2026-11-22", "2026-11-22"},
		{"0.70/0.10/0.20", "0.70/0.10/0.20"},
		{"13h 33m 58s", "13h 33m 58s"},
		{"3e-05", "3e-05"},
		{"≈ 3h", `$\approx$ 3h`},
		{"–", "--"},
	} {
		if got := latexCell(Cell{Text: c.text}, true); got != c.want {
			t.Errorf("%s becomes %s, want %s", c.text, got, c.want)
		}
		if got := latexCell(Cell{Text: c.text}, false); got != latexText(c.text) {
			t.Errorf("%s becomes %s in a column of texts", c.text, got)
		}
	}
}

// A report has no files of an earlier one that it lacks, and leaves those of others alone.
func TestEarlierReportIsRemoved(t *testing.T) {
	dir := t.TempDir()
	f := newFixture()
	f.expect("yacht", published, "npt", 1)
	f.Claims = []Claim{{ID: "c", Says: "So it is."}}
	s := collect(t, f)
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	stale := []string{"claims.csv", "table1.svg", "table1-old.svg", "predictions-rows.csv", "table1-tables/old.tex", "table1-figures/old.pdf"}
	kept := []string{"notes.txt", "other-old.svg", "table1-tables/mine.tex", "table1.md", "cells.csv"}
	for _, name := range append(stale[1:], kept[:3]...) {
		text := map[bool]string{true: fragmentMark}[name == "table1-tables/old.tex"]
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	s.Claims = nil
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(stale, kept...) {
		_, err := os.Stat(filepath.Join(dir, name))
		if slices.Contains(kept, name) != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Two methods of one title are two rows.
func TestTitleOfTwoMethods(t *testing.T) {
	f := newFixture()
	f.expect("yacht", published, "xgboost", 1)
	mine := &method.Method{Name: "mine", Title: "XGBoost"}
	x := seriesIndex{Spec: Spec{Methods: append(slices.Clone(testMethods), mine), Plan: f.plan(t)}}
	for _, m := range x.Methods {
		want := m.Title
		if m == mine {
			want = "XGBoost (mine)"
		}
		if got := x.label(m); got != want {
			t.Errorf("%s: %s, want %s", m.Name, got, want)
		}
	}
}
