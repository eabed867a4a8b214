package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/spelling"
	"nptbench/internal/stats"
)

// A sentence is a part of a document with numbers that stand in none of its tables, as the files of reports give it. Where numbers
// are put into words, says returns other words once the numbers no longer bear them.
type sentence struct {
	document string
	says     func(*reports) string
}

const (
	grids  = "out/published/report/"       // of table1-cpu, with the full grids
	quick  = "out/published-quick/report/" // of table1-quick
	widths = "out/published-width/report/folds.csv"
)

var sentences = []sentence{
	{"README.md", func(r *reports) string {
		low, high := overSeeds(r.rows(quick+"cells.csv").where("protocol", "published", "method", "npt", "metric", "rmse"))
		return fmt.Sprintf("over three seeds its means deviate by %s to %s in RMSE", low, high)
	}},
	{"README.md", func(r *reports) string {
		others := slices.DeleteFunc(r.rows(quick+"cells.csv").where("protocol", "published"), func(c row) bool {
			return c["method"] == "npt" || c["method"] == "knn" || c["paper_settings"] == ""
		})
		fewest, most := others.span("settings")
		low, high := others.span("paper_settings")
		return fmt.Sprintf("baselines choose among %.0f to %.0f settings instead of %.0f to %s", fewest, most, low, spelling.Thousands(int(high)))
	}},
	{"RESULTS.md", func(r *reports) string {
		lack := map[string]int{} // reproduced numbers
		all := 0
		for _, c := range r.rows(grids+"cells.csv").where("protocol", "published", "folds", "10") {
			if name := c["method"]; slices.Contains([]string{"knn", "xgboost", "lightgbm", "catboost"}, name) {
				all++
				if c["verdict"] != "reproduced" {
					lack[name]++
				}
			}
		}
		return fmt.Sprintf("give the paper's numbers to the printed digit, all %d of them on the small data sets, and CatBoost all but %s",
			all/4*3-lack["knn"]-lack["xgboost"]-lack["lightgbm"], word(lack["catboost"]))
	}},
	{"RESULTS.md", func(r *reports) string {
		kick := r.rows(grids+"cells.csv").where("dataset", "kick", "method", "xgboost")
		of := func(protocol string) string {
			k := kick.where("protocol", protocol)
			return fmt.Sprintf("(%.2f, %.3f, %.3f)", k.where("metric", "accuracy").number("mean"), k.where("metric", "nll").number("mean"),
				k.where("metric", "auroc").number("mean"))
		}
		return fmt.Sprintf("On Kick XGBoost has the paper's three numbers with the slipped mask %s and better ones with each mask in its place %s",
			of("published"), of("corrected"))
	}},
	{"RESULTS.md", func(r *reports) string {
		first, second := regression(r, "published"), regression(r, "corrected")
		changed, ties, pairs := 0, 0, 0
		for i, a := range second {
			for _, b := range second[:i] {
				pairs++
				order := func(column string) int { return cmp.Compare(a.number(column), b.number(column)) }
				switch before, now := order("published_folds"), order("mean_rank"); {
				case before == -now && now != 0:
					changed++
				case before != now:
					ties++
				}
			}
		}
		k1, n1, k2, n2 := len(first), first.datasets(), len(second), second.datasets()
		critical := stats.NemenyiDifference(0.05, k1, n1)
		if k1 != k2 || n1 != n2 {
			return "other methods or data sets under corrected folds than under published ones"
		}
		return fmt.Sprintf("ranks the %s baselines on %s regression tables, where the critical difference is %.2f. Pairs as far apart: under published folds %s, "+
			"under corrected ones %s. Of %d pairs %s change places with the folds, and %s ties under one of them",
			word(k1), word(n1), critical, first.apart(critical), second.apart(critical), pairs, word(changed), word(ties))
	}},
	{"RESULTS.md", func(r *reports) string {
		x := narrow(r)
		return fmt.Sprintf("an eighth of the width has %s over the ten folds, and %s without that one; the paper has %s over all ten", x[1], x[4], x[0])
	}},
	{"RESULTS.md", func(r *reports) string {
		return fmt.Sprintf("By true cross-validation that narrow NPT has %s,", narrow(r)[6])
	}},
	{"README.md", func(r *reports) string {
		return fmt.Sprintf("a network of an eighth of the width has %s by true cross-validation", narrow(r)[6])
	}},
	{"npt/PAPER.md", func(r *reports) string {
		x := narrow(r)
		const ordinary = 3.2
		var folds []float64
		for _, printed := range r.line("npt/PAPER.md", narrowNPT, 12)[:10] {
			rmse, err := strconv.ParseFloat(printed, 64)
			if err != nil {
				r.fail(err)
				return ""
			}
			folds = append(folds, rmse)
		}
		folds[3] = ordinary
		mean, deviation := stat.MeanStdDev(folds, nil)
		return fmt.Sprintf("our narrow network has %s without fold 3, and with an ordinary error of %v there it would have %.2f ± %.2f; the paper has %s",
			x[4], ordinary, mean, deviation/math.Sqrt(float64(len(folds))), x[0])
	}},
	{"npt/PAPER.md", func(r *reports) string {
		narrow := map[string]row{} // by fold
		for _, f := range r.rows(widths).where("protocol", "corrected", "layers", "8", "dim_hidden", "16") {
			narrow[f["fold"]] = f
		}
		p := func(method string) float64 {
			var differences []float64
			share := 0.0
			for _, f := range r.rows(grids+"folds.csv").where("dataset", "boston-housing", "protocol", "corrected", "method", method) {
				of := narrow[f["fold"]]
				differences = append(differences, f.number("test_rmse")-of.number("test_rmse"))
				share += of.number("test_rows") / of.number("train_rows") / float64(len(narrow))
			}
			test, err := stats.CorrectedT(differences, share, 0.95)
			if err != nil {
				r.fail(err)
				return math.NaN()
			}
			return test.P
		}
		return fmt.Sprintf("by Nadeau and Bengio's corrected t-test, which knows that folds share training rows, p is %.2f for k-NN, %.2f for the two-layer NPT "+
			"and %.2f for TabNet", p("knn"), p("npt"), p("tabnet"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		small, more := changesP(r, "out/published-ablation/report/"), changesP(r, "out/published-ablation-cpu/report/")
		const masking, targets = "boston-housing No masking", "boston-housing No target masking"
		all := maps.Clone(small)
		maps.Copy(all, more)
		of, ofAll := holm(r, small), holm(r, all)
		return fmt.Sprintf("among %s tests its p of %.3f is little: %.2f with Holm's correction, which leaves at most %.3f to the other three clear changes, and "+
			"%.3f if the %s tests of Concrete and Breast Cancer below count, too", word(len(small)), small[masking], of[masking],
			of[targets], ofAll[targets], word(len(more)))
	}},
	grades("* random forest: for ", "random-forest"),
	{"RESULTS.md", func(r *reports) string {
		nll := r.rows(grids+"cells.csv").where("protocol", "published", "dataset", "breast-cancer", "method", "random-forest", "metric", "nll")
		found := regexp.MustCompile(`Over (\d+) seeds: mean (\d+\.\d{3})`).FindStringSubmatch(append(nll, row{})[0]["notes"])
		if found == nil {
			return "the forest's NLL over seeds"
		}
		seeds, err := strconv.Atoi(found[1])
		r.fail(err)
		return fmt.Sprintf("whose mean over its %s seeds is %s", word(seeds), found[2])
	}},
	grades("gradient boosting: for ", "gradient-boosting"),
	grades("* CatBoost: for ", "catboost"),
	grades("* MLP: for ", "mlp"),
	grades("* TabNet: for ", "tabnet"),
	{"RESULTS.md", func(r *reports) string {
		accuracy := r.rows(grids+"cells.csv").where("protocol", "published", "dataset", "poker-hand", "method", "tabnet", "metric", "accuracy")
		would := map[bool]string{true: "would hardly", false: "could"}[len(accuracy) == 1 && accuracy[0]["verdict"] == "differs"]
		return fmt.Sprintf("On Poker Hand its accuracy is %.1f (the paper %.1f), which another seed %s give", accuracy.number("mean"), accuracy.number("paper"), would)
	}},
	{"RESULTS.md", func(r *reports) string {
		worth := regexp.MustCompile(`What a verdict is worth: of [\d,]+ pairs of ours and the paper's for another method, (\S+ %) would be called reproduced, ` +
			`and of those graded by seeds (\S+ %) the same`).FindSubmatch(r.text(grids + "table1.md"))
		if worth == nil {
			return "what a verdict is worth, which the report does not say"
		}
		return fmt.Sprintf("beside the paper's number for a wrong method, %s of our numbers would be called reproduced, and %s of those graded by seeds "+
			`"same within seeds"`, worth[1], worth[2])
	}},
	{"RESULTS.md", func(r *reports) string {
		same := regexp.MustCompile(`: (\d+) of (?:the paper's )?(\d+) (?:\w+ )?are (?:the same|as the paper prints)`).FindAllSubmatch(r.text(grids+"table1.md"), -1)
		if len(same) != 3 || !bytes.Equal(same[1][1], same[1][2]) || !bytes.Equal(same[2][1], same[2][2]) {
			return fmt.Sprintf("what is the paper's of statistics, settings and ranges: %q", same)
		}
		return fmt.Sprintf("Of %s statistics of data sets %s are the paper's (for each of the rest the report says why it differs), and so are all %s numbers of "+
			"settings and all %s ranges of hyperparameters", same[0][2], same[0][1], same[1][1], same[2][1])
	}},
	{"README.md", func(r *reports) string {
		low, high := lookedUp(r)
		return fmt.Sprintf("solves all four, with %.0f to %.0f %% of the paper's error (means of three seeds)", low, high)
	}},
	{"README.md", func(r *reports) string {
		first, last := math.Inf(1), 0.0
		for _, c := range r.rows("out/published-lookup-cpu/report/cells.csv").where("method", "npt", "metric", "rmse") {
			if c["paper"] != "" {
				share := 100 * c.number("mean") / c.number("paper")
				first, last = min(first, share), max(last, share)
			}
		}
		low, high := inLargerBatches(r)
		return fmt.Sprintf("have %.0f to %.0f %% of its error under one seed, and %.0f to %.0f %% when tested in batches of 1,024 rows", first, last, low, high)
	}},
	{"README.md", func(r *reports) string {
		low, high := inLargerBatches(r)
		return fmt.Sprintf("in such batches the same networks have %.0f to %.0f %% (seed 42)", low, high)
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		low, high := inLargerBatches(r)
		return fmt.Sprintf("That is %.0f to %.0f %% of the paper's error in the same form", low, high)
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		return fmt.Sprintf("it has %.0f %% of the paper's error on the original form, %.0f %% with add one, and %.0f %% in the hardest",
			ofPaper(r, "1,024", "lookup"), ofPaper(r, "1,024", "lookup-add-one"), ofPaper(r, "1,024", "lookup-random-add-one"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		found := regexp.MustCompile(`(?m)^\| Random features \| r = 0\.70\S+ RMSE \S+ \| r = \S+ RMSE (\S+) \|`).FindSubmatch(r.text("EXPERIMENTS.md"))
		if found == nil {
			return "what a second seed gives"
		}
		rmse, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			r.fail(err)
		}
		paper := r.rows("out/published-lookup-cpu/report/cells.csv").where("method", "npt", "metric", "rmse", "dataset", "lookup-random")
		return fmt.Sprintf("A second seed, 43, has learned it, with %.0f %% of the paper's error", 100*rmse/paper.number("paper"))
	}},
	{"README.md", func(r *reports) string {
		count := map[string]int{}
		for _, c := range r.rows(grids + "cells.csv") {
			if count[c["verdict"]]++; c["method"] == "tabnet" && strings.HasPrefix(c["verdict"], "reproduced") {
				return "that some of TabNet's numbers come out, too"
			}
		}
		same, part := count["reproduced"], count["reproduced on a part of the test rows"]
		seeds, differ, not := count["same within seeds"], count["differs"], count["not graded"]
		return fmt.Sprintf("Of %d numbers of baselines %d come out to the printed digit**, and %d more to within the sampling error of a tenth of Poker Hand's "+
			"test rows; %d could by another seed, which is a weak test, %d are not graded and %d differ (RMSE and MSE count apart)", same+part+seeds+differ+not, same, part, seeds, not, differ)
	}},
	{"RESULTS.md", func(r *reports) string {
		rank := regexp.MustCompile(`place (\d) among (\d) of`)
		for _, c := range r.rows(grids + "claims.csv") {
			if found := rank.FindStringSubmatch(c["measured"]); c["id"] == "rank_reg" && found != nil {
				return fmt.Sprintf("The small NPT below is in place %s of %s on regression under published folds", found[1], found[2])
			}
		}
		return "the place of the small NPT on regression"
	}},
	{"README.md", func(r *reports) string {
		ours, paper := r.line("npt/PAPER.md", "NPT, 8 layers, e = 32, 2,000 steps", 7), r.line("npt/PAPER.md", "the paper's NPT", 7)
		return fmt.Sprintf("an accuracy of %s (the paper %s) and an AUROC of %s (%s)", ours[0], paper[0], ours[2], paper[2])
	}},
	{"README.md", func(r *reports) string {
		var full []float64 // on the folds that NPT at its full size has
		has := map[string]bool{}
		for _, f := range r.rows(widths).where("protocol", "published", "dim_hidden", "128", "complete", "true") {
			full, has[f["fold"]] = append(full, f.number("test_rmse")), true
		}
		if len(full) < 2 {
			return "the folds of Boston Housing that NPT at its full size has"
		}
		ours, oursErr := stats.MeanStdErr(full)
		others := map[string][]float64{} // by method, on the same folds
		for _, f := range r.rows(grids+"folds.csv").where("dataset", "boston-housing", "protocol", "published") {
			if has[f["fold"]] && f["method"] != "npt" {
				others[f["title"]] = append(others[f["title"]], f.number("test_rmse"))
			}
		}
		best, theirs, theirsErr := "", math.Inf(1), 0.0
		for title, errors := range others {
			if mean, stdErr := stats.MeanStdErr(errors); mean < theirs && len(errors) == len(full) {
				best, theirs, theirsErr = title, mean, stdErr
			}
		}
		largest := slices.Max(full)
		rest := float64(len(full) - 1)
		lowest := math.Inf(1) // of our networks that mask features, on fold 3
		for _, found := range regexp.MustCompile(`(?m)^\| npt, \d+ layers \| \d+ \| \d+ \| (\S+) \|$`).FindAllSubmatch(r.text("npt/PAPER.md"), -1) {
			rmse, err := strconv.ParseFloat(string(found[1]), 64)
			r.fail(err)
			lowest = min(lowest, rmse)
		}
		return fmt.Sprintf("On the %s folds of Boston Housing that it has, its RMSE is %.2f ± %.2f, that of the best other method there, %s, %.2f ± %.2f: on %s of them "+
			"%.2f on average, and %.2f on one, where [none of our networks that mask features, as the paper's do, comes below %.1f]",
			word(len(full)), ours, oursErr, best, theirs, theirsErr, word(len(full)-1), (ours*float64(len(full))-largest)/rest, largest, math.Floor(10*lowest)/10)
	}},
	{"README.md", func(r *reports) string {
		clean := r.rows("out/published-corruption-cpu/report/corruption.csv").where("dataset", "protein", "metric", "clean_rmse")
		return fmt.Sprintf("under the first seed, on %s tables is a network worse by two standard errors if it is trained so that rows attend to themselves alone, "+
			"though all of these networks are small; under a second seed, which %s. On Protein our best has an RMSE of %.2f, and of %.2f as this control",
			worseAlone(r), worseUnderSecondSeed(r),
			clean.where("variant", "corruption").number("mean"), clean.where("variant", "self only, corruption").number("mean"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		return "On " + worseAlone(r) + " tables is it worse than NPT by two standard errors under the first seed"
	}},
	{"README.md", func(r *reports) string {
		auroc := func(seed string) string {
			a, _, _ := strings.Cut(r.line("npt/PAPER.md", "seed "+seed, 4)[3], " ")
			return a
		}
		if auroc("43") != auroc("44") {
			return "other values under seeds 43 and 44"
		}
		return fmt.Sprintf("A network of two layers has %s under the same seed and %s under two others", auroc("42"), auroc("43"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		least, _ := r.rows("out/published-lookup-cpu/report/lookup.csv").where("method", "npt", "metric", "best_share").span("mean")
		return fmt.Sprintf("has more than %.0f %% of its weight on the copy", math.Floor(least))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
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
		return fmt.Sprintf("of %s changes, %s on Boston Housing and %s on Yacht, %s are clear at this size, %s of them in the paper's direction",
			word(len(seen)), word(count["boston-housing"]), word(count["yacht"]), word(clear), word(count["same direction"]))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		fall := r.rows("out/published-corruption-cpu/report/corruption.csv").where("dataset", "poker-hand", "metric", "accuracy_change")
		return fmt.Sprintf("on Poker Hand, by %.1f ± %.1f points (the paper %.1f)", -fall.number("mean"), fall.number("stderr"), -fall.number("paper"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		of := func(report, data, column string) float64 {
			return -r.rows("out/"+report+"/report/corruption.csv").where("method", "npt", "dataset", data, "variant", "corruption", "metric", "rmse_change").number(column)
		}
		small, large := "published-corruption", "published-corruption-cpu"
		return fmt.Sprintf("(by %.0f, %.0f and %.0f %%, in the paper by %.0f, %.0f and %.0f)",
			of(small, "yacht", "mean"), of(small, "boston-housing", "mean"), of(large, "protein", "mean"),
			of(small, "yacht", "paper"), of(small, "boston-housing", "paper"), of(large, "protein", "paper"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		return fmt.Sprintf("On Protein it is %s under two other seeds", otherSeeds(r))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		clean := r.rows("out/published-corruption-cpu/report/corruption.csv").where("dataset", "protein", "metric", "clean_rmse")
		return fmt.Sprintf("has an RMSE of %.2f on Protein, and of %.2f as this control",
			clean.where("variant", "corruption").number("mean"), clean.where("variant", "self only, corruption").number("mean"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		clean := r.rows("out/published-corruption-cpu/report/corruption.csv").where("dataset", "protein", "metric", "clean_rmse")
		return fmt.Sprintf("with the targets of training rows in sight it has %.2f, and %.2f as the control",
			clean.where("variant", "targets in sight, corruption").number("mean"), clean.where("variant", "targets in sight, self only, corruption").number("mean"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		return fmt.Sprintf("the control is %.0f %% better on Yacht and %.0f %% worse on Concrete", -aloneAbove(r, "yacht"), aloneAbove(r, "concrete"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		above := regexp.MustCompile(`(?m)^\| Concrete, RMSE \|.*\| \+(\S+) \| \S+ \|$`).FindSubmatch(r.text("EXPERIMENTS.md"))
		if above == nil {
			return "by how much Concrete is worse where rows attend to themselves alone"
		}
		return fmt.Sprintf("Concrete is by %s, its RMSE %.0f %% higher", above[1], aloneAbove(r, "concrete"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		change := r.rows("out/published-corruption-cpu/report/corruption.csv").where("dataset", "protein", "variant", "corruption", "metric", "rmse_change")
		return fmt.Sprintf("the error of the chosen network on Protein grows by %.1f ± %.1f %% (the paper's %.0f %%)",
			-change.number("mean"), change.number("stderr"), -change.number("paper"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		return "their errors grow by " + otherSeeds(r)
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		heads := r.rows("out/published-attention-cpu/report/attention.csv").where("dataset", "protein")
		over := func(variant string) float64 {
			of := heads.where("variant", variant)
			return of.where("metric", "best_share").number("mean") / of.where("metric", "uniform_share").number("mean")
		}
		return fmt.Sprintf("gives them %.1f times what uniform attention would, and %.1f times with the targets in sight", over("attention"), over("targets in sight, attention"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
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
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		_, p := r.rows("out/published-deletion-cpu/report/deletion.csv").where("metric", "log10_p_random").span("mean")
		return fmt.Sprintf("nearer than random ones (p ≤ %.4f on 100 test rows)", math.Pow(10, p))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		of := func(variant, column string) float64 {
			return r.rows("out/published-ablation-cpu/report/ablation.csv").where("dataset", "poker-hand", "metric", "accuracy", "variant", variant).number(column)
		}
		return fmt.Sprintf("the paper's NPT falls from %.1f to %.1f %% without ABA and to %.1f %% without masking of features, a network of e = 16 has %.1f and "+
			"%.1f %% without them, and %.1f %% with both", of("Base", "paper"), of("No ABA", "paper"), of("No feature masking", "paper"),
			of("No ABA", "mean"), of("No feature masking", "mean"), of("Base", "mean"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		of := func(variant, column string) float64 {
			return math.Abs(r.rows("out/published-ablation-cpu/report/ablation.csv").where("experiment", "ablation/settings", "dataset", "protein", "metric", "rmse_change",
				"variant", variant).number(column))
		}
		features, both := "No feature masking", "No masking"
		return fmt.Sprintf("Half of the features masked costs %.2f in RMSE, as in the paper (%.2f); hiding half of the targets or all helps. "+
			"But without masking of features the RMSE is %.2f lower and without any masking %.2f, where the paper's is %.2f and %.2f higher",
			of("Feature mask 0.5", "mean"), of("Feature mask 0.5", "paper"), of(features, "mean"), of(both, "mean"), of(features, "paper"), of(both, "paper"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		of := protein(r)
		return fmt.Sprintf("this network has an RMSE of %.2f on Protein, where the paper's has %.2f, k-NN %.2f and the MLP %.2f here",
			of("npt").number("mean"), of("npt").number("paper"), of("knn").number("mean"), of("mlp").number("mean"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		of := protein(r)
		return fmt.Sprintf("RMSE on test rows is %.2f, where the paper's NPT has %.2f and CatBoost, the random forest and k-NN have %.2f, %.2f and %.2f here",
			of("npt").number("mean"), of("npt").number("paper"), of("catboost").number("mean"), of("random-forest").number("mean"), of("knn").number("mean"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
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
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		of := r.rows("out/published-lookup/report/lookup.csv").where("method", "npt", "metric", "correlation")
		return fmt.Sprintf("Pearson's r on held-out rows is %.4f and %.4f", of.where("dataset", "lookup").number("mean"),
			of.where("dataset", "lookup-random-add-one").number("mean"))
	}},
	{"EXPERIMENTS.md", func(r *reports) string {
		yacht := r.rows("out/published-ablation/report/cells.csv").where("dataset", "yacht", "metric", "rmse", "method", "npt")
		base, without := yacht.where("variant", "Base"), yacht.where("variant", "No feature masking")
		return fmt.Sprintf("without it the RMSE falls from %.2f to %.2f, in the paper", base.number("mean"), without.number("mean"))
	}},
}

// checkSentences says which sentences the documents do not have as the reports give them.
func checkSentences(r *reports, all []sentence) error {
	var wrong []error
	for _, s := range all {
		want := s.says(r)
		if r.err != nil {
			return fmt.Errorf("%w; make reports-published writes what sentences are compared with", r.err)
		}
		if !strings.Contains(spaced(string(r.text(s.document))), spaced(want)) {
			wrong = append(wrong, fmt.Errorf("%s does not say what the reports give: %s", s.document, want))
		}
	}
	return errors.Join(wrong...)
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

// narrowNPT is the NPT of published depth and an eighth of the width, as the tables of npt/PAPER.md name it.
const narrowNPT = "NPT, 8 layers, e = 16, 2,000 steps"

// narrow are its numbers in the table of Boston Housing with and without fold 3.
func narrow(r *reports) []string { return r.line("npt/PAPER.md", narrowNPT, 8) }

// line is what the first line of a table has behind its name, of tables with so many columns besides.
func (r *reports) line(document, name string, columns int) []string {
	for line := range strings.Lines(string(r.text(document))) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); cells[0] == name && len(cells) == 1+columns {
			return cells[1:]
		}
	}
	r.fail(fmt.Errorf("%s has no table of %d columns with %q", document, 1+columns, name))
	return make([]string, columns)
}

// lookedUp is from how many percent of the paper's error to how many NPT has on the forms of the lookup task, means of three seeds.
func lookedUp(r *reports) (low, high float64) {
	low = math.Inf(1)
	for _, c := range r.rows("out/published-lookup-cpu/report/cells.csv").where("method", "npt", "metric", "rmse") {
		if c["paper"] == "" {
			continue
		}
		found := threeSeeds.FindStringSubmatch(c["notes"])
		if found == nil {
			r.fail(errors.New("no three seeds of " + c["dataset"]))
			return 0, 0
		}
		ours, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			r.fail(err)
			return 0, 0
		}
		low, high = min(low, ours/c.number("paper")), max(high, ours/c.number("paper"))
	}
	return 100 * low, 100 * high
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

// threeSeeds finds the mean and the standard deviation over three seeds in a cell's notes.
var threeSeeds = regexp.MustCompile(`Over 3 seeds: mean (\S+), standard deviation (\d+\.\d+)\.`)

// overSeeds are the least and the largest of the standard deviations over three seeds that the cells' notes have.
func overSeeds(cells rows) (low, high string) {
	for _, c := range cells {
		found := threeSeeds.FindStringSubmatch(c["notes"])
		if found == nil {
			return "none", "none"
		}
		if low == "" {
			low, high = found[2], found[2]
		}
		low, high = min(low, found[2]), max(high, found[2]) // of equal lengths
	}
	return low, high
}

// otherSeeds is by how much the errors of two more NPTs on Protein grow when other rows are corrupted, of the table that alone of
// tables.py writes.
func otherSeeds(r *reports) string {
	loss := regexp.MustCompile(`(?m)^\| all targets masked, seed 4[34] \|.*\| -(\S+) ± \S+ \|`).FindAllSubmatch(r.text("EXPERIMENTS.md"), -1)
	if len(loss) != 2 {
		return "what EXPERIMENTS.md does not have"
	}
	return fmt.Sprintf("%s and %s %%", loss[0][1], loss[1][1])
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
	found := regexp.MustCompile(`(?m)^\| ([^|,]+), [^|]*\|(?: [^|]+ \|){3} ([+-]\S+) ± (\S+) \| [^|]+ \|$`).FindAllSubmatch(r.text("EXPERIMENTS.md"), -1)
	var tables, worse []string
	protein := regexp.MustCompile(`(?m)^\| (?:all targets masked|targets in sight), seed 43 \| (\S+) ± (\S+) \|.*\| (\S+) ± (\S+) \|$`) // in a table of its own
	for _, line := range protein.FindAllSubmatch(r.text("EXPERIMENTS.md"), -1) {
		tables = append(tables, "Protein")
		var x [4]float64
		for i, printed := range line[1:] {
			var err error
			x[i], err = strconv.ParseFloat(string(printed), 64)
			r.fail(err)
		}
		if x[2]-x[0] > 2*math.Hypot(x[1], x[3]) {
			worse = append(worse, "Protein")
		}
	}
	for _, line := range found {
		tables = append(tables, string(line[1]))
		by, err := strconv.ParseFloat(string(line[2]), 64)
		stdErr, second := strconv.ParseFloat(string(line[3]), 64)
		r.fail(errors.Join(err, second))
		if by > 2*stdErr {
			worse = append(worse, string(line[1]))
		}
	}
	if len(worse) != 1 {
		return fmt.Sprintf("%s tables have, it is on %q", word(len(slices.Compact(tables))), worse)
	}
	return fmt.Sprintf("%s tables have, one is on %s", word(len(slices.Compact(tables))), worse[0])
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

// apart names the pairs of methods whose mean ranks are at least so far apart.
func (ranks rows) apart(critical float64) string {
	var pairs []string
	for i, a := range ranks {
		for _, b := range ranks[i+1:] {
			if math.Abs(a.number("mean_rank")-b.number("mean_rank")) >= critical {
				pairs = append(pairs, a["title"]+" and "+b["title"])
			}
		}
	}
	if pairs == nil {
		return "none"
	}
	return strings.Join(pairs, ", ")
}

// grades says for which numbers of a method on small data another seed could give the paper's.
func grades(lead, method string) sentence {
	return sentence{"RESULTS.md", func(r *reports) string {
		return lead + graded(r.rows(grids+"cells.csv").where("protocol", "published", "folds", "10", "method", method))
	}}
}

// graded says it of the numbers of a method, by their verdicts; MSE says what RMSE does.
func graded(cells rows) string {
	var but []string
	all, open := 0, 0 // open: those that are not reproduced
	for _, c := range cells {
		all++
		if c["verdict"] != "reproduced" {
			open++
		}
		digits, title := 2, "RMSE"
		switch c["metric"] {
		case "mse":
			continue
		case "accuracy":
			title = "accuracy"
		case "nll", "auroc":
			digits, title = 3, strings.ToUpper(c["metric"])
		}
		if c["verdict"] != "same within seeds" && c["verdict"] != "reproduced" {
			name := map[string]string{"yacht": "Yacht", "boston-housing": "Boston Housing", "concrete": "Concrete", "breast-cancer": "Breast Cancer"}[c["dataset"]]
			but = append(but, fmt.Sprintf("its %s on %s (%.*f, the paper %s)", title, name, digits, c.number("mean"), strings.Fields(c["paper_printed"] + " none")[0]))
		}
	}
	switch {
	case but == nil && open < all:
		return fmt.Sprintf("each of the %s that do not come out", word(open))
	case but == nil:
		return "each of its " + word(all)
	}
	return "all but " + strings.Join(but, " and ")
}

// regression are the mean ranks of the paper's methods on regression tables.
func regression(r *reports, protocol string) rows {
	return r.rows(grids+"mean-ranks.csv").where("protocol", protocol, "task", "regression", "among", "the paper's methods")
}

// datasets is how many data sets mean ranks are over, all the same; 0 without any.
func (ranks rows) datasets() int {
	if len(ranks) == 0 {
		return 0
	}
	return int(ranks[0].number("datasets"))
}

// word is a small number as running text has it.
func word(n int) string {
	words := []string{"none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}
