package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strings"
)

// A Claim is something that the paper says and numbers can be held against.
type Claim struct {
	ID    string  // in claims.csv
	Says  string  // what the paper says and where, one sentence
	Where []Where // the numbers that it is about
	Least float64 // what each of them is at least
	Count int     // how many numbers there are when all is measured; 0: any number will do
}

// A finding is what became of a claim.
type finding struct {
	*Claim
	measured []string // each number with what it is of
	verdict  string
}

// findings holds the claims against the numbers. A network that is smaller than published can only say what holds at its size.
func (s *Summary) findings() (all []finding) {
	for i := range s.Claims {
		c := &s.Claims[i]
		l := Layout{Where: c.Where}
		f, holds, size := finding{Claim: c, verdict: "not tested"}, true, ""
		for _, n := range s.Numbers {
			if !l.holds(n) || !n.Complete() {
				continue
			}
			f.measured = append(f.measured, fmt.Sprintf("%s %s on %s", n.Series.Title, n.text(n.digits()), n.Info.Title))
			holds = holds && !math.IsNaN(n.Mean) && n.Mean >= c.Least
			if !n.Series.Paper {
				size = " at this size"
			}
		}
		switch {
		case len(f.measured) == 0:
		case holds:
			f.verdict = "holds" + size
		default:
			f.verdict = "does not hold" + size
		}
		if n := len(f.measured); n > 0 && n < c.Count {
			f.verdict += fmt.Sprintf(", on the %d of %d that were measured", n, c.Count)
		}
		all = append(all, f)
	}
	return all
}

// claims lists the claims with what was found, the verdict first.
func (s *Summary) claims() (list List) {
	for _, f := range s.findings() {
		text := strings.ToUpper(f.verdict[:1]) + f.verdict[1:] + ": " + f.Says
		if len(f.measured) > 0 {
			text += " Measured: " + strings.Join(f.measured, "; ") + "."
		}
		list = append(list, text)
	}
	return list
}

func (s *Summary) writeClaims(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"id", "claim", "measured", "verdict", "sweep"})
	for _, f := range s.findings() {
		out.Write([]string{f.ID, f.Says, strings.Join(f.measured, "; "), f.verdict, s.Plan.Sweep.Name})
	}
	out.Flush()
	return out.Error()
}
