package report

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/metric"
	"nptbench/internal/spelling"
	"nptbench/internal/stats"
	"nptbench/results"
)

// A Number is one number of the tables: a metric of one data set, protocol and series over its folds.
type Number struct {
	*Group
	Metric metric.Metric

	N    int     // complete folds with this metric, which Mean is over
	Mean float64 // valid when N > 0

	// StdErr is the standard error of the mean over folds, sd(ddof 1)/sqrt(N), and StdErr0 the same with ddof 0, which
	// the paper's baselines use. Both are NaN when N < 2: a single split has no spread between folds. What is measured on the models
	// of a single split has its error over rows as StdErr.
	StdErr, StdErr0 float64

	// RowStdErr is the standard error of the metric over the test rows of a single split; NaN with several folds, or
	// when the record does not have it.
	RowStdErr float64

	// Seeds are the means over all folds under several seeds, that of the sweep first, where records have more than one.
	Seeds []float64

	Paper    results.Published
	HasPaper bool

	Verdict Verdict
	Z       float64 // difference in standard errors, unless our number prints as the paper's; NaN where there is none

	// SpreadReproduced: the paper's printed spread equals StdErr of NPT, StdErr0 of the others, at its printed digits.
	SpreadReproduced bool

	Notes []string // footnotes, each one sentence or more

	undefined []int // the folds on whose test rows there is no such metric
	finer     int   // so many decimals more than the metric has are shown; see scale
}

// Difference is ours minus the paper's; valid when both are there.
func (n *Number) Difference() float64 { return n.Mean - n.Paper.Mean }

// HasDifference reports whether there are two numbers to compare.
func (n *Number) HasDifference() bool { return n.HasPaper && n.Complete() }

// StdDev is the standard deviation over folds that belongs to StdErr, as Table 12 prints it; NaN for fewer than two folds.
func (n *Number) StdDev() float64 {
	if n.N < 2 {
		return math.NaN()
	}
	return n.StdErr * math.Sqrt(float64(n.N))
}

// Complete reports whether the mean is over the folds that the paper's is over, and all of them; on a data set of one's own, over those of
// the sweep.
func (n *Number) Complete() bool { return n.N > 0 && n.N == n.paperFolds() && n.onPaperFolds() }

// paperFolds is how many there are.
func (g *Group) paperFolds() int {
	if g.hasPaperFolds() {
		return g.Info.RunFolds
	}
	return len(g.Folds)
}

// hasPaperFolds reports whether the paper says what folds there are: not of one's own data, and what it measures on models it does on the
// first one.
func (g *Group) hasPaperFolds() bool {
	return g.Info.RunFolds > 0 && g.Series.Measure == nil && cataloguePlace(g.Info) >= 0
}

// onPaperFolds reports whether the plan has these folds, the first ones, and no others.
func (g *Group) onPaperFolds() bool {
	others := slices.ContainsFunc(g.Folds, func(f *Fold) bool { return f.Number >= g.paperFolds() })
	return !g.hasPaperFolds() || len(g.Folds) == g.paperFolds() && !others
}

// otherFoldsNote says so where it does not.
func (g *Group) otherFoldsNote() []string {
	if g.onPaperFolds() {
		return nil
	}
	var has, want []int
	for _, f := range g.Folds {
		has = append(has, f.Number)
	}
	for fold := range g.paperFolds() {
		want = append(want, fold)
	}
	return []string{fmt.Sprintf("The sweep has %s, not %s.", foldList(has), foldList(want))}
}

func (g *Group) number(m metric.Metric) *Number {
	nan := math.NaN()
	n := &Number{Group: g, Metric: m, StdErr: nan, StdErr0: nan, RowStdErr: nan, Z: nan}
	n.Paper, n.HasPaper = results.Paper(g.Info.Name, g.Series.paperName(), m.Name)
	values, undefined := testResults(g.Folds, m)
	if len(g.Folds) == 1 && len(values) == 1 {
		if se, ok := finite(g.Folds[0].Chosen.Test, m.StdErr()); ok {
			n.RowStdErr = se
			if g.Series.Measure != nil {
				n.StdErr = se
			}
		}
	}
	n.N = len(values)
	switch {
	case n.N == 1:
		n.Mean = values[0]
	case n.N > 1:
		n.Mean, n.StdErr = stats.MeanStdErr(values)
		n.StdErr0 = stat.StdErr(stat.PopStdDev(values, nil), float64(n.N))
	}
	if n.Complete() {
		n.Seeds = withSeeds(n.Mean, n.otherSeeds())
	}
	n.undefined = undefined
	n.Notes = slices.Concat(g.notes(), n.undefinedNote(), n.subsetNote())
	n.judge()
	return n
}

// seedNotes are the footnotes, and what other seeds gave.
func (n *Number) seedNotes() []string { return append(slices.Clip(n.Notes), n.seedsNote()...) }

