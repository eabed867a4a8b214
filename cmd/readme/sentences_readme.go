package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nptbench/internal/spelling"
	"nptbench/internal/stats"

	"gonum.org/v1/gonum/stat"
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
		x := narrow(r)
		other := func(seed string) string {
			return withoutError(r.line("npt/PAPER.md", narrowNPT+", seed "+seed, 12)[10])
		}
		if other("43") != other("44") {
			return "other means of the narrow NPT under seeds 43 and 44"
		}
		return fmt.Sprintf("An eighth of the width has %s on these folds, and %s by true cross-validation (%s under each of two other seeds)", x[1], x[6], other("43"))
	},
	func(r *reports) string {
		low, high := lookedUp(r)
		return fmt.Sprintf("solves all four, with %.0f to %.0f %% of the paper's error (means of three seeds)", low, high)
	},
	func(r *reports) string {
		first, last := lookedUp(r)
		low, high := inLargerBatches(r)
		return fmt.Sprintf("have %.0f to %.0f %% of its error (means of three seeds), and %.0f to %.0f %% (seed 42) when tested in batches of 1,024 rows",
			first, last, low, high)
	},
	func(r *reports) string {
		low, high := inLargerBatches(r)
		return fmt.Sprintf("in such batches the same networks have %.0f to %.0f %% (seed 42)", low, high)
	},
	func(r *reports) string {
		count, all := map[string]int{}, 0
		for _, c := range r.rows(grids + "cells.csv") {
			if count[c["verdict"]]++; c["method"] == "tabnet" && strings.HasPrefix(c["verdict"], "reproduced") {
				return "that some of TabNet's numbers come out, too"
			}
			if c["protocol"] == "published" && c["paper"] != "" && c["method"] != "npt" {
				all++
			}
		}
		same, part := count["reproduced"], count["reproduced on a part of the test rows"]
		seeds, differ, not := count["same within seeds"], count["differs"], count["not graded"]
		farther := r.rows(grids+"cells.csv").where("protocol", "published", "dataset", "forest-cover", "method", "lightgbm", "metric", "accuracy", "verdict", "not graded")
		return fmt.Sprintf("Of %d numbers of baselines %d come out to the printed digit**, and %d more to within the sampling error of a tenth of Poker Hand's "+
			"test rows; the other %d do not: %d another seed could give, which is a weak test, %d another seed could not, and for %d there are too few seeds to "+
			"say, such as LightGBM's %.1f on Forest Cover (the paper %.1f). (RMSE and MSE count apart; %d of the paper's on these tables have not been run.)",
			same+part+seeds+differ+not, same, part, seeds+differ+not, seeds, differ, not, farther.number("mean"), farther.number("paper"),
			all-(same+part+seeds+differ+not))
	},
	func(r *reports) string {
		ours, paper := r.line("npt/PAPER.md", "NPT, 8 layers, e = 32, 2,000 steps", 7), r.line("npt/PAPER.md", "the paper's NPT", 7)
		return fmt.Sprintf("an accuracy of %s (the paper %s) and an AUROC of %s (%s)", ours[0], paper[0], ours[2], paper[2])
	},
	func(r *reports) string {
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
		theirs := map[string]float64{}
		for title, errors := range others {
			if len(errors) == len(full) {
				theirs[title] = stat.Mean(errors, nil)
			}
		}
		for _, c := range r.rows(grids+"cells.csv").where("dataset", "boston-housing", "protocol", "published", "metric", "rmse") {
			if _, ok := theirs[c["title"]]; ok && c["seeds"] != "" && len(full) == 10 {
				theirs[c["title"]] = c.number("seeds_mean")
			}
		}
		best := slices.SortedFunc(maps.Keys(theirs), func(a, b string) int { return cmp.Compare(theirs[a], theirs[b]) })
		if len(best) < 3 {
			return "the three best other methods on Boston Housing"
		}
		largest := slices.Max(full)
		rest := float64(len(full) - 1)
		lowest := math.Inf(1) // of our networks that mask features, on fold 3
		for _, found := range regexp.MustCompile(`(?m)^\| npt, \d+ layers \| \d+ \| \d+ \| (\S+) \|$`).FindAllSubmatch(r.text("npt/PAPER.md"), -1) {
			rmse, err := strconv.ParseFloat(string(found[1]), 64)
			r.fail(err)
			lowest = min(lowest, rmse)
		}
		return fmt.Sprintf("over %s folds its RMSE is %.2f ± %.2f (the paper %s), on %s of them %.2f on average, and %.2f on one, where [none of our networks "+
			"that mask features, as the paper's do, comes below %.1f](npt/PAPER.md#fold-3-of-boston-housing). The best other methods, %s, %s and %s, "+
			"have %.2f to %.2f (means over the seeds that there are)",
			word(len(full)), ours, oursErr, r.line("npt/PAPER.md", "the paper's NPT", 4)[1], word(len(full)-1),
			(ours*float64(len(full))-largest)/rest, largest, math.Floor(10*lowest)/10, best[0], best[1], best[2], theirs[best[0]], theirs[best[2]])
	},
	func(r *reports) string {
		x, seen := alone(r, "all targets masked"), alone(r, "targets in sight")
		return fmt.Sprintf("On Protein, where the records would show it, ours and a control whose rows attend to themselves alone have an RMSE of %s and %s, means of three "+
			"seeds, the difference %s. Both mask all targets, so that of other rows they see features alone; with targets in sight, as the paper's network has "+
			"most of them there, they have %s and %s", x[0], x[1], x[2], seen[0], seen[1])
	},
	func(r *reports) string {
		return "With smaller networks the control is worse by two standard errors on " + worseAlone(r) + " tables under the first seed"
	},
	func(r *reports) string {
		return "near the paper's number on Boston Housing by true cross-validation, has " + eightAlone(r)
	},
	fullAlone,
	func(r *reports) string {
		return "where the full width has " + r.line("npt/PAPER.md", fullNPT+onGPU, 12)[10]
	},
	func(r *reports) string {
		return "of the " + worseUnderSecondSeed(r)
	},
	func(r *reports) string {
		auroc := func(seed string) string {
			a, _, _ := strings.Cut(r.line("npt/PAPER.md", "seed "+seed, 4)[3], " ")
			return a
		}
		if auroc("43") != auroc("44") {
			return "other values under seeds 43 and 44"
		}
		return fmt.Sprintf("A network of two layers has %s under the same seed and %s under two others", auroc("42"), auroc("43"))
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

// lookedUp is from how many percent of the paper's error to how many NPT has on the forms of the lookup task, means of three seeds.
func lookedUp(r *reports) (low, high float64) {
	low = math.Inf(1)
	for _, c := range r.rows("out/published-lookup-cpu/report/cells.csv").where("method", "npt", "metric", "rmse") {
		if c["paper"] == "" {
			continue
		}
		if c["seeds"] != "3" {
			r.fail(errors.New("no three seeds of " + c["dataset"]))
			return 0, 0
		}
		ours := c.number("seeds_mean")
		low, high = min(low, ours/c.number("paper")), max(high, ours/c.number("paper"))
	}
	return 100 * low, 100 * high
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
		return fmt.Sprintf("%s tables that have a second seed, on %q", word(len(slices.Compact(tables))), worse)
	}
	return fmt.Sprintf("%s tables that have a second seed, on %s", word(len(slices.Compact(tables))), worse[0])
}
