package npt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gomlx/compute"

	"nptbench/internal/backends"
	"nptbench/internal/dataset"
	"nptbench/internal/filesystem"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/task"
)

// Method returns NPT as a method of the comparison, for this module's harness, which alone can name what it returns. The defaults are
// NPT-Base; sweeps override them.
func Method() *method.Method {
	d := DefaultConfig()
	return &method.Method{
		Name:  "npt",
		Title: "NPT",
		Doc:   "Non-Parametric Transformer: attention between datapoints and between attributes, on GoMLX.",
		Params: []method.Param{
			{Name: "dim_hidden", Type: method.Int, Default: d.Hidden, Min: 1, Doc: "e, width of the embedding of one entry"},
			{Name: "layers", Type: method.Int, Default: d.Layers, Min: 2, Doc: "L, attention layers, ABD and ABA in turn; even"},
			{Name: "heads", Type: method.Int, Default: d.Heads, Min: 1, Doc: "k, attention heads; divides dim_hidden"},
			{Name: "dropout", Type: method.Float, Default: d.Dropout, Min: 0, Max: 0.99, Doc: "share of activations dropped in training"},
			{Name: "aba", Type: method.Bool, Default: true, Doc: "false leaves the layers between attributes out (ablation)"},
			{Name: "abd", Type: method.Bool, Default: true, Optional: true, Doc: "false leaves the layers between datapoints out: no row is told of another"},
			{Name: "self_only", Type: method.Bool, Default: false, Optional: true, Doc: "between datapoints rows attend to themselves alone: no row is told of another, but the layers stay"},
			{Name: "norm_keys", Type: method.Bool, Default: false, Doc: "normalise the input of keys and values, as the paper's formula has it"},
			{Name: "p_feature", Type: method.Float, Default: d.FeatureMask, Min: 0, Max: 1, Doc: "share of feature entries masked in training"},
			{Name: "p_target", Type: method.Float, Default: d.TargetMask, Min: 0, Max: 1, Doc: "share of training targets masked in training, above 0; 1 hides all targets always"},
			{Name: "semi_supervised", Type: method.Bool, Default: d.SemiSupervised, Doc: "training sees the features of validation and test rows"},
			{Name: "train_statistics", Type: method.Bool, Default: false, Optional: true, Doc: "standardise features by the training rows alone, also where training sees the others"},
			{Name: "batch_size", Type: method.Int, Default: d.BatchSize, Min: 0, Doc: "rows per batch at most; 0 takes all rows at once"},
			{Name: "class_balancing", Type: method.Bool, Default: d.ClassBalancing, Doc: "batches match the label distribution of the training rows"},
			{Name: "repeat", Type: method.Int, Default: d.Repeat, Min: 1, Doc: "steps on each batch in a row (the published data loader repeated batches on some data sets)"},
			{Name: "steps", Type: method.Int, Default: d.Steps, Min: 1, Doc: "optimiser steps"},
			{Name: "lr", Type: method.Float, Default: d.LR, Min: 1e-12, Doc: "peak learning rate of LAMB"},
			{Name: "schedule", Type: method.Choice, Default: string(d.Schedule), Choices: schedules, Doc: "of the learning rate"},
			{Name: "flat_share", Type: method.Float, Default: d.FlatShare, Min: 0, Max: 1, Doc: "share of the steps before flat-and-anneal begins to anneal"},
			{Name: "warmup", Type: method.Float, Default: d.Warmup, Min: 0, Max: 1, Doc: "share of the steps in which cosine-cyclic and polynomial rates rise"},
			{Name: "tradeoff", Type: method.Float, Default: d.Tradeoff, Min: 0, Max: 1, Doc: "lambda, weight of the feature loss at the first step; 0 throughout when p_feature is 0"},
			{Name: "tradeoff_annealing", Type: method.Bool, Default: d.Anneal, Doc: "lambda falls to 0 along a cosine"},
			{Name: "clip", Type: method.Float, Default: d.Clip, Min: 0, Doc: "gradients are clamped entry by entry to this bound; 0 leaves them alone"},
			{Name: "weight_decay", Type: method.Float, Default: d.WeightDecay, Min: 0, Doc: "of LAMB"},
			{Name: "eval_every", Type: method.Int, Default: d.EvalEvery, Min: 1, Doc: "passes over the data between two evaluations of the validation rows"},
			{Name: "precision", Type: method.Choice, Default: string(d.Precision), Choices: []string{string(Float32), string(Float64), string(BFloat16)}, Doc: "of the computation"},
		},
		Check: func(c method.Config, info dataset.Info) error {
			config := configOf(c)
			return inParameters(cmp.Or(config.suits(info.Copies != nil, info.AnyColumn()), config.check()))
		},
		CheckBackend: func(c method.Config, name string) error {
			if method.Accelerated(name) {
				return nil // it has every precision, and to open it would take the device's memory
			}
			backend, err := backends.Open(name, 1)
			if err != nil {
				return err
			}
			config := configOf(c)
			return config.supportedBy(backend)
		},
		Canonical: canonical,
		CheckAttention: func(c method.Config) error {
			switch config := configOf(c); {
			case config.NoABD:
				return errors.New("abd: false, want true: there are no layers in which rows attend to each other")
			case config.SelfOnly:
				return errors.New("self_only: true, want false: rows attend to themselves alone")
			}
			return nil
		},
		Statistics: func(c method.Config) task.Statistics {
			if c.Bool("semi_supervised") && !c.Has("train_statistics") {
				return task.AllRows
			}
			return task.TrainRows
		},
		Work:    func(c method.Config, info dataset.Info) float64 { return work(configOf(c), info) },
		Network: true, AnyColumn: true,
		EntryBytes: 17, // 5.6 GB for the 320 million entries of Higgs, beside what a batch takes (baselines/BENCHMARKS.md)
		Sizes: []method.Size{
			{Param: "layers", Published: 8, Name: "layers"}, {Param: "dim_hidden", Published: 32, Name: "e ="}, {Param: "steps", Published: 2000, Name: "steps"},
		},
		Run:   run,
		Model: openKept,
	}
}