func (n *Number) seedsNote() []string {
	var notes []string
	if len(n.Seeds) > 1 {
		mean, deviation := n.overSeeds()
		notes = append(notes, fmt.Sprintf("Over %d seeds: mean %s, standard deviation %s.", len(n.Seeds), mean, deviation))
	}
	if !n.Complete() {
		return notes
	}
	bySeed, means := n.underOtherSeeds(), n.otherSeeds()
	var left []string
	var folds []*Fold
	for _, seed := range sortedKeys(bySeed) {
		failed := slices.ContainsFunc(bySeed[seed], func(f *Fold) bool { return f.Failed > 0 })
		if _, has := means[seed]; !has && failed {
			left, folds = append(left, strconv.FormatUint(seed, 10)), append(folds, bySeed[seed]...)
		}
	}
	if len(left) > 0 {
		notes = append(notes, fmt.Sprintf("Left out, since cells failed: %s %s: %s.", map[bool]string{true: "seed", false: "seeds"}[len(left) == 1],
			strings.Join(left, ", "), failures(folds)))
	}
	return notes
}

// overSeeds writes the mean and the standard deviation over several seeds.
func (n *Number) overSeeds() (mean, deviation string) {
	m, sd := stat.MeanStdDev(n.Seeds, nil)
	return Decimal(m, n.digits()), Decimal(sd, n.digits())
}

// result is a metric of the chosen setting of a complete fold, where it is defined.
func (f *Fold) result(m metric.Metric) (x float64, ok bool) {
	if !f.Complete() || f.Chosen == nil {
		return 0, false
	}
	return finite(f.Chosen.Test, m.Name)
}

// testResults returns a metric of the chosen settings of all complete folds, and the numbers of folds where it is not defined.
func testResults(folds []*Fold, m metric.Metric) (values []float64, undefined []int) {
	for _, f := range folds {
		if x, ok := f.result(m); ok {
			values = append(values, x)
		} else if f.Complete() && f.Chosen != nil {
			undefined = append(undefined, f.Number)
		}
	}
	return values, undefined
}

