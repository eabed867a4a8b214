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

	"nptbench/internal/dataset"
	"nptbench/internal/metric"
	"nptbench/results"
)

// The CSV files are for further analysis: one header line, one fact a line, numbers in full precision, and an empty field
// where there is no number.

// writeCells writes every number of Tables 8 to 12. Spreads are standard errors of means, also the paper's of its Table
// 12, where printed standard deviations are divided by sqrt(10).
func writeCells(w io.Writer, entries []*Entry) error {
	out := csv.NewWriter(w)
	out.Write([]string{"dataset", "protocol", "method", "metric", "mean", "stderr", "n", "paper", "paper_stderr",
		"difference", "verdict", "difference_in_stderr", "spread_reproduced", "stderr_ddof0", "stddev", "stderr_over_rows",
		"folds", "settings", "paper_settings", "ok", "failed", "missing", "subset", "paper_printed", "notes"})
	for _, e := range entries {
		ok, failed, missing := e.counts()
		mean, paper, paperSE, difference := math.NaN(), math.NaN(), math.NaN(), math.NaN()
		if e.N > 0 {
			mean = e.Mean
		}
		if e.HasPaper {
			paper = e.Paper.Mean
		}
		if e.Paper.PrintedSpread != "" {
			paperSE = e.Paper.StdErr()
		}
		searched := ""
		if n, known := results.PaperSettings(e.Info.Name, e.Method.Name); known {
			searched = strconv.Itoa(n)
		}
		if e.HasDifference() {
			difference = e.Difference()
		}
		out.Write([]string{e.Info.Name, e.Protocol, e.Method.Name, e.Metric.Name,
			full(mean), full(e.StdErr), strconv.Itoa(e.N), full(paper), full(paperSE),
			full(difference), string(e.Verdict), full(e.Z), strconv.FormatBool(e.SpreadReproduced), full(e.StdErr0), full(e.StdDev()),
			full(e.RowStdErr), strconv.Itoa(len(e.Folds)), strconv.Itoa(e.Settings), searched,
			strconv.Itoa(ok), strconv.Itoa(failed), strconv.Itoa(missing), e.subset(), e.Paper.String(), strings.Join(e.Notes, " ")})
	}
	return flush(out)
}

// counts are the numbers of a group's cells with a result, with a failure and without a record.
func (g *Group) counts() (ok, failed, missing int) {
	for _, f := range g.Folds {
		ok, failed, missing = ok+f.OK, failed+f.Failed, missing+f.Missing()
	}
	return ok, failed, missing
}

// foldMetrics are the metrics of folds.csv, for validation and for test rows.
var foldMetrics = slices.Concat(metric.Of(dataset.Regression), []metric.Metric{metric.StandardisedMSE}, metric.Of(dataset.Binary))

// writeFolds writes one line per fold, with the chosen setting and all of its metrics.
func writeFolds(w io.Writer, groups []*Group) error {
	out := csv.NewWriter(w)
	header := []string{"dataset", "protocol", "method", "fold", "complete", "ok", "failed", "missing",
		"record", "place", "tied", "variant", "config"}
	for _, part := range []string{"test_", "val_"} {
		for _, m := range foldMetrics {
			header = append(header, part+m.Name, part+m.StdErr())
		}
	}
	header = append(header, "train_rows", "val_rows", "test_rows", "split_digest", "data_digest", "subset", "seed",
		"fit_seconds", "fit_cells", "predict_seconds", "peak_memory_bytes", "code", "finished")
	out.Write(header)
	for _, g := range groups {
		for _, f := range g.Folds {
			out.Write(g.foldLine(f, len(header)))
		}
	}
	return flush(out)
}

func (g *Group) foldLine(f *Fold, columns int) []string {
	line := []string{g.Info.Name, g.Protocol, g.Method.Name, strconv.Itoa(f.Number), strconv.FormatBool(f.Complete()),
		strconv.Itoa(f.OK), strconv.Itoa(f.Failed), strconv.Itoa(f.Missing())}
	rec := f.Chosen
	if rec == nil {
		return append(line, make([]string, columns-len(line))...)
	}
	line = append(line, rec.ID, strconv.Itoa(f.Position), strconv.Itoa(f.Tied), rec.Variant, string(rec.Config))
	for _, metrics := range []map[string]float64{rec.Test, rec.Val} {
		for _, m := range foldMetrics {
			for _, name := range []string{m.Name, m.StdErr()} {
				x, ok := finite(metrics, name)
				if !ok {
					x = math.NaN()
				}
				line = append(line, full(x))
			}
		}
	}
	return append(line, strconv.Itoa(rec.Rows[0]), strconv.Itoa(rec.Rows[1]), strconv.Itoa(rec.Rows[2]), rec.SplitDigest,
		rec.DataDigest, rec.Subset, strconv.FormatUint(rec.Seed, 10), full(rec.FitSeconds), strconv.Itoa(rec.FitCells),
		full(rec.PredictSeconds), strconv.FormatInt(rec.PeakMemoryBytes, 10), rec.Provenance.Code,
		rec.Provenance.Finished.UTC().Format(time.RFC3339))
}

// writeRanks writes Table 1, with the rank on each data set.
func writeRanks(w io.Writer, tables []*RankTable) error {
	out := csv.NewWriter(w)
	out.Write([]string{"protocol", "task", "metric", "method", "mean_rank", "stderr", "methods", "datasets", "ranks",
		"published_folds", "published_folds_stderr", "paper_same_sets", "paper_same_sets_stderr", "paper", "paper_stderr"})
	for _, t := range tables {
		names := make([]string, len(t.Datasets))
		for i, d := range t.Datasets {
			names[i] = d.Name
		}
		for _, r := range t.Rows {
			ranks := make([]string, len(r.Ranks))
			for i, x := range r.Ranks {
				ranks[i] = full(x)
			}
			out.Write([]string{t.Protocol, t.Task.String(), t.Metric.Name, r.Method.Name, full(r.Mean), full(r.StdErr),
				strconv.Itoa(len(t.Rows)), strings.Join(names, " "), strings.Join(ranks, " "),
				full(r.PublishedMean), full(r.PublishedStdErr), full(r.PaperMean), full(r.PaperStdErr),
				r.Paper.PrintedMeanRank, r.Paper.PrintedStdErr})
		}
	}
	return flush(out)
}

// writeFailures writes one line for each fold, kind and message of failures.
func writeFailures(w io.Writer, groups []*Group) error {
	out := csv.NewWriter(w)
	out.Write([]string{"dataset", "protocol", "method", "fold", "kind", "cells", "message"})
	for _, g := range groups {
		for _, f := range g.Folds {
			count := map[[2]string]int{}
			for _, failure := range f.Failures {
				count[[2]string{failure.Kind, failure.Message}]++
			}
			keys := make([][2]string, 0, len(count))
			for key := range count {
				keys = append(keys, key)
			}
			slices.SortFunc(keys, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
			for _, key := range keys {
				out.Write([]string{g.Info.Name, g.Protocol, g.Method.Name, strconv.Itoa(f.Number), key[0], strconv.Itoa(count[key]), key[1]})
			}
		}
	}
	return flush(out)
}

// full writes a number so that reading it gives the same number, and nothing for NaN.
func full(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func flush(out *csv.Writer) error {
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	return nil
}
