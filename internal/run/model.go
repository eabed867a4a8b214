package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/seed"
	"nptbench/internal/task"
	"nptbench/results"
)

// do fits what is to be fitted, and measures what is to be measured on the models. A training that has a record is not repeated,
// unless its model is wanted and lost.
func (s *serving) do(ctx context.Context, m *method.Method, t *task.Task, configs []method.Config) error {
	s.processor = processorTime()
	var fit []int // of the configurations
	var batch []method.Config
	for i, training := range s.Trainings {
		lost := len(training.Measures) > 0 && !training.Failed && m.Model != nil && s.model(ctx, m, t, configs[i]) == nil
		if len(training.Cells) > 0 || lost {
			fit, batch = append(fit, i), append(batch, configs[i])
		}
	}
	trained := make([]*outcome, len(configs)) // nil: not fitted here
	begun, _ := os.ReadDir(s.CheckpointDir)   // by another process, whose time is not in this one's
	var broken, failed error
	if len(fit) > 0 {
		failed = m.Run(ctx, t, batch, func(res method.Result) {
			i := fit[res.Index]
			o := s.scored(t, res)
			trained[i] = &o
			if records := s.trained(i, o); len(records) > 0 {
				broken = errors.Join(broken, s.report(records, len(begun) == 0))
			}
		})
	}
	for i, training := range s.Trainings {
		if trained[i] == nil && slices.Contains(fit, i) { // failed says why
			continue
		}
		for _, of := range training.Measures {
			if err := cmp.Or(broken, ctx.Err()); err != nil {
				return err
			}
			o := s.measured(ctx, m, t, configs[i], training, of, trained[i])
			if o.failure != nil && o.failure.Kind == interrupted {
				return ctx.Err()
			}
			broken = s.report(s.records(of.Cells, o), true)
		}
	}
	return errors.Join(broken, failed)
}

// model opens the model of a configuration, wherever it lies; nil when there is none.
func (s *serving) model(ctx context.Context, m *method.Method, t *task.Task, c method.Config) method.Model {
	for _, dir := range append([]string{s.ModelDir}, s.MoreModels...) {
		if dir == "" {
			continue
		}
		there := *t
		there.ModelDir = dir
		if model, err := m.Model(ctx, &there, c); err == nil {
			return model
		}
	}
	return nil
}

// measured makes a measurement. trained is what the training has come to where it was done just now.
func (s *serving) measured(ctx context.Context, m *method.Method, t *task.Task, config method.Config, training *plan.Training, of *plan.Measure, trained *outcome) (o outcome) {
	started := time.Now()
	o = outcome{rows: [3]int{t.Train, t.Val, t.Test}, splitDigest: t.Split, subset: t.Subset}
	var known results.Metrics // of the training's test rows
	switch {
	case training.Failed:
		o.failure = &results.Failure{Kind: "error", Message: "the record of its training is a failure"}
		return o
	case trained != nil && trained.failure != nil:
		o.failure = &results.Failure{Kind: trained.failure.Kind, Message: oneLine("its training: " + trained.failure.Message)}
		return o
	case training.Record != nil:
		o.val, known = training.Record.Val, training.Record.Test
	case trained != nil:
		o.val, known = trained.val, trained.test
	}
	err := guarded(func() error {
		out, how, err := s.measure(ctx, m, t, config, of, known)
		if err == nil {
			o.test, o.table, o.details = out.Metrics, out.Table, map[string]any{"model": how}
		}
		return err
	})
	if err != nil {
		o.failure = failure(err)
	}
	o.predict, o.peakMemory = time.Since(started), peakMemory()
	return o
}

// measure opens the model and makes the measurement on it. how says what model that is.
func (s *serving) measure(ctx context.Context, m *method.Method, t *task.Task, config method.Config, of *plan.Measure, known results.Metrics) (out *measure.Outcome, how string, err error) {
	at := slices.IndexFunc(s.measurements, func(x *measure.Measurement) bool { return x.Name == of.Name })
	if at < 0 {
		return nil, "", fmt.Errorf("measurement %q is not known to the worker", of.Name)
	}
	with, err := s.measurements[at].Resolve(of.With, t.Info)
	if err != nil {
		return nil, "", err
	}
	subject := &measure.Subject{Task: t, Truth: s.truth, Seed: seed.Derive(t.Seed, m.Name, config.JSON(), of.Name, with.JSON())}
	how = "kept by the training"
	if m.Model == nil {
		how, subject.Model = "fitted once more on the same rows, with the same seed", measure.Refit(m, t, config)
	} else if subject.Model = s.model(ctx, m, t, config); subject.Model == nil {
		return nil, "", fmt.Errorf("the training left no model in %s", s.ModelDir)
	}
	subject.Check = func(test method.Prediction) error {
		now, err := ScoreTest(t, s.truth, test)
		if err != nil {
			return err
		}
		return sameMetrics(known, now)
	}
	out, err = s.measurements[at].Run(ctx, subject, with)
	return out, how, err
}

// slack is how far metrics of the same model may be apart, in parts: predictions for the rows of a batch in another order are not the same to
// the last bit, and where errors are a hundredth of a standard deviation that can be a ten-thousandth of their mean square.
const slack = 1e-3

// sameMetrics refuses a model that has other metrics on the test rows than the record of its training.
func sameMetrics(recorded, now results.Metrics) error {
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		if strings.HasSuffix(name, "_se") {
			continue
		}
		if was, is := recorded[name], now[name]; !(math.Abs(is-was) <= slack*math.Abs(was)) {
			return fmt.Errorf("this is not the model of the record: its test %s is %v, the record's %v; a run without that record trains another", name, is, was)
		}
	}
	return nil
}
