package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/seed"
	"nptbench/internal/stats"
	"nptbench/results"
)

// The data deletion of section 4.4, Algorithm 2 in appendix B.3.2: other rows of a test row's batch are deleted one by one, drawn at
// random, where that changes the prediction of the row but little. Are those that must be kept more like it than the others are?
//
// Changes are relative to the size of the prediction in the target's units: the paper divides by the prediction itself, and does not
// say on which scale. Distances are sums of squared differences over all encoded features.
var deletion = &Measurement{
	Name: "deletion",
	Doc:  "which other rows can be deleted while the prediction of a row stays about the same",
	Params: []method.Param{
		rowsParam,
		{Name: "per_deletion", Type: method.Float, Default: 0.01, Min: 1e-9, Doc: "relative change up to which a deletion is accepted at first"},
		{Name: "remaining", Type: method.Float, Default: 0.02, Min: 0, Max: 1, Doc: "share of the rows below which it stops"},
		{Name: "change", Type: method.Float, Default: 0.1, Min: 1e-9, Doc: "relative change from which on no deletion is accepted"},
		{Name: "retries", Type: method.Int, Default: 50, Min: 1, Doc: "deletions refused in a row after which larger changes are accepted, by a tenth"},
	},
	Metrics: func(dataset.Info) []metric.Metric {
		return []metric.Metric{keptDistance, randomDistance, deletedDistance, keptNearer, pKeptRandom, pKeptDeleted, remainingRows, toOnePercent, toTenPercent}
	},
	Check: func(m *method.Method, _ method.Config, info dataset.Info) error {
		switch {
		case info.Copies != nil:
			return errors.New("a row is seen there with its copy alone, and neither can be deleted without the other")
		case info.Problem != dataset.Regression:
			return fmt.Errorf("changes of a prediction are of a number, and %s has classes", info.Name)
		case m.Model == nil:
			return fmt.Errorf("%s keeps no model, and would be fitted for each of thousands of predictions", m.Name)
		}
		return nil
	},
	Plot:    plotDistances,
	Caption: "Mean squared distance of test rows to the other rows kept, to as many random ones, and to those deleted; bars are standard errors.",
	Run:     deleteRows,
}

// Metrics of deletion.
var (
	keptDistance    = metric.Metric{Name: "kept_distance", Title: "distance, kept", Doc: "mean squared distance of the rows kept", Digits: 2}
	randomDistance  = metric.Metric{Name: "random_distance", Title: "distance, random", Doc: "mean squared distance of as many rows drawn at random", Digits: 2}
	deletedDistance = metric.Metric{Name: "deleted_distance", Title: "distance, deleted", Doc: "mean squared distance of the rows deleted", Digits: 2}
	keptNearer      = metric.Metric{Name: "kept_nearer", Title: "random minus kept", Doc: "how much nearer the rows kept are than random ones, in squared distance", Larger: true, Digits: 2}
	pKeptRandom     = metric.Metric{Name: "log10_p_random", Title: "log10 p, kept < random", Doc: "Wilcoxon's signed-rank test over the test rows, one-sided", Digits: 2}
	pKeptDeleted    = metric.Metric{Name: "log10_p_deleted", Title: "log10 p, kept < deleted", Doc: "Wilcoxon's signed-rank test over the test rows, one-sided", Digits: 2}
	remainingRows   = metric.Metric{Name: "remaining_rows", Title: "rows kept", Doc: "in percent", Unit: "%", Digits: 1}
	toOnePercent    = metric.Metric{Name: "to_1_percent", Title: "reduced to 1 %", Doc: "test rows, in percent, of which fewer other rows remain than 1 % of the batch", Unit: "%", Larger: true, Digits: 1}
	toTenPercent    = metric.Metric{Name: "to_10_percent", Title: "reduced to 10 %", Doc: "test rows, in percent, of which fewer other rows remain than 10 % of the batch", Unit: "%", Larger: true, Digits: 1}
)

func deleteRows(ctx context.Context, s *Subject, with method.Config) (*Outcome, error) {
	if _, err := s.clean(ctx); err != nil {
		return nil, err
	}
	rows := s.rows(with)
	o := newOutcome("row", "rows", "kept", "kept_distance", "random_distance", "deleted_distance", "evaluations")
	for batch, places := range s.asked(rows) {
		tests := s.TestRows(batch)
		for _, at := range places {
			row := tests[at]
			rng := seed.Rand(s.Seed, row)
			d, err := s.deleteAround(ctx, batch, s.Train+s.Val+row, with, rng)
			if err != nil {
				return nil, err
			}
			random := slices.Clone(d.others)
			rng.Shuffle(len(random), func(a, b int) { random[a], random[b] = random[b], random[a] })
			o.addLine(float64(row), float64(len(batch)), float64(len(d.kept)), sixDigits(s.distance(d.active, d.kept)),
				sixDigits(s.distance(d.active, random[:len(d.kept)])), sixDigits(s.distance(d.active, d.deleted)), float64(d.evaluations))
			s.advance(len(o.Table.Lines), len(rows))
		}
	}
	o.ofDeletion()
	return o, nil
}

