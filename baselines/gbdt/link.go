package gbdt

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"nptbench/internal/method"
)

// A link turns raw scores into predictions.
type link uint8

const (
	identity link = iota // regression: the score is the prediction
	logistic             // two classes: one score, the log-odds of the second
	softmax              // more classes: one score each
)

// objective is the link's name in LightGBM's text.
func (l link) objective(outputs int) string {
	switch l {
	case logistic:
		return "binary sigmoid:1"
	case softmax:
		return fmt.Sprintf("multiclass num_class:%d", outputs)
	}
	return "regression"
}

// Objectives of LightGBM whose predictions are the raw scores.
var plainObjectives = []string{"regression", "regression_l1", "huber", "fair", "quantile", "mape"}

// parseObjective finds the link of a LightGBM text model.
func parseObjective(objective string, outputs int) (link, error) {
	switch name, rest, _ := strings.Cut(objective, " "); {
	case objective == logistic.objective(outputs) && outputs == 1:
		return logistic, nil
	case objective == softmax.objective(outputs) && outputs > 1:
		return softmax, nil
	case outputs == 1 && !strings.Contains(rest, "sqrt") && slices.Contains(plainObjectives, name):
		return identity, nil
	}
	return 0, fmt.Errorf("objective %q for %d raw scores is not supported, want regression, binary sigmoid:1 or multiclass num_class:%[2]d",
		objective, outputs)
}

// predictions is how many numbers the link makes of the raw scores of a row: probabilities, or 1 for regression.
func (l link) predictions(outputs int) int {
	if l == logistic {
		return 2
	}
	return outputs
}

// apply writes the predictions for one row's raw scores.
func (l link) apply(scores, out []float64) {
	switch l {
	case identity:
		copy(out, scores)
	case logistic:
		out[0], out[1] = sigmoid(-scores[0]), sigmoid(scores[0])
	case softmax:
		copy(out, scores)
		method.Softmax(out)
	}
}

// sigmoid never overflows and keeps its digits at both ends.
func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}
