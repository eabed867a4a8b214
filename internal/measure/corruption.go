package measure

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/seed"
	"nptbench/internal/stats"
	"nptbench/internal/task"
)

// The corruption of section 4.3, Table 2 and the algorithm of appendix B.2.1: for every test row all other rows of its batch are
// permuted column by column, which destroys what they say and keeps the statistics of each column. The row itself stays as it is,
// and is predicted. Negative changes are worse predictions.
//
// The target is a column as well, and moves together with whether it is hidden. To permute every column on its own is, but for the
// order of the rows, which nobody looks at, to permute every column but one: the targets stay where they are.
var corruption = &Measurement{
	Name: "corruption",
	Doc:  "what becomes of the prediction of a row when all other rows are permuted column by column",
	Params: []method.Param{
		rowsParam,
	},
	Metrics: func(info dataset.Info) []metric.Metric {
		if info.Problem == dataset.Regression {
			return []metric.Metric{rmseChange, CleanRMSE, CorruptedRMSE, changedRows}
		}
		return []metric.Metric{accuracyChange, cleanAccuracy, corruptedAccuracy, nllChange, changedRows}
	},
	Check: func(m *method.Method, _ method.Config, info dataset.Info) error {
		switch {
		case info.AnyColumn():
			return errors.New("rows differ there in the column that is their target, and no column can be permuted")
		case info.Copies != nil && info.Copies.Flagged:
			return errors.New("entries of copies are flagged there as missing and yet in sight, which no other row's can be")
		}
		return checkRefit(m)
	},
	Run: corrupt,
}

// Metrics of corruption.
var (
	rmseChange        = metric.Metric{Name: "rmse_change", Title: "change of RMSE", Doc: "minus the relative increase of the RMSE in percent", Unit: "%", Larger: true, Change: true}
	CleanRMSE         = metric.Metric{Name: "clean_rmse", Title: "RMSE", Doc: "RMSE in original units of the same rows without corruption", Digits: 2}
	CorruptedRMSE     = metric.Metric{Name: "corrupted_rmse", Title: "RMSE, corrupted", Doc: "RMSE in original units", Digits: 2}
	accuracyChange    = metric.Metric{Name: "accuracy_change", Title: "change of accuracy", Doc: "in percentage points", Unit: "points", Larger: true, Digits: 2, Change: true}
	cleanAccuracy     = metric.Metric{Name: "clean_accuracy", Title: "accuracy", Doc: "accuracy in percent of the same rows without corruption", Unit: "%", Larger: true, Digits: 1}
	corruptedAccuracy = metric.Metric{Name: "corrupted_accuracy", Title: "accuracy, corrupted", Doc: "accuracy in percent", Unit: "%", Larger: true, Digits: 1}
	nllChange         = metric.Metric{Name: "nll_change", Title: "change of log-likelihood", Doc: "of a row on average", Larger: true, Digits: 4, Change: true}
	changedRows       = metric.Metric{Name: "changed_rows", Title: "rows with another prediction", Doc: "in percent", Unit: "%", Digits: 1}
)

// numbersAtOnce is how many numbers the batches have that a model is given at a time.
var numbersAtOnce = 1 << 24

