package main

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"nptbench/internal/stats"
)

// writeCSV writes a line for each quantity. Over data sets the data set is empty. Pairs are of a method and the one that it is
// compared with.
func writeCSV(w io.Writer, comparisons []*comparison) error {
	out := csv.NewWriter(w)
	out.Write([]string{"protocol", "metric", "dataset", "method", "against", "quantity", "value", "notes"})
	for _, c := range comparisons {
		line := func(dataset, method, against, quantity string, value float64, notes []string) {
			text := ""
			if !math.IsNaN(value) {
				text = strconv.FormatFloat(value, 'g', -1, 64)
			}
			out.Write([]string{c.protocol, c.metric.Name, dataset, method, against, quantity, text, strings.Join(notes, " ")})
		}
		for _, d := range c.on {
			d.write(line)
		}
		if c.overall != nil {
			c.overall.write(line, c.alpha, c.metric.Larger)
		}
	}
	out.Flush()
	return out.Error()
}

type writeLine func(dataset, method, against, quantity string, value float64, notes []string)

func (d *datasetComparison) write(line writeLine) {
	first := d.rows[0].method
	for _, r := range d.rows {
		line(d.name, r.method, "", "folds", float64(len(r.values)), r.notes)
		switch {
		case r.mean != nil:
			line(d.name, r.method, "", "mean", r.mean.Mean, nil)
			line(d.name, r.method, "", "mean_low", r.mean.Low, nil)
			line(d.name, r.method, "", "mean_high", r.mean.High, nil)
		case len(r.values) == 1:
			line(d.name, r.method, "", "mean", r.values[0].value, nil)
		}
		if r.against == nil {
			continue
		}
		a := r.against
		line(d.name, r.method, first, "pairs", float64(a.pairs), nil)
		if a.test != nil {
			name := "welch"
			if a.paired {
				name = "nadeau_bengio"
			}
			line(d.name, r.method, first, "difference", a.test.Mean, nil)
			line(d.name, r.method, first, "difference_low", a.test.Low, nil)
			line(d.name, r.method, first, "difference_high", a.test.High, nil)
			line(d.name, r.method, first, name+"_t", a.test.T, nil)
			line(d.name, r.method, first, name+"_df", a.test.DF, nil)
			line(d.name, r.method, first, name+"_p", a.test.P, nil)
			line(d.name, r.method, first, name+"_p_holm", a.adjusted, nil)
		}
		line(d.name, r.method, first, "median_difference", a.median, nil)
		line(d.name, r.method, first, "win_rate", a.wins, nil)
		line(d.name, r.method, first, "cliffs_delta", a.delta, nil)
	}
}

func (o *overall) write(line writeLine, alpha float64, larger bool) {
	line("", "", "", "datasets", float64(len(o.datasets)), o.notes)
	if len(o.datasets) < 2 {
		return
	}
	f, several := o.friedman, len(o.methods) > 2
	for j, method := range o.methods {
		line("", method, "", "mean_rank", f.Mean[j], nil)
		line("", method, "", "mean_rank_stderr", f.StdErr[j], nil)
		if j > 0 {
			line("", method, o.methods[0], "win_rate", o.wins(j, larger), nil)
		}
	}
	if several {
		line("", "", "", "friedman_chi_square", f.ChiSquare, nil)
		line("", "", "", "friedman_p", f.P, nil)
		line("", "", "", "friedman_permutation_p", f.PermutationP, nil)
		line("", "", "", "iman_davenport_f", f.F, nil)
		line("", "", "", "iman_davenport_p", f.FPValue, nil)
		line("", "", "", "nemenyi_critical_difference", stats.NemenyiDifference(alpha, f.K, f.N), nil)
	}
	for i := range o.methods {
		for j := range i {
			test := o.wilcoxon[i][j]
			line("", o.methods[i], o.methods[j], "wilcoxon_statistic", test.Statistic, nil)
			line("", o.methods[i], o.methods[j], "wilcoxon_log_p", test.LogP, nil)
			line("", o.methods[i], o.methods[j], "wilcoxon_p", test.P, nil)
			line("", o.methods[i], o.methods[j], "wilcoxon_p_holm", o.adjusted[i][j], nil)
			if several {
				line("", o.methods[i], o.methods[j], "nemenyi_p", stats.NemenyiP(f.Mean[i]-f.Mean[j], f.K, f.N), nil)
			}
		}
	}
}
