package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"nptbench/internal/metric"
	"nptbench/internal/spelling"
)

// A judgement is the verdict on one number, and the heading of the section that has it.
type judgement struct {
	verdict Verdict
	section string
}

// judged are the numbers of Tables 8 to 11, or what the tables show where they are others; none where the paper has none of them. Table 12,
// MSE, says what RMSE says.
func (s *Summary) judged() (all []judgement) {
	if s.own {
		return nil
	}
	if s.Tables == nil {
		for _, n := range s.Numbers {
			if n.Metric.Table > 0 && n.Metric != metric.MSE {
				all = append(all, judgement{n.Verdict, metricTitle(n.Metric)})
			}
		}
		return all
	}
	for _, f := range s.shown() {
		if f.Verdict != "" {
			all = append(all, judgement{f.Verdict, f.section})
		}
	}
	return all
}

// outcomes are the parts of a summary, with the verdicts on claims that each has, and all verdicts on numbers in the order in which they are
// counted. What smaller networks or directions alone say is no reproduction, and no failure of one.
var outcomes = []struct {
	title    string
	claims   []string
	verdicts []shownVerdict
}{
	{"Reproduced", []string{holds}, []shownVerdict{{Reproduced, Good, ""}}},
	{"Reproduced as far as a part of the test rows tells", nil, []shownVerdict{
		{ReproducedOnPart, Fair, "within the sampling error of the rows that were tested"}}},
	{"Not reproduced, and not excluded by other seeds of ours", nil, []shownVerdict{{NotExcluded, Fair, ""}}},
	{"Not decided, fewer than three seeds", nil, []shownVerdict{
		{NotGraded, Neutral, "another number; whether a rerun would give the paper's is not known"}}},
	{"Not reproduced", []string{doesNotHold}, []shownVerdict{{Differs, Bad, ""}, {FailedCell, Bad, ""}}},
	{"As in the paper, by direction alone or at a smaller size", []string{holds + atThisSize}, []shownVerdict{{SameDirection, Fair, ""}}},
	{"Not as in the paper, by direction alone or at a smaller size", []string{doesNotHold + atThisSize}, []shownVerdict{{OppositeDirection, Bad, ""}}},
	{"Not clear", []string{notClear, notClear + atThisSize}, []shownVerdict{
		{PaperNotClear, Neutral, "the paper's is within two of its standard errors of no change"},
		{NotClear, Faint, "too near to no change to have a direction"}}},
	{"Not tested, or only in part", []string{notTested}, []shownVerdict{
		{Extrapolated, Neutral, ""},
		{NotComparable, Neutral, "a smaller network, fewer or more settings to choose among, single values of a parameter, other training rows " +
			"or another machine"},
		{Partial, Neutral, "not the folds of the paper, or not all of them"},
		{Undefined, Neutral, ""},
		{NotRun, Faint, ""},
		{NoPaper, Faint, ""},
		{NotJudged, Faint, "corrected folds, by which the paper's numbers were not made, or a single split, whose numbers are the published " +
			"ones again"}}},
}

// A shownVerdict is how a verdict is shown in tables, and what explains it where it is not plain.
type shownVerdict struct {
	Verdict
	tone    Tone
	because string
}

func allVerdicts() (all []shownVerdict) {
	for _, o := range outcomes {
		all = append(all, o.verdicts...)
	}
	return all
}

func (v Verdict) tone() Tone {
	for _, known := range allVerdicts() {
		if known.Verdict == v {
			return known.tone
		}
	}
	return Neutral
}

// counted writes how many numbers have a verdict.
func (v Verdict) counted(n int) string {
	text := string(v)
	if v == Differs && n != 1 {
		text = "differ"
	}
	return spelling.Thousands(n) + " " + text
}

// Verdicts on claims.
const (
	holds       = "holds"
	doesNotHold = "does not hold"
	notClear    = "not clear"
	notTested   = "not tested"
	atThisSize  = " at this size" // by evidence of smaller networks
)

