package measure

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/stats"
)

// The intervention of section 4.2, figure 3e: on the semi-synthetic tasks the target of a row's copy is moved, so that what is to be
// predicted takes values evenly spaced in the range of the targets, and everything else stays. A network that looks the target up
// predicts each of these values. Where copies have one added to their targets, so have those that are moved.
var intervention = &Measurement{
	Name: "intervention",
	Doc:  "whether predictions follow the targets of copies, which are moved over their range",
	Params: []method.Param{
		{Name: "rows", Type: method.Int, Default: 20, Min: 1, Doc: "test rows that it is done for, the first ones"},
		{Name: "values", Type: method.Int, Default: 10, Min: 2, Doc: "that the target of the copy takes"},
		{Name: "share", Type: method.Float, Default: 1.0, Min: 0.01, Max: 1, Optional: true, Doc: "of the targets, the middle ones, over whose range it is moved"},
	},
	Metrics: func(dataset.Info) []metric.Metric {
		return []metric.Metric{interventionSlope, interventionR, interventionRMSE}
	},
	Check: func(m *method.Method, _ method.Config, info dataset.Info) error {
		switch {
		case info.Copies == nil:
			return errors.New("rows have no copies there whose targets could be moved")
		case m.Model == nil && !m.Lazy:
			return cmp.Or(checkRefit(m), errors.New("it predicts from parameters alone"))
		}
		return nil
	},
	Plot:    plotFollowing,
	Caption: "Predictions when the target of a row's copy is moved over the range of the targets, against what they are to follow, in the target's units; the line is the diagonal.",
	Run:     intervene,
}

// Metrics of interventions.
var (
	interventionSlope = metric.Metric{Name: "slope", Title: "slope", Doc: "by how much predictions change with the target of the copy, 1 is right", Digits: 3}
	interventionR     = metric.Metric{Name: "intervention_r", Title: "r when moved", Doc: "Pearson's, of predictions and the targets that they are to follow", Larger: true, Digits: 4}
	interventionRMSE  = metric.Metric{Name: "intervention_rmse", Title: "RMSE", Doc: "of predictions against what they are to follow, in original units", Digits: 2}
)

func intervene(ctx context.Context, s *Subject, with method.Config) (*Outcome, error) {
	if _, err := s.clean(ctx); err != nil {
		return nil, err
	}
	rows, values, share := min(with.Int("rows"), s.Test), with.Int("values"), 1.0
	if with.Has("share") {
		share = with.Float("share")
	}
	o := newOutcome("row", "copy", "follow", "prediction")
	if s.TargetFeatures != nil { // which column is moved, from 0
		o.Table.Columns = append(o.Table.Columns, "column")
	}
	var follow, predicted, slopes, squares, byRow []float64
	for _, of := range s.Model.Batches() {
		batch := s.Select(of)
		first := len(of) - batch.Test
		for at, row := range s.TestRows(of) {
			if row >= rows {
				continue
			}
			copied := s.lookupPlaces(of, first+at, 0)[0]
			low, high := s.targetRange(of[first+at], share)
			var x, y []float64
			for i := range values {
				moved, to := *batch, low+(high-low)*float64(i)/float64(values-1)
				moved.Y = slices.Clone(batch.Y)
				moved.Y[copied] = to + s.Info.Copies.Add
				p, err := s.predict(ctx, &moved)
				if err != nil {
					return nil, err
				}
				x, y = append(x, to), append(y, p[at])
				squares = append(squares, (p[at]-to)*(p[at]-to))
				line := []float64{float64(row), s.rounded(moved.Y[copied]), s.rounded(to), s.rounded(p[at])}
				if s.TargetFeatures != nil {
					line = append(line, float64(s.TargetFeatures[of[first+at]]))
				}
				o.addLine(line...)
			}
			byRow = append(byRow, stat.Mean(squares[len(squares)-values:], nil)) // the errors of a row are not independent
			_, slope := stat.LinearRegression(x, y, nil, false)
			slopes, follow, predicted = append(slopes, slope), append(follow, x...), append(predicted, y...)
			s.advance(len(slopes), rows)
		}
	}
	o.putMean(interventionSlope, slopes)
	o.putMetric(interventionR, stat.Correlation(follow, predicted, nil), math.NaN())
	rmse := math.Sqrt(stat.Mean(squares, nil))
	_, se := stats.MeanStdErr(byRow)
	o.putMetric(interventionRMSE, rmse*s.TargetStd, se*s.TargetStd/(2*rmse))
	return o, nil
}

// targetRange is the range of a share of the targets, the middle ones, of training rows that are no copies and have theirs in the same
// column as a row.
func (s *Subject) targetRange(row int, share float64) (low, high float64) {
	var targets []float64
	for i, y := range s.Y[:s.Train-s.Copies] {
		if s.TargetFeatures == nil || s.TargetFeatures[i] == s.TargetFeatures[row] {
			targets = append(targets, y)
		}
	}
	slices.Sort(targets)
	return stat.Quantile((1-share)/2, stat.Empirical, targets, nil), stat.Quantile((1+share)/2, stat.Empirical, targets, nil)
}
