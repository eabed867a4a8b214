package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/metric"
	"nptbench/results"
)

// The CSV files are for further analysis: one header line, one fact a line, numbers in full precision, and an empty field
// where there is no number.

// A csvColumn is a column of a file that has a line for every T.
type csvColumn[T any] struct {
	name  string
	value func(T) string
}

func writeCSV[T any](w io.Writer, lines []T, columns []csvColumn[T]) error {
	out := csv.NewWriter(w)
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.name
	}
	out.Write(line)
	for _, t := range lines {
		for i, c := range columns {
			line[i] = plainText(c.value(t))
		}
		out.Write(line)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	return nil
}

// plainText keeps a spreadsheet from taking a text for a formula.
func plainText(field string) string {
	if field != "" && strings.Contains("=+-@\t\r", field[:1]) {
		if _, err := strconv.ParseFloat(field, 64); err != nil {
			return "'" + field
		}
	}
	return field
}

// identity are the columns by which numbers and folds of all files are known.
func identity[T any](fields []string, group func(T) *Group) []csvColumn[T] {
	columns := []csvColumn[T]{
		{"dataset", func(t T) string { return group(t).Info.Name }},
		{"protocol", func(t T) string { return string(group(t).Protocol) }},
		{"method", func(t T) string { return group(t).Series.Method.Name }},
	}
	for _, field := range fields {
		columns = append(columns, csvColumn[T]{field, func(t T) string {
			if field == measureField {
				return group(t).Series.measured()
			}
			return group(t).Series.Values[field]
		}})
	}
	return columns
}

// columnNames are those of the columns of cells.csv, folds.csv and failures.csv, whatever rows are told apart by.
func columnNames() (names []string) {
	empty := &Summary{}
	for _, write := range []func(io.Writer) error{empty.writeCells, empty.writeFolds, empty.writeFailures} {
		var header strings.Builder
		write(&header)
		names = append(names, strings.Split(strings.TrimSpace(header.String()), ",")...)
	}
	return append(names, measureField)
}

const measureField = "measure"

// identityFields are the fields of rows, and what was measured where that is anything.
func (s *Summary) identityFields() []string {
	if len(s.measured()) == 0 {
		return s.Series
	}
	return append(slices.Clone(s.Series), measureField)
}

