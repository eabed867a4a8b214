package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nptbench/internal/spelling"
)

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
		notes = append(notes, fmt.Sprintf("%d of %s complete; records of %s of %s.",
			complete, spelling.Count(len(g.Folds), "fold"), spelling.Thousands(cells), spelling.Count(cells+missing, "cell")))
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
			spelling.Count(unselected, "cell"), g.Select.Name))
	}
	notes = append(notes, g.backendNote()...)
	if g.Series.Values[variantField] != "" { // whose rows may have no sizes in their titles
		notes = append(notes, g.smallerNote(nil)...)
	}
	return append(notes, g.searchNote()...)
}

// searchNote says among how many settings was chosen, where the paper has another number.
func (g *Group) searchNote() []string {
	n, known := g.paperSettings()
	if !known || n == g.Settings {
		return nil
	}
	note := fmt.Sprintf("Chosen among %s per fold; the paper chose among %s", spelling.Count(g.Settings, "setting"), spelling.Thousands(n))
	if !g.otherSearch() {
		note += ", of which so many differ"
	}
	return []string{note + "."}
}

// otherFoldsNote says so where the plan's folds are not the paper's.
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

// failedNote says how many cells failed, if any, and how.
func (g *Group) failedNote() []string {
	ok, failed, missing := g.counts()
	if failed == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of %s cells failed: %s.", spelling.Thousands(failed), spelling.Thousands(ok+failed+missing), failures(g.Folds))}
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

// smallerNote says that the group's networks are smaller than published, where a title, with these sizes or with none (nil), does not.
func (g *Group) smallerNote(titled sizes) []string {
	smaller := g.smaller()
	if smaller == "" || titled != nil && smaller == titled.smaller(g.Series.Method) {
		return nil
	}
	return []string{fmt.Sprintf("Smaller than in the paper: %s.", smaller)}
}

// partNote says on which part of the published table numbers were made.
func (g *Group) partNote() []string {
	if g.subset() == "" {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s.", g.Info.Title, g.subset())}
}

// subsetNote says so, and the error that fewer test rows bring.
func (n *Number) subsetNote() []string {
	notes := n.partNote()
	if n.testSubset() && n.HasDifference() && !math.IsNaN(n.RowStdErr) {
		stdErr, difference := Decimal(n.RowStdErr, n.digits()), Decimal(math.Abs(n.Difference()), n.digits())
		notes = append(notes, fmt.Sprintf(
			"On %s's test rows here the %s has a standard error of %s; the difference from the paper is %s.", n.Info.Title, n.Metric.Title, stdErr, difference))
	}
	return notes
}

// copiesNote says of a number beside one of the paper that it is not by the same training rows.
func (n *Number) copiesNote() []string {
	if !n.besideCopies() {
		return nil
	}
	return []string{fmt.Sprintf("By the training rows and the copies; the paper's %s has the copies alone.", n.Series.Method.Title)}
}

// footnotes are the notes of a number, and what other seeds gave.
func (n *Number) footnotes() []string { return append(slices.Clip(n.Notes), n.seedsNote()...) }

func (n *Number) seedsNote() []string {
	var notes []string
	if len(n.Seeds) > 1 {
		mean, deviation := n.overSeeds()
		notes = append(notes, fmt.Sprintf("Over %d seeds: mean %s, standard deviation %s.", len(n.Seeds), mean, deviation))
	}
	if !n.completeWhereDefined() {
		return notes
	}
	bySeed, means := n.underOtherSeeds(), n.otherSeeds()
	for _, kind := range []struct {
		counts bool
		text   string
	}{{false, "Left out, since cells failed"}, {true, "Chosen among the others, since cells failed"}} {
		var seeds []string
		var folds []*Fold
		for _, seed := range sortedKeys(bySeed) {
			failed := slices.ContainsFunc(bySeed[seed], func(f *Fold) bool { return f.Failed > 0 })
			if _, counts := means[seed]; failed && counts == kind.counts {
				seeds, folds = append(seeds, strconv.FormatUint(seed, 10)), append(folds, bySeed[seed]...)
			}
		}
		if len(seeds) > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s %s: %s.", kind.text, map[bool]string{true: "seed", false: "seeds"}[len(seeds) == 1],
				strings.Join(seeds, ", "), failures(folds)))
		}
	}
	return notes
}

// foldsNote says over how many folds a number is, where these are not all, and why some are missing of which there are records.
func (n *Number) foldsNote() []string {
	if n.N >= n.paperFolds() {
		return n.otherFoldsNote()
	}
	return append([]string{fmt.Sprintf("Over %d of %d folds.", n.N, n.paperFolds())}, n.undefinedNote()...)
}

func (n *Number) undefinedNote() []string {
	if len(n.undefined) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s is not defined on the test rows of %s.", n.Metric.Title, foldList(n.undefined))}
}

// foldList names folds by their numbers, three neighbours and more by the first and the last.
func foldList(folds []int) string {
	folds = slices.Sorted(slices.Values(folds))
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
