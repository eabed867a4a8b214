// Attention asks to which other rows NPT attends on real data: section 4.4 of the paper, with numbers for its attention maps.
//
// Of every head between datapoints it is measured how much of its weight is on the rows nearest to a test row, against equal weights.
package main

import (
	"nptbench/internal/experiment"
	"nptbench/report"
)

var attention = experiment.Spec{
	Name:   "attention",
	About:  "asks to which other rows NPT attends: the paper's attention maps, with numbers",
	Sweep:  "attention-quick",
	Title:  "Attention",
	Series: []string{"variant"},
	Says:   "on Protein some heads attend more strongly to rows that are near, which shows as a diagonal in maps of rows sorted by distance (section 4.4).",
	Tables: []report.Layout{{
		Name: "heads", Title: "The head that looks most at near rows",
		Caption: "Share of its weight on the 10 nearest other rows, on average over test rows, and what equal weights would give, in percent; ± is over test rows. " +
			"attention-rows.csv has all heads.",
		Where: []report.Where{report.Is("measure", "attention"), report.Is("metric", "best_share", "uniform_share", "above_uniform", "best_layer", "best_head")},
		Rows:  []string{"dataset", "series"}, Columns: []string{"metric"}, Show: []report.Part{report.Beside, report.OfCorrected},
	}},
	Claims: []report.Claim{
		{ID: "attention_near", Says: "On Protein some heads attend more strongly to near rows (section 4.4, appendix B.3.1).", Test: report.Above(0, report.Is("dataset", "protein"), report.Is("metric", "above_uniform"))},
	},
}

func main() { experiment.Main(attention) }
