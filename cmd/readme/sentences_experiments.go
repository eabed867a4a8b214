package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nptbench/internal/stats"
)

// experiments are the sentences of EXPERIMENTS.md.
var experiments = []sentence{
	func(r *reports) string {
		small, more := changesP(r, "out/published-ablation/report/"), changesP(r, "out/published-ablation-cpu/report/")
		const masking, targets = "boston-housing No masking", "boston-housing No target masking"
		all := maps.Clone(small)
		maps.Copy(all, more)
		of, ofAll := holm(r, small), holm(r, all)
		return fmt.Sprintf("among %s tests its p of %.3f is little: %.2f with Holm's correction, which leaves at most %.3f to the three clear changes, and "+
			"%.3f if the %s tests of Concrete and Breast Cancer below count, too", word(len(small)), small[masking], of[masking],
			of[targets], ofAll[targets], word(len(more)))
	},
	func(r *reports) string {
		low, high := inLargerBatches(r)
		return fmt.Sprintf("That is %.0f to %.0f %% of the paper's error in the same form", low, high)
	},
	func(r *reports) string {
		return fmt.Sprintf("it has %.0f %% of the paper's error on the original form, %.0f %% with add one, and %.0f %% in the hardest",
			ofPaper(r, "1,024", "lookup"), ofPaper(r, "1,024", "lookup-add-one"), ofPaper(r, "1,024", "lookup-random-add-one"))
	},
	func(r *reports) string {
		found := regexp.MustCompile(`(?m)^\| Random features \| r = 0\.70\S+ RMSE \S+ \| r = \S+ RMSE (\S+) \|`).FindSubmatch(r.text("EXPERIMENTS.md"))
		if found == nil {
			return "what a second seed gives"
		}
		rmse := number(r, string(found[1]))
		paper := r.rows("out/published-lookup-cpu/report/cells.csv").where("method", "npt", "metric", "rmse", "dataset", "lookup-random")
		return fmt.Sprintf("A second seed, 43, has learned it, with %.0f %% of the paper's error", 100*rmse/paper.number("paper"))
	},
	func(r *reports) string {
		return "A network of eight layers and an eighth of the width has, on Boston Housing by true cross-validation, " + eightAlone(r)
	},
	func(r *reports) string {
		x := r.line("EXPERIMENTS.md", "Protein, RMSE", 5)
		return fmt.Sprintf("masked as in the paper, in features and in targets, the same network trained for an eighth as long has %s and its control %s",
			withoutError(x[0]), withoutError(x[1]))
	},
	func(r *reports) string {
		low, high, _ := strings.Cut(r.line("EXPERIMENTS.md", "Boston Housing, e = 128, RMSE", 9)[5], " to ")
		return fmt.Sprintf("without one of them it is lower by %s to higher by %s", strings.TrimPrefix(low, "-"), strings.TrimPrefix(high, "+"))
	},
	func(r *reports) string {
		seen := 0.0 // the largest loss that would not have been, in percent
		for _, seed := range []string{"42", "43", "44"} {
			x := r.line("EXPERIMENTS.md", "seed "+seed, 5)
			var npt, difference, stdErr float64
			if _, err := fmt.Sscanf(x[1]+" "+x[3], "%f ± %f %f ± %f", &npt, new(float64), &difference, &stdErr); err != nil {
				r.fail(err)
			}
			seen = max(seen, 100*2*stdErr/npt)
		}
		return fmt.Sprintf("of each of these means a measured loss of %.0f %% would have been clear", seen)
	},
	func(r *reports) string {
		boston, cancer := fullAlone(r)
		return fmt.Sprintf("The paper's base at its full size has %s there under one seed, and its control %s (only a measured loss of a fifth would have been clear); on Breast "+
			"Cancer, also by true cross-validation, they have an AUROC of %s and %s", boston[0], boston[1], cancer[0], cancer[1])
	},
	func(r *reports) string { return "Of the " + worseUnderSecondSeed(r) },
	func(r *reports) string {
		x := r.line("EXPERIMENTS.md", "Yacht, e = 16, RMSE", 9)
		if x[8] != x[0]+" of "+x[0] {
			return "on how many folds of Yacht NPT is worse when other rows are corrupted"
		}
		return fmt.Sprintf("rises by %s when other rows are corrupted, on all of %s true folds, but that of the control is only %s above it",
			strings.TrimPrefix(x[7], "+"), word(count(r, x[0])), strings.TrimPrefix(x[3], "+"))
	},
	func(r *reports) string {
		x := r.line("EXPERIMENTS.md", "Yacht, e = 16, RMSE", 9)
		better, of, _ := strings.Cut(x[4], " of ")
		worse := count(r, better)
		npt := number(r, withoutError(x[1]))
		_, stdErr, _ := strings.Cut(x[3], " ± ")
		return fmt.Sprintf("by %s or %.0f %%. But it is not clearly better for having them: the control is worse on %s folds and better on %s, and a measured loss of less than %.0f %%",
			strings.TrimPrefix(x[7], "+"), 100*number(r, withoutError(x[7]))/npt, word(worse), word(count(r, of)-worse), 100*2*number(r, stdErr)/npt)
	},
	func(r *reports) string {
		change := func(dataset string) rows {
			return r.rows("out/published-corruption-paper/report/corruption.csv").where("dataset", dataset, "metric", "rmse_change")
		}
		yacht, boston, concrete := change("yacht"), change("boston-housing"), change("concrete")
		return fmt.Sprintf("get worse on Yacht by %.0f ± %.0f %%; on Boston Housing and Concrete, by %.0f ± %.0f and %.0f ± %.0f %%, that is not clear (the paper %.0f, %.0f and %.0f %%)",
			-yacht.number("mean"), yacht.number("stderr"), -boston.number("mean"), boston.number("stderr"), -concrete.number("mean"), concrete.number("stderr"),
			-yacht.number("paper"), -boston.number("paper"), -concrete.number("paper"))
	},
	func(r *reports) string {
		return "On " + worseAlone(r) + " tables is the control worse than NPT by two standard errors under the first seed"
	},
	func(r *reports) string {
		least, _ := r.rows("out/published-lookup-cpu/report/lookup.csv").where("method", "npt", "metric", "best_share").span("mean")
		return fmt.Sprintf("has more than %.0f %% of its weight on the copy", math.Floor(least))
	},
	func(r *reports) string {
		count := map[string]int{}
		seen := map[string]bool{}
		for _, c := range r.rows("out/published-ablation/report/ablation.csv").where("metric", "rmse_change") {
			if key := c["dataset"] + c["variant"]; !seen[key] && c["variant"] != "Self only" { // which is none of the paper's
				seen[key] = true
				count[c["dataset"]]++
				count[c["verdict"]]++
			}
		}
		clear := count["same direction"] + count["other direction"]
		same := word(count["same direction"]) + " of them"
		if count["other direction"] == 0 {
			same = "all"
		}
		return fmt.Sprintf("of %s changes, %s on Boston Housing and %s on Yacht, %s are clear at this size, %s in the paper's direction",
			word(len(seen)), word(count["boston-housing"]), word(count["yacht"]), word(clear), same)
	},
	func(r *reports) string {
		fall := r.rows("out/published-corruption-cpu/report/corruption.csv").where("dataset", "poker-hand", "metric", "accuracy_change")
		return fmt.Sprintf("on Poker Hand, by %.1f ± %.1f points (the paper %.1f)", -fall.number("mean"), fall.number("stderr"), -fall.number("paper"))
	},
	func(r *reports) string {
		of := func(report, data, column string) float64 {
			return -r.rows("out/"+report+"/report/corruption.csv").where("method", "npt", "dataset", data, "variant", "corruption", "metric", "rmse_change").number(column)
		}
		small, large := "published-corruption", "published-corruption-cpu"
		return fmt.Sprintf("(by %.0f and %.0f %%, and by %.0f, %s under three seeds; in the paper by %.0f, %.0f and %.0f %%;",
			of(small, "yacht", "mean"), of(small, "boston-housing", "mean"), of(large, "protein", "mean"), otherSeeds(r),
			of(small, "yacht", "paper"), of(small, "boston-housing", "paper"), of(large, "protein", "paper"))
	},
	func(r *reports) string {
		masked, sight := alone(r, "all targets masked"), alone(r, "targets in sight")
		return fmt.Sprintf("NPT has an RMSE of %s and the control of %s, where all targets are masked, so that of other rows NPT sees features alone; the difference is "+
			"%s over seeds (95 %%: ± %s %% of it). With the targets of training rows in sight these are %s, %s and %s (± %s %%)",
			masked[0], masked[1], masked[2], interval(r, masked), sight[0], sight[1], sight[2], interval(r, sight))
	},
	func(r *reports) string {
		return fmt.Sprintf("the control is %.0f %% better on Yacht and %.0f %% worse on Concrete", -aloneAbove(r, "yacht"), aloneAbove(r, "concrete"))
	},
	func(r *reports) string {
		above := regexp.MustCompile(`(?m)^\| Concrete, RMSE \|.*\| \+(\S+) \| \S+ \|$`).FindSubmatch(r.text("EXPERIMENTS.md"))
		if above == nil {
			return "by how much Concrete is worse where rows attend to themselves alone"
		}
		return fmt.Sprintf("Concrete is by %s, its RMSE %.0f %% higher", above[1], aloneAbove(r, "concrete"))
	},
	func(r *reports) string {
		change := r.rows("out/published-corruption-cpu/report/corruption.csv").where("dataset", "protein", "variant", "corruption", "metric", "rmse_change")
		return fmt.Sprintf("the error of the chosen network on Protein grows by %.1f ± %.1f %% (the paper's %.0f %%)",
			-change.number("mean"), change.number("stderr"), -change.number("paper"))
	},
	func(r *reports) string {
		small := r.rows("out/published-corruption-cpu/report/corruption.csv")
		var changes, papers, clear []any
		for _, dataset := range []string{"kick", "income", "forest-cover"} {
			change, nll := small.where("dataset", dataset, "metric", "accuracy_change"), small.where("dataset", dataset, "metric", "nll_change")
			changes, papers = append(changes, change.number("mean"), change.number("stderr")), append(papers, change.number("paper"))
			clear = append(clear, -nll.number("mean")/nll.number("stderr"))
		}
		return fmt.Sprintf("on Kick, Income and Forest Cover the accuracy does not change clearly, by %+.2f ± %.2f, %+.2f ± %.2f and %+.2f ± %.2f points ", changes...) +
			fmt.Sprintf("(the paper %.1f, %.1f and %.1f), and ", papers...) + fmt.Sprintf("the log-likelihood falls by %.1f, %.1f and %.1f standard errors", clear...)
	},
	func(r *reports) string {
		return "their errors grow by " + otherSeeds(r)
	},
	func(r *reports) string {
		heads := r.rows("out/published-attention-cpu/report/attention.csv").where("dataset", "protein")
		over := func(variant string) float64 {
			of := heads.where("variant", variant)
			return of.where("metric", "best_share").number("mean") / of.where("metric", "uniform_share").number("mean")
		}
		return fmt.Sprintf("gives them %.1f times what uniform attention would, and %.1f times with the targets in sight", over("attention"), over("targets in sight, attention"))
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
		return fmt.Sprintf("In the first, 98 %% of the %.0f or so other rows of a batch can be deleted, one by one, while the prediction changes by less than 10 %%, for "+
			"%d of the first network's 100 test rows and %d of the second's; in the second, which goes on to 1 %%, more than 99 %% for %d and %d",
			all.mean("rows")-1, few("", false, 0.02), few("targets in sight", false, 0.02), few("", true, 0.01), few("targets in sight", true, 0.01))
	},
	func(r *reports) string {
		_, p := r.rows("out/published-deletion-cpu/report/deletion.csv").where("metric", "log10_p_random").span("mean")
		return fmt.Sprintf("nearer than random ones (p ≤ %.4f on 100 test rows)", math.Ceil(1e4*math.Pow(10, p))/1e4)
	},
	func(r *reports) string {
		of := func(variant, column string) float64 {
			return r.rows("out/published-ablation-cpu/report/ablation.csv").where("dataset", "poker-hand", "metric", "accuracy", "variant", variant).number(column)
		}
		return fmt.Sprintf("the paper's NPT falls from %.1f to %.1f %% without ABA and to %.1f %% without masking of features, a network of e = 16 has %.1f and "+
			"%.1f %% without them, and %.1f %% with both", of("Base", "paper"), of("No ABA", "paper"), of("No feature masking", "paper"),
			of("No ABA", "mean"), of("No feature masking", "mean"), of("Base", "mean"))
	},
	func(r *reports) string {
		of := func(variant, column string) float64 {
			return math.Abs(r.rows("out/published-ablation-cpu/report/ablation.csv").where("experiment", "ablation/settings", "dataset", "protein", "metric", "rmse_change",
				"variant", variant).number(column))
		}
		features, both := "No feature masking", "No masking"
		return fmt.Sprintf("Half of the features masked costs %.2f in RMSE, as in the paper (%.2f); hiding half of the targets or all helps. "+
			"But without masking of features the RMSE is %.2f lower and without any masking %.2f, where the paper's is %.2f and %.2f higher",
			of("Feature mask 0.5", "mean"), of("Feature mask 0.5", "paper"), of(features, "mean"), of(both, "mean"), of(features, "paper"), of(both, "paper"))
	},
	func(r *reports) string {
		of := protein(r)
		return fmt.Sprintf("this network has an RMSE of %.2f on Protein, where the paper's has %.2f, k-NN %.2f and the MLP %.2f here",
			of("npt").number("mean"), of("npt").number("paper"), of("knn").number("mean"), of("mlp").number("mean"))
	},
	func(r *reports) string {
		of := protein(r)
		return fmt.Sprintf("RMSE on test rows is %.2f, where the paper's NPT has %.2f and CatBoost, the random forest and k-NN have %.2f, %.2f and %.2f here",
			of("npt").number("mean"), of("npt").number("paper"), of("catboost").number("mean"), of("random-forest").number("mean"), of("knn").number("mean"))
	},
	func(r *reports) string {
		without := func(dataset, part string) (ours, paper float64) {
			change := r.rows("out/published-ablation-cpu/report/ablation.csv").where("dataset", dataset, "metric", "accuracy_change", "variant", part)
			return change.number("mean"), change.number("paper")
		}
		hidden := func(dataset, begins string) float64 {
			return r.rows("out/published-ablation-cpu/report/ablation.csv").where("dataset", dataset, "metric", "accuracy", "variant",
				begins+" feature masking, all targets masked").number("mean")
		}
		poker, pokerPaper := without("poker-hand", "No ABA")
		unmaskedForest, forestPaper := without("forest-cover", "No feature masking")
		unmasked, unmaskedPaper := without("poker-hand", "No feature masking")
		return fmt.Sprintf("on Poker Hand the accuracy is %.1f points lower without them, in the paper %.1f. Without masking of features three of the six "+
			"that have this variant are much better, where the paper's are worse: Protein, as above; Forest Cover by %.1f points of accuracy, in the paper "+
			"%.1f lower; and Poker Hand by %.1f, in the paper %.1f lower. On the last two, of networks with attention between rows, that is best which "+
			"hides the targets of all rows of a batch and nothing else, which is not among the paper's variants: %.1f and %.1f %% are right (as the control "+
			"%.1f and %.1f)",
			-poker, -pokerPaper, unmaskedForest, -forestPaper, unmasked, -unmaskedPaper, hidden("forest-cover", "No"), hidden("poker-hand", "No"),
			hidden("forest-cover", "Self only, no"), hidden("poker-hand", "Self only, no"))
	},
	func(r *reports) string {
		of := r.rows("out/published-lookup/report/lookup.csv").where("method", "npt", "metric", "correlation")
		return fmt.Sprintf("Pearson's r on held-out rows is %.4f and %.4f", of.where("dataset", "lookup").number("mean"),
			of.where("dataset", "lookup-random-add-one").number("mean"))
	},
	func(r *reports) string {
		yacht := r.rows("out/published-ablation/report/cells.csv").where("dataset", "yacht", "metric", "rmse", "method", "npt")
		base, without := yacht.where("variant", "Base"), yacht.where("variant", "No feature masking")
		return fmt.Sprintf("without it the RMSE falls from %.2f to %.2f, in the paper", base.number("mean"), without.number("mean"))
	},
}

