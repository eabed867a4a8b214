package main

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// experiments are the sentences of EXPERIMENTS.md.
var experiments = []sentence{
	func(r *reports) string {
		low, high := lookedUp(r)
		return fmt.Sprintf("The one that validation chose, before test errors were seen, has %.0f to %.0f %% of the paper's errors, as means of three seeds", low, high)
	},
	func(r *reports) string {
		low, high := inLargerBatches(r)
		return fmt.Sprintf("networks trained in those of 256 have %.0f to %.0f %%", low, high)
	},
	func(r *reports) string {
		clear, measured := map[string]int{}, map[string]int{}
		for _, x := range otherRows(r) {
			if math.IsNaN(x.corrupted) {
				continue
			}
			if measured[x.dataset]++; x.corrupted > 2*x.corruptedErr {
				clear[x.dataset]++
			}
		}
		if len(clear) != 4 || clear["Protein"] != 2 || measured["Protein"] != 2 || clear["Poker Hand"] != 1 || measured["Poker Hand"] != 1 {
			return fmt.Sprintf("for which networks predictions get clearly worse: %v of %v", clear, measured)
		}
		return fmt.Sprintf("predictions get clearly worse for both networks that were measured on Protein, for the one on Poker Hand, for %s of %s on Yacht and for %s of %s on Boston Housing",
			word(clear["Yacht"]), word(measured["Yacht"]), word(clear["Boston Housing"]), word(measured["Boston Housing"]))
	},
	func(r *reports) string {
		clearly, worse, compared := worseSelfOnly(r)
		var better []asked // by two standard errors
		for _, x := range otherRows(r) {
			if x.alone < -2*x.aloneErr {
				better = append(better, x)
			}
		}
		if len(better) != 1 || !better[0].fold3 {
			return fmt.Sprintf("where the self-only network is better by two standard errors: %+v", better)
		}
		return fmt.Sprintf("The %d comparisons below are of nine data sets, so that they are not independent; seeds are taken together. *Better* and *worse* are said of the self-only network: "+
			"* *All comparisons.* It is worse by two standard errors in %s of them. It is worse in %d and better in %d. "+
			"It is better by two standard errors in one: by %.1f, on fold 3 of Boston Housing, with 2,000 steps under three seeds", compared, word(clearly), worse, compared-worse,
			-better[0].alone/better[0].aloneErr)
	},
	func(r *reports) string {
		most := map[string]asked{} // the most precise of each data set
		for _, x := range otherRows(r) {
			if slices.Contains([]string{"Kick", "Income", "Poker Hand", "Forest Cover"}, x.dataset) {
				continue // errors that take the two networks for independent
			}
			if x.fold3 {
				continue // which was looked at because of its errors
			}
			if best, has := most[x.dataset]; !math.IsNaN(x.alone) && (!has || x.aloneErr < best.aloneErr) {
				most[x.dataset] = x
			}
		}
		worse, z := 0, 0.0
		for _, x := range most {
			if z += x.alone / x.aloneErr; !math.Signbit(x.alone) {
				worse++
			}
		}
		favoured := "NPT"
		if z < 0 {
			favoured = "the self-only network"
		}
		return fmt.Sprintf("On %s data sets errors are those of differences, and do not take the two networks for independent. Of the most precise comparison on each (fold 3 of Boston Housing left out, which was looked at because of its errors) it is worse in %s and better in %s, and these together favour %s by %.1f standard errors (Stouffer's method)",
			word(len(most)), word(worse), word(len(most)-worse), favoured, math.Abs(z)/math.Sqrt(float64(len(most))))
	},
	func(r *reports) string {
		least, most := worth(r, "Protein")
		_, boston := worth(r, "Boston Housing")
		_, concrete := worth(r, "Concrete")
		_, yacht := worth(r, "Yacht")
		return fmt.Sprintf("within two standard errors of what was measured, it may be worse by %.0f to %.0f %% on Protein, by network, "+
			"by up to %.0f %% on Boston Housing, %.0f %% on Concrete and %.0f %% on Yacht", least, most, boston, concrete, yacht)
	},
	func(r *reports) string {
		p, _ := changes(r)
		leastChange(r, p)
		return fmt.Sprintf("of %s changes on Boston Housing and Yacht one, Yacht's without masking of features, is clear after Holm's correction", word(len(p)))
	},
	func(r *reports) string {
		of := func(variant, column string) float64 {
			return r.rows("out/published-ablation-cpu/report/ablation.csv").where("dataset", "poker-hand", "metric", "accuracy", "variant", variant).number(column)
		}
		return fmt.Sprintf("the paper's NPT has %.1f %%, without masking of features %.1f, without ABA %.1f; a small network has %.1f, %.1f and %.1f %%",
			of("Base", "paper"), of("No feature masking", "paper"), of("No ABA", "paper"), of("Base", "mean"), of("No feature masking", "mean"), of("No ABA", "mean"))
	},
}

