package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	"nptbench/results"
)

// do fits what is to be fitted, and measures what is to be measured on the models. A training that has a record is not repeated,
// unless its model is wanted and lost.
func (s *serving) do(ctx context.Context) error {
	s.processor = processorTime()
	var fit []int // of the configurations
	var batch []method.Config
	for i, c := range s.Configurations {
		measured := len(c.Measures) > 0 && !c.Failed && s.method.Model != nil
		if len(c.Cells) > 0 || measured && s.lost(ctx, s.configs[i]) {
			fit, batch = append(fit, i), append(batch, s.configs[i])
		}
	}
	trained := make([]*outcome, len(s.configs)) // nil: not fitted here
	begun, _ := os.ReadDir(s.CheckpointDir)     // by another process, whose time is not in this one's
	var broken, unknown, failed error
	if len(fit) > 0 {
		failed = guarded(func() error { // what was trained before a panic is measured
			return s.method.Run(ctx, s.task, batch, func(res method.Result) {
				if res.Index < 0 || res.Index >= len(fit) {
					unknown = fmt.Errorf("%s gave a result with Index %d, and was asked for 0 to %d", s.Method, res.Index, len(fit)-1)
					return
				}
				i := fit[res.Index]
				o := s.scored(res)
				trained[i] = &o
				if records := s.predicted(i, o); len(records) > 0 {
					broken = errors.Join(broken, s.report(records, len(begun) == 0))
				}
			})
		})
	}
	for i, c := range s.Configurations {
		if trained[i] == nil && slices.Contains(fit, i) { // failed says why
			continue
		}
		for _, of := range c.Measures {
			if err := cmp.Or(broken, ctx.Err()); err != nil {
				return err
			}
			if err := s.send(reply{Measuring: true}); err != nil {
				return err
			}
			o := s.known(c, trained[i])
			if o.failure == nil {
				o = s.measured(ctx, s.configs[i], of, o)
			}
			broken = s.report(s.records(of.Cells, o), true)
		}
	}
	return errors.Join(broken, cmp.Or(failed, unknown))
}

// failedBefore is the message of a measurement whose training has the record of a failure.
const failedBefore = "the record of its training is a failure"

// known is what a configuration has come to: now, where it was done here, or as its record says.
func (s *serving) known(c *plan.Configuration, now *outcome) outcome {
	o := s.outcome()
	switch {
	case c.Failed && now == nil:
		o.failure = &results.Failure{Kind: "error", Message: failedBefore}
	case now != nil && now.failure != nil:
		o.failure = &results.Failure{Kind: now.failure.Kind, Message: oneLine("its training: " + now.failure.Message)}
	case c.Record != nil:
		o.val, o.test = c.Record.Val, c.Record.Test
	case now != nil:
		o.val, o.test = now.val, now.test
	}
	return o
}

// model opens the model of a configuration, wherever it lies. The error is fs.ErrNotExist when there is none, or else says why those that
// there are cannot be opened.
func (s *serving) model(ctx context.Context, c method.Config) (method.Model, error) {
	var broken error
	for _, dir := range append([]string{s.ModelDir}, s.MoreModels...) {
		if dir == "" {
			continue
		}
		there := *s.task
		there.ModelDir = dir
		model, err := s.method.Model(ctx, &there, c)
		if err == nil {
			return model, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			broken = errors.Join(broken, err)
		}
	}
	return nil, cmp.Or(broken, fs.ErrNotExist)
}

// lost reports whether there is no model of a configuration that can be opened.
func (s *serving) lost(ctx context.Context, c method.Config) bool {
	model, err := s.model(ctx, c)
	closeModel(model)
	return err != nil
}

// closeModel gives back the memory of a model that is of no more use, if it holds any.
func closeModel(m method.Model) {
	if m, ok := m.(interface{ Close() }); ok {
		m.Close()
	}
}

// measured makes a measurement on the model of a configuration, of which so much is known.
func (s *serving) measured(ctx context.Context, config method.Config, of *plan.Measure, trained outcome) outcome {
	started, o := time.Now(), trained
	o.test = nil
	err := guarded(func() error {
		out, how, err := s.measure(ctx, config, of, trained.test)
		if err == nil {
			o.test, o.table, o.details = out.Metrics, out.Table, map[string]any{"model": how}
		}
		return err
	})
	if err != nil {
		o.failure, o.val = failure(err), nil
	}
	o.predict, o.peakMemory = time.Since(started), peakMemory()
	return o
}

// measure opens the model and makes the measurement on it. how says what model that is; known are the metrics of its test rows.
func (s *serving) measure(ctx context.Context, config method.Config, of *plan.Measure, known results.Metrics) (out *measure.Outcome, how string, err error) {
	at := slices.IndexFunc(s.measurements, func(x *measure.Measurement) bool { return x.Name == of.Name })
	if at < 0 {
		return nil, "", fmt.Errorf("measurement %q is not known to the worker", of.Name)
	}
	with, err := s.measurements[at].Resolve(of.With, s.task.Info)
	if err != nil {
		return nil, "", err
	}
	subject := &measure.Subject{Task: s.task, Truth: s.truth, Seed: seed.Derive(s.task.Seed, s.method.Name, config.JSON(), of.Name, with.JSON())}
	how = "kept by the training"
	if s.method.Model == nil {
		how, subject.Model = "fitted once more on the same rows, with the same seed", measure.Refit(s.method, s.task, config)
	} else if subject.Model, err = s.model(ctx, config); errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("the training left no model in %s", s.ModelDir)
	} else if err != nil {
		return nil, "", fmt.Errorf("the training left no model that can be opened: %w", err)
	}
	defer closeModel(subject.Model)
	subject.Check = func(test method.Prediction) error {
		now, err := ScoreTest(s.task, s.truth, test)
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