// inParameters is an error about a Config with the names of parameters in the place of those of its fields.
func inParameters(err error) error {
	if err == nil {
		return err
	}
	return renamed{err, parameterNames.Replace(err.Error())}
}

// A renamed error says the same in other words.
type renamed struct {
	error
	text string
}

func (r renamed) Error() string { return r.text }
func (r renamed) Unwrap() error { return r.error }

var parameterNames = strings.NewReplacer("npt: ", "", "Hidden", "dim_hidden", "Layers", "layers", "Heads", "heads", "Dropout", "dropout",
	"NoABA", "aba", "NoABD", "abd", "SelfOnly", "self_only", "LayerNormKeys", "norm_keys",
	"FeatureMask", "p_feature", "TargetMask", "p_target", "SemiSupervised", "semi_supervised",
	"BatchSize", "batch_size", "ClassBalancing", "class_balancing", "Repeat", "repeat",
	"Steps", "steps", "LR", "lr", "Schedule", "schedule", "FlatShare", "flat_share", "Warmup", "warmup",
	"Tradeoff", "tradeoff", "Anneal", "tradeoff_annealing", "Clip", "clip", "WeightDecay", "weight_decay",
	"EvalEvery", "eval_every", "Precision", "precision")

// work is about how many multiplications a training takes: those of the layers' products for the rows of every step, three times,
// for a pass forwards and twice as much backwards, once more for evaluations, and LAMB's few for every weight. Softmax and
// dropout of an attention weight take the time of about 380: a number fitted to the times of a step on Boston Housing from e = 16 to 128.
func work(c Config, info dataset.Info) float64 {
	n, d, e, heads := float64(info.Rows), float64(info.Columns), float64(c.Hidden), float64(c.Heads)
	if c.BatchSize > 0 {
		n = min(n, float64(c.BatchSize))
	}
	const weight = 380 // multiplications for each attention weight
	h := d * e
	var weights, pass float64
	if !c.NoABD {
		weights, pass = 13*h*h, n*13*h*h
		if !c.SelfOnly {
			pass += 2*n*n*h + weight*heads*n*n
		}
	}
	if !c.NoABA {
		weights, pass = weights+13*e*e, pass+n*(13*d*e*e+2*d*d*e)+weight*heads*n*d*d
	}
	pairs := float64(c.Layers) / 2
	return float64(c.Steps) * pairs * ((3+1/float64(c.EvalEvery))*pass + 20*weights)
}

// canonical gives parameters without effect their defaults.
func canonical(c method.Config, kind dataset.Problem) method.Config {
	d := DefaultConfig()
	if c.Float("p_feature") == 0 {
		c = c.With("tradeoff", d.Tradeoff).With("tradeoff_annealing", d.Anneal)
	}
	if c.String("schedule") != string(FlatAnneal) {
		c = c.With("flat_share", d.FlatShare)
	}
	if s := Schedule(c.String("schedule")); s != CosineCyclic && s != Polynomial {
		c = c.With("warmup", d.Warmup)
	}
	if !c.Bool("semi_supervised") {
		c = c.Without("train_statistics")
	}
	if kind == dataset.Regression || c.Int("batch_size") == 0 {
		c = c.With("class_balancing", d.ClassBalancing)
	}
	return c
}

func configOf(c method.Config) Config {
	noABD, selfOnly := c.Has("abd"), c.Has("self_only") // optional: there only where they are not the default, abd where it is false
	return Config{
		Hidden: c.Int("dim_hidden"), Layers: c.Int("layers"), Heads: c.Int("heads"), Dropout: c.Float("dropout"),
		NoABA: !c.Bool("aba"), NoABD: noABD, SelfOnly: selfOnly, LayerNormKeys: c.Bool("norm_keys"),
		FeatureMask: c.Float("p_feature"), TargetMask: c.Float("p_target"), SemiSupervised: c.Bool("semi_supervised"),
		BatchSize: c.Int("batch_size"), ClassBalancing: c.Bool("class_balancing"), Repeat: c.Int("repeat"),
		Steps: c.Int("steps"), LR: c.Float("lr"), Schedule: Schedule(c.String("schedule")),
		FlatShare: c.Float("flat_share"), Warmup: c.Float("warmup"),
		Tradeoff: c.Float("tradeoff"), Anneal: c.Bool("tradeoff_annealing"),
		Clip: c.Float("clip"), WeightDecay: c.Float("weight_decay"),
		EvalEvery: c.Int("eval_every"), Precision: Precision(c.String("precision")),
	}
}