// An asked network has a line in the table of otherrows: how much worse it is when other rows are corrupted, and the self-only one. What was
// not measured is NaN.
type asked struct {
	dataset                                  string
	fold3                                    bool // of published folds, alone
	corrupted, corruptedErr, alone, aloneErr float64
}

var askedLine = regexp.MustCompile(`(?m)^\| ([^|,]+), (\d+) layers, e = \d+(?:, no dropout|, 20,000 steps)? \|.*\| (\S+)(?: ± (\S+))? \| [^|]+ \| (\S+)(?: ± (\S+))? \|$`)

var askedNetwork = regexp.MustCompile(`(?m)^\| [^|,]+, \d+ layers, e = .*\|$`)

// otherRows are the lines of that table.
func otherRows(r *reports) (all []asked) {
	value := func(x []byte) float64 {
		if len(x) == 0 || string(x) == "–" {
			return math.NaN()
		}
		return number(r, string(x))
	}
	for _, x := range askedLine.FindAllSubmatch(r.text("EXPERIMENTS.md"), -1) {
		all = append(all, asked{string(x[1]), bytes.Contains(x[0], []byte("| 1, published fold 3 |")), value(x[3]), value(x[4]), value(x[5]), value(x[6])})
	}
	if lines := len(askedNetwork.FindAll(r.text("EXPERIMENTS.md"), -1)); len(all) == 0 || len(all) != lines {
		r.fail(fmt.Errorf("EXPERIMENTS.md: of %d lines of networks %d can be read", lines, len(all)))
	}
	return all
}

// worth is how much worse in percent the self-only networks of a data set may be, within two standard errors: of the network of which that
// is least, and most.
func worth(r *reports, dataset string) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, x := range otherRows(r) {
		if x.dataset == dataset && !math.IsNaN(x.alone) {
			least, most = min(least, x.alone+2*x.aloneErr), max(most, x.alone+2*x.aloneErr)
		}
	}
	return least, most
}

// worseSelfOnly is in how many comparisons the self-only network is worse by two standard errors, and at all, and how many there are. What
// is printed as no difference has a sign, too.
func worseSelfOnly(r *reports) (clearly, worse, compared int) {
	for _, x := range otherRows(r) {
		if math.IsNaN(x.alone) {
			continue
		}
		compared++
		if !math.Signbit(x.alone) {
			worse++
		}
		if x.alone > 2*x.aloneErr {
			clearly++
		}
	}
	return clearly, worse, compared
}

var changeLine = regexp.MustCompile(`(?m)^\| (Yacht|Boston Housing) \| ([^|]+) \|(?: [^|]+ \|){3} ([+-]\S+) ± (\S+) \| [^|]+ \| [^|]+ \|$`)

// changes are the p, by the corrected t-test with nine degrees of freedom, of the ablations' mean changes over ten folds and three seeds, by
// data set and variant, and how many of them are more than two standard errors from 0.
func changes(r *reports) (p map[string]float64, clear int) {
	p = map[string]float64{}
	for _, x := range changeLine.FindAllSubmatch(r.text(ablationsPage), -1) {
		errors := math.Abs(number(r, string(x[3]))) / number(r, string(x[4]))
		p[string(x[1])+", "+string(x[2])] = 2 * (1 - distuv.StudentsT{Sigma: 1, Nu: 9}.CDF(errors))
		if errors > 2 {
			clear++
		}
	}
	if len(p) == 0 {
		r.fail(fmt.Errorf("%s has no table of changes over seeds", ablationsPage))
	}
	return p, clear
}
