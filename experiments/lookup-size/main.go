// Lookup-size asks how small a network can be and still look targets up in other rows, which the paper does not say: networks of
// different depths, widths and numbers of heads on the original form of its semi-synthetic task (section 4.2).
//
// Layers are attention between datapoints (ABD) and between attributes (ABA) in turn: two layers have one ABD.
package main

import (
	"nptbench/internal/experiment"
	"nptbench/report"
)

func table(name, title, caption, metric string) report.Layout {
	return report.Layout{
		Name: name, Title: title, Caption: caption, Where: []report.Where{report.Is("metric", metric)},
		Group: "layers", Rows: []string{"dim_hidden"}, Columns: []string{"heads"}, Show: []report.Part{report.Beside},
	}
}

var size = experiment.Spec{
	Name:   "lookup-size",
	About:  "asks how small a network can be and still look targets up in other rows",
	Sweep:  "lookup-size",
	Title:  "The smallest network that looks up",
	Says:   "it does not say how small a network can be that learns its semi-synthetic task (section 4.2); its own has 8 layers of width 128.",
	Series: []string{"layers", "dim_hidden", "heads"},
	Tables: []report.Layout{
		table("correlation", "Correlation", "Pearson's r between predictions and targets of test rows.", "correlation"),
		table("rmse", "RMSE", "Test root mean squared error in the units of Protein's target; whoever predicts the mean has 6.1.", "rmse"),
	},
	Curves: true,
}

func main() { experiment.Main(size) }
