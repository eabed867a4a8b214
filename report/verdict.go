package report

import (
	"math"

	"nptbench/internal/split"
	"nptbench/results"
)

// A Verdict says how one of our numbers compares with the paper's.
type Verdict string

const (
	NotRun        Verdict = "not run"        // no record yet
	Partial       Verdict = "partial"        // not all folds that the paper's mean is over
	FailedCell    Verdict = "failed"         // every cell has a record, and some fold no result
	NoPaper       Verdict = "no paper value" // nothing to compare with
	NotJudged     Verdict = "not judged"     // the corrected protocol, by which the paper's numbers were not made
	NotComparable Verdict = "not comparable" // other training rows than the paper's
	Reproduced    Verdict = "reproduced"
	WithinOne     Verdict = "within 1 s.e."
	WithinTwo     Verdict = "within 2 s.e."
	Differs       Verdict = "differs"
)

// Verdicts lists all of them in the order in which they are counted.
var Verdicts = []Verdict{
	Reproduced, WithinOne, WithinTwo, Differs, NotComparable, Partial, FailedCell, NotRun, NoPaper, NotJudged,
}

func (n *Number) judge() {
	n.Verdict = n.standing()
	if n.Verdict != "" {
		return
	}
	n.SpreadReproduced = n.spreadReproduced()
	if printsAs(n.Mean, n.Paper.Mean, n.Paper.Decimals) {
		n.Verdict = Reproduced
		return
	}
	yardstick := n.yardstick()
	if math.IsNaN(yardstick) || yardstick == 0 {
		n.Verdict = Differs
		return
	}
	n.Z = n.Difference() / yardstick
	switch z := math.Abs(n.Z); {
	case z <= 2 && n.testSubset():
		n.Verdict = Reproduced
	case z <= 1:
		n.Verdict = WithinOne
	case z <= 2:
		n.Verdict = WithinTwo
	default:
		n.Verdict = Differs
	}
}

// standing is the verdict on an entry that cannot be compared with the paper's number, and empty on one that can.
func (n *Number) standing() Verdict {
	records, complete := 0, true
	for _, f := range n.Folds {
		records += f.OK + f.Failed
		complete = complete && f.Complete()
	}
	switch {
	case records == 0:
		return NotRun
	case !complete || len(n.Folds) < n.paperFolds():
		return Partial
	case n.N < len(n.Folds):
		return FailedCell
	case !n.HasPaper:
		return NoPaper
	case n.Protocol != split.Published:
		return NotJudged
	case n.subset() != "" && !n.testSubset():
		return NotComparable
	}
	return ""
}

// testSubset reports whether the training and validation rows are the paper's, and the test rows a part of the paper's.
func (n *Number) testSubset() bool {
	rows, paper := n.rows(), n.paperRows()
	return n.subset() != "" && rows[0] == paper[0] && rows[1] == paper[1] && rows[2] < paper[2]
}

func (n *Number) paperRows() [3]int {
	rows, _ := results.PaperSplitRows(n.Info.Name)
	return rows
}

// yardstick is the standard error by which a difference is graded. Over folds it is that of the difference of the two
// means. The numbers of a single split were made on the same rows, or ours on a part of them; what is known of their
// error is that of our metric over the test rows.
func (n *Number) yardstick() float64 {
	if n.N > 1 {
		return math.Hypot(n.StdErr, n.Paper.StdErr())
	}
	return n.RowStdErr
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
