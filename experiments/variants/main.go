// Variants ranks the eight variants of NPT-Small among which the paper chooses on its small data sets: Table 13 (appendix C.1.2).
//
// As the paper's code does, the results of Table 1 choose among them by validation in every fold; they stand here beside those of
// every variant by itself.
package main

import (
	"nptbench/internal/experiment"
	"nptbench/report"
)

const chosen = "Chosen by validation"

var (
	eight = report.Is("variant", "Base", "Feature mask 0.2", "Target mask 0.5", "Target mask 0.1", "Twice the heads", "Twice the layers", "Twice both",
		"Cosine cyclic rate")
	loss = report.Is("metric", "rmse", "nll") // RMSE has the order of the squared error, the loss of regression

	ranks = report.Layout{
		Name: "ranks", Title: "Rank orders of the variants (Table 13)",
		Caption: "Mean rank by the loss on test rows among the eight variants, counted from 0 for the best, ± standard error over folds, the paper's in parentheses.",
		Where:   []report.Where{eight, loss}, Group: "dataset", Rows: []string{"variant"}, Show: []report.Part{report.FoldRank},
		Paper: 13, Order: true, Figure: true,
	}
)

var results = report.Layout{
	Name: "results", Title: "A variant for all folds, and the choice by validation in every fold",
	Caption: "Test results ± standard error over folds; the paper has them for the choice alone (Tables 10 and 11).",
	Where:   []report.Where{report.Ranking, report.Is("dataset", "boston-housing", "breast-cancer", "concrete", "yacht")},
	Group:   "dataset", Rows: []string{"variant", "metric"}, Show: []report.Part{report.Mean},
}

// overview has a column for each data set.
func overview(l report.Layout, name string, columns ...string) report.Layout {
	l.Name, l.Title, l.Caption, l.Group, l.Rows, l.Columns = name, "", "The same by data set.", "", l.Rows[:1], columns
	l.Wide, l.Order, l.Figure = true, false, false
	return l
}

var variants = experiment.Spec{
	Name:  "variants",
	About: "ranks the variants of NPT-Small on the small data sets: the paper's Table 13",
	Sweep: "variants-quick",
	Title: "Variants of NPT-Small",
	Says: "of eight variants one that masks part of the targets is the best on each of the four small data sets; the others have no trend " +
		"(Table 13).",
	Series: []string{"variant"},
	Chosen: chosen,
	Tables: []report.Layout{ranks, overview(ranks, "variants", "dataset"), results, overview(results, "chosen", "dataset", "metric")},
	Claims: []report.Claim{
		{ID: "small_target_masking", Says: "One of the two variants with target masking is the best on each of the four data sets (appendix C.1.2).",
			Test: report.Best(ranks, "Target mask 0.5", "Target mask 0.1"), Count: 4},
	},
}

func main() { experiment.Main(variants) }
