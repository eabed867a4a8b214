package report

import (
	"fmt"

	"nptbench/internal/split"
)

// A Part is what a table shows of a comparison, in a column of its own.
type Part struct {
	Head  string
	Right bool

	needs []split.Protocol // of which the table has numbers, where the column is shown
	cell  func(*Table, comparison) Cell
}

var (
	needsPublished = []split.Protocol{split.Published}
	needsCorrected = []split.Protocol{split.Corrected}
)

// The parts of the paper's Tables 8 to 12.
var (
	Ours       = Part{"Ours", true, needsPublished, func(_ *Table, c comparison) Cell { return mean(c.published) }}
	Paper      = Part{"Paper", true, nil, func(_ *Table, c comparison) Cell { return paperValue(c.any()) }}
	Difference = Part{"Difference", true, needsPublished, func(_ *Table, c comparison) Cell { return difference(c.published) }}
	Judgement  = Part{"Verdict", false, needsPublished, func(t *Table, c comparison) Cell { return verdict(t, c.published) }}
	Corrected  = Part{"Corrected folds", true, needsCorrected, notedMean}
	Change     = Part{"Change", true, split.Protocols, change}
)

// The parts of tables that have a column for each data set and metric: our complete mean with the paper's in parentheses, and
// our mean under the published and then the corrected protocol.
var (
	Beside     = Part{"", true, needsPublished, beside}
	Correction = Part{"", true, split.Protocols, correction}
)

var blank = Cell{Text: none, Tone: Faint}

// mean is ours with its spread, with a digit more than the paper has.
func mean(n *Number) Cell {
	if n == nil || n.N == 0 {
		return blank
	}
	return Cell{Text: n.text(n.digits())}
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
	return Cell{Text: n.Paper.String()}
}

func difference(n *Number) Cell {
	if n == nil || !n.HasDifference() {
		return blank
	}
	return Cell{Text: fmt.Sprintf("%s (%s %%)", signed(n.Difference(), n.digits()), signed(100*n.Difference()/n.Paper.Mean, 1))}
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
	return Cell{Text: text, Tone: n.Verdict.tone(), Notes: t.notes(n.Notes)}
}

func (v Verdict) tone() Tone {
	switch v {
	case Reproduced:
		return Good
	case ReproducedOnPart, SameWithinSeeds:
		return Fair
	case Differs, FailedCell:
		return Bad
	case NotRun, NoPaper, NotJudged:
		return Faint
	}
	return Neutral
}

// notedMean has no verdict beside it to carry its footnotes.
func notedMean(t *Table, c comparison) Cell {
	cell := mean(c.corrected)
	if c.corrected != nil {
		cell.Notes = t.notes(c.corrected.Notes)
	}
	return cell
}

func change(_ *Table, c comparison) Cell {
	if !c.complete() {
		return blank
	}
	return Cell{Text: signed(c.corrected.Mean-c.published.Mean, c.published.digits())}
}

// complete reports whether both protocols have a complete number.
func (c comparison) complete() bool {
	return c.published != nil && c.corrected != nil && c.published.Complete() && c.corrected.Complete()
}

func beside(t *Table, c comparison) Cell {
	n := c.published
	if n == nil || !n.Complete() {
		return blank
	}
	cell := Cell{Text: n.text(n.rounded())}
	if n.HasPaper {
		cell.Text += " (" + n.Paper.String() + ")"
	}
	if n.Verdict == Reproduced {
		cell.Tone = Good
	}
	if subset := n.subset(); subset != "" {
		cell.Notes = []int{t.note(fmt.Sprintf("%s: %s.", n.Info.Title, subset))}
	}
	return cell
}

func correction(_ *Table, c comparison) Cell {
	if !c.complete() || !c.published.HasPaper {
		return blank
	}
	digits := c.published.rounded()
	return Cell{Text: decimal(c.published.Mean, digits) + " → " + c.corrected.text(digits)}
}
