package main

import (
	"bytes"
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

// results are the sentences of RESULTS.md.
var results = []sentence{
	func(r *reports) string {
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
		return fmt.Sprintf("give the paper's numbers to the printed digit, all %d of them on the small data sets (MSE counted), and CatBoost all but %s",
			all/4*3-lack["knn"]-lack["xgboost"]-lack["lightgbm"], word(lack["catboost"]))
	},
	func(r *reports) string {
		same := r.rows(grids+"cells.csv").where("protocol", "published", "verdict", "reproduced")
		printed := slices.DeleteFunc(slices.Clone(same), func(c row) bool { return c["paper_stderr"] == "" })
		return fmt.Sprintf("by its formula %d of the %d spreads of numbers that are reproduced, in all metrics, come out, too", len(printed.where("spread_reproduced", "true")), len(printed))
	},
	far("TabNet", "yacht", "rmse", "Yacht, RMSE"), far("TabNet", "breast-cancer", "auroc", "Breast Cancer, AUROC"), far("TabNet", "protein", "rmse", "Protein, RMSE"),
	far("TabNet", "poker-hand", "accuracy", "Poker Hand, accuracy"), far("MLP", "forest-cover", "accuracy", "Forest Cover, accuracy"), far("MLP", "kick", "auroc", "Kick, AUROC"),
	far("Random Forest", "poker-hand", "accuracy", "Poker Hand, accuracy"), far("Gradient Boosting", "poker-hand", "accuracy", "Poker Hand, accuracy"),
	far("LightGBM", "forest-cover", "accuracy", "Forest Cover, accuracy"), far("XGBoost", "income", "auroc", "Income, AUROC"),
	func(r *reports) string {
		kick := r.rows(grids+"cells.csv").where("dataset", "kick", "method", "xgboost")
		of := func(protocol string) string {
			k := kick.where("protocol", protocol)
			return fmt.Sprintf("(%.2f, %.3f, %.3f)", k.where("metric", "accuracy").number("mean"), k.where("metric", "nll").number("mean"),
				k.where("metric", "auroc").number("mean"))
		}
		return fmt.Sprintf("On Kick XGBoost has the paper's three numbers with the slipped mask %s and better ones with each mask in its place %s",
			of("published"), of("corrected"))
	},
	func(r *reports) string {
		change := regexp.MustCompile(`Regression data sets, the paper's methods, (\d+) pairs: (\d+) in the other order, (\d+) tied under one kind of folds\.` +
			`(?: Another order on .*?\.)? Told apart under published folds: (.+?)\. Told apart under corrected folds: (.+?)\.\n`).FindSubmatch(r.text(grids + "table1.md"))
		ranks := r.rows(grids+"mean-ranks.csv").where("protocol", "corrected", "task", "regression", "among", "the paper's methods")
		if change == nil || len(ranks) == 0 {
			return "what the folds change on regression, which the report does not say"
		}
		count := func(i int) string { n, _ := strconv.Atoi(string(change[i])); return word(n) }
		apart := func(i int) string { return strings.ReplaceAll(string(change[i]), ";", ",") }
		k, n := len(ranks), int(ranks[0].number("datasets"))
		return fmt.Sprintf("ranks the %s baselines on %s regression data sets, where the critical difference is %.2f. Pairs as far apart: under published folds %s, "+
			"under corrected ones %s. Of %s pairs %s change places with the folds, and %s ties under one of them",
			word(k), word(n), stats.NemenyiDifference(0.05, k, n), apart(4), apart(5), change[1], count(2), count(3))
	},
	func(r *reports) string {
		low, high := byDefaultBatches(r, "Yacht, RMSE")
		return fmt.Sprintf("with pytorch-tabnet's default batches instead of the grid's it has %s to %s, and by them another seed could give the paper's", low, high)
	},
	func(r *reports) string {
		low, high := byDefaultBatches(r, "Breast Cancer, AUROC")
		return fmt.Sprintf("with the default batches it has %s to %s, and another seed could give the paper's", low, high)
	},
	grades("* random forest: for ", "random-forest"),
	func(r *reports) string {
		nll := r.rows(grids+"cells.csv").where("protocol", "published", "dataset", "breast-cancer", "method", "random-forest", "metric", "nll")
		if len(nll) != 1 || nll[0]["seeds"] == "" {
			return "the forest's NLL over seeds"
		}
		var low, high float64
		if _, err := fmt.Sscan(strings.Join(r.line("baselines/BENCHMARKS.md", "Breast Cancer, NLL", 5)[3:], " "), &low, &high); err != nil {
			r.fail(err)
		}
		return fmt.Sprintf("its %s seeds have a mean of %.3f and go from %.3f to %.3f", word(int(nll.number("seeds"))), nll.number("seeds_mean"), low, high)
	},
	func(r *reports) string {
		for _, c := range []struct{ verdict, dataset, method, metrics string }{
			{"same within seeds", "kick", "catboost", "accuracy nll auroc"}, {"same within seeds", "poker-hand", "mlp", "accuracy"},
			{"same within seeds", "protein", "mlp", "rmse"}, {"same within seeds", "income", "random-forest", "nll"},
			{"same within seeds", "poker-hand", "random-forest", "nll"}, {"differs", "income", "xgboost", "accuracy nll auroc"},
			{"differs", "kick", "lightgbm", "accuracy auroc"}, {"differs", "kick", "mlp", "nll auroc"}, {"differs", "poker-hand", "random-forest", "accuracy"},
		} {
			for _, m := range strings.Fields(c.metrics) {
				if len(r.rows(grids+"cells.csv").where("protocol", "published", "dataset", c.dataset, "method", c.method, "metric", m, "verdict", c.verdict)) != 1 {
					return fmt.Sprintf("that %s of %s on %s is %q no more", m, c.method, c.dataset, c.verdict)
				}
			}
		}
		return "Another seed could well give CatBoost's numbers on Kick, the MLP's accuracy on Poker Hand and its RMSE on Protein, and the random forest's NLL on Income and Poker Hand. It could not give " +
			"LightGBM's accuracy and AUROC on Kick, which do not depend on the seed, nor XGBoost's numbers on Income, which draws nothing at random, and would hardly give the MLP's NLL and AUROC on Kick and the forest's accuracy on Poker Hand"
	},
	func(r *reports) string {
		income := r.rows(grids+"cells.csv").where("protocol", "published", "dataset", "income", "method", "mlp")
		nll, auroc := income.where("metric", "nll"), income.where("metric", "auroc")
		return fmt.Sprintf("On Income the MLP's NLL and AUROC are %.3f and %.3f with its whole grid under one seed (the paper %.3f and %.3f)",
			nll.number("mean"), auroc.number("mean"), nll.number("paper"), auroc.number("paper"))
	},
	func(r *reports) string {
		yacht, boston, concrete := ofAllSettings(r, "Yacht"), ofAllSettings(r, "Boston Housing"), ofAllSettings(r, "Concrete")
		for dataset, whole := range map[string]string{"yacht": yacht[2], "boston-housing": boston[2]} {
			for _, c := range r.rows(grids+"cells.csv").where("protocol", "published", "dataset", dataset, "metric", "rmse") {
				if c["method"] != "npt" && c.number("mean") <= number(r, withoutError(whole)) {
					return fmt.Sprintf("that %s is not worse on %s than the MLP with all its settings", c["method"], dataset)
				}
			}
		}
		if !(number(r, withoutError(concrete[2])) < number(r, withoutError(concrete[0]))) {
			return "what the MLP with all its settings has on Concrete"
		}
		return fmt.Sprintf("With all 3,780 that differ, of 11,340, under one seed, it has %s on Yacht, %s on Boston Housing and %s on Concrete, less than the paper's %s, %s and %s, and on the first two less "+
			"than every other baseline there", withoutError(yacht[2]), withoutError(boston[2]), withoutError(concrete[2]), withoutError(yacht[0]), withoutError(boston[0]), withoutError(concrete[0]))
	},
	func(r *reports) string {
		boston := r.line("baselines/BENCHMARKS.md", "Boston Housing, RMSE | true", 3)
		return fmt.Sprintf("under true ones, where all were run on Boston Housing alone, it has %s with all and %s with the 64", withoutError(boston[2]), withoutError(boston[1]))
	},
	func(r *reports) string {
		before, _, _ := rankOfMLP(r, nil)
		after, others, who := rankOfMLP(r, map[string]float64{
			"yacht":          number(r, withoutError(ofAllSettings(r, "Yacht")[2])),
			"boston-housing": number(r, withoutError(ofAllSettings(r, "Boston Housing")[2])),
			"concrete":       number(r, withoutError(ofAllSettings(r, "Concrete")[2])),
		})
		return fmt.Sprintf("its mean rank on regression among the eight baselines would be %.2f instead of %.2f, where %s, the best of the others, would have %.2f", after, before, who, others)
	},
	grades("gradient boosting: for ", "gradient-boosting"),
	grades("* CatBoost: for ", "catboost"),
	grades("* MLP: for ", "mlp"),
	grades("* TabNet: for ", "tabnet"),
	func(r *reports) string {
		accuracy := r.rows(grids+"cells.csv").where("protocol", "published", "dataset", "poker-hand", "method", "tabnet", "metric", "accuracy")
		would := map[bool]string{true: "would hardly", false: "could"}[len(accuracy) == 1 && accuracy[0]["verdict"] == "differs"]
		return fmt.Sprintf("On Poker Hand its accuracy is %.1f (the paper %.1f), which another seed %s give", accuracy.number("mean"), accuracy.number("paper"), would)
	},
	func(r *reports) string {
		reproduced, same := byMistake(r)
		return fmt.Sprintf("set against the paper's number for another method, %s %% of our numbers would be called reproduced, and %s %% of those graded by seeds "+
			`"same within seeds"`, reproduced, same)
	},
	func(r *reports) string {
		same := regexp.MustCompile(`: (\d+) of (?:the paper's )?(\d+) (?:\w+ )?are (?:the same|as the paper prints)`).FindAllSubmatch(r.text(grids+"table1.md"), -1)
		if len(same) != 3 || !bytes.Equal(same[1][1], same[1][2]) || !bytes.Equal(same[2][1], same[2][2]) {
			return fmt.Sprintf("what is the paper's of statistics, settings and ranges: %q", same)
		}
		return fmt.Sprintf("Of %s statistics of data sets %s are the paper's (for each of the rest the report says why it differs), and so are all %s numbers of "+
			"settings and all %s ranges of hyperparameters", same[0][2], same[0][1], same[1][1], same[2][1])
	},
	func(r *reports) string {
		rank := regexp.MustCompile(`place (\d) among the paper's (\d) methods`)
		for _, c := range r.rows(grids + "claims.csv") {
			if found := rank.FindStringSubmatch(c["measured"]); c["id"] == "rank_reg" && found != nil {
				return fmt.Sprintf("The small NPT below is in place %s of %s on regression under published folds", found[1], found[2])
			}
		}
		return "the place of the small NPT on regression"
	},
}

// far begins a line of the table of numbers that are far from the paper's.
func far(title, dataset, metric, of string) sentence {
	return func(r *reports) string {
		c := r.rows(grids+"cells.csv").where("protocol", "published", "title", title, "dataset", dataset, "metric", metric)
		digits := map[string]int{"rmse": 2, "accuracy": 1, "auroc": 3}[metric]
		return fmt.Sprintf("| %s, %s | %.*f | %.*f |", title, of, digits, c.number("mean"), digits, c.number("paper"))
	}
}

// ofAllSettings are the paper's RMSE of the MLP on a small table, and ours with few settings and with all.
func ofAllSettings(r *reports, title string) []string {
	return r.line("baselines/BENCHMARKS.md", title+", RMSE | published", 3)
}

// rankOfMLP is the mean rank that the MLP has by its RMSE among the eight baselines on the regression tables, under published folds, were its
// RMSE on some tables another; and the best mean rank of the others.
func rankOfMLP(r *reports, with map[string]float64) (rank, others float64, best string) {
	tables := []string{"protein", "concrete", "boston-housing", "yacht"}
	means, titles := map[string]float64{}, map[string]string{} // mean ranks
	for _, dataset := range tables {
		rmse := map[string]float64{}
		for _, c := range r.rows(grids+"cells.csv").where("protocol", "published", "dataset", dataset, "metric", "rmse") {
			if c["paper"] != "" && c["method"] != "npt" {
				rmse[c["method"]], titles[c["method"]] = c.number("mean"), c["title"]
			}
		}
		if mean, has := with[dataset]; has {
			rmse["mlp"] = mean
		}
		methods := slices.Sorted(maps.Keys(rmse))
		values := make([]float64, len(methods))
		for i, method := range methods {
			values[i] = rmse[method]
		}
		for i, rank := range stats.Ranks(values, false) {
			means[methods[i]] += rank / float64(len(tables))
		}
	}
	others = math.Inf(1)
	for _, method := range slices.Sorted(maps.Keys(means)) {
		if method != "mlp" && means[method] < others {
			others, best = means[method], titles[method]
		}
	}
	return means["mlp"], others, best
}

// grades says for which numbers of a method on small data another seed could well give the paper's.
func grades(lead, method string) sentence {
	return func(r *reports) string {
		return lead + graded(r.rows(grids+"cells.csv").where("protocol", "published", "folds", "10", "method", method))
	}
}

// graded says it of the numbers of a method, by their verdicts; MSE says what RMSE does.
func graded(cells rows) string {
	var but []string
	all, open := 0, 0 // open: those that are not reproduced
	for _, c := range cells {
		if c["verdict"] == "not comparable" { // chosen by another search
			continue
		}
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

// byMistake is how many percent of our numbers, set against the paper's for another method, would be called reproduced, and of those graded by
// seeds the same within seeds.
func byMistake(r *reports) (reproduced, same string) {
	found := regexp.MustCompile(`What a verdict is worth: held against the paper's number for another method, (\S+) % of [\d,]+ pairs would be called reproduced; ` +
		`of those graded by seeds (\S+) % would be called the same within seeds`).FindSubmatch(r.text(grids + "table1.md"))
	if found == nil {
		r.fail(errors.New(grids + "table1.md does not say what a verdict is worth"))
		return "", ""
	}
	return string(found[1]), string(found[2])
}

// byDefaultBatches are the least and the largest of three seeds of TabNet with its library's default batches, if another could give the paper's.
func byDefaultBatches(r *reports, number string) (low, high string) {
	line := r.line("baselines/tabnet/PAPER.md", number, 5)
	seeds := strings.Split(line[3], ", ")
	if line[4] != "same within seeds" {
		r.fail(fmt.Errorf("TabNet's %s with default batches: %s", number, line[4]))
	}
	return slices.Min(seeds), slices.Max(seeds)
}
