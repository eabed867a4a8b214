package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nptbench/internal/stats"
)

// results are the sentences of RESULTS.md.
var results = []sentence{
	func(r *reports) string {
		count := map[string]int{} // of numbers that come out, and of all of CatBoost's
		for _, c := range r.rows(grids+"cells.csv").where("protocol", "published", "folds", "10") {
			same, name := c["verdict"] == "reproduced", c["method"]
			switch {
			case name == "catboost" && !same:
				count[name]++
			case same && slices.Contains([]string{"knn", "xgboost", "lightgbm"}, name):
				if count["with MSE"]++; c["metric"] != "mse" {
					count["without"]++
				}
			}
		}
		return fmt.Sprintf("give the paper's numbers to the printed digit, all %d of them on the small data sets (%d with MSE), and CatBoost all but %s",
			count["without"], count["with MSE"], word(count["catboost"]))
	},
	func(r *reports) string {
		same := r.rows(grids+"cells.csv").where("protocol", "published", "verdict", "reproduced")
		printed := slices.DeleteFunc(slices.Clone(same), func(c row) bool { return c["paper_stderr"] == "" })
		return fmt.Sprintf("by its formula %d of the %d spreads of reproduced numbers, MSE included, come out, too", len(printed.where("spread_reproduced", "true")), len(printed))
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
			`(?: Another order on .*?\.)? Differ significantly under published folds: (.+?)\. Differ significantly under corrected folds: (.+?)\.\n`).FindSubmatch(r.text(grids + "table1.md"))
		ranks := r.rows(grids+"mean-ranks.csv").where("protocol", "corrected", "task", "regression", "among", "the paper's methods")
		if change == nil || len(ranks) == 0 {
			return "what the folds change on regression, which the report does not say"
		}
		count := func(i int) string { n, _ := strconv.Atoi(string(change[i])); return word(n) }
		apart := func(i int) string { return strings.ReplaceAll(string(change[i]), ";", ",") }
		k, n := len(ranks), int(ranks[0].number("datasets"))
		return fmt.Sprintf("ranks the %s baselines on %s regression data sets, where the critical difference is %.2f. Pairs at least as far apart: under published folds %s, "+
			"under corrected ones %s. Of %s pairs %s change places with the folds, and of %s the order is tied under one kind of folds",
			word(k), word(n), stats.NemenyiDifference(0.05, k, n), apart(4), apart(5), change[1], count(2), count(3))
	},
	func(r *reports) string {
		low, high := byDefaultBatches(r, "Yacht, RMSE")
		return fmt.Sprintf("with pytorch-tabnet's default batches instead of the grid's it has %s to %s, by which seeds do not exclude the paper's", low, high)
	},
	func(r *reports) string {
		low, high := byDefaultBatches(r, "Breast Cancer, AUROC")
		return fmt.Sprintf("with the default batches it has %s to %s, by which seeds do not exclude the paper's", low, high)
	},
	func(r *reports) string {
		all, run, other := 0, 0, 0 // other: chosen by another search than the paper's
		for _, c := range r.rows(grids+"cells.csv").where("protocol", "published") {
			if c["metric"] != "mse" && c["paper"] != "" && c["method"] != "npt" {
				all++
				if c["verdict"] != "not run" {
					run++
				}
				if c["verdict"] == "not comparable" {
					other++
				}
			}
		}
		return fmt.Sprintf("The paper prints %d means of its eight baselines on nine of its data sets, those of MSE not counted, which say what RMSE says. %d were run, "+
			"and %d of these, chosen among fewer settings than the paper's, are not compared", all, run, other)
	},
	func(r *reports) string {
		reproduced, same := byMistake(r)
		return fmt.Sprintf("set against the paper's number for another method, %s %% of our numbers would be called reproduced, and of those graded by seeds %s %% not excluded", reproduced, same)
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
				return fmt.Sprintf("Our NPTs, the small one and on Protein a larger one, are in place %s of %s on regression under published folds", found[1], found[2])
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

// byMistake is how many percent of our numbers, set against the paper's for another method, would be called reproduced, and of those graded by
// seeds not excluded.
func byMistake(r *reports) (reproduced, same string) {
	found := regexp.MustCompile(`What a verdict is worth: held against the paper's number for another method, (\S+) % of [\d,]+ pairs would be called reproduced; ` +
		`of those graded by seeds (\S+) % would be called not excluded`).FindSubmatch(r.text(grids + "table1.md"))
	if found == nil {
		r.fail(errors.New(grids + "table1.md does not say what a verdict is worth"))
		return "", ""
	}
	return string(found[1]), string(found[2])
}

// byDefaultBatches are the least and the largest of three seeds of TabNet with its library's default batches, if these do not exclude the
// paper's.
func byDefaultBatches(r *reports, name string) (low, high string) {
	line := r.line("baselines/tabnet/PAPER.md", name, 5)
	seeds := strings.Split(line[3], ", ")
	if line[4] != "not excluded by seeds" {
		r.fail(fmt.Errorf("TabNet's %s with default batches: %s", name, line[4]))
	}
	value := func(a, b string) int { return cmp.Compare(number(r, a), number(r, b)) }
	return slices.MinFunc(seeds, value), slices.MaxFunc(seeds, value)
}
