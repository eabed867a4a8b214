package main

import (
	"path/filepath"
	"reflect"
	"testing"
)

// What is measured are settings that the methods take, each with a name of its own, on rows split as those of Higgs.
func TestBigFits(t *testing.T) {
	tk := higgsTask(1000, 45)
	if tk.Train != 835 || tk.Val != 120 || tk.Test != 45 || len(tk.Labels) != 955 || len(tk.X) != 1000*28 {
		t.Errorf("%d, %d and %d rows, %d labels, %d numbers", tk.Train, tk.Val, tk.Test, len(tk.Labels), len(tk.X))
	}
	seen := map[string]bool{}
	for _, f := range bigFits() {
		if _, err := resolve(f.method, f.given, tk.Info); err != nil || seen[f.name()] || f.units == 0 && f.stop == 0 {
			t.Errorf("%s: %v", f.name(), err)
		}
		seen[f.name()] = true
	}
}

// Costs that were kept come back. Those that were not measured are extrapolated, and a fit that memory ended tells no time.
func TestGrowth(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "costs.jsonl")
	for _, c := range []bigCost{{"a", 64, 1, 2e9, false}, {"a", 16, 8, 4e9, false}, {"b", 64, 3, 1e9, false}, {"b", 16, 0, 9e9, true}} {
		if err := keepCost(path, &c); err != nil {
			t.Fatal(err)
		}
	}
	all, err := readCosts(path)
	if err != nil {
		t.Fatal(err)
	}
	seconds, memory := func(c bigCost) float64 { return c.Seconds }, func(c bigCost) float64 { return float64(c.Memory) / 1e9 }
	for _, c := range []struct {
		name  string
		line  bool
		of    func(bigCost) float64
		want  []string
		slope string
		all   string // of all rows
	}{
		{"a", false, seconds, []string{"1", "8", "≈ 64", "≈ 512"}, "1.50", "512"},
		{"a", true, memory, []string{"2", "4", "≈ 12", "≈ 44"}, "0.50", "44"},
		{"b", false, seconds, []string{"3", "–", "–", "–"}, "–", "NaN"}, // not that of the largest share
		{"b", true, memory, []string{"1", "> 9", "–", "–"}, "–", "NaN"},
	} {
		got, slope, of := growth(all[c.name], c.line, c.of)
		if !reflect.DeepEqual(got, c.want) || slope != c.slope || significant(of) != c.all {
			t.Errorf("%s: %q, %s, %v, want %q, %s, %s", c.name, got, slope, of, c.want, c.slope, c.all)
		}
	}
}
