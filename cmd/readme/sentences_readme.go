package main

import (
	"fmt"
	"slices"
	"strings"

	"nptbench/internal/spelling"
	"nptbench/internal/stats"
)

// readme are the sentences of README.md.
var readme = []sentence{
	func(r *reports) string {
		low, high := overSeeds(r.rows(quick+"cells.csv").where("protocol", "published", "method", "npt", "metric", "rmse"))
		return fmt.Sprintf("over three seeds its means deviate by %s to %s in RMSE", low, high)
	},
	func(r *reports) string {
		others := slices.DeleteFunc(r.rows(quick+"cells.csv").where("protocol", "published"), func(c row) bool {
			return c["method"] == "npt" || c["method"] == "knn" || c["paper_settings"] == ""
		})
		fewest, most := others.span("settings")
		low, high := others.span("paper_settings")
		return fmt.Sprintf("baselines choose among %.0f to %.0f settings instead of %.0f to %s", fewest, most, low, spelling.Thousands(int(high)))
	},
	func(r *reports) string {
		first, last := lookedUp(r)
		return fmt.Sprintf("have %.0f to %.0f %% of its error (means of three seeds; width and steps were raised after test errors of smaller ones had been seen)", first, last)
	},
	func(r *reports) string {
		count, all, other := map[string]int{}, 0, 0 // other: chosen by another search than the paper's
		for _, c := range r.rows(grids + "cells.csv") {
			if c["metric"] == "mse" { // says what RMSE says
				continue
			}
			if count[c["verdict"]]++; c["method"] == "tabnet" && strings.HasPrefix(c["verdict"], "reproduced") {
				return "that some of TabNet's numbers come out, too"
			}
			if c["protocol"] == "published" && c["paper"] != "" && c["method"] != "npt" {
				all++
				if c["verdict"] == "not comparable" {
					other++
				}
			}
		}
		_, mistaken := byMistake(r)
		same, part := count["reproduced"], count["reproduced on a part of the test rows"]
		seeds, differ, not := count["same within seeds"], count["differs"], count["not graded"]
		return fmt.Sprintf("The paper prints %d means of its eight baselines on nine of its data sets (those of MSE not counted, which say what RMSE says); %d were run. "+
			"Of these %d come out to the printed digit, and %d more, on Poker Hand, to within the sampling error of the tenth of its test rows that "+
			"was used. %d are not compared: they do not come out and are chosen among fewer settings than the paper's. Of the others %d might with another seed (a weak test: of the paper's numbers for other methods it says so of %.0f %%), %d do not, and for %d too few seeds were run.",
			all, same+part+other+seeds+differ+not, same, part, other, seeds, number(r, mistaken), differ, not)
	},
	func(r *reports) string {
		ours, paper := r.line("npt/PAPER.md", "NPT, 8 layers, e = 32, 2,000 steps", 7), r.line("npt/PAPER.md", "the paper's NPT", 7)
		return fmt.Sprintf("| Breast Cancer, AUROC, full size, the paper's folds | %s | – | %s |", ours[2], paper[2])
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
		return fmt.Sprintf("its RMSE is %.2f there, and %.2f on average over the other %s; the paper's cannot have been above %.1f", largest,
			(ours*float64(len(full))-largest)/float64(len(full)-1), word(len(full)-1), number(r, r.line(fold3, "Default NPT", 2)[1]))
	},
	func(r *reports) string {
		yacht := r.rows("out/published-corruption-paper/report/corruption.csv").where("dataset", "yacht", "metric", "rmse_change")
		protein := r.line("EXPERIMENTS.md", "Protein, 4 layers, e = 16", 7)
		return fmt.Sprintf("on Protein by %s %% (three seeds), on one fold of Yacht, with the paper's network, by %.0f ± %.0f %%",
			strings.TrimPrefix(protein[4], "+"), -yacht.number("mean"), yacht.number("stderr"))
	},
	func(r *reports) string {
		x := alone(r, "all targets masked")
		paper := r.rows(grids+"cells.csv").where("protocol", "published", "dataset", "protein", "metric", "rmse", "method", "npt").number("paper")
		return fmt.Sprintf("| Protein, RMSE, small networks that mask no features, mean of three seeds | %s | %s | %.2f, of a far larger network |", x[0], x[1], paper)
	},
	func(r *reports) string {
		x := alone(r, "all targets masked")
		return fmt.Sprintf("on Protein it is %s over test rows and three seeds, of which two standard errors are %.0f %% of the RMSE", x[2], 200*standardError(r, x[2])/number(r, x[0]))
	},
	func(r *reports) string {
		_, yacht := worth(r, "Yacht")
		_, concrete := worth(r, "Concrete")
		_, boston := worth(r, "Boston Housing")
		least, protein := worth(r, "Protein")
		return fmt.Sprintf("the control may be worse by up to %.0f %% on Yacht, %.0f %% on Concrete and %.0f %% on Boston Housing, on Protein by %.0f to %.0f %%",
			yacht, concrete, boston, least, protein)
	},
	func(r *reports) string {
		clearly, worse, compared := worseControls(r)
		return fmt.Sprintf("it is worse by two standard errors in %s of %d comparisons, seeds taken together; it is worse in %d and better in %d",
			word(clearly), compared, worse, compared-worse)
	},
	func(r *reports) string {
		var of []string
		for _, name := range []string{"knn", "xgboost", "lightgbm", "catboost", "gradient-boosting", "random-forest", "mlp", "tabnet"} {
			cells := r.rows(grids+"cells.csv").where("protocol", "published", "folds", "10", "method", name)
			cells = slices.DeleteFunc(cells, func(c row) bool { return c["metric"] == "mse" })
			of = append(of, fmt.Sprintf("%d of %d", len(cells.where("verdict", "reproduced")), len(cells)))
		}
		if !slices.Equal(of, []string{"6 of 6", "6 of 6", "6 of 6", "4 of 6", "1 of 6", "0 of 6", "0 of 6", "0 of 6"}) {
			return fmt.Sprintf("how many numbers of which method come out on small data sets, %q", of)
		}
		return "On the four small data sets all 18 of k-NN's, XGBoost's and LightGBM's come out, 4 of CatBoost's 6, one of Gradient Boosting's, and none of the random forest's, the MLP's and TabNet's"
	},
	func(r *reports) string {
		_, cancer := fullAlone(r)
		return fmt.Sprintf("| Breast Cancer, AUROC, full size, true cross-validation | %s | %s | – |", cancer[0], cancer[1])
	},
	func(r *reports) string {
		return fmt.Sprintf("| Boston Housing, RMSE, full size, the paper's folds | %s | – | %s |",
			r.line("npt/PAPER.md", "NPT, 8 layers, e = 128, 2,000 steps, products of bfloat16", 12)[10], r.line("npt/PAPER.md", "the paper's NPT", 4)[1])
	},
	func(r *reports) string {
		boston, _ := fullAlone(r)
		return fmt.Sprintf("| Boston Housing, RMSE, full size, true cross-validation | %s | %s | – |", boston[0], boston[1])
	},
	func(r *reports) string {
		processor, gpu, mean := otherFirstFold(r)
		boston, _ := fullAlone(r)
		if mean >= number(r, withoutError(boston[1])) {
			return "which of NPT and its control has the smaller mean with the other first fold"
		}
		return fmt.Sprintf("the first fold of Boston Housing has %.2f in the third line, of a processor, and %.2f in the fourth, of a GPU; with the former the mean there is %.2f, less than the control's", processor, gpu, mean)
	},
	func(r *reports) string {
		boston, cancer := fullAlone(r)
		return fmt.Sprintf("is %s in RMSE on Boston Housing, where only a control that is worse by a fifth would be clear, and %s in AUROC on Breast Cancer, where less is worse", boston[2], cancer[2])
	},
	func(r *reports) string {
		var best row
		for _, c := range r.rows(grids+"cells.csv").where("dataset", "boston-housing", "protocol", "corrected", "metric", "rmse") {
			if c["paper"] != "" && c["method"] != "npt" && (best == nil || c.number("mean") < best.number("mean")) {
				best = c
			}
		}
		seeds := []string{withoutError(narrow(r)[6])}
		for _, seed := range []string{"43", "44"} {
			seeds = append(seeds, withoutError(r.line("npt/PAPER.md", "NPT, 8 layers, e = 16, 2,000 steps, seed "+seed, 12)[10]))
		}
		low, high := slices.Min(seeds), slices.Max(seeds)
		return fmt.Sprintf("By true cross-validation it has %s, an eighth of its width %s to %s (three seeds), and %s, the best of the baselines with the settings that were run "+
			"there, %.2f", r.line("npt/PAPER.md", fullNPT+onGPU, 12)[10], low, high, best["title"], best.number("mean"))
	},
}

// otherFirstFold are the RMSE of the full NPT on the first fold of Boston Housing, on a processor and on a GPU, and its mean over the true folds
// were the former's in place of the latter's.
func otherFirstFold(r *reports) (processor, gpu, mean float64) {
	line := r.line("npt/PAPER.md", fullNPT+onGPU, 12)
	processor = number(r, r.line("npt/PAPER.md", fullNPT+", products of bfloat16", 12)[0])
	for _, cell := range line[:10] {
		mean += number(r, cell) / 10
	}
	gpu = number(r, line[0])
	return processor, gpu, mean + (processor-gpu)/10
}

// overSeeds are the least and the largest of the standard deviations over three seeds.
func overSeeds(cells rows) (low, high string) {
	least, most := cells.span("seeds_stddev")
	if len(cells.where("seeds", "3")) != len(cells) {
		return "none", "none"
	}
	return fmt.Sprintf("%.3f", least), fmt.Sprintf("%.3f", most)
}
