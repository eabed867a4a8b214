package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"nptbench/internal/document"
	"nptbench/internal/metric"
	"nptbench/internal/stats"
)

// A result is a value of a metric that a method has on a fold.
type result struct {
	line                              int
	protocol, dataset, method, metric string
	title                             string  // the method without what -by adds
	fold                              string  // with the repetition, where there is one
	part                              string  // the fold without it; empty for a resample, which is no part of a whole
	seed                              string  // of several results on a fold; empty: not known
	split                             string  // digest of its rows; empty: not known
	data                              string  // digest of its table; empty: not known
	value                             float64 // finite; the mean of so many results
	results                           int
	failed                            int     // cells, of a report: of settings that validation could not choose
	testRatio                         float64 // test rows over training rows; NaN: not known
}

// results are those of a file, with what it does not have.
type results struct {
	file   string
	report bool // the file is a report's folds.csv, where each metric has a column
	all    []result
	gaps   []gap
	titles map[string][]string // what stands for a method, by its name: its titles, or the name where the file has none
}

// A gap is a fold without a result that counts, which a report has a line about.
type gap struct{ protocol, dataset, method, fold, why string }

// result is the one that there is not.
func (g gap) result() result {
	return result{protocol: g.protocol, dataset: g.dataset, method: g.method, fold: g.fold}
}

// spellings are the names that columns may have, without regard to case, spaces and signs.
var spellings = map[string][]string{
	"data set":   {"dataset", "data", "task", "table", "problem"},
	"fold":       {"fold", "split", "resample"},
	"method":     {"method", "model", "algorithm", "learner", "estimator"},
	"title":      {"title"},
	"series":     {"series"}, // the title on all data sets
	"metric":     {"metric", "measure"},
	"value":      {"value", "score", "result"},
	"protocol":   {"protocol"},
	"repetition": {"repetition", "repeat", "rep"},
	"seed":       {"seed"},
	"train rows": {"trainrows", "ntrain"},
	"test rows":  {"testrows", "ntest"},
	"digest":     {"splitdigest"},
	"data":       {"datadigest"},
	"complete":   {"complete"},
	"failed":     {"failed"},
}

func spelled(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// A sheet is a CSV file of which the columns are known.
type sheet struct {
	*results
	*document.CSV
	columns map[string]int // by the keys of spellings and, of a report, by the names of metrics
	by      []int
	metrics map[string]string // by their lower case, as they are spelled first
}

// read reads results. Errors name the file and the line.
func read(in io.Reader, file string, by []string) (*results, error) {
	lines, err := document.NewCSV(in, file)
	if err != nil {
		return nil, err
	}
	s := &sheet{results: &results{file: file, titles: map[string][]string{}}, CSV: lines, columns: map[string]int{}, metrics: map[string]string{}}
	if err := s.findColumns(by); err != nil {
		return nil, fmt.Errorf("%s:1: %w", file, err)
	}
	first := map[result]int{} // lines, by all that tells results apart
	for {
		record, line, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		before := len(s.all)
		if err := s.add(record, line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, line, err)
		}
		for _, r := range s.all[before:] {
			key := result{protocol: r.protocol, dataset: r.dataset, method: r.method, metric: r.metric, fold: r.fold, seed: r.seed}
			if other := first[key]; other > 0 {
				return nil, fmt.Errorf("%s:%d: %s of %s on %s, fold %s, stands in line %d already; if a column tells them apart, name it with -by, or call it seed if they are of several seeds",
					file, r.line, r.metric, r.method, r.dataset, r.fold, other)
			}
			first[key] = r.line
		}
	}
	if len(s.all) == 0 {
		return nil, fmt.Errorf("%s has no results", file)
	}
	if err := s.whole(); err != nil {
		return nil, err
	}
	if err := s.average(); err != nil {
		return nil, err
	}
	s.tie()
	return s.results, nil
}

