package report

import (
	"fmt"
	"math"
	"slices"
)

// Below tests whether numbers are clearly below a value, by more than two standard errors.
func Below(value float64, where ...Where) Test {
	return numbers(func(n *Number) Answer { return apart(value-n.Mean, n.StdErr) }, where)
}

// Above tests whether numbers are clearly above a value.
func Above(value float64, where ...Where) Test {
	return numbers(func(n *Number) Answer { return apart(n.Mean-value, n.StdErr) }, where)
}

// apart reports whether a difference is positive, once it is clear that there is one.
func apart(difference, stdErr float64) Answer {
	if !(math.Abs(difference) > clearly*stdErr) {
		return Unclear
	}
	return answer(difference > 0)
}

// Significant tests whether decimal logarithms of p are at most that of a level. A larger p says nothing, least of all against a claim.
func Significant(level float64, where ...Where) Test {
	return numbers(func(n *Number) Answer {
		if n.Mean <= math.Log10(level) {
			return Yes
		}
		return Unclear
	}, where)
}

// Near tests whether numbers are at most two standard errors from a value.
func Near(value float64, where ...Where) Test {
	return numbers(func(n *Number) Answer {
		if math.IsNaN(n.StdErr) {
			return Unclear
		}
		return answer(math.Abs(n.Mean-value) <= clearly*n.StdErr)
	}, where)
}

// Exactly tests whether all numbers are a value, to the last bit.
func Exactly(value float64, where ...Where) Test {
	each := numbers(func(n *Number) Answer { return answer(n.Mean == value) }, where)
	return func(s *Summary) []Evidence {
		all := each(s)
		if len(all) == 0 || slices.ContainsFunc(all, func(e Evidence) bool { return e.For == No }) {
			return all
		}
		return []Evidence{{fmt.Sprintf("%s, all exactly %v", plural(len(all), "number", "numbers"), value), Yes, all[0].Smaller}}
	}
}

// Each has the evidence of several tests.
func Each(tests ...Test) Test {
	return func(s *Summary) (all []Evidence) {
		for _, t := range tests {
			all = slices.Concat(all, t(s))
		}
		return all
	}
}

// numbers asks for what each complete number speaks.
func numbers(speaks func(*Number) Answer, where []Where) Test {
	l := Layout{Where: where}
	return func(s *Summary) (all []Evidence) {
		for _, n := range s.Numbers {
			if l.holds(n) && n.Complete() {
				text := fmt.Sprintf("%s: %s %s on %s", n.Series.Title, n.Metric.Title, n.text(n.digits()), n.Info.Title)
				all = append(all, Evidence{text, speaks(n), n.smaller() != ""})
			}
		}
		return all
	}
}
