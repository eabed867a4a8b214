package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
	"nptbench/internal/stats"
)

// A Part is what a table shows of a comparison, in a column of its own.
type Part struct {
	Head  string
	Right bool

	needs []split.Protocol // of which the table has numbers, where the column is shown
	cell  func(*Table, comparison) Cell
	fact  func(comparison) (fact, bool) // what it shows as a number, for NAME.csv and figures; nil: nothing of its own
}

// The parts of the paper's Tables 8 to 12. Published is ours where there is no verdict beside it.
var (
	Ours        = numberPart("Ours", split.Published, (*Number).meanCell)
	Published   = numberPart("Published folds", split.Published, (*Number).notedMean)
	Corrected   = numberPart("Corrected folds", split.Corrected, (*Number).notedMean)
	paper       = Part{"Paper", true, nil, func(_ *Table, c comparison) Cell { return paperValue(c.any()) }, nil}
	difference  = numberPart("Difference", split.Published, (*Number).differenceCell).withoutFact()
	verdictPart = Part{"Verdict", false, []split.Protocol{split.Published}, ofNumber(split.Published, (*Number).verdictCell), nil}
	change      = Part{"Change", true, split.Protocols, protocolChange, nil}
)

// The parts of tables that have a column for each data set and metric: complete means with the paper's, those of corrected folds, and means
// over seeds with their deviation.
var (
	Beside      = numberPart("", split.Published, ifComplete((*Number).besidePaper))
	OfCorrected = numberPart("corrected folds", split.Corrected, ifComplete((*Number).alone))
	oursAlone   = numberPart("", split.Published, ifComplete((*Number).alone))
	OverSeeds   = numberPart("", split.Published, (*Number).overSeedsCell).withoutFact()
	corrections = Part{"", true, split.Protocols, correction, factUnder(split.Corrected)}
)

// Mean is ours over however many folds there are, with the paper's in parentheses where there is one.
var (
	Mean           = numberPart("Result (paper's)", split.Published, (*Number).besidePaper)
	correctedAlone = numberPart("", split.Corrected, (*Number).alone)
)

// The parts of ablations: what a variant changes against Layout.Base, fold by fold, beside the difference of the paper's means.
var (
	VariantChange = factPart("Change", changeFact, fact.changeCell)
	PValue        = factPart("p", pFact, fact.pCell)
	PaperChange   = factPart("Paper's", changeFact, fact.paperCell).withoutFact()
	Direction     = Part{"Verdict", false, nil, ofFact(changeFact, fact.directionCell), nil}
)

// FoldRank is the mean rank over folds, counted from 0, with the paper's.
var FoldRank = factPart("Rank (paper's)", rankFact, fact.rankCell)

// numberPart is a part that shows the number under a protocol.
func numberPart(head string, of split.Protocol, write func(*Number, *Table, sizes) Cell) Part {
	return Part{head, true, []split.Protocol{of}, ofNumber(of, write), factUnder(of)}
}

// withoutFact is the part without its fact, which another part already has.
func (p Part) withoutFact() Part {
	p.fact = nil
	return p
}

// ofNumber is the cell of a number, blank where there is none. The sizes are those in the title of its row.
func ofNumber(of split.Protocol, write func(*Number, *Table, sizes) Cell) func(*Table, comparison) Cell {
	return func(t *Table, c comparison) Cell {
		if n := c.under(of); n != nil {
			return write(n, t, c.titled)
		}
		return blank
	}
}

// ifComplete is the cell of a number that is complete, or says that it failed.
func ifComplete(write func(*Number, *Table, sizes) Cell) func(*Number, *Table, sizes) Cell {
	return func(n *Number, t *Table, titled sizes) Cell {
		switch {
		case n.lacksFolds():
			return n.verdictCell(t, titled)
		case !n.Complete():
			return blank
		}
		return write(n, t, titled)
	}
}

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

