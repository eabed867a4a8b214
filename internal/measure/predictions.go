package measure

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
)

// The predictions of test rows beside their targets, in original units or as probabilities of the classes, so that anybody can
// compute what records have of them, and more.
var predictions = &Measurement{
	Name: "predictions",
	Doc:  "the predictions of test rows, with their targets",
	Params: []method.Param{
		rowsParam,
	},
	Metrics: func(info dataset.Info) []metric.Metric {
		if info.Problem == dataset.Regression {
			return []metric.Metric{predictionsR}
		}
		return []metric.Metric{predictionsAccuracy}
	},
	Run: predict,
}

// Metrics of predictions.
var (
	predictionsR        = metric.Metric{Name: "predictions_r", Title: "r of predictions", Doc: "Pearson's, of predictions and targets", Larger: true, Digits: 4}
	predictionsAccuracy = metric.Metric{Name: "predictions_accuracy", Title: "accuracy of predictions", Doc: "in percent", Unit: "%", Larger: true, Digits: 1}
)

func predict(ctx context.Context, s *Subject, with method.Config) (*Outcome, error) {
	clean, err := s.clean(ctx)
	if err != nil {
		return nil, err
	}
	rows := s.rows(with)
	o := newOutcome("row", "target")
	if s.Info.Problem == dataset.Regression {
		o.Table.Columns = append(o.Table.Columns, "prediction")
		targets, predicted := make([]float64, len(rows)), make([]float64, len(rows))
		for i, row := range rows {
			targets[i], predicted[i] = s.Truth.Y[row], clean[row]
			o.addLine(float64(row), s.rounded(targets[i]), s.rounded(predicted[i]))
		}
		o.putMetric(predictionsR, stat.Correlation(targets, predicted, nil), math.NaN())
		return o, nil
	}
	outputs, right := s.Outputs(), make([]float64, len(rows))
	for class := range outputs {
		o.Table.Columns = append(o.Table.Columns, fmt.Sprintf("class_%d", class))
	}
	for i, row := range rows {
		p, label := clean[row*outputs:(row+1)*outputs], s.Truth.Labels[row:row+1]
		line := []float64{float64(row), float64(label[0])}
		for _, x := range p {
			line = append(line, sixDigits(x))
		}
		o.addLine(line...)
		right[i], _ = metric.PercentCorrect(p, label, outputs)
	}
	o.putMean(predictionsAccuracy, right)
	return o, nil
}
