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
	claim := Claim{ID: "r", Says: "So it is.", Where: []Where{{"dataset", []string{"a", "b"}}}, Least: 0.999}
	for name, c := range map[string]struct {
		numbers []*Number
		want    string
	}{
		"none":       {nil, "not tested"},
		"another":    {[]*Number{number("c", 1, true, 1)}, "not tested"},
		"unfinished": {[]*Number{number("a", 1, true, 0)}, "not tested"},
		"all":        {[]*Number{number("a", 0.9991, true, 1), number("b", 0.999, true, 1)}, "holds"},
		"small":      {[]*Number{number("a", 0.9991, false, 1)}, "holds at this size"},
		"one fails":  {[]*Number{number("a", 0.9991, false, 1), number("b", 0.9989, true, 1)}, "does not hold at this size"},
	} {
		s := &Summary{Spec: Spec{Claims: []Claim{claim}}, Numbers: c.numbers}
		table := s.claimTable()
		if got := table.Rows[0].Cells[2].Text; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if c.want != "not tested" && !strings.Contains(table.Rows[0].Cells[1].Text, "NPT 0.99") {
			t.Errorf("%s: measured %q", name, table.Rows[0].Cells[1].Text)
		}
	}
	if (&Summary{}).claimTable() != nil {
		t.Error("a table without claims")
	}
}