func corrupt(ctx context.Context, s *Subject, with method.Config) (*Outcome, error) {
	clean, err := s.clean(ctx)
	if err != nil {
		return nil, err
	}
	rows, outputs, done := s.rows(with), s.Outputs(), 0
	corrupted := make(method.Prediction, len(clean))
	for of, places := range s.asked(rows) {
		batch, tests := s.Select(of), s.TestRows(of)
		for some := range slices.Chunk(places, max(1, numbersAtOnce/max(1, len(batch.X)))) {
			var batches []*task.Task // in each, one of these rows is as it was
			for _, at := range some {
				batches = append(batches, permuted(batch, batch.Train+batch.Val+at, seed.Rand(s.Seed, tests[at])))
			}
			out, err := s.predictions(ctx, batches)
			if err != nil {
				return nil, err
			}
			for i, p := range out {
				at := some[i]
				copy(corrupted[tests[at]*outputs:], p[at*outputs:(at+1)*outputs])
			}
			done += len(out)
			s.advance(done, len(rows))
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return s.compare(rows, clean, corrupted), nil
}

// permuted returns a batch whose rows but one are permuted feature by feature, each entry with whether it is missing.
func permuted(batch *task.Task, keep int, rng *rand.Rand) *task.Task {
	out := *batch
	out.X, out.Missing = slices.Clone(batch.X), slices.Clone(batch.Missing)
	var to []int
	for i := range batch.Rows() {
		if i != keep {
			to = append(to, i)
		}
	}
	from, d := slices.Clone(to), len(batch.Features)
	for j, f := range batch.Features {
		rng.Shuffle(len(from), func(a, b int) { from[a], from[b] = from[b], from[a] })
		for i := range to {
			copy(out.Row(to[i])[f.Offset:f.Offset+f.Width], batch.Row(from[i])[f.Offset:f.Offset+f.Width])
			if batch.Missing != nil {
				out.Missing[to[i]*d+j] = batch.Missing[from[i]*d+j]
			}
		}
	}
	return &out
}

// compare holds the predictions of corrupted batches against the clean ones, for some test rows.
func (s *Subject) compare(rows []int, clean, corrupted method.Prediction) *Outcome {
	o := newOutcome("row", "target", "clean", "corrupted")
	outputs := s.Outputs()
	before, after, other := make([]float64, len(rows)), make([]float64, len(rows)), make([]float64, len(rows))
	var gain, likelier []float64 // of classes
	for i, row := range rows {
		a, b := clean[row*outputs:(row+1)*outputs], corrupted[row*outputs:(row+1)*outputs]
		if !slices.Equal(a, b) {
			other[i] = 100
		}
		if s.Info.Problem == dataset.Regression {
			y := s.Truth.Y[row]
			before[i], after[i] = (a[0]-y)*(a[0]-y), (b[0]-y)*(b[0]-y)
			o.addLine(float64(row), s.rounded(y), s.rounded(a[0]), s.rounded(b[0]))
			continue
		}
		label := s.Truth.Labels[row : row+1]
		before[i], _ = metric.PercentCorrect(a, label, outputs)
		after[i], _ = metric.PercentCorrect(b, label, outputs)
		lossBefore, _ := metric.LogLoss(a, label, outputs)
		lossAfter, _ := metric.LogLoss(b, label, outputs)
		gain, likelier = append(gain, after[i]-before[i]), append(likelier, lossBefore-lossAfter)
		o.addLine(float64(row), float64(label[0]), sixDigits(a[label[0]]), sixDigits(b[label[0]]))
	}
	o.putMean(changedRows, other)
	if s.Info.Problem.Classification() {
		o.putMean(accuracyChange, gain)
		o.putMean(cleanAccuracy, before)
		o.putMean(corruptedAccuracy, after)
		o.putMean(nllChange, likelier)
		return o
	}
	mse, corruptedMSE := s.setRMSE(o, CleanRMSE, before), s.setRMSE(o, CorruptedRMSE, after)
	for i := range after {
		after[i] -= before[i]
	}
	// The error is that of the mean increase of the squared errors, in this unit. That of the ratio, to first order, would be far too
	// small where a few rows make most of both errors: they determine the ratio, and the others alone its error.
	_, se := stats.MeanStdErr(after)
	ratio := math.Sqrt(corruptedMSE / mse)
	o.putMetric(rmseChange, 100*(1-ratio), 100*se/mse/(1+ratio))
	return o
}

// setRMSE notes the root of the mean of squared errors, in the target's units, and returns that mean.
func (s *Subject) setRMSE(o *Outcome, m metric.Metric, squares []float64) (mse float64) {
	mse, se := stats.MeanStdErr(squares)
	rmse := math.Sqrt(mse)
	o.putMetric(m, rmse*s.TargetStd, se*s.TargetStd/(2*rmse))
	return mse
}
