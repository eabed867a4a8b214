package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/metric"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
	"nptbench/internal/stats"
	"nptbench/results"
)

// finished holds the results by which series can be ranked.
type finished struct {
	protocol split.Protocol
	problem  dataset.Problem
	metric   metric.Metric
	all      bool
	datasets []dataset.Info // with that problem, that the plan has, and, unless it is all, the paper's Table 1, with its training rows
	series   []*Series      // of the paper, or all
	others   []*Series      // unless it is all: of the paper's methods, begun, but smaller than in the paper, single variants, or with single values of a parameter
	value    map[entry]float64
	of       map[entry]*Group
	failed   map[*Series]bool // among all: those that have none on some data set, though all of its cells have been run
	notes    []string         // unless it is all: which data sets are left out, since their training rows are not the paper's
}

// An entry is where a method stands on a data set.
type entry struct {
	dataset string
	series  *Series
}

// finished collects the mean results on data sets of a kind: no value where there is no complete one, but the worst, which is ranked last
// as in the paper, where all cells have been run and some of the folds left no result. Not so among everything: there a crash is no rank.
func (s *Summary) finished(protocol split.Protocol, problem dataset.Problem, everything bool) *finished {
	f := &finished{protocol: protocol, problem: problem, metric: metric.Ranking(problem), all: everything,
		value: map[entry]float64{}, of: map[entry]*Group{}, failed: map[*Series]bool{}}
	for _, n := range s.Numbers {
		if n.Protocol != protocol || n.Info.Problem != problem || n.Metric != f.metric || !everything && !f.ofPaper(n.Info) {
			continue
		}
		if m := n.Series; !everything && !m.Paper {
			if m.methodOfPaper() && n.begun() && !slices.Contains(f.others, m) {
				f.others = append(f.others, m)
			}
			continue
		}
		if !slices.ContainsFunc(f.datasets, func(d dataset.Info) bool { return d.Name == n.Info.Name }) {
			f.datasets = append(f.datasets, n.Info)
		}
		if !slices.Contains(f.series, n.Series) {
			f.series = append(f.series, n.Series)
		}
		at := entry{n.Info.Name, n.Series}
		f.of[at] = n.Group
		switch {
		case n.Verdict == FailedCell && n.onPaperFolds() && everything:
			f.failed[n.Series] = true
		case n.Verdict == FailedCell && n.onPaperFolds():
			f.value[at] = f.worst()
		case n.Complete():
			f.value[at] = n.Mean
		}
	}
	slices.SortFunc(f.series, func(a, b *Series) int { return slices.Compare(a.order[:], b.order[:]) })
	if !everything {
		f.datasets = slices.DeleteFunc(f.datasets, func(d dataset.Info) bool {
			if !f.trainingSubset(d) {
				return false
			}
			f.notes = append(f.notes, fmt.Sprintf("%s is left out, since its training rows are not all of the paper's: %s.", d.Title, f.part(d).subset()))
			return true
		})
	}
	return f
}

// part is one of the groups whose records say that a data set is a part of the published one, the same for all; nil: it is not.
func (f *finished) part(d dataset.Info) *Group {
	for _, m := range f.series {
		if g := f.of[entry{d.Name, m}]; g != nil && g.subset() != "" {
			return g
		}
	}
	return nil
}

// trainingSubset reports whether a data set's training rows are a part of the paper's.
func (f *finished) trainingSubset(d dataset.Info) bool {
	g := f.part(d)
	return g != nil && g.trainingSubset()
}

// worst is an infinity: what a method without a result has where it is ranked last.
func (f *finished) worst() float64 {
	if f.metric.Larger {
		return math.Inf(-1)
	}
	return math.Inf(1)
}

// ofPaper reports whether the paper's Table 1 has a data set.
func (f *finished) ofPaper(d dataset.Info) bool {
	return results.PaperOrder(d.Name, f.metric.Name) != nil
}

// notEmpty reports whether there is something to rank; where it is all methods and data sets, something that is not the paper's.
func (f *finished) notEmpty() bool {
	if !f.all {
		return len(f.datasets) > 0 || f.notes != nil
	}
	return slices.ContainsFunc(f.series, f.owns) || f.ranksOwn(nil, f.datasets)
}

