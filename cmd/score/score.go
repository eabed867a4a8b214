// Score predicts with boosted trees that are fitted already, without Python, and prints their metrics.
//
//	go run ./cmd/score -models out/table1-quick/models -records out/table1-quick/records
//	go run ./cmd/score -model mine.txt -dataset yacht -protocol corrected -fold 3
//
// The first scores the models that `table1 -keep-models` left, for every number of trees that their fits served, and
// compares with the records. The second scores one model on the test rows of a data set: one of ours, or any that LightGBM
// 2, 3 or 4 wrote for the features that methods are given here, which -export writes to a CSV file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"nptbench/baselines/gbdt"
	"nptbench/internal/dataset"
	"nptbench/internal/filesystem"
	"nptbench/internal/method"
	"nptbench/internal/program"
	harness "nptbench/internal/run"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
)

func main() { program.Main(run) }

func run(ctx context.Context, e program.Env) (exit int, err error) {
	o, err := parse(e)
	if err != nil {
		return program.ExitBadInput, err
	}
	s := &scorer{library: dataset.NewLibrary(o.data), stderr: e.Stderr}
	s.library.Log = e.Stderr
	if o.dataset != "" {
		if _, err := s.library.Lookup(o.dataset); err != nil {
			return program.ExitBadInput, fmt.Errorf("-dataset: %w", err)
		}
	}
	switch {
	case o.export != "":
		err = s.export(ctx, o, e.Stdout)
	case o.model != "":
		err = s.one(ctx, o)
	default:
		err = s.all(ctx, o)
	}
	if len(s.scores) > 0 {
		err = errors.Join(printScores(e.Stdout, s.scores, o.records != "", e.Width), err)
	}
	if errors.As(err, new(badInput)) || errors.Is(err, split.ErrNoFold) {
		exit = program.ExitBadInput
	}
	return exit, err
}

// badInput is the error of what the command line names and cannot be used: nothing has been scored.
type badInput struct{ error }

func (b badInput) Unwrap() error { return b.error }

// A score is what one model's first so many iterations reach.
type score struct {
	origin    gbdt.Origin // of which the data set, protocol and fold are where it was scored
	trees     int
	val, test results.Metrics
	record    string // how it compares with the record
}

type scorer struct {
	library *dataset.Library
	stderr  io.Writer
	scores  []score

	// The last task: models come ordered by it.
	loader task.Loader
	at     task.Spec
	task   *task.Task
	truth  *task.Truth
}

// fittedOn is the task that a model says it was fitted on. Folds of groups are corrected, though models and records call the first published.
func (s *scorer) fittedOn(m *gbdt.Model) task.Spec {
	at := task.Spec{Dataset: m.Origin.Dataset, Protocol: split.Protocol(m.Origin.Protocol), Fold: m.Origin.Fold}
	if info, err := s.library.Lookup(at.Dataset); err == nil && info.Groups != "" {
		at.Protocol = split.Corrected
	}
	return at
}

// sameTask reports whether two specs are of the same rows.
func (s *scorer) sameTask(a, b task.Spec) bool {
	info, err := s.library.Lookup(a.Dataset)
	return a == b || err == nil && a.Dataset == b.Dataset && a.Fold == b.Fold && task.Shared(info, a.Fold)
}

// sameTable refuses a model of ours whose data set has another table now: test rows may have been its training rows. Older models do not say.
func (s *scorer) sameTable(o *gbdt.Origin) error {
	if o.DataDigest == "" || o.Dataset != s.at.Dataset || o.DataDigest == s.task.Digest {
		return nil
	}
	return fmt.Errorf("the model was fitted on another table of %s, with data_digest %.16s, and here it is %.16s: want the file that it was fitted on, or a new fit",
		o.Dataset, o.DataDigest, s.task.Digest)
}

