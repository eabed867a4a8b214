package main

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

const rowsPage = "experiments/ROWS.md"

// rowSentences are the sentences of experiments/ROWS.md.
var rowSentences = []sentence{
	func(r *reports) string {
		cells := r.rows(grids+"cells.csv").where("protocol", "published", "dataset", "protein", "metric", "rmse")
		of := func(method string) rows { return cells.where("method", method) }
		return fmt.Sprintf("Our RMSE on test rows is %.2f, where the paper's NPT has %.2f and CatBoost, the random forest and k-NN have %.2f, %.2f and %.2f here",
			of("npt").number("mean"), of("npt").number("paper"), of("catboost").number("mean"), of("random-forest").number("mean"), of("knn").number("mean"))
	},
	func(r *reports) string {
		x := r.line(rowsPage, "all targets masked, mean of the seeds", 5)
		paper := r.rows("out/published-corruption-cpu/report/corruption.csv").where("dataset", "protein", "variant", "corruption", "metric", "rmse_change")
		return fmt.Sprintf("the RMSE grows by %s %% when other rows are corrupted, where the paper has %.0f %%", strings.TrimPrefix(x[2], "+"), -paper.number("paper"))
	},
	func(r *reports) string {
		x := alone(r)
		return fmt.Sprintf("two standard errors of their difference are %.0f %% of the RMSE", 200*standardError(r, x[2])/number(r, x[0]))
	},
	func(r *reports) string {
		x := regexp.MustCompile(`(?m)^\| Protein, RMSE \| (\S+) ± \S+ \| -(\S+ ± \S+) \|`).FindSubmatch(r.text(rowsPage))
		if x == nil {
			return "what the network with the paper's masking has on Protein"
		}
		return fmt.Sprintf("The one that we trained so, for an eighth as long, has an RMSE of %s, and the self-only network is better by %s", x[1], x[2])
	},
	func(r *reports) string {
		fall := r.rows("out/published-corruption-cpu/report/corruption.csv").where("dataset", "poker-hand", "metric", "accuracy_change")
		return fmt.Sprintf("On Poker Hand the accuracy falls by %.1f ± %.1f points", -fall.number("mean"), fall.number("stderr"))
	},
	func(r *reports) string {
		fall := r.rows("out/published-corruption-cpu/report/corruption.csv").where("dataset", "income", "metric", "accuracy_change")
		return fmt.Sprintf("On Income its fall of %.1f ± %.1f points is smaller than the paper's %.1f", -fall.number("mean"), fall.number("stderr"), -fall.number("paper"))
	},
	func(r *reports) string {
		falls := func(dataset string) string {
			fall := r.rows("out/published-corruption-cpu/report/corruption.csv").where("dataset", dataset, "metric", "nll_change")
			return fmt.Sprintf("%.4f ± %.4f", -fall.number("mean"), fall.number("stderr"))
		}
		return fmt.Sprintf("falls by %s on Poker Hand, %s on Income, %s on Forest Cover and %s on Kick",
			falls("poker-hand"), falls("income"), falls("forest-cover"), falls("kick"))
	},
	func(r *reports) string {
		return "Under seed 42 the self-only network is worse by two standard errors on " + worseAlone(r) + " data sets"
	},
	func(r *reports) string { return "Of the " + worseUnderSecondSeed(r) },
	func(r *reports) string {
		better := []string{}
		for _, line := range regexp.MustCompile(`(?m)^\| ([^|]+, (?:AUROC|accuracy)[^|]*) \|(?: [^|]+ \|){4} ([^|]+) \|$`).FindAllSubmatch(r.text(rowsPage), -1) {
			for seed, nll := range strings.Split(string(line[2]), ", ") {
				by, stdErr, _ := strings.Cut(nll, " ± ")
				switch z := number(r, by) / number(r, stdErr); {
				case z > 2:
					return fmt.Sprintf("By log loss it is clearly worse on %s", line[1])
				case z < -2:
					better = append(better, fmt.Sprintf("%s under seed %d", line[1], 42+seed))
				}
			}
		}
		masked, unmasked := "Poker Hand, accuracy under seed 42", "Poker Hand, accuracy, all targets masked, no features masked under seed 42"
		if !slices.Equal(better, []string{masked, unmasked}) {
			return fmt.Sprintf("By log loss it is clearly better on %q", better)
		}
		return "By log loss it is never clearly worse, and clearly better on Poker Hand"
	},
	func(r *reports) string {
		x := r.line("EXPERIMENTS.md", "Yacht, 8 layers, e = 16, 20,000 steps", 7)
		return fmt.Sprintf("neither corruption nor the self-only network changes the error clearly (%s %% and %s %%)", x[4], x[6])
	},
	func(r *reports) string {
		x := r.line(rowsPage, "mean of the seeds", 5)
		return fmt.Sprintf("Two standard errors of the last line are %.0f %% of the RMSE", 200*standardError(r, x[3])/number(r, withoutError(x[1])))
	},
	func(r *reports) string {
		yacht := r.rows("out/published-corruption-paper/report/corruption.csv").where("dataset", "yacht", "metric", "rmse_change")
		return fmt.Sprintf("On Yacht the error grows by %.0f ± %.0f %%, from which the paper's %.0f %% is not clearly apart",
			-yacht.number("mean"), yacht.number("stderr"), -yacht.number("paper"))
	},
	func(r *reports) string {
		x := r.line("EXPERIMENTS.md", "Yacht, 8 layers, e = 128", 7)
		return fmt.Sprintf("%s %% more, on 31 test rows under one seed", strings.TrimPrefix(x[6], "+"))
	},
	func(r *reports) string {
		heads := r.rows("out/published-attention-cpu/report/attention.csv").where("dataset", "protein")
		over := func(variant string) float64 {
			of := heads.where("variant", variant)
			return of.where("metric", "best_share").number("mean") / of.where("metric", "uniform_share").number("mean")
		}
		return fmt.Sprintf("on Protein %.1f times with all targets masked and %.1f times with targets in sight", over("attention"), over("targets in sight, attention"))
	},
	func(r *reports) string {
		heads := r.rows("out/published-attention/report/attention.csv")
		over := func(dataset string) float64 {
			of := heads.where("dataset", dataset)
			return of.where("metric", "best_share").number("mean") / of.where("metric", "uniform_share").number("mean")
		}
		return fmt.Sprintf("%.1f times as much on Yacht, %.1f times on Boston Housing", over("yacht"), over("boston-housing"))
	},
	func(r *reports) string {
		all := r.rows("out/published-deletion-cpu/report/deletion-rows.csv")
		few := func(variant string, second bool, share float64) (count int) { // test rows for which at most this share of the others is kept
			for _, of := range all.where("variant", variant) {
				if strings.Contains(of["measure"], "remaining") == second && math.Floor(share*of.number("rows")) >= of.number("kept") {
					count++
				}
			}
			return count
		}
		first, second := few("", false, 0.02), few("", true, 0.01)
		if few("targets in sight", false, 0.02) != first || few("targets in sight", true, 0.01) != second {
			return "for how many test rows of each network rows can be deleted"
		}
		return fmt.Sprintf("In the first version 98 %% of the %.0f or so other rows of a batch can be deleted for %d of 100 test rows of each network; "+
			"in the second more than 99 %% for %d (in the paper 1 %% is reached for 79.5 %% of test rows", all.mean("rows")-1, first, second)
	},
	func(r *reports) string {
		nearer := map[string]int{}
		for _, of := range r.rows("out/published-deletion-cpu/report/deletion-rows.csv") {
			if of.number("kept_distance") < of.number("random_distance") {
				nearer[of["variant"]+of["measure"]]++
			}
		}
		counts := slices.Collect(maps.Values(nearer))
		if len(counts) == 0 {
			return "for how many test rows those left are nearer"
		}
		return fmt.Sprintf("for %d to %d of 100 test rows they are nearer", slices.Min(counts), slices.Max(counts))
	},
}

