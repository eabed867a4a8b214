package tabnet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/gomlx/compute"

	"nptbench/internal/backends"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/task"
)

// Method is TabNet. Parameters have the library's names, and its defaults but for max_epochs and patience, which are the paper's.
var Method = &method.Method{
	Name:  "tabnet",
	Title: "TabNet",
	Doc:   "TabNet: decision steps that each attend to a few features, on GoMLX, after pytorch-tabnet.",
	Params: []method.Param{
		{Name: "n_d", Type: method.Int, Default: defaults.Decision, Min: 1, Max: 4096, Doc: "width of what a step adds to the prediction"},
		{Name: "n_a", Type: method.Int, Default: defaults.Attention, Min: 1, Max: 4096, Doc: "width of what a step passes on to the next mask"},
		{Name: "n_steps", Type: method.Int, Default: defaults.Steps, Min: 1, Max: 100, Doc: "decision steps"},
		{Name: "gamma", Type: method.Float, Default: defaults.Gamma, Min: 1, Doc: "how often a feature may be used: 1 is in one step only"},
		{Name: "n_shared", Type: method.Int, Default: defaults.Shared, Min: 0, Max: 100, Doc: "layers of a feature transformer that all share"},
		{Name: "n_independent", Type: method.Int, Default: defaults.Independent, Min: 0, Max: 100, Doc: "layers of a feature transformer of its own"},
		{Name: "lambda_sparse", Type: method.Float, Default: defaults.Sparsity, Min: 0, Doc: "weight of the masks' entropy in the loss"},
		{Name: "batch_size", Type: method.Int, Default: defaults.BatchSize, Min: 2, Doc: "rows per batch; at most all training rows"},
		{Name: "virtual_batch_size", Type: method.Int, Default: defaults.VirtualBatch, Min: 2, Doc: "rows that are normalised together, at most"},
		{Name: "momentum", Type: method.Float, Default: defaults.Momentum, Min: 0, Max: 1, Doc: "weight of a virtual batch in the running statistics of the normalisation"},
		{Name: "drop_last", Type: method.Bool, Default: defaults.DropLast, Doc: "leave the last rows of an epoch out where they make no whole batch"},
		{Name: "lr", Type: method.Float, Default: defaults.LR, Min: 1e-12, Doc: "learning rate of Adam"},
		{Name: "sched_step", Type: method.Int, Default: defaults.DecayStep, Min: 1, Doc: "epochs after which the learning rate is multiplied by sched_gamma"},
		{Name: "sched_gamma", Type: method.Float, Default: defaults.Decay, Min: 0, Max: 1, Doc: "factor of the learning rate; 1 leaves it alone"},
		{Name: "clip_value", Type: method.Float, Default: defaults.Clip, Min: 0, Doc: "gradients are scaled to this norm where they are longer; 0 leaves them alone"},
		{Name: "max_epochs", Type: method.Int, Default: 3000, Min: 1, Doc: "epochs at most"},
		{Name: "patience", Type: method.Int, Default: 100, Min: 1, Doc: "epochs without a lower validation loss before training ends"},
	},
	Check: func(c method.Config, _ dataset.Info) error {
		if c.Int("n_shared")+c.Int("n_independent") == 0 {
			return fmt.Errorf("n_shared: 0 and n_independent 0 leave a feature transformer without layers, want at least one")
		}
		return nil
	},
	Canonical: func(c method.Config, _ dataset.Problem) method.Config {
		if c.Float("sched_gamma") == 1 {
			c = c.With("sched_step", defaults.DecayStep)
		}
		return c
	},
	FitKey:  fitKey,
	GoesOn:  true,
	Work:    work,
	Network: true, EntryBytes: 19,
	Run: run,
}

// fitKey names the training that configurations have in common which differ in nothing but when it ends.
func fitKey(c method.Config, _ dataset.Problem) string {
	return c.Without("max_epochs").Without("patience").JSON()
}

// interval is that of checkpoints.
var interval time.Duration // tests set it

func configOf(c method.Config) config {
	return config{
		Decision: c.Int("n_d"), Attention: c.Int("n_a"), Steps: c.Int("n_steps"), Gamma: c.Float("gamma"),
		Shared: c.Int("n_shared"), Independent: c.Int("n_independent"),
		VirtualBatch: c.Int("virtual_batch_size"), Momentum: c.Float("momentum"),
		Sparsity: c.Float("lambda_sparse"), BatchSize: c.Int("batch_size"), DropLast: c.Bool("drop_last"),
		LR: c.Float("lr"), DecayStep: c.Int("sched_step"), Decay: c.Float("sched_gamma"), Clip: c.Float("clip_value"),
	}
}

func stopOf(c method.Config) stop {
	return stop{MaxEpochs: c.Int("max_epochs"), Patience: c.Int("patience")}
}

