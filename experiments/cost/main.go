// Cost says what the methods cost, as far as records say it: the paper's Tables 6 and 7 (appendix B.6).
//
// It runs nothing. Times are those of the records of table1-paper's cells, wherever they come from; a search
// of which a part has none is extrapolated, and marked.
package main

import (
	"nptbench/internal/experiment"
	"nptbench/report"
)

var cost = experiment.Spec{
	Name:     "cost",
	About:    "says what the methods cost, from records: the paper's Tables 6 and 7",
	Sweep:    "table1-paper",
	Title:    "Cost",
	Recorded: true,
	Says: "a search for a baseline on Protein takes 21 seconds (LightGBM) to 14 hours (random forest), training NPT in its one configuration " +
		"12 hours on a GPU (Tables 6 and 7).",
	Tables: []report.Layout{{
		Name: "cost", Title: "The search over all settings, and NPT's training (Tables 6 and 7)",
		Caption: "Core time is by the clock, times threads (of a network on a GPU, of that), of all fits and predictions, whatever else ran on the machine; processor time is what " +
			"they used of it; memory is the peak of the process while a fit ran, in older records with what fits before it left. Beside them the paper's: time × processors, on other machines.",
		Where: []report.Where{report.Is("dataset", "protein", "higgs"), report.Ranking},
		Group: "dataset", Rows: []string{"series"},
		Show: []report.Part{report.CoreTime, report.Processor, report.PeakMemory, report.PaperTime, report.PaperMem}, Order: true, Figure: true,
	}, {
		Name: "prediction", Title: "Prediction", Caption: "Core time that the chosen settings take to predict validation and test rows, mean over folds; where a footnote says so, with other settings.",
		Where: []report.Where{report.Is("dataset", "protein", "kick", "income", "poker-hand", "forest-cover"), report.Ranking},
		Rows:  []string{"series"}, Columns: []string{"dataset"}, Show: []report.Part{report.Prediction}, Wide: true,
	}},
	Claims: []report.Claim{
		{ID: "cost_npt_protein", Says: "NPT's training on Protein took 11h 51m 25s (Table 6).", Test: report.Took("protein", "npt")},
		{ID: "cost_npt_higgs", Says: "NPT's training on Higgs took 5d 22h 12m 7s (Table 7).", Test: report.Took("higgs", "npt")},
		{ID: "cost_rf_mem", Method: "random-forest", Says: "The random forest took 189.18 GB of main memory on Higgs (Table 7)."},
		{ID: "cost_gpu_higgs", Says: "NPT took 19.18 GB of a GPU's memory on Higgs, TabNet 1.18 GB (Table 7)."},
	},
}

func main() { experiment.Main(cost) }
