// Table1 reproduces the paper's Tables 1 and 8 to 12: NPT against the baselines on ten tables.
//
// It reads a sweep, runs the cells that have no record yet, and writes the tables, each number beside the paper's. An appendix holds
// the data sets and the paper's own sweep, table1-paper, against Tables 14 to 25.
package main

import (
	"nptbench/internal/dataset"
	"nptbench/internal/experiment"
	"nptbench/report"
	"nptbench/results"
)

var headline = report.Layout{
	Where: []report.Where{methods, report.Ranking, report.Is("dataset", "higgs", "breast-cancer", "protein", "boston-housing")},
	Rows:  []string{"method"}, Columns: []string{"dataset"}, Show: []report.Part{report.Ours},
}

// methods are the paper's.
var methods = func() report.Where {
	w := report.Is("method")
	for _, m := range results.PaperMethods {
		w.Values = append(w.Values, m.Name)
	}
	return w
}()

var table1 = experiment.Spec{
	Name:   "table1",
	About:  "reproduces the paper's Tables 1 and 8 to 12, each number beside the paper's",
	Sweep:  "table1-quick",
	Title:  "Table 1",
	Setup:  "table1-paper",
	Curves: true,
	Says: "of nine methods NPT has the best mean rank on binary and on multi-class data sets and the second best on regression, and it is the best " +
		"on 4 of 10 data sets (section 4.1).",
	Claims: []report.Claim{
		{ID: "rank_cls", Says: "NPT has the best mean rank on binary and on multi-class data sets, 2.50 each (section 4.1).",
			Test: report.Place("npt", 1, dataset.Binary, dataset.MultiClass), Count: 2},
		{ID: "rank_reg", Says: "On regression NPT's mean rank, 3.25, is second to CatBoost's, 3.00 (section 4.1).",
			Test: report.Place("npt", 2, dataset.Regression)},
		{ID: "best_on", Says: "NPT is the best on 4 of 10 data sets: Higgs, Breast Cancer, Protein and Boston Housing (section 4.1).",
			Test: report.Best(headline, "NPT"), Count: 4},
	},
}

func main() { experiment.Main(table1) }