// load makes a task.
func (s *scorer) load(ctx context.Context, at task.Spec) (err error) {
	s.task, s.truth = nil, nil // before the next one takes memory
	if info, err := s.library.Lookup(at.Dataset); err == nil && info.Groups != "" && at.Protocol == split.Published {
		return badInput{fmt.Errorf("-protocol: published folds would part rows of %s with the same %s; want corrected", info.Name, info.Groups)}
	}
	s.at = at
	s.task, s.truth, err = s.loader.Load(ctx, s.library, at)
	return err
}

// modelsIn lists the names of the models in a folder, without what a run that was killed has left half written.
func modelsIn(dir string) []string {
	return slices.DeleteFunc(filesystem.Glob(dir, "*.txt*"), func(name string) bool {
		return strings.HasPrefix(name, ".") || !strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".txt")
	})
}

// all scores a folder of models. One that cannot be scored does not keep the others from it.
func (s *scorer) all(ctx context.Context, o options) error {
	if info, err := os.Stat(o.models); err != nil || !info.IsDir() {
		return badInput{fmt.Errorf("-models: there is no folder %s", o.models)}
	}
	files := modelsIn(o.models)
	if len(files) == 0 {
		below := filepath.Join(o.models, "models")
		if len(modelsIn(below)) > 0 {
			return badInput{fmt.Errorf("-models: no models (*.txt.gz) in %s; want %s, which has some", o.models, below)}
		}
		return badInput{fmt.Errorf("-models: no models (*.txt.gz) in %s", o.models)}
	}
	known, err := readRecords(ctx, o.records)
	if err != nil {
		return badInput{fmt.Errorf("-records: %w", err)}
	}
	failed := 0
	for _, file := range files { // in the order of their names, which is that of their places
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m, err := gbdt.LoadModel(filepath.Join(o.models, file)) // an error names the file
		if err == nil {
			if err = s.kept(ctx, m, known); err != nil {
				err = fmt.Errorf("%s: %w", file, err)
			}
		}
		if err != nil {
			fmt.Fprintln(s.stderr, oneLine(err))
			failed++
		}
	}
	compared := func(one score) bool { return one.record != missing }
	if known != nil && len(s.scores) > 0 && !slices.ContainsFunc(s.scores, compared) {
		return fmt.Errorf("-records: %s has no record of any of these models", o.records)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d models could not be scored, or differ from their records", failed, len(files))
	}
	return nil
}

// kept scores one of our models where it was fitted.
func (s *scorer) kept(ctx context.Context, m *gbdt.Model, known records) error {
	if m.Origin.Method == "" {
		return errors.New("the model does not say where it comes from: score it with -model and -dataset")
	}
	if err := s.load(ctx, s.fittedOn(m)); err != nil {
		return err
	}
	if err := s.sameTable(&m.Origin); err != nil {
		return err
	}
	if m.Origin.TargetMean != s.task.TargetMean || m.Origin.TargetStd != s.task.TargetStd {
		return fmt.Errorf("the model was fitted on other rows: its target has mean %v and deviation %v, that of the training rows here %v and %v",
			m.Origin.TargetMean, m.Origin.TargetStd, s.task.TargetMean, s.task.TargetStd)
	}
	scores, err := s.score(ctx, m, m.Origin.Counts, s.task.TargetMean, s.task.TargetStd)
	if err != nil {
		return err
	}
	differ := 0
	for i := range scores {
		if known != nil {
			scores[i].record = known.compare(&m.Origin, &scores[i], s.task.Digest)
		}
		if strings.HasPrefix(scores[i].record, differs) {
			differ++
		}
	}
	s.scores = append(s.scores, scores...)
	if differ > 0 {
		return fmt.Errorf("%d of %d scores differ from the records", differ, len(scores))
	}
	return nil
}

