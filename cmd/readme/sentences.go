package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nptbench/internal/stats"
)

// A sentence is a part of a document with numbers that stand in none of its tables, as the files of reports give it. Where numbers
// are put into words, it returns other words once the numbers no longer bear them.
type sentence func(*reports) string

// sentences are by document.
var sentences = map[string][]sentence{"README.md": readme, "RESULTS.md": results, "npt/PAPER.md": paper,
	"EXPERIMENTS.md": experiments, lookupPage: lookup, rowsPage: rowSentences, ablationsPage: ablations}

const (
	grids  = "out/published/report/"       // of table1-cpu, with the full grids
	quick  = "out/published-quick/report/" // of table1-quick
	widths = "out/published-width/report/folds.csv"
)

// checkSentences says which sentences the documents do not have as the reports give them.
func checkSentences(r *reports, all map[string][]sentence) error {
	var wrong []error
	for _, document := range slices.Sorted(maps.Keys(all)) {
		for _, s := range all[document] {
			want := s(r)
			if r.err != nil {
				return errors.Join(append(wrong, fmt.Errorf("%s: %w; make reports-published writes what sentences are compared with", document, r.err))...)
			}
			if !says(string(r.text(document)), want) {
				wrong = append(wrong, fmt.Errorf("%s does not say what the reports give: %s", document, want))
			}
		}
	}
	return errors.Join(wrong...)
}

// says reports whether a document has a sentence, outside of what is written into it, and with no other digits before or after it.
func says(document, sentence string) bool {
	whole := regexp.MustCompile(`(^|[^\d.])` + regexp.QuoteMeta(spaced(sentence)) + `($|\D)`)
	return whole.MatchString(spaced(place.ReplaceAllString(document, "")))
}

func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// text is that of a file.
func (r *reports) text(file string) []byte {
	text, err := os.ReadFile(file)
	if err != nil {
		r.fail(err)
	}
	return text
}

// line is what the first line of a table has behind its name, of tables with so many columns besides.
func (r *reports) line(document, name string, columns int) []string {
	for line := range strings.Lines(string(r.text(document))) {
		if cells, has := strings.CutPrefix(strings.Trim(line, "| \n"), name+" | "); has && strings.Count(cells, " | ") == columns-1 {
			return strings.Split(cells, " | ")
		}
	}
	r.fail(fmt.Errorf("%s has no table of %d columns with %q", document, 1+columns, name))
	return make([]string, columns)
}

// withoutError is the mean in a cell that has its error, too.
func withoutError(cell string) string {
	mean, _, _ := strings.Cut(cell, " ")
	return mean
}

// word is a small number as running text has it.
func word(n int) string {
	words := []string{"none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// standardError is the number behind ± in a cell.
func standardError(r *reports, cell string) float64 {
	_, x, _ := strings.Cut(cell, " ± ")
	return number(r, x)
}

// number reads a number of a table.
func number(r *reports, cell string) float64 {
	n, err := strconv.ParseFloat(cell, 64)
	r.fail(err)
	return n
}

// count reads a count of a table.
func count(r *reports, cell string) int {
	n, err := strconv.Atoi(cell)
	r.fail(err)
	return n
}

// holm are p after Holm's correction for all of them.
func holm(r *reports, all map[string]float64) map[string]float64 {
	names := slices.Sorted(maps.Keys(all))
	p := make([]float64, len(names))
	for i, name := range names {
		if p[i] = all[name]; !(p[i] >= 0 && p[i] <= 1) {
			r.fail(fmt.Errorf("%s has no p", name))
			p[i] = 1
		}
	}
	out := map[string]float64{}
	for i, x := range stats.Holm(p) {
		out[names[i]] = x
	}
	return out
}