// writeSummary writes a page in Markdown: what was reproduced, what was not and what is not tested, with counts that lead to the report.
func (s *Summary) writeSummary(w io.Writer) error {
	out := bufio.NewWriter(w)
	judged, claims := s.judged(), s.findings()
	untold := outcomes[len(outcomes)-1]
	byVerdict := countVerdicts(judged)
	told := len(judged) - byVerdict.of(untold.verdicts)
	title := s.Title
	if !s.own {
		title += ": what was reproduced"
	}
	fmt.Fprintf(out, "# %s\n\n%s Everything is in the [report](%s).", markdownText(title), s.progress(), s.file(".md"))
	if s.leavesOutMSE() {
		fmt.Fprintf(out, " MSE, %s.", notCounted)
	}
	fmt.Fprintln(out)
	if s.own {
		for _, b := range s.overviews() {
			fmt.Fprintln(out)
			markdownBlock(out, b)
		}
	}
	if s.Conflict != nil {
		fmt.Fprintf(out, "\n**Conflicts**: %s.\n", markdownText(printable(s.Conflict.Error())))
	}
	if text := s.worth(); text != "" {
		fmt.Fprintf(out, "\n%s\n", text)
	}
	for _, outcome := range outcomes {
		var found []finding
		for _, f := range claims {
			verdict := f.verdict
			if f.partly != "" && strings.HasPrefix(verdict, holds) {
				verdict = notTested
			}
			if slices.Contains(outcome.claims, verdict) {
				found = append(found, f)
			}
		}
		numbers := byVerdict.of(outcome.verdicts)
		if numbers == 0 && len(found) == 0 {
			continue
		}
		var counts []string
		switch {
		case numbers > 0 && outcome.title == untold.title:
			counts = append(counts, spelling.Count(numbers, "other number"))
		case numbers > 0:
			counts = append(counts, fmt.Sprintf("%s of %s", spelling.Thousands(numbers), spelling.Count(told, "number")))
		}
		if len(found) > 0 {
			counts = append(counts, fmt.Sprintf("%d of %s", len(found), spelling.Count(len(claims), "claim")))
		}
		fmt.Fprintf(out, "\n## %s: %s\n\n", outcome.title, strings.Join(counts, ", "))
		for _, v := range outcome.verdicts {
			s.summarise(out, v, judged)
		}
		for _, f := range found {
			fmt.Fprintf(out, "- [claim](%s%s) %s: %s\n", s.file(".md"), headingLink(claimsTitle), f.verdict+f.partly, markdownText(f.Says))
		}
	}
	for _, b := range s.appendix {
		switch b := b.(type) {
		case Heading:
			fmt.Fprintf(out, "\n## [%s](%s%s)\n\n", markdownText(string(b)), s.file(".md"), headingLink(string(b)))
		case *Table:
			fmt.Fprintf(out, "- %s\n", markdownText(b.Caption))
		}
	}
	return out.Flush()
}

// A verdictCount is how many numbers have each verdict.
type verdictCount map[Verdict]int

func countVerdicts(judged []judgement) verdictCount {
	n := verdictCount{}
	for _, j := range judged {
		n[j.verdict]++
	}
	return n
}

// of is how many numbers have one of some verdicts.
func (c verdictCount) of(verdicts []shownVerdict) (n int) {
	for _, v := range verdicts {
		n += c[v.Verdict]
	}
	return n
}

// summarise writes a line about the numbers with a verdict, if there are any: how many each section has.
func (s *Summary) summarise(out io.Writer, v shownVerdict, judged []judgement) {
	all := 0
	var sections []string
	count := map[string]int{}
	for _, j := range judged {
		if j.verdict != v.Verdict {
			continue
		}
		all++
		if count[j.section]++; j.section != "" && count[j.section] == 1 {
			sections = append(sections, j.section)
		}
	}
	if all == 0 {
		return
	}
	links := make([]string, len(sections))
	for i, section := range sections {
		links[i] = fmt.Sprintf("[%s](%s%s) %s", markdownText(section), s.file(".md"), headingLink(section), spelling.Thousands(count[section]))
	}
	text := v.counted(all)
	if v.because != "" {
		text += " (" + v.because + ")"
	}
	fmt.Fprintf(out, "- %s: %s\n", text, strings.Join(links, ", "))
}

// headingLink is where GitHub has a heading of a Markdown page.
func headingLink(heading string) string {
	link := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
	return "#" + link
}
