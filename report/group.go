package report

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/results"
)

// A Group holds the folds of one data set, protocol and series.
type Group struct {
	Info     dataset.Info
	Protocol split.Protocol
	Series   *Series
	Settings int           // cells per fold; 0 where the paper has a row and the plan has not
	Select   metric.Metric // of validation rows, that chooses among them
	Folds    []*Fold       // those of the plan, in its order

	sizes    sizes // of the settings on this data set
	distinct int   // how many of the paper's settings can differ in their predictions; 0: not known, or as many as there are here
	cost     cost
}

func (g *Group) newFold(number int) *Fold {
	return &Fold{Number: number, group: g, Failures: map[int]Failed{}, seeds: map[uint64]*Fold{}}
}

// metrics are those of the group's numbers.
func (g *Group) metrics() []metric.Metric {
	if m := g.Series.Measure; m != nil {
		return m.Metrics(g.Info)
	}
	metrics := metric.Of(g.Info.Problem)
	if g.Info.Copies != nil {
		metrics = append(metrics, metric.Correlation)
	}
	return metrics
}

// title is that of the series, with the sizes that it has on this data set.
func (g *Group) title() string {
	if g.Settings == 0 {
		return g.Series.Title
	}
	return g.Series.titled(g.sizes)
}

// whole is the title with what was measured.
func (g *Group) whole() string {
	if g.Series.Measure == nil {
		return g.title()
	}
	return g.title() + ": " + g.Series.measured()
}

// smaller has the sizes of the group's networks that are smaller than published; empty: none is, or the data set is one's own.
func (g *Group) smaller() string {
	if g.Settings == 0 || !dataset.BuiltIn(g.Info.Name) {
		return ""
	}
	return g.sizes.smaller(g.Series.Method)
}

// asPublished reports whether the group is of a method as the paper has it, not smaller on this data set.
func (g *Group) asPublished() bool { return g.Series.wholeMethod() && g.smaller() == "" }

// paperSettings is among how many settings the paper chose on the data set; false where it does not say.
func (g *Group) paperSettings() (n int, known bool) {
	n, known = results.PaperSettings(g.Info.Name, g.Series.Method.Name)
	return n, known && g.Series.ofPaper() && g.Series.Measure == nil
}

// otherSearch reports whether settings are chosen among fewer or more than in the paper, of which those count that can differ.
func (g *Group) otherSearch() bool {
	n, known := g.paperSettings()
	return known && g.Settings != n && g.Settings != g.distinct
}

// paperFolds is how many folds the paper has of the data set, or else the plan.
func (g *Group) paperFolds() int {
	if g.hasPaperFolds() {
		return g.Info.RunFolds
	}
	return len(g.Folds)
}

// hasPaperFolds reports whether the paper says what folds there are: not of one's own data, and what it measures on models it does on the
// first one.
func (g *Group) hasPaperFolds() bool {
	return g.Info.RunFolds > 0 && g.Series.Measure == nil && dataset.BuiltIn(g.Info.Name)
}

// onPaperFolds reports whether the plan has these folds, the first ones, and no others.
func (g *Group) onPaperFolds() bool {
	others := slices.ContainsFunc(g.Folds, func(f *Fold) bool { return f.Number >= g.paperFolds() })
	return !g.hasPaperFolds() || len(g.Folds) == g.paperFolds() && !others
}

// chosen are the records of the chosen settings, by fold as far as there are such.
func (g *Group) chosen() iter.Seq2[*Fold, *results.Record] {
	return func(yield func(*Fold, *results.Record) bool) {
		for _, f := range g.Folds {
			if f.Chosen != nil && !yield(f, f.Chosen) {
				return
			}
		}
	}
}

// completeFolds counts them.
func (g *Group) completeFolds() (n int) {
	for _, f := range g.Folds {
		if f.Complete() {
			n++
		}
	}
	return n
}

// underOtherSeeds are the folds that have records under other seeds than the sweep's.
func (g *Group) underOtherSeeds() map[uint64][]*Fold {
	bySeed := map[uint64][]*Fold{}
	for _, f := range g.Folds {
		for seed, again := range f.seeds {
			bySeed[seed] = append(bySeed[seed], again)
		}
	}
	return bySeed
}

// counts are the numbers of a group's cells with a result, with a failure and without a record.
func (g *Group) counts() (ok, failed, missing int) {
	for _, f := range g.Folds {
		ok, failed, missing = ok+f.OK, failed+f.Failed, missing+f.Missing()
	}
	return ok, failed, missing
}

// missing is the number of a group's cells without a record.
func (g *Group) missing() int {
	_, _, missing := g.counts()
	return missing
}

// begun reports whether any of the group's cells has a record, be it that it failed.
func (g *Group) begun() bool {
	ok, failed, _ := g.counts()
	return ok+failed > 0
}

// subset is the phrase by which the group's records say that their data set is not the complete published one.
func (g *Group) subset() string {
	for _, rec := range g.chosen() {
		return rec.Subset
	}
	return ""
}

// testSubset reports whether the training and validation rows are the paper's, and the test rows a part of the paper's.
func (g *Group) testSubset() bool {
	rows := g.rows()
	paper, _ := results.PaperSplitRows(g.Info.Name)
	return g.subset() != "" && rows[0] == paper[0] && rows[1] == paper[1] && rows[2] < paper[2]
}

// trainingSubset reports whether the training or validation rows are a part of the paper's.
func (g *Group) trainingSubset() bool { return g.subset() != "" && !g.testSubset() }

// rows returns the numbers of training, validation and test rows of a group's first fold with a result.
func (g *Group) rows() [3]int {
	for _, rec := range g.chosen() {
		return rec.Rows
	}
	return [3]int{}
}

// testRatio is the number of test rows over that of training rows, the mean over folds; NaN where none has a result.
func (g *Group) testRatio() float64 {
	var ratios []float64
	for _, rec := range g.chosen() {
		ratios = append(ratios, float64(rec.Rows[2])/float64(rec.Rows[0]))
	}
	return stat.Mean(ratios, nil)
}

// sameRecords reports whether the folds of two groups, of both protocols, chose the same records.
func (g *Group) sameRecords(other *Group) bool {
	return slices.EqualFunc(g.Folds, other.Folds, func(f, h *Fold) bool { return f.Chosen == h.Chosen })
}

// library is what the records of the chosen settings say that trained them, where it is not this program.
func (g *Group) library() string {
	var names []string
	for _, rec := range g.chosen() {
		if name, ok := rec.Details["library"].(string); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return cmp.Or(strings.Join(names, ", "), none)
}
