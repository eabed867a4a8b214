package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"nptbench/internal/stats"
)

// readme are the sentences of README.md.
var readme = []sentence{
	func(r *reports) string {
		low, high := overSeeds(r.rows(quick+"cells.csv").where("protocol", "published", "method", "npt", "metric", "rmse"))
		return fmt.Sprintf("over three seeds its mean RMSEs have standard deviations of %s to %s", low, high)
	},
	func(r *reports) string {
		low, high := lookedUp(r)
		least, most := inLargerBatches(r)
		return fmt.Sprintf("has %.0f to %.0f %% of the paper's errors (means of three seeds), in batches of 256 rows and their copies. Wider networks that were trained in such batches and tested in batches of 1,024 have %.0f to %.0f %% (one seed)", low, high, least, most)
	},
	func(r *reports) string {
		count, better := map[string]int{}, 0
		for _, c := range r.rows(grids + "cells.csv") {
			if c["metric"] == "mse" { // says what RMSE says
				continue
			}
			if count[c["verdict"]]++; c["method"] == "tabnet" && strings.HasPrefix(c["verdict"], "reproduced") {
				return "that some of TabNet's numbers come out, too"
			}
			if smaller := c["metric"] == "rmse" || c["metric"] == "nll"; c["verdict"] == "differs" && (c.number("mean") < c.number("paper")) == smaller {
				better++
			}
		}
		same, part := count["reproduced"], count["reproduced on a part of the test rows"]
		seeds, differ, not := count["not excluded by seeds"], count["differs"], count["not graded"]
		return fmt.Sprintf("* **Of %d numbers of baselines that can be compared with the paper's, %d come out to the printed digit.** %d more, on Poker Hand, "+
			"are within the sampling error of the tenth of its test rows that was used. %d are not excluded by our seeds (a weak test), "+
			"%d differ (%d are better here), and for %d too few seeds were run", same+part+seeds+differ+not, same, part, seeds, differ, better, not)
	},
	func(r *reports) string {
		ours, paper := r.line("npt/PAPER.md", "NPT, 8 layers, e = 32, 2,000 steps", 7), r.line("npt/PAPER.md", "the paper's NPT", 7)
		return fmt.Sprintf("| Breast Cancer, AUROC, full size, published folds | %s | – | %s |", ours[2], paper[2])
	},
	func(r *reports) string {
		var full []float64 // on the folds that NPT at its full size has
		for _, f := range r.rows(widths).where("protocol", "published", "dim_hidden", "128", "complete", "true") {
			full = append(full, f.number("test_rmse"))
		}
		if len(full) < 2 {
			return "the folds of Boston Housing that NPT at its full size has"
		}
		ours, _ := stats.MeanStdErr(full)
		largest := slices.Max(full)
		return fmt.Sprintf("Its RMSE is %.2f there, and %.2f on average over the other %s; the paper's cannot have been above %.1f", largest,
			(ours*float64(len(full))-largest)/float64(len(full)-1), word(len(full)-1), number(r, r.line("npt/FOLD3.md", "Default NPT", 2)[1]))
	},
	func(r *reports) string {
		of := func(name string) string { return withoutError(r.line("npt/FOLD3.md", "Label Mask 0.10"+name, 5)[3]) }
		return fmt.Sprintf("20,000 steps instead of 2,000: %s, and %s under a second seed. It does not need other rows for that: its self-only network has %s",
			of(""), of(", seed 43"), of(", self only"))
	},
	func(r *reports) string {
		protein := regexp.MustCompile(`(?m)^\| Protein, 4 layers, e = 16 (?:\|[^|]+){4}\| \+([^|]+) \|`).FindAllSubmatch(r.text("EXPERIMENTS.md"), 2)
		if len(protein) != 2 {
			r.fail(errors.New("EXPERIMENTS.md has no two lines of Protein, 4 layers, e = 16"))
			return ""
		}
		return fmt.Sprintf("on Protein by %s %% (three seeds; ± is over seeds and test rows), with targets in sight by %s %%", protein[0][1], protein[1][1])
	},
	func(r *reports) string {
		x := alone(r)
		paper := r.rows(grids+"cells.csv").where("protocol", "published", "dataset", "protein", "metric", "rmse", "method", "npt").number("paper")
		return fmt.Sprintf("| Protein, RMSE, small networks that mask no features, mean of three seeds | %s | %s | %.2f, of a far larger network |", x[0], x[1], paper)
	},
	func(r *reports) string {
		_, yacht := worth(r, "Yacht")
		_, concrete := worth(r, "Concrete")
		_, boston := worth(r, "Boston Housing")
		least, protein := worth(r, "Protein")
		return fmt.Sprintf("it may be worse by up to %.0f %% on Yacht, %.0f %% on Concrete and %.0f %% on Boston Housing, on Protein by %.0f to %.0f %%",
			yacht, concrete, boston, least, protein)
	},
	func(r *reports) string {
		clearly, worse, compared := worseSelfOnly(r)
		return fmt.Sprintf("Seeds taken together, it is worse in %d of %d comparisons, by two standard errors in %s, and better in %d",
			worse, compared, word(clearly), compared-worse)
	},
	func(r *reports) string {
		_, cancer := fullAlone(r)
		return fmt.Sprintf("| Breast Cancer, AUROC, full size, corrected folds | %s | %s | – |", cancer[0], cancer[1])
	},
	func(r *reports) string {
		return fmt.Sprintf("| Boston Housing, RMSE, full size, published folds | %s | – | %s |",
			r.line("npt/PAPER.md", "NPT, 8 layers, e = 128, 2,000 steps, products of bfloat16", 12)[10], r.line("npt/PAPER.md", "the paper's NPT", 4)[1])
	},
	func(r *reports) string {
		boston, _ := fullAlone(r)
		return fmt.Sprintf("| Boston Housing, RMSE, full size, corrected folds | %s | %s | – |", boston[0], boston[1])
	},
}

// overSeeds are the least and the largest of the standard deviations over three seeds.
func overSeeds(cells rows) (low, high string) {
	least, most := cells.span("seeds_stddev")
	if len(cells.where("seeds", "3")) != len(cells) {
		return "none", "none"
	}
	return fmt.Sprintf("%.3f", least), fmt.Sprintf("%.3f", most)
}
