package measure

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/results"
)

// What becomes of predictions when more rows, or fewer, share a batch than in training. On the semi-synthetic tasks more rows are more that
// can be taken for the copy of a row, so that errors of networks can be compared in batches of one size alone.
var batchSize = &Measurement{
	Name: "batch_size",
	Doc:  "how good predictions are in batches of another size",
	Params: []method.Param{
		{Name: "size", Type: method.Int, Default: 2048, Min: 2, Doc: "rows of a batch, on the semi-synthetic tasks half of them copies"},
	},
	Metrics: func(info dataset.Info) []metric.Metric {
		if info.Problem == dataset.Regression {
			return []metric.Metric{batchSizeRMSE, batchSizeR}
		}
		return []metric.Metric{batchSizeAccuracy}
	},
	Check: func(m *method.Method, _ method.Config, _ dataset.Info) error {
		if m.Model == nil {
			return fmt.Errorf("%s does not predict in batches", m.Name)
		}
		return nil
	},
	Run: predictInBatches,
}

// Metrics of predictions in batches of another size.
var (
	batchSizeRMSE     = metric.Metric{Name: "batch_size_rmse", Title: "RMSE in such batches", Doc: "in original units", Digits: 2}
	batchSizeR        = metric.Metric{Name: "batch_size_r", Title: "r in such batches", Doc: "Pearson's, of predictions and targets", Larger: true, Digits: 4}
	batchSizeAccuracy = metric.Metric{Name: "batch_size_accuracy", Title: "accuracy in such batches", Doc: "in percent", Unit: "%", Larger: true, Digits: 1}
)

func predictInBatches(ctx context.Context, s *Subject, with method.Config) (*Outcome, error) {
	model, ok := s.Model.(method.Batched)
	if !ok {
		return nil, fmt.Errorf("the model does not predict in batches")
	}
	if _, err := s.clean(ctx); err != nil {
		return nil, err
	}
	batches, err := model.BatchesOf(with.Int("size"))
	if err != nil {
		return nil, err
	}
	predicted, err := s.predictAll(ctx, batches)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Metrics: results.Metrics{}}
	if s.Info.Problem == dataset.Regression {
		squares := make([]float64, s.Test)
		for i, y := range s.Truth.Y {
			squares[i] = (predicted[i] - y) * (predicted[i] - y)
		}
		s.setRMSE(o, batchSizeRMSE, squares)
		o.putMetric(batchSizeR, stat.Correlation(s.Truth.Y, predicted, nil), math.NaN())
		return o, nil
	}
	accuracy, se := metric.PercentCorrect(predicted, s.Truth.Labels, s.Outputs())
	o.putMetric(batchSizeAccuracy, accuracy, se)
	return o, nil
}
