package gbdt

import (
	"context"
	"fmt"
	"slices"

	"nptbench/internal/method"
	"nptbench/internal/task"
)

// Check says in one line why the model cannot predict the rows of a task: it has other features, or other classes.
func (m *Model) Check(t *task.Task) error {
	if m.Features != t.Width {
		return fmt.Errorf("the model wants %d features, %s has %d encoded ones", m.Features, t.Info.Name, t.Width)
	}
	// Names of one's own are fine. The ones that an export gives must be at their places.
	exported := columnNames(m.Features)
	for i, name := range m.names {
		if i < m.Features && name != exported[i] && slices.Contains(exported, name) {
			return fmt.Errorf("the model was fitted on columns in another order: %s is its column %d", name, i)
		}
	}
	if classes := m.Origin.Classes; classes != nil {
		if slices.Min(classes) < 0 || slices.Max(classes) >= t.Outputs() || !t.Info.Problem.Classification() {
			return fmt.Errorf("the model knows classes %v, %s has %d", classes, t.Info.Name, t.Info.Classes)
		}
	} else if m.Predictions() != t.Outputs() {
		return fmt.Errorf("the model predicts %d number(s) for a row, %s (%s) wants %d", m.Predictions(), t.Info.Name, t.Info.Problem, t.Outputs())
	}
	return nil
}

// PredictTask predicts the validation and test rows of a task with the model's first n iterations, for each n of counts.
// Classes that the model does not know get probability 0.
func (m *Model) PredictTask(ctx context.Context, t *task.Task, counts []int) (val, test []method.Prediction, err error) {
	if err := m.Check(t); err != nil {
		return nil, nil, err
	}
	both, err := m.Predict(ctx, t.X[t.Train*t.Width:], counts, t.Threads)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range both {
		p = m.spread(p, t.Outputs())
		val = append(val, p[:t.Val*t.Outputs()])
		test = append(test, p[t.Val*t.Outputs():])
	}
	return val, test, nil
}

// spread puts the probabilities of the model's classes at their places among all classes.
func (m *Model) spread(p method.Prediction, classes int) method.Prediction {
	known := m.Origin.Classes
	if known == nil || len(known) == classes {
		return p
	}
	out := make(method.Prediction, len(p)/len(known)*classes)
	for i, v := range p {
		out[i/len(known)*classes+known[i%len(known)]] = v
	}
	return out
}