// alone are the RMSE of NPT on Protein and of the self-only network, means over seeds, and the difference.
func alone(r *reports) [3]string {
	x := r.line(rowsPage, "all targets masked, mean of the seeds", 5)
	return [3]string{withoutError(x[0]), withoutError(x[3]), x[4]}
}

// fullAlone are the RMSE on Boston Housing and the AUROC on Breast Cancer of NPT of the paper's size, and of the same with rows that attend to
// themselves alone, by true cross-validation, and how much the latter's is more.
func fullAlone(r *reports) (boston, cancer []string) {
	boston, cancer = r.line(rowsPage, "Boston Housing, e = 128, RMSE", 8), r.line(rowsPage, "Breast Cancer, e = 32, AUROC", 8)
	return boston[:3], cancer[:3]
}

// worseAlone is on how many of the tables of the ablations a network is clearly worse whose rows attend to themselves alone.
func worseAlone(r *reports) string {
	worse := map[string]bool{}
	for _, report := range []string{"out/published-ablation", "out/published-ablation-cpu"} {
		for _, c := range r.rows(report + "/report/ablation.csv") {
			if !strings.HasPrefix(c["experiment"], "ablation/alone") || !strings.HasSuffix(c["metric"], "_change") {
				continue
			}
			loss := c.number("mean")
			if c["metric"] != "rmse_change" {
				loss = -loss
			}
			worse[c["dataset"]] = worse[c["dataset"]] || loss > 2*c.number("stderr")
		}
	}
	clear := 0
	for _, is := range worse {
		if is {
			clear++
		}
	}
	return word(clear) + " of " + word(len(worse))
}

// worseUnderSecondSeed is on which tables it is so under seed 43, and how many tables have that, by the table that others of tables.py writes.
func worseUnderSecondSeed(r *reports) string {
	found := regexp.MustCompile(`(?m)^\| ([^|,]+), (?:RMSE|AUROC|accuracy)[^|]*\|(?: [^|]+ \|){2} ([+-]\S+) ± (\S+) \| [^|]+ \| [^|]+ \|$`).FindAllSubmatch(r.text(rowsPage), -1)
	var tables, worse []string
	for _, line := range found {
		table := string(line[1])
		tables = append(tables, table)
		if number(r, string(line[2])) > 2*number(r, string(line[3])) {
			worse = append(worse, table)
		}
	}
	if len(worse) != 1 {
		return fmt.Sprintf("%s that have a second seed it is worse there on %q", word(len(slices.Compact(tables))), worse)
	}
	return fmt.Sprintf("%s that have a second seed it is worse there on %s", word(len(slices.Compact(tables))), worse[0])
}