// owns reports whether a series that is not the paper's has been run on all folds of a data set.
func (f *finished) owns(m *Series) bool { return !m.Paper && (f.count(m) > 0 || f.failed[m]) }

// ranksOwn reports whether any of the methods or data sets is not the paper's.
func (f *finished) ranksOwn(methods []*Series, datasets []dataset.Info) bool {
	return slices.ContainsFunc(methods, func(m *Series) bool { return !m.Paper }) ||
		slices.ContainsFunc(datasets, func(d dataset.Info) bool { return !f.ofPaper(d) })
}

func (f *finished) has(d dataset.Info, m *Series) bool {
	_, ok := f.value[entry{d.Name, m}]
	return ok
}

func (f *finished) hasAll(methods []*Series, datasets []dataset.Info) bool {
	for _, d := range datasets {
		for _, m := range methods {
			if !f.has(d, m) {
				return false
			}
		}
	}
	return true
}

// count is how many data sets a method has finished.
func (f *finished) count(m *Series) (n int) {
	for _, d := range f.datasets {
		if f.has(d, m) {
			n++
		}
	}
	return n
}

// common chooses what is ranked.
func (f *finished) common() (ranked []*Series, datasets []dataset.Info) {
	return stats.CompleteBlocks(f.series, f.datasets, 1, func(m *Series, d dataset.Info) bool { return f.has(d, m) })
}

// ranks returns the ranks of each method over the data sets, which all of them have finished.
func (f *finished) ranks(methods []*Series, datasets []dataset.Info) [][]float64 {
	out := make([][]float64, len(methods))
	for _, d := range datasets {
		values := make([]float64, len(methods))
		for i, m := range methods {
			values[i] = f.value[entry{d.Name, m}]
		}
		for i, r := range stats.Ranks(values, f.metric.Larger) {
			out[i] = append(out[i], r)
		}
	}
	return out
}

// rankTable ranks what is finished. With a beside, it adds the ranks of the same methods and data sets there.
func (f *finished) rankTable(beside *finished) *rankTable {
	t := &rankTable{Protocol: f.protocol, Problem: f.problem, Metric: f.metric, All: f.all}
	methods, datasets := f.common()
	if f.all && !f.ranksOwn(methods, datasets) {
		for _, m := range f.series {
			if f.owns(m) {
				t.Notes = append(t.Notes, f.unranked(m))
			}
		}
		return t
	}
	if methods == nil {
		t.Notes = f.notes
		return t
	}
	t.Datasets = datasets
	var paper [][]float64 // by data set
	if !f.all {
		for _, d := range datasets {
			paper = append(paper, paperRanks(d.Name, f.metric.Name, methods))
		}
	}
	for i, ranks := range f.ranks(methods, datasets) {
		nothing := meanRank{math.NaN(), math.NaN()}
		row := rankRow{Series: methods[i], Ranks: ranks, Own: meanOf(ranks), Published: nothing, PaperMean: nothing}
		for _, d := range datasets {
			row.Of = append(row.Of, f.of[entry{d.Name, methods[i]}])
		}
		if !f.all {
			for _, ranks := range paper {
				row.PaperRanks = append(row.PaperRanks, ranks[i])
			}
			row.PaperMean = meanOf(row.PaperRanks)
			row.Paper, _ = results.PaperRank(f.problem.String(), methods[i].Method.Name)
		}
		t.Rows = append(t.Rows, row)
	}
	if beside != nil && beside.hasAll(methods, datasets) {
		before := beside.ranks(methods, datasets)
		for i, r := range before {
			t.Rows[i].Published = meanOf(r)
		}
		for j, d := range datasets {
			if slices.EqualFunc(before, t.Rows, func(r []float64, row rankRow) bool { return r[j] == row.Ranks[j] }) {
				continue
			}
			name := d.Title
			if d.Name == "kick" {
				name += " (whose split is the same, with another mask of missing entries)"
			}
			t.Reordered = append(t.Reordered, name)
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b rankRow) int { return cmp.Compare(a.Own.Mean, b.Own.Mean) })
	t.Notes = f.rankNotes(methods, datasets)
	t.Significance = f.significance(t.Rows, datasets)
	return t
}