// trainingConfig is a configuration with the seed of its training on a task.
func trainingConfig(t *task.Task, c method.Config) Config {
	config := configOf(c)
	config.Seed = seed.Derive(t.Seed, "npt", c.JSON())
	return config
}

func run(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
	backend, err := backends.Open(t.Backend, t.Threads)
	if err != nil {
		return err
	}
	table := tableOf(t)
	for i, c := range batch {
		config := trainingConfig(t, c)
		result, err := withinMemory(config, func(c Config) (method.Result, error) { return fit(ctx, t, table, c, backend) })
		if err != nil && ctx.Err() != nil { // interrupted; else it is finished, whatever has ended in between
			return err
		}
		result.Index, result.Err = i, err
		done(result)
	}
	return nil
}

// withinMemory fits, and once more with Recompute where memory ran out.
func withinMemory[R any](c Config, fit func(Config) (R, error)) (R, error) {
	result, err := fit(c)
	if errors.Is(err, ErrMemory) && !c.Recompute {
		// A call that fails leaves what it was given to the garbage collector; the first round finds it, the next one has it gone.
		runtime.GC()
		runtime.GC()
		c.Recompute = true
		return fit(c)
	}
	return result, err
}

// fit trains and predicts. Where the task has a folder for checkpoints, an interrupted training goes on from its last one.
func fit(ctx context.Context, t *task.Task, table *Table, config Config, backend compute.Backend) (method.Result, error) {
	trainer, err := NewTrainer(table, config, backend)
	if err != nil {
		return method.Result{}, inParameters(err)
	}
	resumed, refused := 0, error(nil)
	if t.CheckpointDir != "" {
		trainer.Checkpoint.Path = filepath.Join(t.CheckpointDir, fmt.Sprintf("%016x.npt", config.Seed))
		// A checkpoint that is damaged, of other data or of another backend cannot be continued: the training begins anew, and says so.
		switch err := trainer.LoadCheckpoint(trainer.Checkpoint.Path); {
		case err == nil:
			resumed = trainer.state.step
		case !errors.Is(err, fs.ErrNotExist):
			refused = err
		}
	}
	defer trainer.Close()
	if t.Progress != nil {
		trainer.Progress = func(p Progress) {
			t.Progress(task.Progress{Share: float64(p.Step) / float64(p.Steps), Left: p.Left, Text: p.String()})
		}
	}
	if err := trainer.Train(ctx); err != nil {
		return method.Result{}, err
	}
	result := method.Result{Fit: trainer.elapsed()}
	start := time.Now()
	for _, part := range []struct {
		mode
		first int // row of the task
		into  *method.Prediction
	}{{valMode, t.Train, &result.Val}, {testMode, t.Train + t.Val, &result.Test}} {
		from, to := part.mode.part(trainer.table)
		rows, err := trainer.engine.predict(ctx, trainer.best, part.mode, trainer.rng("prediction", int(part.mode)), from, to)
		if err != nil {
			return method.Result{}, trainer.saveIfInterrupted(ctx, err)
		}
		*part.into = targetPrediction(t, part.first, rows)
	}
	result.Predict = time.Since(start)
	result.Details = trainer.details()
	if config.Recompute {
		result.Details["recompute"] = true
	}
	if t.ModelDir != "" {
		m, err := trainer.Model()
		if err == nil {
			err = m.Save(keptFile(t, config))
		}
		if filesystem.IsFull(err) { // at which the run ends, and goes on from the checkpoint
			return method.Result{}, err
		}
		method.Warn(result.Details, "the model cannot be kept", err)
	}
	method.Warn(result.Details, "the training began anew", refused)
	method.Warn(result.Details, "a checkpoint cannot be written", trainer.Checkpoint.Err)
	if resumed > 0 {
		result.Details["resumed_at_step"] = resumed
	}
	return result, nil
}

// details are what a record says of a training beside its predictions.
func (tr *Trainer) details() map[string]any {
	details := map[string]any{
		"best_step":      tr.bestStep,
		"steps":          tr.state.step,
		"parameters":     tr.engine.net.Size(),
		"learning_curve": tr.curve.means(), // of the label loss in training, over equal parts of the steps
	}
	backends.Describe(details, tr.engine.backend)
	if finite(tr.bestLoss) { // else no validation row has a label
		details["validation_loss"] = tr.bestLoss
	}
	if calls := tr.calls; calls.restSteps > 0 {
		perStep := calls.rest.Seconds() / float64(calls.restSteps)
		details["steps_per_second"] = 1 / perStep
		details["compile_seconds"] = max(0, calls.first.Seconds()-float64(calls.firstSteps)*perStep) // about: what the first call took longer
	}
	return details
}
