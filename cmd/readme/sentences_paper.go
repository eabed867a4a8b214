package main

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/stats"
)

// paper are the sentences of npt/PAPER.md.
var paper = []sentence{
	func(r *reports) string {
		x := narrow(r)
		const ordinary = 3.2
		var folds []float64
		for _, printed := range r.line("npt/PAPER.md", narrowNPT, 12)[:10] {
			rmse, err := strconv.ParseFloat(printed, 64)
			if err != nil {
				r.fail(err)
				return ""
			}
			folds = append(folds, rmse)
		}
		folds[3] = ordinary
		mean, deviation := stat.MeanStdDev(folds, nil)
		return fmt.Sprintf("our narrow network has %s without fold 3, and with an ordinary error of %v there it would have %.2f ± %.2f; the paper has %s",
			x[4], ordinary, mean, deviation/math.Sqrt(float64(len(folds))), x[0])
	},
	func(r *reports) string {
		narrow := map[string]row{} // by fold
		for _, f := range r.rows(widths).where("protocol", "corrected", "layers", "8", "dim_hidden", "16") {
			narrow[f["fold"]] = f
		}
		p := func(method string) float64 {
			var differences []float64
			share := 0.0
			for _, f := range r.rows(grids+"folds.csv").where("dataset", "boston-housing", "protocol", "corrected", "method", method) {
				of := narrow[f["fold"]]
				differences = append(differences, f.number("test_rmse")-of.number("test_rmse"))
				share += of.number("test_rows") / of.number("train_rows") / float64(len(narrow))
			}
			test, err := stats.CorrectedT(differences, share, 0.95)
			if err != nil {
				r.fail(err)
				return math.NaN()
			}
			return test.P
		}
		return fmt.Sprintf("by Nadeau and Bengio's corrected t-test, which knows that folds share training rows, p is %.2f for k-NN, %.2f for the two-layer NPT "+
			"and %.2f for TabNet", p("knn"), p("npt"), p("tabnet"))
	},
}

// narrowNPT is the NPT of published depth and an eighth of the width, as the tables of npt/PAPER.md name it.
const narrowNPT = "NPT, 8 layers, e = 16, 2,000 steps"

// narrow are its numbers in the table of Boston Housing with and without fold 3.
func narrow(r *reports) []string { return r.line("npt/PAPER.md", narrowNPT, 8) }
