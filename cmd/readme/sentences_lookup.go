package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
)

const lookupPage = "experiments/LOOKUP.md"

// lookup are the sentences of experiments/LOOKUP.md.
var lookup = []sentence{
	func(r *reports) string {
		of := r.rows("out/published-lookup/report/lookup.csv").where("method", "npt", "metric", "correlation")
		plain, hardest := of.where("dataset", "lookup").number("mean"), of.where("dataset", "lookup-random-add-one").number("mean")
		if fmt.Sprintf("%.4f", plain) != fmt.Sprintf("%.4f", hardest) {
			return fmt.Sprintf("Pearson's r on held-out rows is %.4f and %.4f", plain, hardest)
		}
		return fmt.Sprintf("Pearson's r on held-out rows is %.4f on both", plain)
	},
	func(r *reports) string {
		low, high := inLargerBatches(r)
		return fmt.Sprintf("The networks trained in batches of 256 have %.0f to %.0f %% of the paper's error in the same form", low, high)
	},
	func(r *reports) string {
		return fmt.Sprintf("those trained in batches of 1,024 have %.0f %% of it in the plain form, %.0f %% with add one, and %.0f %% in the hardest",
			ofPaper(r, "1,024", "lookup"), ofPaper(r, "1,024", "lookup-add-one"), ofPaper(r, "1,024", "lookup-random-add-one"))
	},
	func(r *reports) string {
		found := regexp.MustCompile(`(?m)^\| Random features \| r = 0\.70\S+ RMSE \S+ \| r = \S+ RMSE (\S+) \|`).FindSubmatch(r.text(lookupPage))
		if found == nil {
			return "what a second seed gives"
		}
		rmse := number(r, string(found[1]))
		paper := r.rows("out/published-lookup-cpu/report/cells.csv").where("method", "npt", "metric", "rmse", "dataset", "lookup-random")
		return fmt.Sprintf("A second seed, 43, has learned it, with %.0f %% of the paper's error", 100*rmse/paper.number("paper"))
	},
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
