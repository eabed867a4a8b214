package measure

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"nptbench/internal/method"
	"nptbench/internal/task"
)

// Refit is the model of a method that keeps none: every call of Predict fits once more, on the training rows of the task and with its
// seed, which gives the same fit. A lazy method has the training rows of each batch instead.
func Refit(m *method.Method, t *task.Task, c method.Config) method.Model { return &refitted{m, t, c} }

// checkRefit refuses a method that has no model and may look at training rows when it predicts: a refit has the task's, never those of a
// batch, so that whatever becomes of these the method would seem to look at no other row.
func checkRefit(m *method.Method) error {
	switch {
	case m.Model != nil || m.Lazy:
		return nil
	case m.Command != nil:
		return errors.New("a program's predictions may be made from training rows, and it keeps no model that could be given others")
	case m.Semiparametric:
		return errors.New("it predicts from parameters and from training rows, and a fit to others has other parameters")
	}
	return nil
}

type refitted struct {
	method *method.Method
	task   *task.Task
	config method.Config
}

// Batches is one batch of all rows.
func (r *refitted) Batches() [][]int {
	rows := make([]int, r.task.Rows())
	for i := range rows {
		rows[i] = i
	}
	return [][]int{rows}
}

func (r *refitted) Predict(ctx context.Context, batches []*task.Task) (all []method.Prediction, err error) {
	if r.method.Lazy {
		for _, b := range batches {
			p, err := r.run(ctx, b)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
		return all, nil
	}
	t := *r.task
	seen := t.Train + t.Val
	t.X, t.Test = slices.Clone(t.X[:seen*t.Width]), 0
	if t.Missing != nil {
		t.Missing = slices.Clone(t.Missing[:seen*len(t.Features)])
	}
	for _, b := range batches {
		t.X, t.Test = append(t.X, b.TestX()...), t.Test+b.Test
		if t.Missing != nil {
			t.Missing = append(t.Missing, b.Missing[(b.Train+b.Val)*len(b.Features):]...)
		}
	}
	p, err := r.run(ctx, &t)
	if err != nil {
		return nil, err
	}
	for _, b := range batches {
		n := b.Test * b.Outputs()
		all, p = append(all, p[:n:n]), p[n:]
	}
	return all, nil
}

// run fits and predicts the test rows.
func (r *refitted) run(ctx context.Context, t *task.Task) (p method.Prediction, err error) {
	own := *t
	own.ModelDir = ""
	if r.method.Command == nil { // a command runs in that folder, which is removed even when it is killed
		own.CheckpointDir = ""
	}
	failed := errors.New(r.method.Name + " returned without a result")
	err = r.method.Run(ctx, &own, []method.Config{r.config}, func(res method.Result) { p, failed = res.Test, res.Err })
	return p, cmp.Or(err, failed)
}