// otherSeeds are the means of a number, which is complete, under other seeds than the sweep's, as far as these are complete, too.
func (n *Number) otherSeeds() map[uint64]float64 {
	means := map[uint64]float64{}
	for seed, folds := range n.underOtherSeeds() {
		if values, _ := testResults(folds, n.Metric); len(values) == n.N {
			means[seed] = stat.Mean(values, nil)
		}
	}
	return means
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

// withSeeds has a mean first, and then those under other seeds, in the order of these.
func withSeeds(mean float64, others map[uint64]float64) []float64 {
	means := []float64{mean}
	for _, seed := range sortedKeys(others) {
		means = append(means, others[seed])
	}
	return means
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

// notes are the footnotes that concern all metrics of a group.
func (g *Group) notes() []string {
	var notes []string
	unselected := 0
	var empty, unchosen []int
	for _, f := range g.Folds {
		switch {
		case !f.Complete() || f.Chosen != nil:
		case f.OK > 0:
			unchosen = append(unchosen, f.Number)
		default:
			empty = append(empty, f.Number)
		}
		unselected += f.Unselected
	}
	ok, failed, missing := g.counts()
	cells := ok + failed
	switch {
	case g.Settings == 0 && g.Series.Method.Run == nil:
		return []string{fmt.Sprintf("nptbench does not have %s yet.", g.Series.Method.Title)}
	case g.Settings == 0:
		return []string{"Not part of this run."}
	}
	if cells == 0 {
		return nil
	}
	if complete := g.completeFolds(); complete < len(g.Folds) {
		notes = append(notes, fmt.Sprintf("%d of %s complete; %s of %s cells have a record.",
			complete, plural(len(g.Folds), "fold is", "folds are"), spelling.Thousands(cells), spelling.Thousands(cells+missing)))
	}
	notes = slices.Concat(notes, g.otherFoldsNote(), g.failedNote())
	if len(empty) > 0 {
		notes = append(notes, fmt.Sprintf("No setting has a result on %s.", foldList(empty)))
	}
	if len(unchosen) > 0 {
		notes = append(notes, fmt.Sprintf("No setting can be chosen on %s.", foldList(unchosen)))
	}
	if unselected > 0 {
		notes = append(notes, fmt.Sprintf("%s without a finite validation %s cannot be chosen.",
			plural(unselected, "cell", "cells"), g.Select.Name))
	}
	notes = append(notes, g.backendNote()...)
	if g.Series.Values[variantField] != "" { // whose rows may have no sizes in their titles
		notes = append(notes, g.smallerNote(nil)...)
	}
	if n, ok := results.PaperSettings(g.Info.Name, g.Series.Method.Name); ok && n != g.Settings && g.Series.ofPaper() && g.Series.Measure == nil {
		note := fmt.Sprintf("Chosen among %s per fold; the paper chose among %s", plural(g.Settings, "setting", "settings"), spelling.Thousands(n))
		if g.distinct == g.Settings {
			note += ", of which so many differ"
		}
		notes = append(notes, note+".")
	}
	return notes
}

// backendNote says which folds networks were trained on by which backend, where that was not the same.
func (g *Group) backendNote() []string {
	folds := map[string][]int{}
	for f, rec := range g.chosen() {
		if by, isNetwork := rec.Details["backend"].(string); isNetwork {
			folds[by] = append(folds[by], f.Number)
		}
	}
	if len(folds) < 2 {
		return nil
	}
	var parts []string
	for _, by := range sortedKeys(folds) {
		parts = append(parts, fmt.Sprintf("%s by %s", foldList(folds[by]), by))
	}
	return []string{"Trained on " + strings.Join(parts, ", on ") + "."}
}

// failedNote says how many cells failed, if any, and how.
func (g *Group) failedNote() []string {
	ok, failed, missing := g.counts()
	if failed == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of %s cells failed: %s.", spelling.Thousands(failed), spelling.Thousands(ok+failed+missing), failures(g.Folds))}
}

// smaller has the sizes of the group's networks that are smaller than published; empty: none is, or the data set is one's own.
func (g *Group) smaller() string {
	if g.Settings == 0 || cataloguePlace(g.Info) < 0 {
		return ""
	}
	return g.sizes.smaller(g.Series.Method)
}

// asPublished reports whether the group is of a method as the paper has it, not smaller on this data set.
func (g *Group) asPublished() bool { return g.Series.wholeMethod() && g.smaller() == "" }

// title is that of the series, with the sizes that it has on this data set.
func (g *Group) title() string {
	if g.Settings == 0 {
		return g.Series.Title
	}
	return g.Series.titled(g.sizes)
}

// smallerNote says that the group's networks are smaller than published, where a title, with these sizes or with none (nil), does not.
func (g *Group) smallerNote(titled sizes) []string {
	smaller := g.smaller()
	if smaller == "" || titled != nil && smaller == titled.smaller(g.Series.Method) {
		return nil
	}
	return []string{fmt.Sprintf("Smaller than in the paper: %s.", smaller)}
}

// subsetNote says on which part of the published table a number was made, and the error that fewer test rows bring.
func (n *Number) subsetNote() []string {
	subset := n.subset()
	switch {
	case subset == "":
		return nil
	case n.testSubset() && n.HasDifference() && !math.IsNaN(n.RowStdErr):
		return []string{fmt.Sprintf("%s: %s.", n.Info.Title, subset), fmt.Sprintf(
			"On %s's test rows here the %s has a standard error of %.2g; the difference from the paper is %.2g.", n.Info.Title, n.Metric.Title, n.RowStdErr, math.Abs(n.Difference()))}
	}
	return []string{fmt.Sprintf("%s: %s.", n.Info.Title, subset)}
}

// failures names the failures of folds by kind and count, with the first message of each kind, and how many others there are.
func failures(folds []*Fold) string {
	type kind struct {
		count    int
		first    string
		messages map[string]bool
	}
	kinds := map[string]*kind{}
	for _, f := range folds {
		for _, position := range sortedKeys(f.Failures) {
			failure := f.Failures[position]
			k := kinds[failure.Kind]
			if k == nil {
				k = &kind{first: failure.Message, messages: map[string]bool{}}
				kinds[failure.Kind] = k
			}
			k.count++
			k.messages[failure.Message] = true
		}
	}
	var parts []string
	for _, name := range sortedKeys(kinds) {
		k := kinds[name]
		first := ""
		if n := len(k.messages); n > 1 {
			first = fmt.Sprintf("the first of %d messages: ", n)
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s%s)", spelling.Thousands(k.count), name, first, bothEnds(k.first)))
	}
	return strings.Join(parts, ", ")
}

// subset is the phrase by which the group's records say that their data set is not the complete published one.
func (g *Group) subset() string {
	for _, rec := range g.chosen() {
		return rec.Subset
	}
	return ""
}

// rows returns the numbers of training, validation and test rows of a group's first fold with a result.
func (g *Group) rows() [3]int {
	for _, rec := range g.chosen() {
		return rec.Rows
	}
	return [3]int{}
}

// foldList names folds by their numbers, three neighbours and more by the first and the last.
func foldList(folds []int) string {
	slices.Sort(folds)
	var parts []string
	for i := 0; i < len(folds); {
		end := i + 1 // of a run of neighbours
		for end < len(folds) && folds[end] == folds[end-1]+1 {
			end++
		}
		if end > i+2 {
			parts = append(parts, fmt.Sprintf("%d to %d", folds[i], folds[end-1]))
		} else {
			end = i + 1
			parts = append(parts, fmt.Sprint(folds[i]))
		}
		i = end
	}
	if len(folds) == 1 {
		return "fold " + parts[0]
	}
	return "folds " + strings.Join(parts, ", ")
}
