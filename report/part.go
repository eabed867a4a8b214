package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/split"
)

// A Part is what a table shows of a comparison, in a column of its own.
type Part struct {
	Head  string
	Right bool

	needs []split.Protocol // of which the table has numbers, where the column is shown
	cell  func(*Table, comparison) Cell
	fact  func(comparison) (fact, bool) // what it shows as a number, for NAME.csv and figures; nil: nothing of its own
}

var (
	needsPublished = []split.Protocol{split.Published}
	needsCorrected = []split.Protocol{split.Corrected}
)

// The parts of the paper's Tables 8 to 12.
var (
	Ours       = Part{"Ours", true, needsPublished, func(_ *Table, c comparison) Cell { return mean(c.published) }, publishedFact}
	Paper      = Part{"Paper", true, nil, func(_ *Table, c comparison) Cell { return paperValue(c.any()) }, nil}
	Difference = Part{"Difference", true, needsPublished, func(_ *Table, c comparison) Cell { return difference(c.published) }, nil}
	Judgement  = Part{"Verdict", false, needsPublished, func(t *Table, c comparison) Cell { return verdict(t, c.published) }, nil}
	Corrected  = Part{"Corrected folds", true, needsCorrected, func(t *Table, c comparison) Cell { return notedMean(t, c.corrected) }, correctedFact}
	Change     = Part{"Change", true, split.Protocols, protocolChange, nil}
)

// Published is ours where there is no verdict beside it.
var Published = Part{"Published folds", true, needsPublished, func(t *Table, c comparison) Cell { return notedMean(t, c.published) }, publishedFact}

// The parts of tables that have a column for each data set and metric: our complete mean with the paper's in parentheses, and
// our mean under the published and then the corrected protocol.
var (
	Beside     = Part{"", true, needsPublished, beside, publishedFact}
	Correction = Part{"", true, split.Protocols, correction, correctedFact}
)

// OursAlone is our complete mean alone.
var OursAlone = Part{"", true, needsPublished, alone, publishedFact}

// OverSeeds is the mean of our complete means under several seeds, with their standard deviation.
var OverSeeds = Part{"", true, needsPublished, overSeeds, nil}

// Mean is ours, over however many folds there are, with the paper's in parentheses where there is one.
var Mean = Part{"Result (paper's)", true, needsPublished, func(t *Table, c comparison) Cell { return meanBeside(t, c.published, c.titled) }, publishedFact}

// CorrectedAlone is the mean under corrected folds, over however many there are.
var CorrectedAlone = Part{"", true, needsCorrected, func(t *Table, c comparison) Cell { return meanAlone(t, c.corrected, c.titled) }, correctedFact}

// The parts of ablations: what a variant changes against Layout.Base, fold by fold, beside the difference of the paper's means.
var (
	VariantChange = factPart("Change", changeFact, fact.changeCell)
	PValue        = factPart("p", pFact, fact.pCell)
	PaperChange   = Part{"Paper's", true, nil, ofFact(changeFact, fact.paperCell), nil}
	Direction     = Part{"Verdict", false, nil, ofFact(changeFact, fact.directionCell), nil}
)

// The parts of tables of ranks over folds, counted from 0, beside the paper's.
var FoldRank = factPart("Rank (paper's)", rankFact, fact.rankCell)

// factPart is a part that shows a fact of its own.
func factPart(head string, of func(comparison) (fact, bool), write func(fact, *Table, comparison) Cell) Part {
	return Part{head, true, nil, ofFact(of, write), of}
}

// ofFact is the cell of a fact, blank where there is none.
func ofFact(of func(comparison) (fact, bool), write func(fact, *Table, comparison) Cell) func(*Table, comparison) Cell {
	return func(t *Table, c comparison) Cell {
		if f, ok := of(c); ok {
			return write(f, t, c)
		}
		return blank
	}
}

var blank = Cell{Text: none, Tone: Faint}

// mean is ours with its spread, with a digit more than the paper has.
func mean(n *Number) Cell {
	if n == nil || n.N == 0 {
		return blank
	}
	return number(n.text(n.digits()), n.Mean)
}

func (n *Number) text(digits int) string {
	if n.Metric.StdDev {
		return plusMinus(n.Mean, n.StdDev(), digits)
	}
	return plusMinus(n.Mean, n.StdErr, digits)
}

// digits is one more than the paper prints, or would.
func (n *Number) digits() int {
	if n.HasPaper {
		return n.Paper.Decimals + 1
	}
	return n.Metric.Digits + 1
}

// rounded is how many digits an overview shows.
func (n *Number) rounded() int { return max(n.Metric.Digits, n.Paper.Decimals) }

func paperValue(n *Number) Cell {
	if !n.HasPaper {
		return blank
	}
	return number(n.Paper.String(), n.Paper.Mean)
}

func difference(n *Number) Cell {
	if n == nil || !n.HasDifference() {
		return blank
	}
	return number(fmt.Sprintf("%s (%s %%)", signed(n.Difference(), n.digits()), signed(100*n.Difference()/n.Paper.Mean, 1)), n.Difference())
}

// verdict is the cell with a number's verdict and its footnotes.
func verdict(t *Table, n *Number) Cell {
	if n == nil {
		return blank
	}
	text := string(n.Verdict)
	switch {
	case n.Verdict == Reproduced && n.SpreadReproduced:
		text += ", ± too"
	case n.Verdict == NotGraded && len(n.Seeds) > 1:
		text += ": " + plural(len(n.Seeds), "seed", "seeds")
	}
	return Cell{Text: text, Tone: n.Verdict.tone(), Notes: t.notes(n.seedNotes())}
}