// inLargerBatches is the same of the networks of lookup-batches that were trained in smaller ones.
func inLargerBatches(r *reports) (low, high float64) {
	low = math.Inf(1)
	for _, form := range []string{"lookup", "lookup-random", "lookup-add-one", "lookup-random-add-one"} {
		share := ofPaper(r, "256", form)
		low, high = min(low, share), max(high, share)
	}
	return low, high
}

// ofPaper is how many percent of the paper's error a network of lookup-batches has that was trained in batches of that size.
func ofPaper(r *reports, trained, form string) float64 {
	paper := r.rows("out/published-lookup-cpu/report/cells.csv").where("method", "npt", "metric", "rmse", "dataset", form)
	ours := r.rows("out/published-lookup-batches/report/lookup.csv").where("metric", "batch_size_rmse", "dataset", form,
		"variant", "trained in batches of "+trained+", batch_size")
	return 100 * ours.number("mean") / paper.number("paper")
}

// otherSeeds is by how much the errors of two more NPTs on Protein grow when other rows are corrupted, of the table that alone of
// tables.py writes.
func otherSeeds(r *reports) string {
	loss := regexp.MustCompile(`(?m)^\| all targets masked, seed 4[34] \|.*\| -(\S+) ± \S+ \| [^|]+ \| [^|]+ \|$`).FindAllSubmatch(r.text("EXPERIMENTS.md"), -1)
	if len(loss) != 2 {
		return "what EXPERIMENTS.md does not have"
	}
	return fmt.Sprintf("%s and %s %%", loss[0][1], loss[1][1])
}

