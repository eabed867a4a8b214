package report

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"nptbench/internal/metric"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
	"nptbench/results"
)

// A Verdict says how one of our numbers compares with the paper's.
type Verdict string

const (
	NotRun           Verdict = "not run"        // no record yet
	Partial          Verdict = "partial"        // cells without a record, or not the folds that the paper's mean is over
	FailedCell       Verdict = "failed"         // every cell has a record, and some of the paper's folds, or all there are, no result
	Undefined        Verdict = "not defined"    // the metric, on the test rows of some folds, though every fold has a result
	NoPaper          Verdict = "no paper value" // nothing to compare with
	NotJudged        Verdict = "not judged"     // the corrected protocol, by which the paper's numbers were not made
	NotComparable    Verdict = "not comparable" // other training rows than the paper's, a smaller network, another search, or another machine
	Reproduced       Verdict = "reproduced"
	ReproducedOnPart Verdict = "reproduced on a part of the test rows"
	NotExcluded      Verdict = "not excluded by seeds" // the paper's number is where another seed could be
	Differs          Verdict = "differs"               // another seed is unlikely to give it; of a method without any, none can
	NotGraded        Verdict = "not graded"            // too few seeds to say

	// On what a variant changes against another, whatever the size of the networks.
	SameDirection     Verdict = "same direction"         // as in the paper, and clear
	OppositeDirection Verdict = "other direction"        // of what the paper has, and clear
	NotClear          Verdict = "not clear"              // too near to no change to have a direction
	PaperNotClear     Verdict = "clear, the paper's not" // by its own standard error

	Extrapolated Verdict = "extrapolated" // what is not measured, from what is
)

// judge holds the number against the paper's that it has now.
func (n *Number) judge() {
	n.Z, n.SpreadReproduced = math.NaN(), false
	n.Verdict = n.standing()
	if n.Verdict != "" {
		return
	}
	n.SpreadReproduced = n.spreadReproduced()
	prints := printsAs(n.Mean, n.Paper.Mean, n.Paper.Decimals)
	if n.N == 1 && !prints && n.RowStdErr > 0 {
		n.Z = n.Difference() / n.RowStdErr
	}
	switch {
	case !n.asPublished() || n.otherSearch():
		n.Verdict = NotComparable
	case prints && n.Series.Measure != nil && n.Mean == 0 && n.StdErr == 0: // no row turned right or wrong; nor would one of a method that reads one row at a time
		n.Verdict = NotClear
	case n.testSubset() && (prints || math.Abs(n.Z) <= 2):
		n.Verdict = ReproducedOnPart
	case prints:
		n.Verdict = Reproduced
	case n.Series.Method.Deterministic:
		n.Verdict = Differs
	case len(n.Seeds) < leastSeeds:
		n.Verdict = NotGraded
	case n.withinSeeds():
		n.Verdict = NotExcluded
	default:
		n.Verdict = Differs
	}
}

// leastSeeds is how many seeds it takes to say how much a seed changes.
const leastSeeds = 3

// withinSeeds reports whether the paper's number, as far as its digits tell, lies in the interval that has the mean of one
// more seed in 95 % of cases: Student's prediction interval from the means of k seeds, t(0.975, k-1) sd sqrt(1 + 1/k). Where our test rows
// are a part of the paper's, two standard errors of such a sample count, too.
func (n *Number) withinSeeds() bool {
	k := float64(len(n.Seeds))
	mean, sd := stat.MeanStdDev(n.Seeds, nil)
	half := distuv.StudentsT{Sigma: 1, Nu: k - 1}.Quantile(0.975) * sd * math.Sqrt(1+1/k)
	if n.testSubset() && !math.IsNaN(n.RowStdErr) {
		half = math.Hypot(half, 2*n.RowStdErr)
	}
	return math.Abs(n.Paper.Mean-mean) <= half+0.5*math.Pow10(-n.Paper.Decimals)
}

