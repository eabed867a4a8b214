package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/internal/stats"
	"nptbench/results"
)

// Below tests whether numbers are clearly below a value, by more than two standard errors.
func Below(value float64, where ...Where) Test {
	return numbers(func(n *Number) Answer { return apart(value-n.Mean, n.StdErr) }, where)
}

// Above tests whether numbers are clearly above a value.
func Above(value float64, where ...Where) Test {
	return numbers(func(n *Number) Answer { return apart(n.Mean-value, n.StdErr) }, where)
}

// clearly is how many standard errors from 0 a difference is clear.
const clearly = 2

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

// Near tests whether numbers are clearly within a margin of a value, by two standard errors, or clearly not; those of a single split have
// theirs over its test rows. An error of 0, of some rows none of which has changed, tells nothing of others.
func Near(value, margin float64, where ...Where) Test {
	return numbers(func(n *Number) Answer {
		stdErr, distance := n.anyStdErr(), math.Abs(n.Mean-value)
		switch {
		case stdErr == 0:
			return Unclear
		case distance+clearly*stdErr <= margin:
			return Yes
		case distance-clearly*stdErr > margin:
			return No
		}
		return Unclear
	}, where)
}

// Tells has numbers that speak neither for nor against a claim: it is about a network of another shape, or by a test that is not valid.
func Tells(where ...Where) Test {
	return numbers(func(*Number) Answer { return Untested }, where)
}

// WorseThanBaselines tests whether predictions by which a method was not worse than all of the paper's others on a data set are so by
// another metric, where larger is worse. Where they were worse before it says nothing.
func WorseThanBaselines(before, after metric.Metric, of metric.Metric, where ...Where) Test {
	where = append(slices.Clip(where), Where{"metric", []string{after.Name}})
	return func(s *Summary) (all []Evidence) {
		for _, n := range s.Numbers {
			if !n.tests(where) {
				continue
			}
			worst := 0.0
			for _, m := range results.PaperMethods {
				if p, has := results.Paper(n.Info.Name, m.Name, of.Name); has && m.Name != n.Series.Method.Name {
					worst = max(worst, p.Mean)
				}
			}
			cleans, _ := testResults(n.Folds, before)
			clean, _ := stats.MeanStdErr(cleans)
			speaks := answer(n.Mean > worst)
			if len(cleans) < n.N || clean > worst {
				speaks = Untested
			}
			all = append(all, Evidence{n.Info.Name, n.Group.title(), of.Title, fmt.Sprintf("%s before and %s after on %s, where the worst of the paper's baselines has %s",
				Decimal(clean, of.Digits), Decimal(n.Mean, of.Digits), n.where(), Decimal(worst, of.Digits)), speaks, n.smaller() != ""})
		}
		return all
	}
}

// Exactly tests whether all numbers are a value, to the last bit.
func Exactly(value float64, where ...Where) Test {
	each := numbers(func(n *Number) Answer { return answer(n.Mean == value) }, where)
	return func(s *Summary) []Evidence {
		all := each(s)
		if len(all) == 0 || slices.ContainsFunc(all, func(e Evidence) bool { return e.For == No }) {
			return all
		}
		var of []string
		for _, e := range all {
			if !slices.Contains(of, e.Of) {
				of = append(of, e.Of)
			}
		}
		return []Evidence{{all[0].On, strings.Join(of, ", "), all[0].What, fmt.Sprintf("%s, all exactly %v", plural(len(all), "number", "numbers"), value), Yes,
			slices.ContainsFunc(all, func(e Evidence) bool { return e.Smaller })}}
	}
}

// Each has the evidence of several tests.
func Each(tests ...Test) Test {
	return func(s *Summary) (all []Evidence) {
		for _, t := range tests {
			all = append(all, t(s)...)
		}
		return all
	}
}

// tests reports whether a claim about numbers that meet conditions is tested by this one.
func (n *Number) tests(where []Where) bool {
	return n.meets(where) && n.Complete() && n.Protocol == split.Published
}

// numbers asks for what each number speaks that tests a claim.
func numbers(speaks func(*Number) Answer, where []Where) Test {
	return func(s *Summary) (all []Evidence) {
		for _, n := range s.Numbers {
			if n.tests(where) {
				all = append(all, Evidence{n.Info.Name, n.Group.title(), n.Metric.Title, n.text(n.digits()) + " on " + n.where(), speaks(n), n.smaller() != ""})
			}
		}
		return all
	}
}

// where is a number's data set, with the parameters of what was measured.
func (n *Number) where() string {
	if with := n.Series.parameters(); with != "" {
		return n.Info.Title + " (" + with + ")"
	}
	return n.Info.Title
}
