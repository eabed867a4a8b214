package npt

import (
	"errors"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"nptbench/internal/backends"
	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// keptAndPredicted trains on the first fold of a data set, and returns the model that is kept and what the training predicted.
func keptAndPredicted(t *testing.T, info dataset.Info, params map[string]any) (*keptModel, *task.Task, method.Prediction) {
	t.Helper()
	lib := datasettest.Library(t)
	table, err := lib.Load(t.Context(), info.Name)
	if err != nil {
		t.Fatal(err)
	}
	table.Info.Copies = info.Copies
	on, _, err := task.FromTable(table, split.Published, 0, task.AllRows)
	if err != nil {
		t.Fatal(err)
	}
	on.ModelDir, on.Backend, on.Seed = t.TempDir(), backends.Processor, 3
	small := map[string]any{"dim_hidden": 8, "heads": 2, "layers": 2, "steps": 30, "lr": 0.02, "eval_every": 5, "p_target": 0.5}
	maps.Copy(small, params)
	m := Method()
	c, err := m.Resolve(small, on.Info)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Model(t.Context(), on, c); err == nil {
		t.Fatal("there is a model before the training")
	}
	var result method.Result
	if err := m.Run(t.Context(), on, []method.Config{c}, func(r method.Result) { result = r }); err != nil || result.Err != nil {
		t.Fatal(err, result.Err)
	}
	model, err := m.Model(t.Context(), on, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Model(t.Context(), on, c.With("lr", 0.03)); err == nil {
		t.Error("the model of another configuration is opened")
	}
	other := *on
	other.Seed++
	if _, err := m.Model(t.Context(), &other, c); err == nil {
		t.Error("the model of another task is opened")
	}
	return model.(*keptModel), on, result.Test
}

var keptCases = map[string]struct {
	info   dataset.Info
	params map[string]any
}{
	"one batch":   {dataset.Info{Name: "waves"}, nil},
	"batches":     {dataset.Info{Name: "waves"}, map[string]any{"batch_size": 50}},
	"classes":     {dataset.Info{Name: "circles"}, map[string]any{"p_target": 1.0}},
	"missing":     {dataset.Info{Name: "gaps"}, nil},
	"without ABD": {dataset.Info{Name: "waves"}, map[string]any{"abd": false}},
	"self only":   {dataset.Info{Name: "waves"}, map[string]any{"self_only": true, "batch_size": 50}},
	"without ABA": {dataset.Info{Name: "waves"}, map[string]any{"aba": false}},
	"supervised":  {dataset.Info{Name: "waves"}, map[string]any{"semi_supervised": false}},
	"with a copy": {dataset.Info{Name: "waves", Copies: &dataset.Copies{}}, map[string]any{"semi_supervised": false, "p_target": 1.0, "batch_size": 40}},
	"any column":  {dataset.Info{Name: "tail", Copies: &dataset.Copies{AnyColumn: true}}, map[string]any{"semi_supervised": false, "p_target": 1.0, "p_feature": 0.0, "batch_size": 20}},
	"fixed rows":  {dataset.Info{Name: "tail"}, map[string]any{"p_target": 0.1}},
}

// A kept model, asked for the batches of the task, predicts what the training predicted, but for rounding.
func TestKeptModel(t *testing.T) {
	for name, c := range keptCases {
		t.Run(name, func(t *testing.T) {
			model, on, want := keptAndPredicted(t, c.info, c.params)
			got := make(method.Prediction, len(want))
			seen := 0
			for _, rows := range model.Batches() {
				if !slices.IsSorted(rows) {
					t.Fatalf("a batch is not in order: %v", rows)
				}
				out, err := model.Predict(t.Context(), []*task.Task{on.Select(rows)})
				if err != nil {
					t.Fatal(err)
				}
				for at, row := range on.TestRows(rows) {
					n := on.Outputs()
					copy(got[row*n:], out[0][at*n:(at+1)*n])
					seen++
				}
			}
			if seen != on.Test {
				t.Errorf("%d test rows in all batches, want %d", seen, on.Test)
			}
			var tests []int
			batches, err := model.BatchesOf(16)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := model.BatchesOf(1); (err != nil) != (on.Copies == 0 && model.net.lastBetween() >= 0) || err != nil && !strings.Contains(err.Error(), "batches of 1 rows: some would hold none") {
				t.Errorf("batches of one row: %v", err)
			}
			for _, rows := range batches {
				if tests = append(tests, on.TestRows(rows)...); len(rows) > 16 || !slices.IsSorted(rows) {
					t.Errorf("a batch of 16 rows: %v", rows)
				}
			}
			if slices.Sort(tests); len(tests) != on.Test || len(slices.Compact(tests)) != on.Test {
				t.Errorf("test rows in batches of 16: %v", tests)
			}
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= 1e-5*(1+math.Abs(want[i]))) {
					t.Fatalf("number %d: %v, the training predicted %v", i, got[i], want[i])
				}
			}
		})
	}
}

// fitKept fits once, with a folder for the model.
func fitKept(t *testing.T, folder string) (method.Result, error) {
	t.Helper()
	on, c := testTask(1, dataset.Regression), smallConfig()
	on.ModelDir, c.Steps = folder, 2
	return fit(t.Context(), on, tableOf(on), c, testBackend(t))
}