// meanCell is ours with its spread, with a digit more than the paper has.
func (n *Number) meanCell(*Table, sizes) Cell {
	if n.N == 0 {
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
	return n.shown() + 1
}

// rounded is how many digits an overview shows.
func (n *Number) rounded() int { return max(n.shown(), n.Paper.Decimals) }

// shown is the same beside no number of the paper.
func (n *Number) shown() int { return n.Metric.Digits + n.finer }

// mostDecimals are shown of a number.
const mostDecimals = 12

// scale has the numbers of somebody's own data set with so many decimals that three digits of the middle one are shown: errors are in the
// units of its target.
func (s *Summary) scale() {
	type column struct{ dataset, metric string }
	columns := map[column][]*Number{}
	for _, n := range s.Numbers {
		if at := (column{n.Info.Name, n.Metric.Name}); !dataset.BuiltIn(n.Info.Name) && n.N > 0 && n.Mean != 0 {
			columns[at] = append(columns[at], n)
		}
	}
	for _, numbers := range columns {
		slices.SortFunc(numbers, func(a, b *Number) int { return cmp.Compare(math.Abs(a.Mean), math.Abs(b.Mean)) })
		middle := math.Abs(numbers[len(numbers)/2].Mean)
		for _, n := range numbers {
			n.finer = max(0, min(mostDecimals, 2-int(math.Floor(math.Log10(middle))))-n.Metric.Digits)
		}
	}
}

func paperValue(n *Number) Cell {
	if !n.HasPaper {
		return blank
	}
	return number(n.Paper.String(), n.Paper.Mean)
}

func (n *Number) differenceCell(*Table, sizes) Cell {
	if !n.HasDifference() {
		return blank
	}
	text := Signed(n.Difference(), n.digits())
	if n.Paper.Mean != 0 {
		text += fmt.Sprintf(" (%s %%)", Signed(100*n.Difference()/n.Paper.Mean, 1))
	}
	return number(text, n.Difference())
}

// verdictCell is the cell with a number's verdict and its footnotes.
func (n *Number) verdictCell(t *Table, _ sizes) Cell {
	text := string(n.Verdict)
	switch {
	case n.Verdict == Reproduced && n.SpreadReproduced:
		text += ", ± too"
	case n.Verdict == NotGraded && len(n.Seeds) > 1:
		text += ": " + spelling.Count(len(n.Seeds), "seed")
	}
	return Cell{Text: text, Tone: n.Verdict.tone(), Notes: t.notes(n.footnotes())}
}

// notedMean has no verdict beside it to carry its footnotes.
func (n *Number) notedMean(t *Table, titled sizes) Cell {
	if n.failed() {
		return n.verdictCell(t, titled)
	}
	cell := n.meanCell(t, titled)
	cell.Notes = t.notes(n.footnotes())
	return cell
}

// failed reports whether there is no mean because fits have failed, or because the metric is defined on no fold.
func (n *Number) failed() bool { return n.N == 0 && n.lacksFolds() }

// lacksFolds reports whether fits have failed, or the metric is not defined, on some folds at least.
func (n *Number) lacksFolds() bool { return n.Verdict == FailedCell || n.Verdict == Undefined }

// hasOutcome reports whether there is a number with a mean, or one that failed.
func (n *Number) hasOutcome() bool { return n != nil && (n.N > 0 || n.failed()) }

func protocolChange(_ *Table, c comparison) Cell {
	if !c.complete() {
		return blank
	}
	d := c.corrected.Mean - c.published.Mean
	return number(Signed(d, c.published.digits()), d)
}

// complete reports whether both protocols have a complete number.
func (c comparison) complete() bool {
	return c.published != nil && c.corrected != nil && c.published.Complete() && c.corrected.Complete()
}

func (n *Number) overSeedsCell(t *Table, _ sizes) Cell {
	if len(n.Seeds) < 2 {
		return blank
	}
	mean, deviation := n.overSeeds()
	cell := number(fmt.Sprintf("%s ± %s (%d)", mean, deviation, len(n.Seeds)), stat.Mean(n.Seeds, nil))
	cell.Notes = t.notes(n.undefinedNote())
	return cell
}

func (n *Number) alone(t *Table, titled sizes) Cell { return n.roundedMean(n.shown(), t, titled) }

func (n *Number) besidePaper(t *Table, titled sizes) Cell {
	cell := n.roundedMean(n.rounded(), t, titled)
	if n.N > 0 && n.HasPaper {
		cell.Text += " (" + n.Paper.String() + ")"
	}
	if n.Verdict == Reproduced {
		cell.Tone = Good
	}
	return cell
}

// roundedMean has so many digits, with its caveats.
func (n *Number) roundedMean(digits int, t *Table, titled sizes) Cell {
	switch {
	case n.failed():
		return n.verdictCell(t, titled)
	case n.N == 0:
		return blank
	}
	return Cell{Text: n.text(digits), Value: full(n.Mean), Notes: t.notes(n.caveats(titled))}
}

// caveats are the footnotes without which a mean would be taken for more than it is.
func (n *Number) caveats(titled sizes) []string {
	notes := append(n.partNote(), n.smallerNote(titled)...)
	if n.otherSearch() {
		notes = append(notes, n.searchNote()...)
	}
	return slices.Concat(notes, n.copiesNote(), n.failedNote(), n.foldsNote(), n.backendNote())
}

func correction(t *Table, c comparison) Cell {
	if !c.any().HasPaper {
		return blank
	}
	for _, n := range []*Number{c.published, c.corrected} {
		if n != nil && n.lacksFolds() {
			return n.verdictCell(t, c.titled)
		}
	}
	if !c.complete() {
		return blank
	}
	digits := c.published.rounded()
	cell := number(Decimal(c.published.Mean, digits)+" → "+c.corrected.text(digits), c.published.Mean)
	var notes []string
	of := map[split.Protocol][]string{split.Published: c.published.caveats(c.titled), split.Corrected: c.corrected.caveats(c.titled)}
	for i, protocol := range split.Protocols {
		for _, note := range of[protocol] {
			if !slices.Contains(of[split.Protocols[1-i]], note) {
				note = fmt.Sprintf("On %s folds: %s", protocol, note)
			}
			notes = append(notes, note)
		}
	}
	cell.Notes = slices.Compact(t.notes(notes))
	return cell
}

// changeCell carries the footnotes of the change, and how small the network is where no verdict beside it does.
func (f fact) changeCell(t *Table, c comparison) Cell {
	if f.failed() {
		return f.verdictCell(t, c.titled)
	}
	cell := number(withSpread(Signed(f.Mean, f.rounded()), f.StdErr, f.rounded()), f.Mean)
	notes := slices.Concat(f.foldsNote(), f.lacks, f.seedsNote())
	if !slices.ContainsFunc(c.layout.Show, func(p Part) bool { return p.Head == Direction.Head }) {
		notes = append(notes, f.smallerNote(c.titled)...)
	}
	cell.Notes = t.notes(notes)
	return cell
}

// pCell carries the warnings of the test.
func (f fact) pCell(t *Table, _ comparison) Cell {
	cell := Cell{Text: none, Value: full(f.Mean), Notes: t.notes(f.Notes)}
	if !math.IsNaN(f.Mean) {
		cell.Text = stats.ShortPText(math.Log(f.Mean))
	}
	return cell
}

func (f fact) paperCell(*Table, comparison) Cell {
	if !f.HasPaper {
		return blank
	}
	text := Signed(f.Paper.Mean, f.Paper.Decimals)
	if spread := f.Paper.StdErr(); spread > 0 {
		text = withSpread(text, spread, f.Paper.SpreadDecimals)
	}
	return number(text, f.Paper.Mean)
}

// directionCell carries the footnotes of the number, since the change is of it.
func (f fact) directionCell(t *Table, _ comparison) Cell {
	return Cell{Text: string(f.Verdict), Tone: f.Verdict.tone(), Notes: t.notes(f.Notes)}
}

func (f fact) rankCell(t *Table, c comparison) Cell {
	if f.failed() {
		return f.verdictCell(t, c.titled)
	}
	cell := number(plusMinus(f.Mean, f.StdErr, rankDigits), f.Mean)
	if f.HasPaper {
		cell.Text += " (" + f.Paper.String() + ")"
	}
	cell.Notes = t.notes(slices.Concat(f.smallerNote(c.titled), f.foldsNote(), f.lacks))
	return cell
}

const rankDigits = 2
