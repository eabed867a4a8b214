package main

import (
	"fmt"
	"slices"
	"strings"
)

const lookupPage = "experiments/LOOKUP.md"

// lookup are the sentences of experiments/LOOKUP.md.
var lookup = []sentence{
	func(r *reports) string {
		of := r.rows("out/published-lookup/report/lookup.csv").where("method", "npt")
		plain, hardest := of.where("dataset", "lookup"), of.where("dataset", "lookup-random-add-one")
		r1, r2 := plain.where("metric", "correlation").number("mean"), hardest.where("metric", "correlation").number("mean")
		if fmt.Sprintf("%.4f", r1) != fmt.Sprintf("%.4f", r2) {
			return fmt.Sprintf("r is %.4f and %.4f", r1, r2)
		}
		return fmt.Sprintf("has an RMSE of %.2f on the plain form and %.2f on the hardest, and r is %.4f on both",
			plain.where("metric", "rmse").number("mean"), hardest.where("metric", "rmse").number("mean"), r1)
	},
	func(r *reports) string {
		of := r.rows("out/published-lookup-cpu/report/lookup.csv").where("method", "npt")
		low, high := of.where("metric", "best_share").span("mean")
		uniform, _ := of.where("metric", "uniform_share").span("mean")
		return fmt.Sprintf("puts %.1f to %.1f %% of its weight on the copy, where uniform attention would put %.1f %%", low, high, uniform)
	},
	func(r *reports) string {
		low, high := r.rows("out/published-lookup-cpu/report/lookup.csv").where("method", "npt", "metric", "slope").span("mean")
		return fmt.Sprintf("the prediction follows with a slope of %.3f to %.3f", low, high)
	},
	func(r *reports) string {
		rmse := r.rows("out/published-lookup-coded/report/lookup.csv").where("method", "npt", "metric", "rmse")
		return fmt.Sprintf("RMSEs of %.2f and %.2f are about what features alone give", rmse.where("variant", "41,600 steps").number("mean"), rmse.where("variant", "20,800 steps").number("mean"))
	},
	func(r *reports) string {
		cells := r.rows("out/published-lookup-cpu/report/lookup.csv").where("dataset", "lookup-random", "method", "knn", "metric", "rmse")
		coded := r.rows("out/published-lookup-coded/report/lookup.csv").where("method", "knn", "metric", "rmse")
		one, best := cells.where("variant", "1 neighbour"), cells.where("variant", "chosen by validation")
		return fmt.Sprintf("The paper's k-NN (%.2f with one neighbour, %.2f with the best number) is nearer to ours in the form of its text (%.2f, %.2f) than in the code's (%.2f, %.2f)",
			one.number("paper"), best.number("paper"), one.number("mean"), best.number("mean"),
			coded.where("variant", "1 neighbour").number("mean"), coded.where("variant", "chosen by validation").number("mean"))
	},
	func(r *reports) string {
		all := r.rows("out/published-lookup-size/report/lookup-size.csv").where("metric", "correlation")
		var two rows
		for _, c := range all {
			if strings.HasPrefix(c["variant"], "2, ") {
				two = append(two, c)
			}
		}
		_, most := two.span("mean")
		return fmt.Sprintf("r is at most %.3f. With four, e = 4 and one head are enough: r is %.4f", most, all.where("variant", "4, 4, 1").number("mean"))
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
		paper := r.rows("out/published-lookup-cpu/report/cells.csv").where("method", "npt", "metric", "rmse", "dataset", "lookup-random").number("paper")
		ours := r.rows("out/published-lookup-batches/report/cells.csv").where("dataset", "lookup-random", "metric", "rmse", "variant", "trained in batches of 1,024", "seeds", "2")
		second := 2*ours.number("seeds_mean") - ours.number("mean")
		return fmt.Sprintf("A second seed, 43, has learned it, with %.0f %% of the paper's error", 100*second/paper)
	},
}

// lookedUp is from how many percent of the paper's error to how many the NPT that validation chose, before test errors were seen, has on the
// forms of the lookup task.
func lookedUp(r *reports) (low, high float64) {
	var shares []float64
	for _, form := range []string{"Lookup", "Random features", "Add one", "Random features, add one"} {
		shares = append(shares, number(r, r.line(lookupPage, form+" | 8 | 20,800", 4)[3]))
	}
	return slices.Min(shares), slices.Max(shares)
}

// inLargerBatches is the same of the networks of lookup-batches that were trained in smaller ones.
func inLargerBatches(r *reports) (low, high float64) {
	var shares []float64
	for _, form := range []string{"lookup", "lookup-random", "lookup-add-one", "lookup-random-add-one"} {
		shares = append(shares, ofPaper(r, "256", form))
	}
	return slices.Min(shares), slices.Max(shares)
}

// ofPaper is how many percent of the paper's error a network of lookup-batches has that was trained in batches of that size.
func ofPaper(r *reports, trained, form string) float64 {
	paper := r.rows("out/published-lookup-cpu/report/cells.csv").where("method", "npt", "metric", "rmse", "dataset", form)
	ours := r.rows("out/published-lookup-batches/report/lookup.csv").where("metric", "batch_size_rmse", "dataset", form,
		"variant", "trained in batches of "+trained+", batch_size")
	return 100 * ours.number("mean") / paper.number("paper")
}
