package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"nptbench/internal/spelling"
	"nptbench/internal/stats"
)

// A comparison is what a table comes to.
type comparison struct {
	*table
	alpha   float64
	on      []*datasetComparison
	overall *overall // nil: fewer than two data sets
}

// A datasetComparison has a row for each method on a data set; the others are compared with the first one.
type datasetComparison struct {
	name string
	rows []*row
}

// A row is a method on a data set.
type row struct {
	method  string
	values  []result     // by fold
	mean    *stats.TTest // its P says nothing; nil for a single fold
	ratio   float64      // as of testRatio, where there is a mean
	against *difference  // nil: of the first method, or where there is nothing to compare
	notes   []string
}

// A difference is a method minus the first one.
type difference struct {
	paired   bool
	test     *stats.TTest // nil: too few folds
	adjusted float64      // P after Holm's correction, over the methods of the data set; NaN without a test
	wins     float64      // of pairs, NaN where there are none; ties count half
	pairs    int
	median   float64 // of the differences of pairs
	delta    float64 // Cliff's; positive where the method is better
}

func (t *table) compare(alpha float64) (*comparison, error) {
	c := &comparison{table: t, alpha: alpha}
	for _, name := range t.datasets {
		d, err := t.compareOn(name, alpha)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c.on = append(c.on, d)
	}
	if len(t.datasets) > 1 {
		c.overall = t.compareOverall(alpha)
	}
	return c, nil
}

func (t *table) compareOn(name string, alpha float64) (*datasetComparison, error) {
	d := &datasetComparison{name: name}
	parts := len(slices.Compact(slices.Sorted(maps.Values(t.folds[name]))))
	for _, method := range t.methods {
		r := &row{method: method}
		d.rows = append(d.rows, r)
		r.values, r.notes = t.at(name, method), append(r.notes, t.gapNotes(name, method)...)
		if len(r.values) == 0 {
			if len(r.notes) == 0 {
				r.notes = []string{"No results."}
			}
			continue
		}
		r.notes = append(r.notes, t.foldNotes(name, r.values)...)
		if len(r.values) > 1 {
			var note []string
			var err error
			if r.ratio, note, err = testRatio(r.values, parts); err != nil {
				return nil, err
			}
			r.notes = append(r.notes, note...)
			r.mean = stats.CorrectedT(values(r.values), r.ratio, 1-alpha)
		}
		if first := d.rows[0]; r != first && len(first.values) > 0 {
			if err := r.compareWith(first, parts, t.metric.Larger, alpha); err != nil {
				return nil, err
			}
		}
	}
	d.adjust()
	return d, nil
}

// at returns the results of a method on a data set in the order of their folds.
func (t *table) at(dataset, method string) (results []result) {
	folds := t.results[place{dataset, method}]
	for _, fold := range slices.Sorted(maps.Keys(folds)) {
		results = append(results, folds[fold])
	}
	return results
}

func values(results []result) []float64 {
	out := make([]float64, len(results))
	for i, r := range results {
		out[i] = r.value
	}
	return out
}

// testRatio is the mean of test rows over training rows; of folds that do not say, 1/(parts-1), as in cross-validation, parts being into
// how many a repetition cuts the data set.
func testRatio(folds []result, parts int) (ratio float64, note []string, err error) {
	for _, f := range folds {
		ratio += f.testRatio / float64(len(folds))
	}
	if !math.IsNaN(ratio) {
		return ratio, nil, nil
	}
	if parts < 2 {
		return 0, nil, errors.New("resamples or repetitions of a single fold: want columns with the train rows and the test rows, on which the test depends")
	}
	note = []string{fmt.Sprintf("The file does not say how many rows are tested: taken for %d-fold cross-validation.", parts)}
	return 1 / float64(parts-1), note, nil
}

// pairs returns the results on the folds that both have, by their names and, where known, their rows.
func pairs(a, b []result) (x, y []result, note []string) {
	differ := 0
	for _, one := range a {
		at := slices.IndexFunc(b, func(other result) bool { return other.fold == one.fold })
		switch {
		case at < 0:
		case one.split != "" && b[at].split != "" && one.split != b[at].split:
			differ++
		default:
			x, y = append(x, one), append(y, b[at])
		}
	}
	if differ > 0 {
		note = []string{fmt.Sprintf("%s of the same number have other rows: they are not paired.", spelling.Count(differ, "fold"))}
	}
	return x, y, note
}