// one scores a single model, ours or not, where the options say.
func (s *scorer) one(ctx context.Context, o options) error {
	m, err := gbdt.LoadModel(o.model)
	if err != nil {
		return badInput{err}
	}
	ours := m.Origin.Method != ""
	at := o.spec(task.Spec{})
	if ours {
		fitted := s.fittedOn(m)
		if at = o.spec(fitted); !s.sameTask(at, fitted) {
			fmt.Fprintf(s.stderr, "note: the model was fitted on %s, %s, fold %d; test rows of another place may have been its training rows\n",
				fitted.Dataset, fitted.Protocol, fitted.Fold)
		}
	} else if at.Dataset == "" {
		return badInput{fmt.Errorf("%s does not say what it was fitted on: name the data set with -dataset", o.model)}
	}
	if err := s.load(ctx, at); err != nil {
		return err
	}
	if err := s.sameTable(&m.Origin); err != nil {
		return fmt.Errorf("%s: %w", o.model, err)
	}
	trees := o.trees
	switch {
	case len(trees) > 0:
		if most := slices.Max(trees); most > m.Iterations() {
			return badInput{fmt.Errorf("-trees %d: the model has %d iterations", most, m.Iterations())}
		}
	case ours:
		trees = m.Origin.Counts // the last of which may be more than there are, where the library stopped early
	default:
		trees = []int{m.Iterations()}
	}
	mean, std := s.scale(o.target)
	if ours { // it predicts what its own training rows standardise
		mean, std = m.Origin.TargetMean, m.Origin.TargetStd
	}
	scores, err := s.score(ctx, m, trees, mean, std)
	if err != nil {
		return fmt.Errorf("%s: %w", o.model, err)
	}
	s.scores = scores
	if ours || s.task.Info.Problem.Classification() {
		return nil
	}
	other := map[string]string{original: standardised, standardised: original}[o.target]
	mean, std = s.scale(other)
	as, err := s.score(ctx, m, trees, mean, std)
	now, then := scores[len(scores)-1].val["rmse"], math.Inf(1)
	if err == nil {
		then = as[len(as)-1].val["rmse"]
	}
	if then < now/2 {
		fmt.Fprintf(s.stderr, "warning: the predictions look %s, with a validation RMSE of %.4f instead of %.4f: is -target %s right?\n",
			other, then, now, o.target)
	}
	return nil
}

// scale is the mean and the deviation, in the target's units, of what a model predicts whose target is original or standardised.
func (s *scorer) scale(target string) (mean, std float64) {
	if target == standardised {
		return s.task.TargetMean, s.task.TargetStd
	}
	return 0, 1
}

// score predicts the rows of the task and computes the metrics. Where it is a regression, the target's units are the model's predictions
// times std, plus mean.
func (s *scorer) score(ctx context.Context, m *gbdt.Model, trees []int, mean, std float64) ([]score, error) {
	on := *s.task
	on.Threads = runtime.GOMAXPROCS(0)
	val, test, err := m.PredictTask(ctx, &on, trees)
	if err != nil {
		return nil, err
	}
	var scores []score
	for i, n := range trees {
		r := method.Result{Val: val[i], Test: test[i]}
		if !s.task.Info.Problem.Classification() {
			s.standardise(r.Val, mean, std)
			s.standardise(r.Test, mean, std)
		}
		one := score{origin: m.Origin, trees: n}
		one.origin.Dataset, one.origin.Protocol, one.origin.Fold = s.at.Dataset, string(s.at.Protocol), s.at.Fold
		if one.val, one.test, err = harness.Score(s.task, s.truth, r); err != nil {
			return nil, err
		}
		scores = append(scores, one)
	}
	return scores, nil
}

// standardise brings predictions from a model's scale to that of the task; on the same one they stay as they are, to the last digit.
func (s *scorer) standardise(p method.Prediction, mean, std float64) {
	if mean == s.task.TargetMean && std == s.task.TargetStd {
		return
	}
	for i := range p {
		p[i] = (p[i]*std + mean - s.task.TargetMean) / s.task.TargetStd
	}
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