// falsePositives judges our numbers by what the paper has for other methods on the same data set, and counts the verdicts:
// what a verdict is worth can be seen from how often it is given there. That a deterministic method differs is no verdict from seeds,
// and is not counted as one. parts are pairs over a part of the paper's test rows, which are not among the others. MSE is not counted.
func (s *Summary) falsePositives() (pairs, parts int, verdicts map[Verdict]int) {
	verdicts = map[Verdict]int{}
	for _, n := range s.Numbers {
		if n.Metric == metric.MSE || n.Protocol != split.Published || !n.HasDifference() || !n.asPublished() || n.otherSearch() || n.otherTrainingRows() {
			continue
		}
		for _, m := range results.PaperMethods {
			other := *n
			other.Paper, other.HasPaper = results.Paper(n.Info.Name, m.Name, n.Metric.Name)
			if m.Name == n.Series.Method.Name || !other.HasPaper {
				continue
			}
			other.judge()
			if n.testSubset() {
				if parts++; other.Verdict == ReproducedOnPart {
					verdicts[ReproducedOnPart]++
				}
				continue
			}
			pairs++
			if other.Verdict == Reproduced || !n.Series.Method.Deterministic {
				verdicts[other.Verdict]++
			}
		}
	}
	return pairs, parts, verdicts
}

// worth says what a verdict is worth; empty where there is nothing to tell it from.
func (s *Summary) worth() string {
	pairs, parts, verdicts := s.falsePositives()
	percent := func(part, whole int) float64 { return 100 * float64(part) / float64(whole) }
	var texts []string
	if pairs > 0 {
		texts = append(texts, fmt.Sprintf("%.1f %% of %s would be called reproduced", percent(verdicts[Reproduced], pairs), spelling.Count(pairs, "pair")))
	}
	open := verdicts[NotExcluded]
	if all := open + verdicts[Differs]; all > 0 {
		texts = append(texts, fmt.Sprintf("of those graded by seeds %.1f %% would be called not excluded", percent(open, all)))
	}
	if parts > 0 {
		texts = append(texts, fmt.Sprintf("%.1f %% of %s whose test rows are a part of the paper's would be called reproduced on that part",
			percent(verdicts[ReproducedOnPart], parts), spelling.Count(parts, "pair")))
	}
	if texts == nil {
		return ""
	}
	return "What a verdict is worth: held against the paper's number for another method, " + strings.Join(texts, "; ") + "."
}

// standing is the verdict on a number that cannot be compared with the paper's number, and empty on one that can.
func (n *Number) standing() Verdict {
	ok, failed, missing := n.counts()
	switch {
	case ok+failed == 0:
		return NotRun
	case ok+missing == 0:
		return FailedCell
	case missing > 0 || n.HasPaper && !n.onPaperFolds():
		return Partial
	case n.N < len(n.Folds) && n.N+len(n.undefined) == len(n.Folds):
		return Undefined
	case n.N < len(n.Folds):
		return FailedCell
	case !n.HasPaper:
		return NoPaper
	case n.Protocol != split.Published:
		return NotJudged
	case n.otherTrainingRows():
		return NotComparable
	}
	return ""
}

// otherTrainingRows reports whether the number is by other training rows than the paper's.
func (n *Number) otherTrainingRows() bool { return n.trainingSubset() || n.besideCopies() }

// besideCopies reports whether the number is by all training rows and copies, and the paper's by the copies alone, as those of k-NN and DKL
// are.
func (n *Number) besideCopies() bool {
	return n.Info.Copies != nil && n.HasPaper && n.Series.Method.Name != "npt"
}

// spreadReproduced reports whether the paper's printed spread is ours. NPT's has ddof 1, that of the baselines ddof 0.
func (n *Number) spreadReproduced() bool {
	if n.Paper.PrintedSpread == "" || n.N < 2 {
		return false
	}
	ours := n.StdErr0
	if n.Series.Method.Name == "npt" {
		ours = n.StdErr
	}
	if n.Paper.SpreadIsStdDev {
		ours *= math.Sqrt(float64(n.N))
	}
	return printsAs(ours, n.Paper.Spread, n.Paper.SpreadDecimals)
}

// printsAs reports whether x can be rounded to the printed number with that many decimals. A value halfway between two
// printed numbers can be rounded to both, and the last bits of a sum do not count.
func printsAs(x, printed float64, decimals int) bool {
	half := 0.5 * math.Pow10(-decimals)
	return math.Abs(x-printed) <= half*(1+1e-9)
}
