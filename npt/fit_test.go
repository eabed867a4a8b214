package npt

import (
	"math"
	"slices"
	"testing"

	"nptbench/internal/backends"
	"nptbench/internal/dataset"
	harness "nptbench/internal/run"
	"nptbench/internal/task"
)

// fitOn fits a method's configuration on a task with a seed.
func fitOn(t *testing.T, tk *task.Task, params map[string]any, seed uint64) *fitted {
	t.Helper()
	c, err := Method().Resolve(params, tk.Info)
	if err != nil {
		t.Fatal(err)
	}
	config := configOf(c)
	config.Seed = seed
	r, err := fit(t.Context(), tk, tableOf(tk), config, testBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	tr := newTestTrainer(t, tableOf(tk), config)
	train(t, tr)
	rows, err := modelOf(t, tr).Predict(t.Context(), tableOf(tk))
	if err != nil {
		t.Fatal(err)
	}
	return &fitted{slices.Concat(r.Val, r.Test), slices.Concat(rows...), r.Details["best_step"].(int), tr}
}

// A fitted is what a fit predicts for validation and test rows, and what the model of the same training does for test rows.
type fitted struct {
	method, model []float64
	bestStep      int
	trainer       *Trainer // of that model
}

// Predictions are those of the best weights, not of the last: of a training that ended at its best step.
func TestPredictsWithBestWeights(t *testing.T) {
	tk := testTask(1, dataset.Regression)
	params := map[string]any{"dim_hidden": 8, "heads": 2, "layers": 2, "lr": 0.05, "schedule": "constant", "p_feature": 0.0, "steps": 40}
	whole := fitOn(t, tk, params, 1)
	if whole.bestStep == 0 || whole.bestStep == 40 {
		t.Fatalf("the best step is %d of 40, want one in between", whole.bestStep)
	}
	params["steps"] = whole.bestStep
	short := fitOn(t, tk, params, 1)
	if !slices.Equal(whole.method, short.method) {
		t.Errorf("the fit predicts %v, want %v as after step %d", whole.method, short.method, whole.bestStep)
	}
	if !slices.Equal(whole.model, short.model) {
		t.Errorf("the model predicts %v, want %v as after step %d", whole.model, short.model, whole.bestStep)
	}
}

// One fold of a real table, with everything that a training has: the metrics are those that this version gave when its forward
// pass, losses and gradients had just been compared with the official vectors.
func TestPinnedFold(t *testing.T) {
	tk, truth := readTask(t, "yacht", 0)
	c, err := Method().Resolve(map[string]any{"dim_hidden": 8, "heads": 2, "layers": 2, "lr": 0.01, "steps": 36, "p_target": 0.5,
		"batch_size": 150, "precision": "float64"}, tk.Info)
	if err != nil {
		t.Fatal(err)
	}
	config := configOf(c)
	config.Seed = 1
	result, err := fit(t.Context(), tk, tableOf(tk), config, testBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	val, test, err := harness.Score(tk, truth, result)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct {
		name      string
		got, want float64
	}{{"validation RMSE", val["rmse"], 12.372603887}, {"test RMSE", test["rmse"], 10.235620145}} {
		if !(math.Abs(m.got-m.want) <= 1e-6*m.want) {
			t.Errorf("%s: %.9f, want %.9f", m.name, m.got, m.want)
		}
	}
}

// A training on a generated table, with everything that a training has, has the losses of the version that made the published records,
// in its last step and evaluation. So masks and batches are new in every pass, each batch comes twice in a row, rate and lambda are
// those of the step, and weights, dropout and random replacements are of the seed.
func TestPinnedTraining(t *testing.T) {
	c := smallConfig()
	c.Layers, c.Steps, c.LR, c.BatchSize, c.Repeat, c.EvalEvery = 2, 36, 0.01, 15, 2, 2
	c.FeatureMask, c.TargetMask, c.WeightDecay, c.FlatShare = 0.3, 0.5, 0.01, 0.5
	tr := newTestTrainerOn(t, openTestBackend(t, backends.Fused, 0), testTable(24, 8, 8, true), c)
	train(t, tr)
	closeTo(t, "label, feature and validation loss", []float64{tr.target, tr.feature, tr.valLoss}, []float64{0.7317854544, 1.0714416966, 0.3137302414}, 1e-6)
}

// What a network leaves out it does not compute, and a training of twice the steps takes twice the work.
func TestWork(t *testing.T) {
	info := dataset.Info{Rows: 45730, Columns: 10}
	of := func(change func(*Config)) float64 {
		c := DefaultConfig()
		c.BatchSize = 512
		change(&c)
		return work(c, info)
	}
	rising := []float64{
		0,
		of(func(c *Config) { c.NoABD = true }),
		of(func(c *Config) { c.SelfOnly = true }),
		of(func(c *Config) {}),
		of(func(c *Config) { c.BatchSize *= 2 }),
		of(func(c *Config) { c.BatchSize = 0 }),
	}
	if !slices.IsSorted(rising) || len(slices.Compact(slices.Clone(rising))) != len(rising) {
		t.Errorf("without ABD, rows alone, whole, in batches of twice the rows and in one: %.3g", rising[1:])
	}
	base, long, deep := rising[3], of(func(c *Config) { c.Steps *= 2 }), of(func(c *Config) { c.Layers *= 2 })
	if long != 2*base || deep != 2*base || of(func(c *Config) { c.NoABA = true }) >= base {
		t.Errorf("%.3g: of twice the steps %.3g, of twice the layers %.3g", base, long, deep)
	}
}