// rankNotes says who is ranked last for want of a complete result, which data sets are a part of the published ones, which of the paper's
// methods choose among other numbers of settings, which are not the paper's here, and which methods and data sets of the plan the ranks are
// not over.
func (f *finished) rankNotes(methods []*Series, datasets []dataset.Info) []string {
	var notes []string
	for _, d := range datasets {
		for _, m := range methods {
			if math.IsInf(f.value[entry{d.Name, m}], 0) {
				notes = append(notes, fmt.Sprintf("%s has no complete result on %s and is ranked last there.", m.Title, d.Title))
			}
		}
		if g := f.part(d); g != nil {
			notes = append(notes, g.partNote()...)
		}
	}
	notes = append(notes, f.otherSearches(methods, datasets)...)
	for _, m := range f.others {
		why := "has single values of a parameter"
		switch {
		case m.sizes.smaller(m.Method) != "":
			why = "is smaller than in the paper"
		case !m.ofPaper():
			why = "is a single variant"
		}
		notes = append(notes, fmt.Sprintf("%s is not among these methods, since it %s; where it is complete, it is ranked among all methods here.",
			m.Title, why))
	}
	return slices.Concat(notes, f.leftOut(methods, datasets), f.notes)
}

// otherSearches says which methods choose among other numbers of settings than in the paper, and on which data sets, unless on all; not so
// among everything, which is not the paper's.
func (f *finished) otherSearches(methods []*Series, datasets []dataset.Info) []string {
	if f.all {
		return nil
	}
	var searches []string
	for _, m := range methods {
		on := map[string][]string{} // data sets by both numbers
		for _, d := range datasets {
			if g := f.of[entry{d.Name, m}]; g.otherSearch() {
				paper, _ := g.paperSettings()
				numbers := fmt.Sprintf("%s %s (%s)", m.Title, spelling.Thousands(g.Settings), spelling.Thousands(paper))
				on[numbers] = append(on[numbers], d.Title)
			}
		}
		for _, numbers := range sortedKeys(on) {
			if len(on[numbers]) < len(datasets) {
				numbers += " on " + strings.Join(on[numbers], " and ")
			}
			searches = append(searches, numbers)
		}
	}
	if searches == nil {
		return nil
	}
	return []string{fmt.Sprintf("Chosen among another number of settings per fold than in the paper, which stands in parentheses: %s.", strings.Join(searches, "; "))}
}

func (f *finished) unranked(m *Series) string {
	return fmt.Sprintf("%s is not ranked: it has complete results on %d of %s.", m.Title, f.count(m), spelling.Count(len(f.datasets), "data set"))
}

// begun reports whether any cell of a method has been run, be it that it failed.
func (f *finished) begun(m *Series) bool {
	return slices.ContainsFunc(f.datasets, func(d dataset.Info) bool {
		g := f.of[entry{d.Name, m}]
		return g != nil && g.begun()
	})
}

// leftOut says which methods and data sets of the plan the ranks are not over, and why; of a method that is not the paper's, such as one
// whose program is missing, once it has been begun.
func (f *finished) leftOut(methods []*Series, datasets []dataset.Info) []string {
	var notes []string
	for _, m := range f.series {
		if !slices.Contains(methods, m) && (m.Paper || f.begun(m)) {
			notes = append(notes, f.unranked(m))
		}
	}
	for _, d := range f.datasets {
		if slices.ContainsFunc(datasets, func(other dataset.Info) bool { return other.Name == d.Name }) {
			continue
		}
		var open []string
		for _, m := range methods {
			if !f.has(d, m) {
				open = append(open, m.Title)
			}
		}
		notes = append(notes, fmt.Sprintf("%s is left out: no complete result of %s.", d.Title, strings.Join(open, "; ")))
	}
	return notes
}

// paperRanks ranks the given methods by the paper's results on a data set.
func paperRanks(dataset, metricName string, methods []*Series) []float64 {
	order := slices.DeleteFunc(results.PaperOrder(dataset, metricName), func(name string) bool {
		return !slices.ContainsFunc(methods, func(m *Series) bool { return m.Method.Name == name })
	})
	ranks := make([]float64, len(methods))
	for i, m := range methods {
		ranks[i] = float64(slices.Index(order, m.Method.Name) + 1)
	}
	return ranks
}