// A folder for models that cannot be written to costs no result.
func TestModelsCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	result, err := fitKept(t, filepath.Join(file, "models"))
	if warning, _ := result.Details[method.Warning].(string); err != nil || !strings.HasPrefix(warning, "the model cannot be kept: ") {
		t.Errorf("error %v, warning %q", err, warning)
	}
}

// A full disk ends the run. The disk is one page of memory, which another process mounts for itself.
func TestModelOnFullDisk(t *testing.T) {
	const variable = "NPT_TEST_FULL_DISK"
	if disk := os.Getenv(variable); disk != "" {
		if _, err := fitKept(t, disk); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("error %v, want that the disk is full", err)
		}
		return
	}
	cmd := exec.Command("unshare", "-rm", "sh", "-c", `mount -t tmpfs -o size=4k none "$`+variable+`" && exec "$0" -test.v -test.run=^TestModelOnFullDisk$`, os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if !strings.Contains(string(out), "=== RUN") {
		t.Skipf("no disk of a process's own here: %v, %s", err, out)
	}
	if err != nil {
		t.Errorf("%v, %s", err, out)
	}
}

// Without layers between datapoints other rows do not change a bit of a prediction, nor do they where rows attend to themselves alone;
// with them they do.
func TestOtherRows(t *testing.T) {
	for name, params := range map[string]map[string]any{"base": {}, "without ABD": {"abd": false}, "self only": {"self_only": true}} {
		model, on, _ := keptAndPredicted(t, dataset.Info{Name: "waves"}, params)
		clean := on.Select(model.Batches()[0])
		other := on.Select(model.Batches()[0])
		last := other.Rows() - 1
		for i := range other.X[:last*other.Width] {
			other.X[i] = -other.X[i]
		}
		out, err := model.Predict(t.Context(), []*task.Task{clean, other})
		if err != nil {
			t.Fatal(err)
		}
		if n := on.Test - 1; (out[0][n] == out[1][n]) != (name != "base") {
			t.Errorf("%s: %v is predicted, with other rows %v", name, out[0][n], out[1][n])
		}
		if _, err := model.Attention(t.Context(), clean); (err == nil) != (name == "base") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rows that attend to themselves alone are predicted as the same weights, without that, predict each row by itself.
func TestSelfOnly(t *testing.T) {
	model, on, _ := keptAndPredicted(t, dataset.Info{Name: "waves"}, map[string]any{"self_only": true})
	together := on.Select(model.Batches()[0])
	n := together.Rows()
	batches := []*task.Task{together}
	for row := n - together.Test; row < n; row++ {
		batches = append(batches, together.Select([]int{row}))
	}
	all, err := model.Predict(t.Context(), batches[:1])
	if err != nil {
		t.Fatal(err)
	}
	same, _, _ := keptAndPredicted(t, dataset.Info{Name: "waves"}, map[string]any{"self_only": true})
	net := *same.net
	net.SelfOnly = false
	if same.program, err = programOf(&net, 0, same.backend); err != nil {
		t.Fatal(err)
	}
	single, err := same.Predict(t.Context(), batches)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range all[0] {
		if got := single[i+1][0]; !(math.Abs(got-p) <= 1e-5) {
			t.Errorf("test row %d: %v alone, %v among others", i, got, p)
		}
	}
	if slices.Equal(single[0], all[0]) {
		t.Error("rows that attend to others are predicted as if they did not")
	}
}

// What rows attend to is in the order of the batch, sums to 1, and follows the rows when they change places.
func TestKeptAttention(t *testing.T) {
	for _, name := range []string{"one batch", "with a copy"} {
		c := keptCases[name]
		model, on, _ := keptAndPredicted(t, c.info, c.params)
		rows := model.Batches()[0]
		batch := on.Select(rows)
		layers, err := model.Attention(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		n := batch.Rows()
		if len(layers) != 1 || layers[0].Layer != 0 || layers[0].Heads != 2 || len(layers[0].Weights) != 2*n*n {
			t.Fatalf("%s: %d layers", name, len(layers))
		}
		for i, row := range slices.Collect(slices.Chunk(layers[0].Weights, n)) {
			sum := 0.0
			for _, w := range row {
				sum += w
			}
			if !(math.Abs(sum-1) <= 1e-5) {
				t.Errorf("%s: the weights of row %d sum to %v", name, i, sum)
			}
		}
		// Two test rows change places, and two copies.
		a, b := batch.Train+batch.Val, n-1
		swapped := on.Select(rows)
		place := make([]int, n)
		for i := range place {
			place[i] = i
		}
		swap := func(a, b int) {
			place[a], place[b] = b, a
			for j := range batch.Width {
				swapped.X[a*batch.Width+j], swapped.X[b*batch.Width+j] = batch.X[b*batch.Width+j], batch.X[a*batch.Width+j]
			}
		}
		swap(a, b)
		if batch.Copies > 0 {
			first := batch.Train - batch.Copies
			swap(first, first+1)
			swapped.Y = slices.Clone(batch.Y)
			swapped.Y[first], swapped.Y[first+1] = batch.Y[first+1], batch.Y[first]
		}
		again, err := model.Attention(t.Context(), swapped)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				if was, is := layers[0].Weights[i*n+j], again[0].Weights[place[i]*n+place[j]]; !(math.Abs(was-is) <= 1e-5) {
					t.Fatalf("%s: row %d attended to row %d by %v, now by %v", name, i, j, was, is)
				}
			}
		}
	}
}
