package main

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/spelling"
	"nptbench/internal/stats"
)

// An overall comparison ranks the methods over the data sets on which all of them have all folds.
type overall struct {
	datasets []string
	means    [][]float64 // by data set and method; those that differ by rounding alone are the same
	methods  []string
	friedman *stats.FriedmanTest // its ranks; the test itself is said of three methods and more
	wilcoxon [][]*stats.WilcoxonTest
	adjusted [][]float64 // its P after Holm's correction, over all pairs
	notes    []string
}

// compareOverall compares over the data sets that all methods have finished, without those methods that have finished too few (stats.CompleteBlocks).
// There are only notes when no two methods have finished the same two data sets.
func (t *table) compareOverall(alpha float64) *overall {
	o := &overall{}
	if o.methods, o.datasets = stats.CompleteBlocks(t.methods, t.datasets, 2, t.finished); len(o.methods) < 2 {
		return &overall{notes: []string{"No two methods have all folds of the same two data sets."}}
	}
	for _, method := range t.methods {
		if !slices.Contains(o.methods, method) {
			unfinished := slices.DeleteFunc(slices.Clone(t.datasets), func(name string) bool { return t.finished(method, name) })
			o.notes = append(o.notes, fmt.Sprintf("%s is not ranked: it has all folds of %d of %s.",
				method, len(t.datasets)-len(unfinished), spelling.Count(len(t.datasets), "data set")))
		}
	}
	for _, name := range t.datasets {
		if !slices.Contains(o.datasets, name) {
			o.notes = append(o.notes, t.lacking(name, o.methods))
			continue
		}
		means := make([]float64, len(o.methods))
		for i, method := range o.methods {
			means[i] = stat.Mean(values(t.at(name, method)), nil)
		}
		o.means = append(o.means, stats.TieRounded(means))
	}
	o.friedman = stats.Friedman(o.means, t.metric.Larger)
	if len(o.methods) > 2 {
		o.notes = append(o.notes, o.friedman.WarningsAt(alpha)...)
	}
	o.wilcoxon, o.adjusted = stats.WilcoxonPairs(o.means, t.metric.Larger)
	o.notes = append(o.notes, o.pairNotes(alpha)...)
	return o
}

// finished reports whether a method has all folds of a data set.
func (t *table) finished(method, dataset string) bool {
	return len(t.results[place{dataset, method}]) == len(t.folds[dataset])
}

// lacking says why a data set is not averaged over.
func (t *table) lacking(name string, methods []string) string {
	var lacking []string
	for _, method := range methods {
		if n := len(t.results[place{name, method}]); n < len(t.folds[name]) {
			lacking = append(lacking, fmt.Sprintf("%s (%d of %s)", method, n, spelling.Count(len(t.folds[name]), "fold")))
		}
	}
	return fmt.Sprintf("%s is left out: it lacks results of %s.", name, strings.Join(lacking, ", "))
}

// pairNotes are the warnings of the signed-rank test of two methods, of more which of them are equal on data sets, and the smallest p that the
// test can give where that is above alpha.
func (o *overall) pairNotes(alpha float64) (notes []string) {
	k, n := len(o.methods), len(o.datasets)
	if k == 2 {
		n, notes = o.wilcoxon[1][0].N, o.wilcoxon[1][0].Warnings
	} else {
		notes = stats.EqualPairs(o.wilcoxon, o.methods, n)
	}
	least := stats.WilcoxonPairsSmallestP(k, n)
	if least <= alpha || n == 0 {
		return notes
	}
	note := fmt.Sprintf("On %s the signed-rank test gives no p below %.3g", spelling.Count(n, "data set"), stats.WilcoxonSmallestP(n))
	if k > 2 {
		note += fmt.Sprintf(", and %.3g after Holm's correction for %d pairs", least, k*(k-1)/2)
	}
	return append(notes, note+".")
}

// wins is the share of data sets on which a method is better than the first.
func (o *overall) wins(method int, larger bool) float64 {
	var x, y []float64
	for _, row := range o.means {
		x, y = append(x, row[method]), append(y, row[0])
	}
	return stats.WinRate(x, y, larger)
}

// groups are the methods that do not differ significantly, in words.
func (o *overall) groups(differ func(i, j int) bool) string {
	cliques, hidden := stats.Cliques(o.friedman.Mean, differ)
	var parts []string
	for _, c := range cliques {
		names := make([]string, len(c))
		for i, j := range c {
			names[i] = o.methods[j]
		}
		parts = append(parts, strings.Join(names, " and ")) // titles have commas
	}
	switch {
	case len(cliques) == 1 && len(cliques[0]) == len(o.methods):
		return "no two methods differ significantly"
	case len(cliques) == 0 && len(hidden) == 0:
		return "all methods differ significantly"
	}
	for _, h := range hidden { // pairs that are in no clique
		parts = append(parts, o.methods[h[0]]+" and "+o.methods[h[1]])
	}
	return "no significant difference between " + strings.Join(parts, "; ")
}
