// Width asks what NPT's width is worth, which the paper does not vary: its base configuration on Boston Housing with entries of width e
// from 16 to the published 128, and the two-layer network of table1-quick, under both protocols.
package main

import (
	"nptbench/internal/experiment"
	"nptbench/report"
)

var (
	rmse = report.Is("metric", "rmse")
	base = report.Is("dim_hidden", "16")

	means = report.Layout{
		Name: "errors", Title: "Error by width",
		Caption: "Test RMSE ± standard error over folds.",
		Where:   []report.Where{rmse}, Rows: []string{"layers", "dim_hidden"}, Show: []report.Part{report.Published, report.Corrected}, Figure: true,
	}
	changes = report.Layout{
		Name: "changes", Title: "Change by width",
		Caption: "Test RMSE minus that of e = 16 on the same folds, ± standard error.",
		Where:   []report.Where{rmse, report.Is("dim_hidden", "8", "32", "64", "128")},
		Rows:    means.Rows, Columns: []string{"protocol"}, Show: []report.Part{report.VariantChange}, Base: base,
	}
)

var width = experiment.Spec{
	Name:   "width",
	About:  "asks what NPT's width is worth on Boston Housing",
	Sweep:  "npt-width",
	Title:  "NPT by width",
	Says:   "on Boston Housing NPT has entries of width 128 (appendix C.1.2); the paper does not vary it there.",
	Series: []string{"layers", "dim_hidden"},
	Tables: []report.Layout{means, changes},
	Curves: true,
}

func main() { experiment.Main(width) }