// measured lists the names of what was measured, in the order of the groups.
func (s *Summary) measured() (names []string) {
	for _, g := range s.Groups {
		if name := g.Series.measure(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// writeRows writes the tables that the records of a measurement have, those of the chosen settings. Their column row becomes test_row, since
// in other files a row is one of the whole table: test_row k, from 0, is the k-th test row of the fold in splits.csv of cmd/data.
func (s *Summary) writeRows(w io.Writer, name string) error {
	type line struct {
		*Fold
		numbers []float64
	}
	var lines []line
	var names []string // of all tables: predictions have a column for each class
	for _, f := range s.folds() {
		if f.group.Series.measure() != name || f.Chosen == nil || f.Chosen.Table == nil {
			continue
		}
		for _, numbers := range f.Chosen.Table.Lines {
			lines = append(lines, line{f, numbers})
		}
		for _, name := range f.Chosen.Table.Columns {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	columns := append(identity(s.identityFields(), func(l line) *Group { return l.group }),
		csvColumn[line]{"fold", func(l line) string { return strconv.Itoa(l.Number) }})
	for _, name := range names {
		title := name
		if name == "row" {
			title = "test_row"
		}
		columns = append(columns, csvColumn[line]{title, func(l line) string {
			i := slices.Index(l.Chosen.Table.Columns, name)
			if i < 0 {
				return ""
			}
			return full(l.numbers[i])
		}})
	}
	return writeCSV(w, lines, columns)
}

// withTablesPaper returns the numbers, each with the paper's number from the first of the report's tables that has one.
func (s *Summary) withTablesPaper() []*Number {
	numbers := slices.Clone(s.Numbers)
	for i, n := range s.Numbers {
		for j := range s.Tables {
			if l := &s.Tables[j]; n.meets(l.Where) {
				if of := l.withPaper(n); of.HasPaper {
					numbers[i] = of
					break
				}
			}
		}
	}
	return numbers
}

// writeCells writes every number. Spreads are standard errors of means, also the paper's of its Table 12, where printed standard
// deviations are divided by sqrt(10).
func (s *Summary) writeCells(w io.Writer) error {
	return writeCSV(w, s.withTablesPaper(), append(identity(s.identityFields(), func(n *Number) *Group { return n.Group }), []csvColumn[*Number]{
		{"metric", func(n *Number) string { return n.Metric.Name }},
		{"mean", func(n *Number) string { return has(n.N > 0, full(n.Mean)) }},
		{"stderr", func(n *Number) string { return full(n.StdErr) }},
		{"n", func(n *Number) string { return strconv.Itoa(n.N) }},
		{"paper", func(n *Number) string { return has(n.HasPaper, full(n.Paper.Mean)) }},
		{"paper_stderr", func(n *Number) string { return has(n.Paper.PrintedSpread != "", full(n.Paper.StdErr())) }},
		{"difference", func(n *Number) string { return has(n.HasDifference(), full(n.Difference())) }},
		{"verdict", func(n *Number) string { return string(n.Verdict) }},
		{"difference_in_stderr", func(n *Number) string { return full(n.Z) }},
		{"spread_reproduced", func(n *Number) string { return strconv.FormatBool(n.SpreadReproduced) }},
		{"stderr_ddof0", func(n *Number) string { return full(n.StdErr0) }},
		{"stddev", func(n *Number) string { return full(n.StdDev()) }},
		{"stderr_over_rows", func(n *Number) string { return full(n.RowStdErr) }},
		{"folds", func(n *Number) string { return strconv.Itoa(len(n.Folds)) }},
		{"settings", func(n *Number) string { return strconv.Itoa(n.Settings) }},
		{"paper_settings", func(n *Number) string {
			searched, known := n.paperSettings()
			return has(known, strconv.Itoa(searched))
		}},
		{"ok", func(n *Number) string { ok, _, _ := n.counts(); return strconv.Itoa(ok) }},
		{"failed", func(n *Number) string { _, failed, _ := n.counts(); return strconv.Itoa(failed) }},
		{"missing", func(n *Number) string { _, _, missing := n.counts(); return strconv.Itoa(missing) }},
		{"subset", func(n *Number) string { return n.subset() }},
		{"paper_printed", func(n *Number) string { return n.Paper.String() }},
		{"paper_decimals", func(n *Number) string { return has(n.HasPaper, strconv.Itoa(n.Paper.Decimals)) }},
		{"seeds", func(n *Number) string { return has(len(n.Seeds) > 1, strconv.Itoa(len(n.Seeds))) }},
		{"seeds_mean", func(n *Number) string { return has(len(n.Seeds) > 1, full(stat.Mean(n.Seeds, nil))) }},
		{"seeds_stddev", func(n *Number) string { return has(len(n.Seeds) > 1, full(stat.StdDev(n.Seeds, nil))) }},
		{"notes", func(n *Number) string { return strings.Join(n.footnotes(), " ") }},
		{"title", func(n *Number) string { return n.Group.title() }},
	}...))
}

func (s *Summary) folds() (folds []*Fold) {
	for _, g := range s.Groups {
		if g.Settings > 0 {
			folds = append(folds, g.Folds...)
		}
	}
	return folds
}

// writeFolds writes one line per fold, with the chosen setting and all of its metrics.
func (s *Summary) writeFolds(w io.Writer) error {
	chosen := func(name string, value func(*results.Record) string) csvColumn[*Fold] {
		return csvColumn[*Fold]{name, func(f *Fold) string {
			if f.Chosen == nil {
				return ""
			}
			return value(f.Chosen)
		}}
	}
	columns := append(identity(s.identityFields(), func(f *Fold) *Group { return f.group }), []csvColumn[*Fold]{
		{"fold", func(f *Fold) string { return strconv.Itoa(f.Number) }},
		{"complete", func(f *Fold) string { return strconv.FormatBool(f.Complete()) }},
		{"ok", func(f *Fold) string { return strconv.Itoa(f.OK) }},
		{"failed", func(f *Fold) string { return strconv.Itoa(f.Failed) }},
		{"missing", func(f *Fold) string { return strconv.Itoa(f.Missing()) }},
		chosen("record", func(r *results.Record) string { return r.ID.String() }),
		{"place", func(f *Fold) string { return has(f.Chosen != nil, strconv.Itoa(f.Position)) }},
		{"tied", func(f *Fold) string { return has(f.Chosen != nil, strconv.Itoa(f.Tied)) }},
	}...)
	if !slices.Contains(s.Series, variantField) {
		columns = append(columns, chosen("variant", func(r *results.Record) string { return r.Variant }))
	}
	columns = append(columns, chosen("config", func(r *results.Record) string { return string(r.Config) }))
	metrics := slices.Concat(metric.Of(dataset.Regression), []metric.Metric{metric.StandardisedMSE}, metric.Of(dataset.Binary))
	for _, g := range s.Groups {
		for _, m := range g.metrics() {
			if !slices.Contains(metrics, m) {
				metrics = append(metrics, m)
			}
		}
	}
	for _, part := range []struct {
		prefix string
		of     func(*results.Record) results.Metrics
	}{
		{"test_", func(r *results.Record) results.Metrics { return r.Test }},
		{"val_", func(r *results.Record) results.Metrics { return r.Val }},
	} {
		for _, m := range metrics {
			for _, name := range []string{m.Name, m.StdErr()} {
				columns = append(columns, chosen(part.prefix+name, func(r *results.Record) string {
					x, ok := finite(part.of(r), name)
					return has(ok, full(x))
				}))
			}
		}
	}
	return writeCSV(w, s.folds(), append(columns,
		chosen("train_rows", func(r *results.Record) string { return strconv.Itoa(r.Rows[0]) }),
		chosen("val_rows", func(r *results.Record) string { return strconv.Itoa(r.Rows[1]) }),
		chosen("test_rows", func(r *results.Record) string { return strconv.Itoa(r.Rows[2]) }),
		chosen("split_digest", func(r *results.Record) string { return r.SplitDigest }),
		chosen("data_digest", func(r *results.Record) string { return r.DataDigest }),
		chosen("subset", func(r *results.Record) string { return r.Subset }),
		chosen("seed", func(r *results.Record) string { return strconv.FormatUint(r.Seed, 10) }),
		chosen("fit_seconds", func(r *results.Record) string { return full(r.FitSeconds) }),
		chosen("fit_cells", func(r *results.Record) string { return strconv.Itoa(r.FitCells) }),
		chosen("predict_seconds", func(r *results.Record) string { return full(r.PredictSeconds) }),
		chosen("peak_memory_bytes", func(r *results.Record) string { return strconv.FormatInt(r.PeakMemoryBytes, 10) }),
		chosen("backend", func(r *results.Record) string { return r.Provenance.Backend }),
		chosen("code", func(r *results.Record) string { return r.Provenance.Code }),
		chosen("finished", func(r *results.Record) string { return r.Provenance.Finished.UTC().Format(time.RFC3339) }),
		csvColumn[*Fold]{"title", func(f *Fold) string { return f.group.title() }},       // with the sizes on this data set
		csvColumn[*Fold]{"series", func(f *Fold) string { return f.group.Series.Title }}, // the same on all data sets
	))
}

// A rankLine is a line of a rank table.
type rankLine struct {
	*rankTable
	rankRow
}

func (s *Summary) rankLines() (lines []rankLine) {
	for _, t := range s.ranks {
		for _, r := range t.Rows {
			lines = append(lines, rankLine{t, r})
		}
	}
	return lines
}

// rankIdentity are the columns by which the lines of both files of ranks are known.
func rankIdentity[T any](line func(T) rankLine) []csvColumn[T] {
	return []csvColumn[T]{
		{"protocol", func(t T) string { return string(line(t).Protocol) }},
		{"task", func(t T) string { return line(t).Problem.String() }},
		{"metric", func(t T) string { return line(t).Metric.Name }},
		{"among", func(t T) string {
			if line(t).All {
				return "all methods"
			}
			return "the paper's methods"
		}},
		{"method", func(t T) string { return line(t).rankRow.Series.Method.Name }},
		{"title", func(t T) string { return line(t).rankRow.Series.Title }},
	}
}

// writeRanks writes the rank of every method on every data set that Table 1 ranks it on, and the paper's among the same methods.
func (s *Summary) writeRanks(w io.Writer) error {
	type line struct {
		rankLine
		at int // of the table's data sets
	}
	var lines []line
	for _, l := range s.rankLines() {
		for at := range l.Datasets {
			lines = append(lines, line{l, at})
		}
	}
	return writeCSV(w, lines, append(rankIdentity(func(l line) rankLine { return l.rankLine }), []csvColumn[line]{
		{"dataset", func(l line) string { return l.Datasets[l.at].Name }},
		{"rank", func(l line) string { return full(l.Ranks[l.at]) }},
		{"paper", func(l line) string {
			if l.PaperRanks == nil {
				return ""
			}
			return full(l.PaperRanks[l.at])
		}},
	}...))
}

// writeMeanRanks writes Table 1. The data sets that a mean is over tell those of the paper apart from one's own.
func (s *Summary) writeMeanRanks(w io.Writer) error {
	return writeCSV(w, s.rankLines(), append(rankIdentity(func(l rankLine) rankLine { return l }), []csvColumn[rankLine]{
		{"over", func(l rankLine) string {
			var names []string
			for _, d := range l.Datasets {
				names = append(names, d.Name)
			}
			return strings.Join(names, " ")
		}},
		{"methods", func(l rankLine) string { return strconv.Itoa(len(l.Rows)) }},
		{"datasets", func(l rankLine) string { return strconv.Itoa(len(l.Datasets)) }},
		{"mean_rank", func(l rankLine) string { return full(l.Own.Mean) }},
		{"stderr", func(l rankLine) string { return full(l.Own.StdErr) }},
		{"published_folds", func(l rankLine) string { return full(l.Published.Mean) }},
		{"published_folds_stderr", func(l rankLine) string { return full(l.Published.StdErr) }},
		{"paper_same_sets", func(l rankLine) string { return full(l.PaperMean.Mean) }},
		{"paper_same_sets_stderr", func(l rankLine) string { return full(l.PaperMean.StdErr) }},
		{"paper", func(l rankLine) string { return l.Paper.Printed }},
		{"paper_stderr", func(l rankLine) string { return l.Paper.PrintedSpread }},
	}...))
}

// writeFailures writes one line for each cell that failed.
func (s *Summary) writeFailures(w io.Writer) error {
	type line struct {
		*Fold
		Failed
	}
	var lines []line
	for _, f := range s.folds() {
		for _, position := range sortedKeys(f.Failures) {
			lines = append(lines, line{f, f.Failures[position]})
		}
	}
	return writeCSV(w, lines, append(identity(s.identityFields(), func(l line) *Group { return l.group }), []csvColumn[line]{
		{"fold", func(l line) string { return strconv.Itoa(l.Number) }},
		{"record", func(l line) string { return l.Record.String() }},
		{"config", func(l line) string { return string(l.Config) }},
		{"kind", func(l line) string { return l.Kind }},
		{"message", func(l line) string { return l.Message }},
	}...))
}

// has is a text where there is something to write.
func has(ok bool, text string) string {
	if !ok {
		return ""
	}
	return text
}

// full writes a number so that reading it gives the same number, and nothing for NaN.
func full(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
