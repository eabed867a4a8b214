package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Claim is something that the paper says and that can be held against numbers.
type Claim struct {
	ID     string // in the report's claims.csv
	Says   string // what the paper says and where, one sentence
	Method string // that it is about; empty: npt. Reports without it leave the claim out
	Test   Test   // nil: nothing here measures it
	Count  int    // on how much there is evidence when all is measured, by Evidence.On; 0: any number will do
}

// A Test finds the evidence for and against a claim.
type Test func(*Summary) []Evidence

// Evidence is something measured that speaks for or against a claim.
type Evidence struct {
	On      string // the data set, or the kind of data sets that are ranked
	Of      string // what it is of: a series, a variant, or what is asked of a data set
	What    string // the metric, where Text does not say it
	Text    string // the number, and on what
	For     Answer
	Smaller bool // of a network smaller than published, which can only say what holds at its size
}

// An Answer says whether a piece of evidence speaks for a claim.
type Answer uint8

const (
	No Answer = iota
	Yes
	Unclear
	NoBearing // it tells something, and nothing for or against
)

// A finding is what became of a claim.
type finding struct {
	*Claim
	evidence []Evidence
	verdict  string
	partly   string // how much was measured of what it takes; empty: all
}

// findings hold the claims against the numbers. One that has evidence against it does not hold, one without evidence is not tested. That it
// is so at this size alone is said where only smaller networks speak against it, or any of those that are to speak for it is smaller.
func (s *Summary) findings() (all []finding) {
	for i := range s.Claims {
		f := finding{Claim: &s.Claims[i], verdict: notTested}
		if f.Test != nil {
			f.evidence = f.Test(s)
		}
		count, smaller, on := map[Answer]int{}, map[Answer]int{}, map[string]bool{}
		for _, e := range f.evidence {
			count[e.For]++
			if e.For != NoBearing {
				on[e.On] = true
			}
			if e.Smaller {
				smaller[e.For]++
			}
		}
		size := ""
		if count[No] > 0 && smaller[No] == count[No] || count[No] == 0 && smaller[Yes]+smaller[Unclear] > 0 {
			size = atThisSize
		}
		switch {
		case len(f.evidence) == count[NoBearing]:
		case count[No] > 0:
			f.verdict = doesNotHold + size
		case count[Unclear] > 0:
			f.verdict = notClear + size
		default:
			f.verdict = holds + size
		}
		if n := len(on); n > 0 && n < f.Count {
			f.partly = fmt.Sprintf(", on the %d of %d that were measured", n, f.Count)
		}
		all = append(all, f)
	}
	return all
}

func (f *finding) measured() string { return join(f.evidence) }

// join writes evidence in a line, together what is of the same.
func join(evidence []Evidence) string {
	var heads []string
	texts := map[string][]string{}
	for _, e := range evidence {
		head := e.Of
		if e.What != "" {
			head += ", " + e.What
		}
		if texts[head] == nil {
			heads = append(heads, head)
		}
		texts[head] = append(texts[head], e.Text)
	}
	for i, head := range heads {
		heads[i] += ": " + strings.Join(texts[head], ", ")
	}
	return strings.Join(heads, "; ")
}

// found says in a line what was measured of the claims, and what says nothing for or against one if there is nothing else.
func (s *Summary) found() string {
	var all []Evidence
	findings := s.findings()
	tested := slices.ContainsFunc(findings, func(f finding) bool {
		return slices.ContainsFunc(f.evidence, func(e Evidence) bool { return e.For != NoBearing })
	})
	for _, f := range findings {
		for _, e := range f.evidence {
			if tested && e.For == NoBearing {
				continue
			}
			if !slices.ContainsFunc(all, func(has Evidence) bool { return has.Of == e.Of && has.What == e.What && has.Text == e.Text }) {
				all = append(all, e)
			}
		}
	}
	switch {
	case all == nil && s.Records == 0:
		return "nothing yet of what it claims."
	case all == nil:
		return "what the tables have; none of the paper's claims is about it."
	}
	return join(all) + "."
}

// claims lists the claims with what was found, the verdict first.
func (s *Summary) claims() (list List) {
	for _, f := range s.findings() {
		text := fmt.Sprintf("%s%s (%s): %s", sentence(f.verdict), f.partly, f.ID, f.Says)
		if f.evidence != nil {
			text += " Measured: " + f.measured() + "."
		}
		list = append(list, text)
	}
	return list
}

func (s *Summary) writeClaims(w io.Writer) error {
	return writeCSV(w, s.findings(), []csvColumn[finding]{
		{"id", func(f finding) string { return f.ID }},
		{"claim", func(f finding) string { return f.Says }},
		{"measured", func(f finding) string { return f.measured() }},
		{"verdict", func(f finding) string { return f.verdict + f.partly }},
	})
}
