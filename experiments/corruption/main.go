// Corruption asks whether NPT's predictions depend on other rows: section 4.3 of the paper and its Table 2.
//
// For every test row all other rows are permuted column by column, and the row is predicted once more. The report has the change
// beside the paper's, and controls whose change is known before: nothing of methods that predict from parameters alone, nor of an
// NPT without layers between datapoints or whose rows attend to themselves alone; much of nearest neighbours.
package main

import (
	"nptbench/internal/experiment"
	"nptbench/internal/measure"
	"nptbench/internal/metric"
	"nptbench/report"
)

var (
	changes = report.Is("metric", "rmse_change", "accuracy_change")
	changed = report.Is("metric", "changed_rows")
	npt     = report.Is("method", "npt")
	whole   = report.Is("variant", "", "targets in sight")
)

const spread = "± is over test rows or, where there are several folds, over these, with Nadeau and Bengio's correction for training rows in common."

func table(name, title, caption string, metrics report.Where) report.Layout {
	return report.Layout{
		Name: name, Title: title, Caption: caption, Where: []report.Where{report.Is("measure", "corruption"), metrics},
		Rows: []string{"series"}, Columns: []string{"dataset", "metric"}, Show: []report.Part{report.Beside, report.OfCorrected}, Figure: name == "corruption",
	}
}

var corruption = experiment.Spec{
	Name:  "corruption",
	About: "asks whether NPT's predictions depend on other rows: the paper's Table 2",
	Sweep: "corruption-quick",
	Title: "Corruption",
	Says: "on most data sets NPT's predictions get worse when all other rows are corrupted, by 20 % of the RMSE on Boston Housing; on " +
		"Breast Cancer they do not (Table 2).",
	Series: []string{"variant"},
	Tables: []report.Layout{
		table("corruption", "What corruption changes (Table 2)", "Minus the increase of the test RMSE in percent, of several folds the mean of theirs, or the change of the accuracy in percentage "+
			"points; negative is worse. In parentheses the paper's. "+spread, changes),
		table("likelihood", "Change of log-likelihood", "Of a test row on average, of classes; negative is worse. It also sees changes that turn no prediction over. "+spread, report.Is("metric", "nll_change")),
		table("changed", "Rows with another prediction", "In percent of the test rows; 0: not a bit of any prediction has changed.", changed),
		table("metrics", "Before and after", "Test metrics of the same rows.", report.Is("metric", "clean_rmse", "corrupted_rmse", "clean_accuracy", "corrupted_accuracy")),
	},
	Claims: []report.Claim{
		{ID: "corr_worse", Says: "Corruption makes NPT worse on Yacht, Protein, Boston Housing and Concrete (Table 2).", Count: 4,
			Test: report.Below(0, npt, whole, changes, report.Is("dataset", "yacht", "protein", "boston-housing", "concrete"))},
		{ID: "corr_none", Says: "It does not on Breast Cancer: 0.0 points (Table 2; asked is no more than 1).",
			Test: report.Near(0, 1, npt, whole, changes, report.Is("dataset", "breast-cancer"))},
		{ID: "corr_classes", Says: "Its accuracy falls on Income, Poker Hand and Higgs (Table 2, by 1.1, 1.1 and 0.5 points; that it falls is what is asked).", Count: 3,
			Test: report.Below(0, npt, whole, changes, report.Is("dataset", "income", "poker-hand", "higgs"))},
		{ID: "corr_protein_worse", Says: "On Protein the corrupted NPT is worse than all baselines, which the clean one is not (section 4.3).",
			Test: report.WorseThanBaselines(measure.CleanRMSE, measure.CorruptedRMSE, metric.RMSE, npt, whole, report.Is("dataset", "protein"))},
		{ID: "corr_zero", Says: "Not the paper's, but so by what they are: forests, boosted trees, MLPs, and an NPT without layers between datapoints or " +
			"whose rows attend to themselves alone do not change by a single bit.", Test: report.Each(
			report.Exactly(0, changed, report.Is("method", "random-forest", "gradient-boosting", "mlp")),
			report.Exactly(0, changed, report.Is("variant", "without ABD", "self only", "targets in sight, self only")))},
		{ID: "corr_neighbours", Method: "knn", Says: "Not the paper's either: nearest neighbours, which are other rows, get worse.", Test: report.Below(0, changes, report.Is("method", "knn"))},
	},
}

func main() { experiment.Main(corruption) }
