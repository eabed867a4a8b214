package main

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"nptbench/internal/stats"
	published "nptbench/results"
)

// paper are the sentences of npt/PAPER.md.
var paper = []sentence{
	func(r *reports) string {
		all := besideNarrow(r, "corrected", "")
		for method, p := range all {
			if (p < 0.05) != (method == "knn") {
				return fmt.Sprintf("whether the network with e = 16 is clearly better than %s, where p is %.2f", method, p)
			}
		}
		least := leastHolm(r, all)
		if least < 0.05 {
			return fmt.Sprintf("than which methods it is better after Holm's correction, the smallest p being %.2f", least)
		}
		return fmt.Sprintf("clearly better than k-NN only (p is %.2f by Nadeau and Bengio's corrected t-test), and after Holm's correction for %s comparisons than "+
			"none (the smallest p is %.2f)", all["knn"], word(len(all)), least)
	},
	func(r *reports) string {
		least := leastHolm(r, besideNarrow(r, "published", "3"))
		if least < 0.05 {
			return fmt.Sprintf("which comparisons are clear without fold 3, the smallest p being %.2f", least)
		}
		return fmt.Sprintf("On published folds without fold 3, which was left out after it was seen, none is clear with Holm's correction either (the smallest p is %.2f)", least)
	},
	func(r *reports) string {
		line := r.line(rowsPage, "seed 42", 5)
		return fmt.Sprintf("The self-only network has %s under the seed of %s", withoutError(line[2]), withoutError(line[1]))
	},
	func(r *reports) string {
		all, least, most := map[string]float64{}, math.Inf(1), 0.0
		for _, m := range published.PaperMethods {
			if m.Name == "npt" {
				continue
			}
			_, z, _ := strings.Cut(r.line("npt/PAPER.md", m.Title, 7)[3], " (")
			x := number(r, strings.TrimSuffix(z, ")"))
			all[m.Name] = 2 * (1 - distuv.StudentsT{Sigma: 1, Nu: 9}.CDF(math.Abs(x)))
			least, most = min(least, x), max(most, x)
		}
		return fmt.Sprintf("Over each of the %s it is higher by %.1f to %.1f standard errors of the differences, of which none is clear with Holm's correction "+
			"for %s comparisons (the smallest p is %.2f)", word(len(all)), least, most, word(len(all)), leastHolm(r, all))
	},
	func(r *reports) string {
		processor, gpu := r.line("npt/PAPER.md", fullNPT+", products of bfloat16", 12), r.line("npt/PAPER.md", fullNPT+onGPU, 12)
		return fmt.Sprintf("the paper's width differs from an eighth of it by %s over published folds and by %s over corrected ones", processor[11], gpu[11])
	},
	func(r *reports) string {
		gpu, first, others, most := r.line("npt/PAPER.md", fullNPT+onGPU, 12), "", 0, 0.0
		for _, f := range r.rows(widths).where("protocol", "corrected", "dim_hidden", "128", "complete", "true") {
			if f["fold"] == "0" {
				first = fmt.Sprintf("%s and not %.2f", gpu[0], f.number("test_rmse"))
				continue
			}
			if f["fold"] != fmt.Sprint(others+1) {
				r.fail(fmt.Errorf("corrected folds of full size on the processor are not 1 to %d: there is %s", others+1, f["fold"]))
			}
			rmse := number(r, gpu[count(r, f["fold"])])
			others, most = others+1, max(most, math.Abs(rmse-f.number("test_rmse")))
		}
		return fmt.Sprintf("On fold 0 it has %s; corrected folds 1 to %d, which the processor trained, too, differ by at most %.2f", first, others, most)
	},
	func(r *reports) string {
		var best row
		for _, c := range r.rows(grids+"cells.csv").where("dataset", "boston-housing", "protocol", "corrected", "metric", "rmse") {
			if c["paper"] != "" && c["method"] != "npt" && (best == nil || c.number("mean") < best.number("mean")) {
				best = c
			}
		}
		return fmt.Sprintf("At full size NPT has %s, and %s, the best of the baselines with the settings that were run, %.2f", r.line("npt/PAPER.md", fullNPT+onGPU, 12)[10],
			best["title"], best.number("mean"))
	},
	func(r *reports) string {
		gpu, mean := r.line("npt/PAPER.md", fullNPT+onGPU, 12), number(r, r.line("npt/PAPER.md", fullNPT+", products of bfloat16", 12)[0])/10
		for _, cell := range gpu[1:10] {
			mean += number(r, cell) / 10
		}
		return fmt.Sprintf("With the processor's training of fold 0 in place of the GPU's NPT has %.2f", mean)
	},
}

// besideNarrow are the p of the corrected t-test for the errors on Boston Housing of each method, the two-layer NPT among them, and of the
// narrow NPT of the paper's depth, over all folds of a protocol but one; "": all.
func besideNarrow(r *reports, protocol, without string) map[string]float64 {
	narrow := map[string]row{} // by fold
	for _, f := range r.rows(widths).where("protocol", protocol, "layers", "8", "dim_hidden", "16") {
		if f["fold"] != without {
			narrow[f["fold"]] = f
		}
	}
	all := map[string]float64{}
	for _, m := range published.PaperMethods {
		var theirs, ours []float64
		ratio := 0.0
		for _, f := range r.rows(grids+"folds.csv").where("dataset", "boston-housing", "protocol", protocol, "method", m.Name) {
			if of, has := narrow[f["fold"]]; has {
				theirs, ours = append(theirs, f.number("test_rmse")), append(ours, of.number("test_rmse"))
				ratio += of.number("test_rows") / of.number("train_rows") / float64(len(narrow))
			}
		}
		if len(ours) < 2 || len(ours) < len(narrow) || math.IsNaN(floats.Sum(theirs)+floats.Sum(ours)+ratio) {
			r.fail(fmt.Errorf("%s has %d of the %d folds of the narrow network, or an unfinished one", m.Name, len(ours), len(narrow)))
			return map[string]float64{m.Name: 1}
		}
		all[m.Name] = stats.CorrectedT(stats.Differences(theirs, ours), ratio, 0.95).P
	}
	return all
}

// leastHolm is the smallest of some p after Holm's correction.
func leastHolm(r *reports, p map[string]float64) float64 {
	least := math.Inf(1)
	for _, adjusted := range holm(r, p) {
		least = min(least, adjusted)
	}
	return least
}

// fullNPT is that of full size, which was also trained on a GPU.
const (
	fullNPT = "NPT, 8 layers, e = 128, 2,000 steps"
	onGPU   = ", on a GPU"
)