// whole refuses a report whose folds -by would deal out: there is one line of a method for each, of the setting that validation chose, so
// that each setting would have the folds on which it was best on validation rows.
func (s *sheet) whole() error {
	if !s.report || len(s.by) == 0 {
		return nil
	}
	var cut error
	on := map[result]string{} // the method as -by has it, by fold and by data set
	for _, r := range s.all {
		dataset := result{protocol: r.protocol, dataset: r.dataset, metric: r.metric, title: r.title, seed: r.seed}
		fold := dataset
		fold.fold = r.fold
		if on[fold] != "" {
			return nil // several lines for a fold, which -by tells apart
		}
		if other := on[dataset]; other != "" && other != r.method && cut == nil {
			cut = fmt.Errorf("%s: -by: a report has one line of %s for each fold of %s, of the setting that validation chose there: %s and %s would have other folds each; "+
				"make the report anew with -rows, in which each has all folds", s.file, r.title, r.dataset, other, r.method)
		}
		on[fold], on[dataset] = r.method, r.method
	}
	return cut
}

// average makes one result, their mean, of those that a method has on the same rows, under several seeds or as repetitions: they do not tell
// how it varies over folds. Rows are the same by their digest, or by the name of the fold. The digest is of row numbers alone: results of two
// tables of a data set are refused.
func (r *results) average() error {
	tables := map[result]result{} // the first one of a data set that says which table it has
	names := map[result]result{}  // the first one of a fold, by its rows
	places := map[result]int{}    // in averaged
	var averaged []result
	for _, one := range r.all {
		if one.data != "" {
			dataset := result{protocol: one.protocol, dataset: one.dataset}
			if first, known := tables[dataset]; !known {
				tables[dataset] = one
			} else if first.data != one.data {
				return fmt.Errorf("%s:%d: %s is another table here than in line %d, by its data digest: want results of one; run those of the old table again",
					r.file, one.line, one.dataset, first.line)
			}
		}
		if one.split != "" {
			rows := result{protocol: one.protocol, dataset: one.dataset, split: one.split}
			if _, named := names[rows]; !named {
				names[rows] = one
			}
			one.fold, one.part = names[rows].fold, names[rows].part
		}
		key := result{protocol: one.protocol, dataset: one.dataset, method: one.method, metric: one.metric, fold: one.fold}
		at, again := places[key]
		if !again {
			places[key] = len(averaged)
			averaged = append(averaged, one)
			continue
		}
		mean := &averaged[at]
		if mean.split != "" && one.split != "" && mean.split != one.split || math.Abs(mean.testRatio-one.testRatio) > 0 { // not of NaN, which is not known
			return fmt.Errorf("%s:%d: fold %s of %s on %s has other rows than in line %d: number the splits in a column repetition",
				r.file, one.line, one.fold, one.method, one.dataset, mean.line)
		}
		mean.results++
		mean.failed += one.failed
		mean.value += (one.value - mean.value) / float64(mean.results) // of equal values exactly the same
	}
	r.all = averaged
	return nil
}

// tie makes results of a fold the same that differ by rounding alone, so that they count as ties everywhere.
func (r *results) tie() {
	of := map[result][]int{} // places in all, by all that two methods have in common
	for i, one := range r.all {
		key := result{protocol: one.protocol, dataset: one.dataset, metric: one.metric, fold: one.fold}
		of[key] = append(of[key], i)
	}
	for _, places := range of {
		values := make([]float64, len(places))
		for i, at := range places {
			values[i] = r.all[at].value
		}
		for i, x := range stats.TieRounded(values) {
			r.all[places[i]].value = x
		}
	}
}

// testColumn is what the column of a metric is called in a report.
func testColumn(m metric.Metric) string { return "test_" + m.Name }

func (s *sheet) findColumns(by []string) error {
	for _, key := range slices.Sorted(maps.Keys(spellings)) {
		for _, name := range spellings[key] { // the first one that there is
			at := slices.IndexFunc(s.Header, func(h string) bool { return spelled(h) == name })
			if at < 0 {
				continue
			}
			if again := slices.IndexFunc(s.Header[at+1:], func(h string) bool { return spelled(h) == name }); again >= 0 {
				return fmt.Errorf("two columns are called %s", s.Header[at])
			}
			s.columns[key] = at
			break
		}
	}
	needed := []string{"data set", "fold", "method", "metric", "value"}
	for _, m := range metric.All {
		if at := slices.Index(s.Header, testColumn(m)); at >= 0 {
			s.columns[m.Name] = at
			s.report = true
			needed = needed[:3]
		}
	}
	for _, key := range needed {
		if _, ok := s.columns[key]; !ok {
			return fmt.Errorf("no column has the %s: it may be called %s; there are %q", key, strings.Join(spellings[key], ", "), s.Header)
		}
	}
	for _, name := range by {
		at := slices.IndexFunc(s.Header, func(h string) bool { return spelled(h) == spelled(name) })
		if at < 0 {
			return fmt.Errorf("-by: no column is called %s; there are %q", name, s.Header)
		}
		s.by = append(s.by, at)
	}
	return nil
}