func (v Verdict) tone() Tone {
	switch v {
	case Reproduced:
		return Good
	case ReproducedOnPart, SameWithinSeeds, SameDirection:
		return Fair
	case Differs, FailedCell, OppositeDirection:
		return Bad
	case NotRun, NoPaper, NotJudged, NotClear:
		return Faint
	}
	return Neutral
}

// notedMean has no verdict beside it to carry its footnotes.
func notedMean(t *Table, n *Number) Cell {
	if n.failed() {
		return verdict(t, n)
	}
	cell := mean(n)
	if n != nil {
		cell.Notes = t.notes(n.seedNotes())
	}
	return cell
}

// failed reports whether there is no mean because fits have failed.
func (n *Number) failed() bool { return n != nil && n.N == 0 && n.Verdict == FailedCell }

func protocolChange(_ *Table, c comparison) Cell {
	if !c.complete() {
		return blank
	}
	d := c.corrected.Mean - c.published.Mean
	return number(signed(d, c.published.digits()), d)
}

// complete reports whether both protocols have a complete number.
func (c comparison) complete() bool {
	return c.published != nil && c.corrected != nil && c.published.Complete() && c.corrected.Complete()
}

func beside(t *Table, c comparison) Cell {
	if cell, ok := unfinished(t, c.published); ok {
		return cell
	}
	return meanBeside(t, c.published, c.titled)
}

// unfinished is the cell of a number that is not complete: that it failed, or nothing.
func unfinished(t *Table, n *Number) (cell Cell, ok bool) {
	switch {
	case n != nil && n.Verdict == FailedCell:
		return verdict(t, n), true
	case n == nil || !n.Complete():
		return blank, true
	}
	return Cell{}, false
}

func alone(t *Table, c comparison) Cell {
	if cell, ok := unfinished(t, c.published); ok {
		return cell
	}
	return meanAlone(t, c.published, c.titled)
}

func meanAlone(t *Table, n *Number, titled sizes) Cell {
	switch {
	case n.failed():
		return verdict(t, n)
	case n == nil || n.N == 0:
		return blank
	}
	return Cell{Text: n.text(n.Metric.Digits), Value: full(n.Mean), Notes: n.caveats(t, titled)}
}

func overSeeds(_ *Table, c comparison) Cell {
	n := c.published
	if n == nil || len(n.Seeds) < 2 {
		return blank
	}
	mean, deviation := n.overSeeds()
	return number(fmt.Sprintf("%s ± %s (%d)", mean, deviation, len(n.Seeds)), stat.Mean(n.Seeds, nil))
}

func meanBeside(t *Table, n *Number, titled sizes) Cell {
	if n.failed() {
		return verdict(t, n)
	}
	if n == nil || n.N == 0 {
		return blank
	}
	cell := number(n.text(n.rounded()), n.Mean)
	if n.HasPaper {
		cell.Text += " (" + n.Paper.String() + ")"
	}
	if n.Verdict == Reproduced {
		cell.Tone = Good
	}
	cell.Notes = n.caveats(t, titled)
	return cell
}

// caveats are the footnotes without which a mean would be taken for more than it is.
func (n *Number) caveats(t *Table, titled sizes) []int {
	var notes []string
	if subset := n.subset(); subset != "" {
		notes = append(notes, fmt.Sprintf("%s: %s.", n.Info.Title, subset))
	}
	notes = append(notes, n.smallerNote(titled)...)
	if n.Verdict == FailedCell {
		notes = append(notes, n.failedNote()...)
	}
	if n.N < n.paperFolds() {
		notes = append(notes, fmt.Sprintf("Over %d of the paper's %d folds.", n.N, n.paperFolds()))
	}
	return t.notes(notes)
}

func correction(_ *Table, c comparison) Cell {
	if !c.complete() || !c.published.HasPaper {
		return blank
	}
	digits := c.published.rounded()
	return number(decimal(c.published.Mean, digits)+" → "+c.corrected.text(digits), c.published.Mean)
}

func (f fact) changeCell(*Table, comparison) Cell {
	text := signed(f.Mean, f.rounded())
	if !math.IsNaN(f.StdErr) {
		text += " ± " + decimal(f.StdErr, f.rounded())
	}
	return number(text, f.Mean)
}

func (f fact) pCell(*Table, comparison) Cell { return number(decimal(f.Mean, 3), f.Mean) }

func (f fact) paperCell(*Table, comparison) Cell {
	if !f.HasPaper {
		return blank
	}
	text := signed(f.Paper.Mean, f.Paper.Decimals)
	if spread := f.Paper.StdErr(); spread > 0 {
		text += " ± " + decimal(spread, f.Paper.SpreadDecimals)
	}
	return number(text, f.Paper.Mean)
}

// directionCell carries the footnotes of the number, since the change is of it.
func (f fact) directionCell(t *Table, c comparison) Cell {
	notes := f.Notes
	if f.N < c.any().N {
		notes = append(slices.Clone(notes), fmt.Sprintf("Over %d of %d folds.", f.N, len(f.Folds)))
	}
	return Cell{Text: string(f.Verdict), Tone: f.Verdict.tone(), Notes: t.notes(notes)}
}

func (f fact) rankCell(t *Table, c comparison) Cell {
	cell := number(plusMinus(f.Mean, f.StdErr, rankDigits), f.Mean)
	if f.HasPaper {
		cell.Text += " (" + f.Paper.String() + ")"
	}
	notes := f.smallerNote(c.titled)
	if f.N < f.Info.RunFolds {
		notes = append(notes, fmt.Sprintf("Over %d of the paper's %d folds.", f.N, f.Info.RunFolds))
	}
	cell.Notes = t.notes(notes)
	return cell
}

const rankDigits = 2
