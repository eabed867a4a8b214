package main

import (
	"fmt"
	"math"
)

const ablationsPage = "experiments/ABLATIONS.md"

// ablations are the sentences of experiments/ABLATIONS.md.
var ablations = []sentence{
	func(r *reports) string {
		direction := map[string]bool{} // of a clear change on a single split: is it the paper's?
		for _, c := range r.rows("out/published-ablation-cpu/report/ablation.csv") {
			if verdict := c["verdict"]; verdict == "same direction" || verdict == "other direction" {
				direction[c["dataset"]+c["variant"]] = verdict == "same direction"
			}
		}
		same := 0
		for _, yes := range direction {
			if yes {
				same++
			}
		}
		return fmt.Sprintf("On single splits, of one training each, where the paper prints no errors, %d of %d clear changes have the paper's direction", same, len(direction))
	},
	func(r *reports) string {
		p, clear := changes(r)
		least, others := leastChange(r, p)
		return fmt.Sprintf("%s of our %s changes are more than two standard errors from 0. By the corrected t-test with Holm's correction one is left, "+
			"Yacht's without masking of features (p = %.3f; at least %.2f for the others)", word(clear), word(len(p)), least, math.Floor(100*others)/100)
	},
	func(r *reports) string {
		yacht := r.rows("out/published-ablation/report/cells.csv").where("dataset", "yacht", "metric", "rmse", "method", "npt")
		base, without := yacht.where("variant", "Base"), yacht.where("variant", "No feature masking")
		return fmt.Sprintf("without it the RMSE falls from %.2f to %.2f, in the paper from %.2f to %.2f",
			base.number("mean"), without.number("mean"), base.number("paper"), without.number("paper"))
	},
	func(r *reports) string {
		of := func(variant, column string) float64 {
			return math.Abs(r.rows("out/published-ablation-cpu/report/ablation.csv").where("experiment", "ablation/settings", "dataset", "protein", "metric", "rmse_change",
				"variant", variant).number(column))
		}
		features, both := "No feature masking", "No masking"
		return fmt.Sprintf("Half of the features masked costs %.2f in RMSE; masking half of the targets or all helps. "+
			"But without masking of features the RMSE is %.2f lower, and with all targets masked, too, %.2f, where the paper's is %.2f and %.2f higher",
			of("Feature mask 0.5", "mean"), of(features, "mean"), of(both, "mean"), of(features, "paper"), of(both, "paper"))
	},
	func(r *reports) string {
		without := func(dataset, part string) (ours, paper float64) {
			change := r.rows("out/published-ablation-cpu/report/ablation.csv").where("dataset", dataset, "metric", "accuracy_change", "variant", part)
			return change.number("mean"), change.number("paper")
		}
		poker, pokerPaper := without("poker-hand", "No ABA")
		unmaskedForest, forestPaper := without("forest-cover", "No feature masking")
		unmasked, unmaskedPaper := without("poker-hand", "No feature masking")
		return fmt.Sprintf("on Poker Hand the accuracy is %.1f points lower without it, in the paper %.1f. Without masking of features three of the six "+
			"that have this variant are much better, where the paper's are worse: Protein, as above; Forest Cover by %.1f points, in the paper "+
			"%.1f lower; and Poker Hand by %.1f, in the paper %.1f lower", -poker, -pokerPaper, unmaskedForest, -forestPaper, unmasked, -unmaskedPaper)
	},
	func(r *reports) string {
		hidden := func(dataset, variant string) float64 {
			return r.rows("out/published-ablation-cpu/report/ablation.csv").where("dataset", dataset, "metric", "accuracy", "variant", variant).number("mean")
		}
		var of []any
		for _, dataset := range []string{"forest-cover", "poker-hand"} {
			for _, variant := range []string{"No feature masking, all targets masked", "No feature masking"} {
				of = append(of, hidden(dataset, variant))
			}
		}
		return fmt.Sprintf("With all targets masked, too, which the paper has on Protein and Boston Housing alone, Forest Cover has %.1f %% (%.1f with targets in sight), and Poker Hand %.1f %% (%.1f)",
			of...)
	},
}

// leastChange is the p of Yacht's change without masking of features after Holm's correction for all changes, and the least of the others.
func leastChange(r *reports, p map[string]float64) (unmasked, others float64) {
	of := holm(r, p)
	const yacht = "Yacht, No feature masking"
	unmasked, others = of[yacht], 1
	for name, x := range of {
		if name != yacht {
			others = min(others, x)
		}
	}
	if unmasked >= 0.05 || others < 0.05 {
		r.fail(fmt.Errorf("which changes are clear with Holm's correction: %v", of))
	}
	return unmasked, others
}