// alone are the RMSE of NPT on Protein and of the network whose rows attend to themselves alone, means over seeds, and the difference.
func alone(r *reports, kind string) [3]string {
	x := r.line("EXPERIMENTS.md", kind+", mean of the seeds", 5)
	return [3]string{withoutError(x[0]), withoutError(x[3]), x[4]}
}

// eightAlone are the RMSE of NPT of eight layers by true cross-validation and of the same whose rows attend to themselves alone, by seed.
func eightAlone(r *reports) string {
	var npt, alone []string
	for _, seed := range []string{"42", "43", "44"} {
		x := r.line("EXPERIMENTS.md", "seed "+seed, 5)
		npt, alone = append(npt, withoutError(x[1])), append(alone, withoutError(x[2]))
	}
	return fmt.Sprintf("an RMSE of %s, %s and %s under three seeds, and the control %s, %s and %s", npt[0], npt[1], npt[2], alone[0], alone[1], alone[2])
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

// fullAlone are the RMSE on Boston Housing and the AUROC on Breast Cancer of NPT of the paper's size, and of the same with rows that attend to
// themselves alone, by true cross-validation, and how much the latter's is more.
func fullAlone(r *reports) (boston, cancer []string) {
	boston, cancer = r.line("EXPERIMENTS.md", "Boston Housing, e = 128, RMSE", 9), r.line("EXPERIMENTS.md", "Breast Cancer, e = 32, AUROC", 9)
	return boston[1:4], cancer[1:4]
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

// changesP are the p of changes over ten folds, by data set and variant, without those of the control that the paper lacks.
func changesP(r *reports, report string) map[string]float64 {
	p := map[string]float64{}
	for _, c := range r.rows(report + "ablation.csv") {
		if strings.HasSuffix(c["metric"], "_change_p") && c["n"] == "10" && !strings.HasPrefix(c["experiment"], "ablation/alone") {
			p[c["dataset"]+" "+c["variant"]] = c.number("mean")
		}
	}
	return p
}

// holm are p after Holm's correction for all of them.
func holm(r *reports, all map[string]float64) map[string]float64 {
	names := slices.Sorted(maps.Keys(all))
	p := make([]float64, len(names))
	for i, name := range names {
		p[i] = all[name]
	}
	adjusted, err := stats.Holm(p)
	r.fail(err)
	out := map[string]float64{}
	for i, x := range adjusted {
		out[names[i]] = x
	}
	return out
}

// aloneAbove is by how many percent the RMSE of a small network whose rows attend to themselves alone is above that of NPT.
func aloneAbove(r *reports, dataset string) float64 {
	clean := r.rows("out/published-corruption/report/corruption.csv").where("method", "npt", "dataset", dataset, "metric", "clean_rmse")
	return 100 * (clean.where("variant", "self only, corruption").number("mean")/clean.where("variant", "corruption").number("mean") - 1)
}

// protein returns the results on Protein by method.
func protein(r *reports) func(method string) rows {
	cells := r.rows(grids+"cells.csv").where("protocol", "published", "dataset", "protein", "metric", "rmse")
	return func(method string) rows { return cells.where("method", method) }
}

// worseUnderSecondSeed is on which tables it is so under seed 43, and how many tables have that, by the table that others of tables.py writes.
func worseUnderSecondSeed(r *reports) string {
	found := regexp.MustCompile(`(?m)^\| ([^|,]+), [^|]*\|(?: [^|]+ \|){3} ([+-]\S+) ± (\S+) \| [^|]+ \|$`).FindAllSubmatch(r.text("EXPERIMENTS.md"), -1)
	var tables, worse []string
	add := func(table string, printed [][]byte) {
		tables = append(tables, table)
		by, err := strconv.ParseFloat(string(printed[0]), 64)
		stdErr, second := strconv.ParseFloat(string(printed[1]), 64)
		if r.fail(errors.Join(err, second)); by > 2*stdErr {
			worse = append(worse, table)
		}
	}
	protein := regexp.MustCompile(`(?m)^\| (?:all targets masked|targets in sight), seed 43 \|.*\| (\S+) ± (\S+) \|$`) // in a table of its own
	for _, line := range protein.FindAllSubmatch(r.text("EXPERIMENTS.md"), -1) {
		add("Protein", line[1:])
	}
	for _, line := range found {
		add(string(line[1]), line[2:])
	}
	if len(worse) != 1 {
		return fmt.Sprintf("%s tables that have a second seed the control is worse there on %q", word(len(slices.Compact(tables))), worse)
	}
	return fmt.Sprintf("%s tables that have a second seed the control is worse there on %s", word(len(slices.Compact(tables))), worse[0])
}