// work is about how long a training takes, in activations: those of every layer of every decision step for every training row, a 150th
// more for each unit of a layer's width, for the products, and five for every column of a mask. Trainings rarely go on for as many epochs
// as they may: three times the patience is usual.
func work(c method.Config, info dataset.Info) float64 {
	n, rows := configOf(c), 0.7*float64(cmp.Or(info.TestAt, info.Rows))
	layers, width := float64((n.Steps+1)*(n.Shared+n.Independent)), float64(n.width())
	masks := float64(n.Steps * (info.Columns - 1))
	epochs := min(float64(c.Int("max_epochs")), 3*float64(c.Int("patience")))
	return epochs * rows * (layers*width*(1+width/150) + 5*masks)
}

// run trains once for all configurations of the batch, which differ in nothing but when they end.
func run(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
	backend, err := backends.Open(t.Backend, t.Threads)
	if err != nil {
		return err
	}
	config, key := configOf(batch[0]), fitKey(batch[0], t.Info.Problem)
	config.Seed = seed.Derive(t.Seed, "tabnet", key)
	return fit(ctx, t, batch, config, backend, done)
}

func fit(ctx context.Context, t *task.Task, batch []method.Config, c config, backend compute.Backend, done func(method.Result)) error {
	tr, err := newTraining(tableOf(t), c, backend)
	if err != nil {
		return err
	}
	defer tr.free()
	var stops []stop
	for _, one := range batch {
		stops = append(stops, stopOf(one))
	}
	resumed, refused := 0, error(nil)
	if t.CheckpointDir != "" {
		tr.checkpoint.Path, tr.checkpoint.Every = filepath.Join(t.CheckpointDir, fmt.Sprintf("%016x.tabnet", c.Seed)), interval
		tr.checkpoint.Start()
		// A checkpoint that is damaged, of other data or past one of the stops has nothing to go on from: the training begins anew, and says so.
		switch err := tr.load(tr.checkpoint.Path, stops); {
		case err == nil:
			resumed = tr.at.Epochs
		case !errors.Is(err, fs.ErrNotExist):
			refused = err
		}
	}
	if t.Progress != nil {
		tr.progress = func(p progress) { t.Progress(p.of(stops)) }
	}
	return tr.run(ctx, stops, func(i int, m *model) error {
		r := method.Result{Index: i, Fit: tr.elapsed()}
		r.Details = map[string]any{
			"best_epoch": m.BestEpoch, "epochs": m.Epochs, "validation_loss": m.Loss,
			"parameters": tr.net.params.Size(),
		}
		backends.Describe(r.Details, backend)
		method.Warn(r.Details, "the training began anew", refused)
		method.Warn(r.Details, "a checkpoint cannot be written", tr.checkpoint.Err)
		if resumed > 0 {
			r.Details["resumed_at_epoch"] = resumed
		}
		predicting := time.Now()
		r.Val, err = m.predict(ctx, tr.features, t.Train, t.Train+t.Val)
		if err == nil {
			r.Test, err = m.predict(ctx, tr.features, t.Train+t.Val, t.Rows())
		}
		if err != nil {
			return err
		}
		r.Predict = time.Since(predicting)
		done(r)
		return nil
	})
}

// of says how far a training is that ends nowhere before the last of the stops, if the validation loss falls no further.
func (p progress) of(stops []stop) task.Progress {
	end := 0
	for _, s := range stops {
		end = max(end, min(s.MaxEpochs, max(p.BestEpoch, 1)+s.Patience))
	}
	return task.Progress{
		Share: float64(p.Epochs) / float64(max(end, p.Epochs)),
		Text:  fmt.Sprintf("epoch %d of %d or more, validation %.4g (lowest %.4g in epoch %d)", p.Epochs, end, p.Loss, p.BestLoss, p.BestEpoch),
	}
}

// tableOf encodes a task as the library is given it (but for what the package comment says of Kick): numbers, and codes of categories, of
// which a missing one is the first.
func tableOf(t *task.Task) *table {
	table := &table{Train: t.Train, Val: t.Val, Test: t.Test, Targets: t.Y, Labels: t.Labels, digests: [2]string{t.Digest, t.Split}}
	table.Classes = t.Info.Classes
	for _, f := range t.Features {
		if f.Type == dataset.Categorical {
			table.Categories = append(table.Categories, max(f.Width, 1))
		} else {
			table.Numeric++
		}
	}
	for i := range t.Rows() {
		row := t.Row(i)
		for _, f := range t.Features {
			entry := row[f.Offset : f.Offset+f.Width]
			if f.Type != dataset.Categorical {
				table.Numbers = append(table.Numbers, entry[0])
				continue
			}
			code := 0
			for j, x := range entry {
				if x == 1 {
					code = j
				}
			}
			table.Codes = append(table.Codes, int32(code))
		}
	}
	return table
}