// add takes the results of a line.
func (s *sheet) add(record []string, line int) error {
	for _, at := range slices.Concat(slices.Sorted(maps.Values(s.columns)), s.by) {
		text := strings.TrimSpace(record[at])
		if strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || !unicode.IsGraphic(r) }) {
			return fmt.Errorf("%s is %q, want printable UTF-8 text in one line", s.Header[at], text)
		}
	}
	field := func(key string) string {
		if at, ok := s.columns[key]; ok {
			return strings.TrimSpace(record[at])
		}
		return ""
	}
	r := result{line: line, protocol: field("protocol"), dataset: field("data set"), method: field("method"), metric: field("metric"),
		fold: field("fold"), seed: field("seed"), split: field("digest"), data: field("data"), testRatio: math.NaN(), results: 1}
	if spelled(s.Header[s.columns["fold"]]) != "resample" {
		r.part = r.fold
	}
	name := r.method
	if title := cmp.Or(field("series"), field("title")); s.report && title != "" {
		r.method = title
	}
	r.title = r.method
	for _, at := range s.by {
		if v := strings.TrimSpace(record[at]); v != "" && !strings.HasSuffix(r.title, ", "+v) { // a title may have it
			r.method += ", " + v
		}
	}
	if !slices.Contains(s.titles[name], r.method) {
		s.titles[name] = append(s.titles[name], r.method)
	}
	if repetition := field("repetition"); repetition != "" {
		r.fold += " of repetition " + repetition
	}
	for _, key := range []string{"data set", "fold", "method"} {
		if field(key) == "" {
			return fmt.Errorf("there is no %s", key)
		}
	}
	if field("train rows") != "" && field("test rows") != "" {
		train, trainErr := strconv.ParseFloat(field("train rows"), 64)
		test, testErr := strconv.ParseFloat(field("test rows"), 64)
		if trainErr != nil || testErr != nil || !(train >= 1) || !(test >= 1) || math.IsInf(train+test, 0) {
			return fmt.Errorf("%q training and %q test rows: want numbers of rows", field("train rows"), field("test rows"))
		}
		r.testRatio = test / train
	}
	switch {
	case s.report && r.metric != "": // what was measured on the model, by other metrics
		return nil
	case !s.report && r.metric == "":
		return errors.New("there is no metric")
	case !s.report:
		lower := strings.ToLower(r.metric)
		if s.metrics[lower] == "" {
			s.metrics[lower] = r.metric
		}
		r.metric = s.metrics[lower]
		return s.addValue(r, field("value"))
	}
	if complete := field("complete"); complete != "" && complete != "true" {
		s.gaps = append(s.gaps, gap{r.protocol, r.dataset, r.method, r.fold, "not finished"})
		return nil
	}
	if failed := field("failed"); failed != "" {
		var err error
		if r.failed, err = strconv.Atoi(failed); err != nil || r.failed < 0 {
			return fmt.Errorf("failed is %q, want a number of settings", failed)
		}
	}
	found := false
	for _, m := range metric.All {
		if text := field(m.Name); text != "" {
			found = true
			r.metric = m.Name
			if err := s.addValue(r, text); err != nil {
				return err
			}
		}
	}
	if !found {
		s.gaps = append(s.gaps, gap{r.protocol, r.dataset, r.method, r.fold, "without a result"})
	}
	return nil
}

// largest is what a value may be, so that sums of squares are finite.
const largest = 1e100

func (s *sheet) addValue(r result, text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is %q, want a number; a fold without a result has no line", r.metric, text)
	}
	if math.Abs(x) > largest {
		return fmt.Errorf("%s is %s, want at most %g, or means and variances overflow", r.metric, text, largest)
	}
	r.value = x
	s.all = append(s.all, r)
	return nil
}
