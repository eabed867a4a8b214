// Ablation asks what NPT's parts are good for: the paper's Tables 4 and 5 (appendices B.4 and B.5).
//
// Each variant leaves something out of the base configuration, or changes it, and is compared with the base fold by fold.
package main

import (
	"nptbench/internal/experiment"
	"nptbench/report"
)

var (
	base    = report.Is("variant", "Base")
	noABA   = report.Is("variant", "No ABA")
	noMasks = report.Is("variant", "No feature masking")

	// Not the paper's. With allTargets a row can be told from its own features and other rows' alone. In the controls of Base and of
	// allTargets, selfOnly and selfOnlyAllTargets, rows attend to themselves alone in the layers between datapoints.
	allTargets         = "No feature masking, all targets masked"
	selfOnly           = "Self only"
	selfOnlyAllTargets = "Self only, no feature masking, all targets masked"
	table4             = report.Is("variant", "Base", "No semi-supervision", "No target masking", "No feature masking", "No masking", "Feature mask 0.5",
		"Target mask 0.5", "Half the layers", "Twice the layers", "Half the heads", "Twice the heads", "Tradeoff 0.5")

	settings = report.Layout{
		Name: "settings", Title: "What each setting changes (Table 4)",
		Caption: "Change of the test result against Base on the same folds, ± standard error; below 0 the variant is better.",
		Where:   []report.Where{report.Is("dataset", "boston-housing", "protein"), report.Is("variant", table4.Values[1:]...), report.Ranking},
		Group:   "dataset", Rows: []string{"variant"}, Show: []report.Part{report.VariantChange, report.PValue, report.PaperChange, report.Direction},
		Paper: 4, Base: base, Order: true, Figure: true,
	}
	parts = report.Layout{
		Name: "parts", Title: "What attention between attributes and feature masking change (Table 5)",
		Caption: "Change of the test result against Base on the same folds, ± standard error, without the layers between attributes (ABA), and without " +
			"the masking of features; of RMSE below 0 is better, of AUROC (Breast Cancer, Kick, Income, Higgs) and accuracy above 0.",
		Where: []report.Where{report.Is("variant", "No ABA", "No feature masking", allTargets), report.Ranking},
		Group: "dataset", Rows: []string{"variant"}, Show: settings.Show,
		Paper: 5, Base: base,
	}

	alone = []report.Layout{
		withoutOthers("alone", "What other rows give (not in the paper)", "Change against Base where rows attend to themselves alone in the "+
			"layers between datapoints: a network that is told nothing of other rows. Above 0 an RMSE is worse so, an AUROC or an accuracy better.", selfOnly, base.Values[0]),
		withoutOthers("alone-unmasked", "", "The same against networks of which nothing is masked but all targets: "+allTargets+".", selfOnlyAllTargets, allTargets),
	}
)

// withoutOthers has what a variant changes against another one.
func withoutOthers(name, title, caption, variant, against string) report.Layout {
	return report.Layout{
		Name: name, Title: title, Caption: caption, Where: []report.Where{report.Is("variant", variant), report.Ranking},
		Group: "dataset", Rows: []string{"variant"}, Show: []report.Part{report.VariantChange, report.PValue}, Base: report.Is("variant", against),
	}
}

// means are the test results by themselves, as the paper prints them.
func means(name string, table int, conditions ...report.Where) report.Layout {
	return report.Layout{
		Name: name, Caption: "The test results themselves, the paper's in parentheses.", Wide: true, Where: append(conditions, report.Ranking),
		Rows: []string{"variant"}, Columns: []string{"dataset", "metric"}, Show: []report.Part{report.Beside, report.OfCorrected}, Paper: table,
	}
}

var ablation = experiment.Spec{
	Name:  "ablation",
	About: "asks what the parts of NPT are good for: the paper's ablations, Tables 4 and 5",
	Sweep: "ablation-quick",
	Title: "Ablation",
	Says: "layers between attributes help on 6 of 10 data sets and feature masking on 8, most on Poker Hand; other settings matter little " +
		"(Tables 4 and 5).",
	Series: []string{"variant"},
	Tables: append([]report.Layout{settings, means("table4", 4, settings.Where[0], table4), parts,
		means("table5", 5, report.Is("variant", "Base", "No ABA", "No feature masking", allTargets, selfOnly, selfOnlyAllTargets))}, alone...),
	Claims: []report.Claim{
		{ID: "abl2_aba", Says: "Leaving the layers between attributes out helps on Yacht, Concrete and Protein (appendix B.5), hurts on 6 data sets, and changes " +
			"nothing on Income (Table 5).", Test: report.AsPaper(parts, noABA), Count: 9},
		{ID: "abl2_poker", Says: "On Poker Hand the accuracy falls from 99.3 to 57.4 % without them (appendix B.5).",
			Test: report.AsLarge(parts, noABA, report.Is("dataset", "poker-hand"))},
		{ID: "abl2_fm", Says: "Leaving feature masking out hurts on 8 data sets and helps on Yacht (Table 5; by the text of appendix B.5 masking helps on 9 of 10).",
			Test: report.AsPaper(parts, noMasks), Count: 9}, // Income's base has none
		{ID: "abl2_poker_fm", Says: "On Poker Hand the accuracy falls by about 30 points without it (appendix B.5).",
			Test: report.AsLarge(parts, noMasks, report.Is("dataset", "poker-hand"))},
	},
}

func main() { experiment.Main(ablation) }
