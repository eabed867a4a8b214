package tabnet

import (
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"nptbench/internal/backends"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

func testTask(t *testing.T, name string) *task.Task {
	t.Helper()
	table, err := datasettest.Library(t).Load(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	tk, _, err := task.FromTable(table, split.Corrected, 0, task.AllRows)
	if err != nil {
		t.Fatal(err)
	}
	tk.Seed, tk.Backend = 5, backends.Processor
	return tk
}

func resolved(t *testing.T, tk *task.Task, given map[string]any) method.Config {
	t.Helper()
	all := map[string]any{"n_d": 4, "n_a": 4, "n_steps": 2, "batch_size": 16, "virtual_batch_size": 8, "drop_last": true, "max_epochs": 6}
	maps.Copy(all, given)
	c, err := Method.Resolve(all, tk.Info)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func results(t *testing.T, tk *task.Task, batch ...method.Config) []method.Result {
	t.Helper()
	out := make([]method.Result, len(batch))
	if err := Method.Run(t.Context(), tk, batch, func(r method.Result) { out[r.Index] = r }); err != nil {
		t.Fatal(err)
	}
	return out
}

// Configurations that differ in nothing but when they end share a fit, which gives what their own would have given. Regression and
// classes, with categories and missing entries. The predictions are of the right rows: the first test row is a copy of the
// first validation row here.
func TestMethod(t *testing.T) {
	for _, name := range []string{"waves", "circles", "gaps"} {
		tk := testTask(t, name)
		copy(tk.Row(tk.Train+tk.Val), tk.Row(tk.Train))
		batch := []method.Config{resolved(t, tk, nil), resolved(t, tk, map[string]any{"max_epochs": 3}), resolved(t, tk, map[string]any{"patience": 1})}
		together := results(t, tk, batch...)
		for i, c := range batch {
			if Method.FitKey(c, tk.Info.Problem) != Method.FitKey(batch[0], tk.Info.Problem) {
				t.Errorf("%s: another key", c.JSON())
			}
			alone := results(t, tk, c)[0]
			if !reflect.DeepEqual(alone.Val, together[i].Val) || !reflect.DeepEqual(alone.Test, together[i].Test) {
				t.Errorf("%s, %s: other predictions in a shared fit", name, c.JSON())
			}
			r := together[i]
			if len(r.Val) != tk.Val*tk.Outputs() || len(r.Test) != tk.Test*tk.Outputs() || r.Fit <= 0 || r.Details["epochs"].(int) < 1 {
				t.Errorf("%s: %d and %d predictions, %v, %v", name, len(r.Val), len(r.Test), r.Fit, r.Details)
			}
			if loss := tableOf(tk).loss(r.Val, tk.Train, tk.Train+tk.Val); loss != r.Details["validation_loss"] {
				t.Errorf("%s, %s: the validation predictions have the loss %v, want %v", name, c.JSON(), loss, r.Details["validation_loss"])
			}
			if val, test := r.Val[:tk.Outputs()], r.Test[:tk.Outputs()]; !slices.Equal(val, test) {
				t.Errorf("%s, %s: the first validation row has the prediction %v, its copy among the test rows %v", name, c.JSON(), val, test)
			}
			for row := range tk.Val {
				sum := 0.0
				for _, p := range r.Val[row*tk.Outputs() : (row+1)*tk.Outputs()] {
					sum += p
				}
				if tk.Info.Classes > 0 && math.Abs(sum-1) > 1e-9 || sum-sum != 0 {
					t.Errorf("%s: row %d: probabilities add up to %v", name, row, sum)
				}
			}
		}
		other := resolved(t, tk, map[string]any{"lr": 0.01})
		if Method.FitKey(other, tk.Info.Problem) == Method.FitKey(batch[0], tk.Info.Problem) {
			t.Error("another learning rate shares the fit")
		}
		tk.Seed++
		if reflect.DeepEqual(results(t, tk, batch[1])[0].Test, together[1].Test) {
			t.Errorf("%s: another seed predicts the same", name)
		}
	}
}

// Every parameter is heeded, in its own place.
func TestConfigOf(t *testing.T) {
	given := map[string]any{
		"n_d": 2, "n_a": 3, "n_steps": 4, "gamma": 1.5, "n_shared": 5, "n_independent": 6, "lambda_sparse": 0.1,
		"batch_size": 7, "virtual_batch_size": 8, "momentum": 0.2, "drop_last": true,
		"lr": 0.3, "sched_step": 9, "sched_gamma": 0.4, "clip_value": 0.5, "max_epochs": 10, "patience": 11,
	}
	want := config{
		Decision: 2, Attention: 3, Steps: 4, Gamma: 1.5, Shared: 5, Independent: 6, Sparsity: 0.1,
		BatchSize: 7, VirtualBatch: 8, Momentum: 0.2, DropLast: true,
		LR: 0.3, DecayStep: 9, Decay: 0.4, Clip: 0.5,
	}
	c := resolved(t, testTask(t, "waves"), given)
	if got, end := configOf(c), stopOf(c); len(given) != len(Method.Params) || got != want || end != (stop{MaxEpochs: 10, Patience: 11}) {
		t.Errorf("%d of %d parameters make %+v and %+v, want %+v", len(given), len(Method.Params), got, end, want)
	}
}

// A missing category is the first one, a missing number the mean.
func TestMissing(t *testing.T) {
	tk := testTask(t, "gaps")
	table := tableOf(tk)
	missing := 0
	for i := range tk.Rows() {
		number, category := 0, 0
		for j, f := range tk.Features {
			flagged := tk.Missing[i*len(tk.Features)+j]
			if flagged {
				missing++
			}
			if f.Width == 1 {
				if flagged && table.Numbers[i*table.Numeric+number] != 0 {
					t.Fatalf("row %d, %s is missing and %v", i, f.Name, table.Numbers[i*table.Numeric+number])
				}
				number++
				continue
			}
			code := table.Codes[i*len(table.Categories)+category]
			if want := int32(0); flagged && code != want || !flagged && tk.Row(i)[f.Offset+int(code)] != 1 {
				t.Fatalf("row %d, %s: category %d, missing %v", i, f.Name, code, flagged)
			}
			category++
		}
	}
	if missing == 0 {
		t.Error("nothing is missing")
	}
}

func TestCheck(t *testing.T) {
	tk := testTask(t, "waves")
	for want, given := range map[string]map[string]any{
		"n_shared: 0 and n_independent 0": {"n_shared": 0, "n_independent": 0},
		"gamma: 0.5 is not allowed":       {"gamma": 0.5},
	} {
		if _, err := Method.Resolve(given, tk.Info); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want one that begins with %s", err, want)
		}
	}
}

// interrupt begins a fit with a checkpoint after every epoch, and ends it after a share of its epochs.
func interrupt(t *testing.T, tk *task.Task, share float64, batch []method.Config, done func(method.Result)) {
	t.Helper()
	old := interval
	interval = time.Nanosecond
	t.Cleanup(func() { interval = old })
	tk.CheckpointDir = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	tk.Progress = func(p task.Progress) {
		if p.Share > share {
			cancel()
		}
	}
	if err := Method.Run(ctx, tk, batch, done); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	tk.Progress = nil
}

// A fit that is stopped says so, and goes on from its checkpoint the next time.
func TestMethodGoesOn(t *testing.T) {
	tk := testTask(t, "waves")
	c := resolved(t, tk, map[string]any{"max_epochs": 12})
	want := results(t, tk, c)[0]
	interrupt(t, tk, 0.4, []method.Config{c}, nil)
	files, err := filepath.Glob(filepath.Join(tk.CheckpointDir, "*.tabnet"))
	if err != nil || len(files) != 1 {
		t.Fatalf("checkpoints %v, %v", files, err)
	}
	got := results(t, tk, c)[0]
	if !reflect.DeepEqual(got.Test, want.Test) || got.Details["resumed_at_epoch"] == nil {
		t.Errorf("goes on with other predictions, %v", got.Details)
	}
	if err := os.WriteFile(files[0], []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	again := results(t, tk, c)[0]
	if warning, _ := again.Details[method.Warning].(string); !reflect.DeepEqual(again.Test, want.Test) || again.Details["resumed_at_epoch"] != nil ||
		!strings.HasPrefix(warning, "the training began anew: ") {
		t.Errorf("after a damaged checkpoint %v", again.Details)
	}
}

// A fit that is stopped when one of its configurations has ended goes on for the others, and begins anew for one that would have ended.
func TestMethodGoesOnForTheRest(t *testing.T) {
	tk := testTask(t, "waves")
	batch := []method.Config{resolved(t, tk, map[string]any{"max_epochs": 3}), resolved(t, tk, map[string]any{"max_epochs": 12})}
	want := results(t, tk, batch...)
	ended := 0
	interrupt(t, tk, 0.6, batch, func(method.Result) { ended++ })
	if got := results(t, tk, batch[1])[0]; ended != 1 || !reflect.DeepEqual(got.Test, want[1].Test) || got.Details["resumed_at_epoch"].(int) < 4 {
		t.Errorf("after %d ended, the rest goes on with other predictions, %v", ended, got.Details)
	}
	for i, got := range results(t, tk, batch...) {
		if !reflect.DeepEqual(got.Test, want[i].Test) || got.Details["resumed_at_epoch"] != nil {
			t.Errorf("both begin with other predictions, %v", got.Details)
		}
	}
}
