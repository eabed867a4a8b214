package report

import (
	"math"

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

func (e *Entry) judge() {
	e.Verdict = e.standing()
	if e.Verdict != "" {
		return
	}
	e.SpreadReproduced = e.spreadReproduced()
	if printsAs(e.Mean, e.Paper.Mean, e.Paper.Decimals) {
		e.Verdict = Reproduced
		return
	}
	yardstick := e.yardstick()
	if math.IsNaN(yardstick) || yardstick == 0 {
		e.Verdict = Differs
		return
	}
	e.Z = e.Difference() / yardstick
	switch z := math.Abs(e.Z); {
	case z <= 2 && e.testSubset():
		e.Verdict = Reproduced
	case z <= 1:
		e.Verdict = WithinOne
	case z <= 2:
		e.Verdict = WithinTwo
	default:
		e.Verdict = Differs
	}
}

// standing is the verdict on an entry that cannot be compared with the paper's number, and empty on one that can.
func (e *Entry) standing() Verdict {
	records, complete := 0, true
	for _, f := range e.Folds {
		records += f.OK + f.Failed
		complete = complete && f.Complete()
	}
	switch {
	case records == 0:
		return NotRun
	case !complete || len(e.Folds) < e.paperFolds():
		return Partial
	case e.N < len(e.Folds):
		return FailedCell
	case !e.HasPaper:
		return NoPaper
	case e.Protocol != published:
		return NotJudged
	case e.subset() != "" && !e.testSubset():
		return NotComparable
	}
	return ""
}

// testSubset reports whether the training and validation rows are the paper's, and the test rows a part of the paper's.
func (e *Entry) testSubset() bool {
	rows, paper := e.rows(), e.paperRows()
	return e.subset() != "" && rows[0] == paper[0] && rows[1] == paper[1] && rows[2] < paper[2]
}

func (e *Entry) paperRows() [3]int {
	rows, _ := results.PaperSplitRows(e.Info.Name)
	return rows
}

// yardstick is the standard error by which a difference is graded. Over folds it is that of the difference of the two
// means. The numbers of a single split were made on the same rows, or ours on a part of them; what is known of their
// error is that of our metric over the test rows.
func (e *Entry) yardstick() float64 {
	if e.N > 1 {
		return math.Hypot(e.StdErr, e.Paper.StdErr())
	}
	return e.RowStdErr
}

// spreadReproduced reports whether the paper's printed spread is ours. NPT's has ddof 1, that of the baselines ddof 0.
func (e *Entry) spreadReproduced() bool {
	if e.Paper.PrintedSpread == "" || e.N < 2 {
		return false
	}
	ours := e.StdErr0
	if e.Method.Name == "npt" {
		ours = e.StdErr
	}
	if e.Paper.SpreadIsStdDev {
		ours *= math.Sqrt(float64(e.N))
	}
	return printsAs(ours, e.Paper.Spread, e.Paper.SpreadDecimals)
}

// printsAs reports whether x can be rounded to the printed number with that many decimals. A value halfway between two
// printed numbers can be rounded to both, and the last bits of a sum do not count.
func printsAs(x, printed float64, decimals int) bool {
	half := 0.5 * math.Pow10(-decimals)
	return math.Abs(x-printed) <= half*(1+1e-9)
}
