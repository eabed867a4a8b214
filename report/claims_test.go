package report

import (
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/metric"
)

// A claim holds when all complete numbers that it is about reach it, and only at its size for a network smaller than published.
func TestClaims(t *testing.T) {
	number := func(name string, mean float64, paper bool, n int) *Number {
		info := dataset.Info{Name: name, Title: name, RunFolds: 1, Problem: dataset.Regression}
		return &Number{Group: &Group{Info: info, Series: &Series{Title: "NPT", Paper: paper}, Folds: make([]*Fold, 1)}, Metric: metric.Correlation, Mean: mean, N: n}
	}
	claim := Claim{ID: "r", Count: 2, Says: "So it is.", Test: AtLeast(0.999, Where{"dataset", []string{"a", "b"}})}
	for name, c := range map[string]struct {
		numbers []*Number
		want    string
	}{
		"none":       {nil, "not tested"},
		"another":    {[]*Number{number("c", 1, true, 1)}, "not tested"},
		"unfinished": {[]*Number{number("a", 1, true, 0)}, "not tested"},
		"all":        {[]*Number{number("a", 0.9991, true, 1), number("b", 0.999, true, 1)}, "holds"},
		"one small":  {[]*Number{number("a", 0.9991, false, 1)}, "holds at this size, on the 1 of 2 that were measured"},
		"one fails":  {[]*Number{number("a", 0.9991, false, 1), number("b", 0.9989, true, 1)}, "does not hold at this size"},
	} {
		s := &Summary{Spec: Spec{Claims: []Claim{claim}}, Numbers: c.numbers}
		got := s.claims()
		if len(got) != 1 || !strings.HasPrefix(strings.ToLower(got[0]), c.want+" (r): so it is.") {
			t.Errorf("%s: %q, want %s", name, got, c.want)
		}
		if measured := strings.Contains(got[0], "Measured: NPT 0.99"); measured != (c.want != "not tested") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if (&Summary{}).claims() != nil {
		t.Error("claims of a report without any")
	}
}