// A deletionResult is what became of the other rows of a batch.
type deletionResult struct {
	active                int // row of the task, as all are
	others, kept, deleted []int
	evaluations           int
}

// deleteAround is Algorithm 2 for one test row of a batch.
func (s *Subject) deleteAround(ctx context.Context, batch []int, active int, with method.Config, rng *rand.Rand) (*deletionResult, error) {
	d := &deletionResult{active: active}
	for _, i := range batch {
		if i != active {
			d.others = append(d.others, i)
		}
	}
	d.kept = slices.Clone(d.others)
	predicted := func(kept []int) (float64, error) {
		d.evaluations++
		rows := append(slices.Clone(kept), active)
		slices.Sort(rows)
		p, err := s.predict(ctx, s.Select(rows))
		if err != nil {
			return 0, err
		}
		at, _ := slices.BinarySearch(rows[len(rows)-len(p):], active) // test rows come last
		return s.units(p[at]), nil
	}
	original, err := predicted(d.kept)
	if err != nil {
		return nil, err
	}
	accepted, refusals := with.Float("per_deletion"), 0
	for len(d.kept) > 0 && float64(len(d.kept)) >= with.Float("remaining")*float64(len(batch)) {
		at := rng.IntN(len(d.kept))
		without := slices.Concat(d.kept[:at], d.kept[at+1:])
		y, err := predicted(without)
		if err != nil {
			return nil, err
		}
		switch change := math.Abs(y-original) / math.Abs(original); {
		case math.IsInf(change, 1) && accepted >= with.Float("change"): // of a prediction of 0: no acceptance grows as far
			return d, nil
		case change >= accepted:
			if refusals++; refusals == with.Int("retries") {
				accepted, refusals = 1.1*accepted, 0
			}
		case change >= with.Float("change"):
			return d, nil
		default:
			d.deleted, d.kept, refusals = append(d.deleted, d.kept[at]), without, 0
		}
	}
	return d, nil
}

// distance is the mean squared distance of some rows from one, 0 of none.
func (s *Subject) distance(from int, rows []int) float64 {
	sum := 0.0
	for _, i := range rows {
		sum += s.squaredDistance(from, i)
	}
	return sum / float64(max(1, len(rows)))
}

// squaredDistance of two rows in their encoded features.
func (s *Subject) squaredDistance(a, b int) (sum float64) {
	y := s.Row(b)
	for j, x := range s.Row(a) {
		d := float64(x - y[j])
		sum += d * d
	}
	return sum
}

// keptAndDeleted has the lines of test rows of whose other rows some were kept and some deleted: only they have distances to compare.
func keptAndDeleted(t *results.Table) *results.Table {
	rows, kept := t.Column("rows"), t.Column("kept")
	of := &results.Table{Columns: t.Columns}
	for i, line := range t.Lines {
		if kept[i] > 0 && kept[i] < rows[i]-1 {
			of.Lines = append(of.Lines, line)
		}
	}
	return of
}

// ofDeletion makes the metrics of the table.
func (o *Outcome) ofDeletion() {
	var nearer, remaining, toOne, toTen []float64
	percent := func(yes bool) float64 {
		if yes {
			return 100
		}
		return 0
	}
	left := o.Table.Column("kept")
	for i, n := range o.Table.Column("rows") {
		remaining, toOne, toTen = append(remaining, 100*left[i]/n), append(toOne, percent(left[i] < 0.01*n)), append(toTen, percent(left[i] < 0.1*n))
	}
	compared := keptAndDeleted(o.Table)
	kept, random, deleted := compared.Column("kept_distance"), compared.Column("random_distance"), compared.Column("deleted_distance")
	for i := range kept {
		nearer = append(nearer, random[i]-kept[i])
	}
	for m, values := range map[metric.Metric][]float64{keptDistance: kept, randomDistance: random, deletedDistance: deleted, keptNearer: nearer,
		remainingRows: remaining, toOnePercent: toOne, toTenPercent: toTen} {
		o.putMean(m, values)
	}
	if len(kept) == 0 {
		return
	}
	for m, other := range map[metric.Metric][]float64{pKeptRandom: random, pKeptDeleted: deleted} {
		o.putMetric(m, stats.WilcoxonLess(kept, other).LogP/math.Ln10, math.NaN())
	}
}