// compareWith compares a method with the first one, by the folds that both have; where these are none, as two samples.
func (r *row) compareWith(first *row, parts int, larger bool, alpha float64) error {
	nan := math.NaN()
	d := &difference{wins: nan, median: nan, adjusted: nan}
	r.against = d
	x, y, notes := pairs(r.values, first.values)
	r.notes = append(r.notes, notes...)
	if d.delta = stats.CliffsDelta(values(r.values), values(first.values)); !larger {
		d.delta = -d.delta
	}
	if d.pairs = len(x); d.pairs > 0 {
		d.wins = stats.WinRate(values(x), values(y), larger)
		differences := stats.Differences(values(x), values(y))
		d.median = stats.Median(differences)
		if d.pairs < max(len(r.values), len(first.values)) {
			r.notes = append(r.notes, fmt.Sprintf("The difference is over the %s that both have.", spelling.Count(d.pairs, "fold")))
		}
		if d.pairs > 1 {
			ratio, _, err := testRatio(x, parts)
			if err != nil {
				return err
			}
			d.paired = true
			d.test = stats.CorrectedT(differences, ratio, 1-alpha)
		}
	} else if len(r.values) > 1 && len(first.values) > 1 {
		r.notes = append(r.notes, fmt.Sprintf("No fold is also one of %s: not paired, compared by Welch's test with the same correction.", first.method))
		d.test = stats.CorrectedWelch(values(r.values), values(first.values), r.ratio, first.ratio, 1-alpha)
	}
	switch {
	case d.test == nil && d.pairs == 0:
		r.notes = append(r.notes, "No fold in common: no test.")
	case d.test == nil:
		r.notes = append(r.notes, "One fold in common: no test.")
	default:
		r.notes = append(r.notes, d.test.Warnings...)
	}
	return nil
}

// adjust corrects p for the number of methods that are compared with the first one.
func (d *datasetComparison) adjust() {
	var tested []*difference
	var p []float64
	for _, r := range d.rows {
		if r.against != nil && r.against.test != nil && !math.IsNaN(r.against.test.P) {
			tested, p = append(tested, r.against), append(p, r.against.test.P)
		}
	}
	for i, adjusted := range stats.Holm(p) {
		tested[i].adjusted = adjusted
	}
}

// foldNotes say which folds of a data set a method has no results of, how many cells failed, and of how many results on a fold the
// mean counts.
func (t *table) foldNotes(dataset string, values []result) (notes []string) {
	without := maps.Clone(t.folds[dataset])
	fewest, most, known := values[0].results, 1, true
	for _, r := range values {
		delete(without, r.fold)
		fewest, most, known = min(fewest, r.results), max(most, r.results), known && r.split != ""
	}
	if len(without) > 0 {
		names := slices.SortedFunc(maps.Keys(without), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
		if len(names) > 10 {
			names = append(names[:9], fmt.Sprintf("and %d others", len(names)-9))
		}
		notes = append(notes, fmt.Sprintf("Over %d of %s: no %s on %s.",
			len(values), spelling.Count(len(t.folds[dataset]), "fold"), t.metric.Title, strings.Join(names, ", ")))
	}
	failed, on := 0, 0
	for _, r := range values {
		if failed += r.failed; r.failed > 0 {
			on++
		}
	}
	if failed > 0 {
		notes = append(notes, fmt.Sprintf("%s failed, on %s: validation chose among the other settings there.", spelling.Count(failed, "cell"), spelling.Count(on, "fold")))
	}
	if most > 1 {
		several := spelling.Thousands(most)
		if fewest < most {
			several = fmt.Sprintf("%d to %s", fewest, several)
		}
		if known {
			notes = append(notes, fmt.Sprintf("A fold counts once, by the mean of its %s results on the same rows.", several))
		} else {
			notes = append(notes, fmt.Sprintf("A fold counts once, by the mean of its %s results, taken to be on the same rows. If each seed cuts the data anew, call the column repetition.", several))
		}
	}
	return notes
}

// gapNotes say how many folds have no result that counts, under any seed.
func (t *table) gapNotes(dataset, method string) (notes []string) {
	count, counted := map[string]int{}, map[string]bool{}
	for _, g := range t.gaps {
		if _, has := t.results[place{dataset, method}][g.fold]; g.dataset == dataset && g.method == method && !has && !counted[g.fold] {
			counted[g.fold] = true
			count[g.why]++
		}
	}
	for _, why := range slices.Sorted(maps.Keys(count)) {
		verb := "are"
		if count[why] == 1 {
			verb = "is"
		}
		notes = append(notes, fmt.Sprintf("%s %s %s left out.", spelling.Count(count[why], "fold"), why, verb))
	}
	return notes
}
