// Deletion asks which other rows NPT's predictions need: section 4.4 of the paper and Algorithm 2 in its appendix B.3.2.
//
// Other rows of a test row's batch are deleted one by one, at random, while its prediction stays about the same. Those that are kept
// should be more like the test row than as many random rows, and than those deleted.
package main

import (
	"nptbench/internal/experiment"
	"nptbench/report"
)

func table(name, title, caption string, metrics ...string) report.Layout {
	return report.Layout{
		Name: name, Title: title, Caption: caption, Where: []report.Where{report.Is("measure", "deletion"), report.Is("metric", metrics...)},
		Group: "dataset", Rows: []string{"series", "measured"}, Columns: []string{"metric"}, Show: []report.Part{report.Beside, report.OfCorrected},
	}
}

// The paper's two versions, by the share of rows at which they stop, and its data set.
var (
	first   = report.Is("remaining", "0.02")
	second  = report.Is("remaining", "0.01")
	protein = report.Is("dataset", "protein")
)

var deletion = experiment.Spec{
	Name:   "deletion",
	About:  "asks which other rows NPT's predictions need: the paper's data deletion, Algorithm 2",
	Sweep:  "deletion-quick",
	Title:  "Deletion",
	Series: []string{"variant"},
	Says: "when other rows are deleted as long as a prediction on Protein changes by less than 10 %, those kept are nearer to the test row than " +
		"random ones (p = 8.77e-130) and than those deleted (section 4.4).",
	Tables: []report.Layout{
		table("distances", "Distances", "Mean squared distance of test rows to other rows, over all encoded features; ± is over test rows.",
			"kept_distance", "random_distance", "deleted_distance", "kept_nearer"),
		table("tests", "Tests, and how many rows are left", "Decimal logarithms of the one-sided p of Wilcoxon's signed-rank test, which counts where it is at "+
			"most 0.01, -2 here; that against the rows deleted, which are many more, says less, since a mean of few distances is often below one of many, whichever they are; "+
			"the share of rows kept; test rows in percent of which less than 10 % and 1 % of the rows were kept (the paper: 99.5 and 79.5 with its second version).",
			"log10_p_random", "log10_p_deleted", "remaining_rows", "to_10_percent", "to_1_percent"),
	},
	Claims: []report.Claim{
		{ID: "del_p_kr", Says: "The rows kept are nearer than random ones (p = 8.77e-130 on 5,567 test rows of Protein, appendix B.3.2).",
			Test: report.Significant(0.01, first, protein, report.Is("metric", "log10_p_random"))},
		{ID: "del_p_kd", Says: "They are nearer than those deleted (p below 1e-300, appendix B.3.2).", Test: report.Tells(first, protein, report.Is("metric", "log10_p_deleted"))},
		{ID: "del2_p_kr", Says: "So they are in the second version, where less may change (p = 8.38e-39 on 398 test rows, appendix B.3.2).",
			Test: report.Significant(0.01, second, protein, report.Is("metric", "log10_p_random"))},
		{ID: "del2_p_kd", Says: "And nearer than those deleted (p = 5.26e-49, appendix B.3.2).", Test: report.Tells(second, protein, report.Is("metric", "log10_p_deleted"))},
		{ID: "del_to_10pct", Says: "There 99.5 % of the test rows need no more than 10 % of the other rows (appendix B.3.2).",
			Test: report.Tells(second, protein, report.Is("metric", "to_10_percent"))},
		{ID: "del_to_1pct", Says: "And 79.5 % no more than 1 % (appendix B.3.2).", Test: report.Tells(second, protein, report.Is("metric", "to_1_percent"))},
	},
}

func main() { experiment.Main(deletion) }
