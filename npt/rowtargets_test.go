package npt

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"nptbench/internal/backends"
	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// rowTargetsTest is the table of copiesTable with another target column in each row, and the settings of copiesConfig.
func rowTargetsTest() (*Table, Config) {
	t, c := copiesTable(), copiesConfig()
	for j := range t.Columns {
		t.Columns[j].Target = true
	}
	for i := range t.Rows() {
		j := i * 7 % 4
		t.RowTargets = append(t.RowTargets, j)
		t.Values[4*i+3] = t.Values[4*(i+t.Rows())+3]
		if i >= t.Train+t.Val {
			t.Values[4*i+j] = float32(math.NaN()) // nobody may look at it
		}
	}
	return t, c
}

// A pass is asked for the target column of each row of its part, sees all else of these, and copies whole.
func TestRowTargetCodes(t *testing.T) {
	table, c := rowTargetsTest()
	for _, m := range []mode{trainMode, valMode, testMode} {
		codes := drawMask(newRand(1), table, &c, m)
		from, to := m.part(table)
		for i := range table.stored() {
			for j := range table.Columns {
				want := visible
				if i >= from && i < to && j == table.RowTargets[i] {
					want = masked
				}
				inPass := i >= from && i < to || i >= table.Rows()
				if got := codes[4*i+j]; inPass && got != want {
					t.Fatalf("mode %d: entry (%d, %d) has code %d, want %d", m, i, j, got, want)
				}
			}
		}
	}
}

// A trained network is evaluated, and predicts, where the target of each row is. The hidden entry of a test row has no effect, the
// same entry of its copy has one.
func TestRowTargets(t *testing.T) {
	table, c := rowTargetsTest()
	tr := newTestTrainer(t, table, c)
	train(t, tr)
	loss, err := tr.engine.loss(t.Context(), tr.best, valMode, newRand(1))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := tr.engine.predict(t.Context(), tr.best, valMode, newRand(1), 0, table.Rows())
	if err != nil {
		t.Fatal(err)
	}
	from, to := valMode.part(table)
	squares := 0.0
	for i := from; i < to; i++ {
		j := table.RowTargets[i]
		squares += math.Pow(rows[i][j]-float64(table.Values[4*i+j]), 2)
	}
	closeTo(t, "validation loss", []float64{loss}, []float64{squares / float64(to-from)}, 1e-6)

	m := modelOf(t, tr)
	at := table.Train + table.Val + 3
	j := table.RowTargets[at]
	predict := func() float64 {
		rows, err := m.Predict(t.Context(), table)
		if err != nil || len(rows) != table.Test || len(rows[3]) != 1 {
			t.Fatal(len(rows), err)
		}
		return rows[3][0]
	}
	before := predict()
	whole, err := tr.engine.predict(t.Context(), tr.best, testMode, m.rng(), 0, table.Rows())
	if err != nil {
		t.Fatal(err)
	}
	if before != whole[at][j] {
		t.Errorf("%v is predicted, want %v of column %d", before, whole[at][j], j)
	}
	table.Values[4*at+j] = 5
	if after := predict(); after != before {
		t.Errorf("the hidden entry changes %v to %v", before, after)
	}
	table.Values[4*(at+table.Rows())+j]++
	if after := predict(); after == before {
		t.Error("that entry of the copy has no effect")
	}
}

// Training does not depend on the hidden entries of validation and test rows.
func TestTrainingIgnoresOtherRowTargets(t *testing.T) {
	var weights [2][]float64
	for k := range weights {
		table, c := rowTargetsTest()
		c.EvalEvery = c.Steps // the best weights are the last
		for i := table.Train; i < table.Train+table.Val; i++ {
			table.Values[4*i+table.RowTargets[i]] += float32(k)
		}
		tr := newTestTrainer(t, table, c)
		train(t, tr)
		for _, w := range tr.state.weights {
			weights[k] = append(weights[k], toFloats(t, w)...)
		}
	}
	if !slices.Equal(weights[0], weights[1]) {
		t.Error("it does")
	}
}

// A checkpoint is not gone on from where rows have other target columns.
func TestCheckpointOfOtherRowTargets(t *testing.T) {
	table, c := rowTargetsTest()
	path := filepath.Join(t.TempDir(), "checkpoint")
	if err := newTestTrainer(t, table, c).SaveCheckpoint(path); err != nil {
		t.Fatal(err)
	}
	if err := newTestTrainer(t, table, c).LoadCheckpoint(path); err != nil {
		t.Error(err)
	}
	table.RowTargets[0]++
	if err := newTestTrainer(t, table, c).LoadCheckpoint(path); err == nil || !strings.Contains(err.Error(), "the data differ") {
		t.Errorf("%v, want the data to differ", err)
	}
}

// Backends agree in what a short training comes to.
func TestRowTargetsOnBackends(t *testing.T) { onBackends(t, testRowTargetsOnBackends) }

func testRowTargetsOnBackends(t *testing.T, backend compute.Backend) {
	var predicted [2][]float64
	for k, b := range []compute.Backend{openTestBackend(t, backends.Go, 0), backend} {
		table, c := rowTargetsTest()
		c.Steps, c.Precision = 6, Float64
		tr := newTestTrainerOn(t, b, table, c)
		train(t, tr)
		rows, err := modelOf(t, tr).Predict(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		predicted[k] = slices.Concat(rows...)
	}
	closeTo(t, "predictions", predicted[1], predicted[0], 1e-9)
}

func TestRowTargetsRefused(t *testing.T) {
	for want, change := range map[string]func(*Table, *Config){
		"FeatureMask: 0.1, want 0":                  func(_ *Table, c *Config) { c.FeatureMask = 0.1 },
		"39 row targets, want 40":                   func(t *Table, _ *Config) { t.RowTargets = t.RowTargets[1:] },
		"the target of row 2 is column 4, want one": func(t *Table, _ *Config) { t.RowTargets[2] = 4 },
		"the target of row 3 is column 1, want one": func(t *Table, _ *Config) { t.Columns[1].Target, t.RowTargets[3] = false, 1 },
	} {
		table, c := rowTargetsTest()
		change(table, &c)
		table.RowTargets = slices.Clip(table.RowTargets)
		if _, err := NewTrainer(table, c, testBackend(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// As a method NPT predicts the targets of the rows, in the order of the task, from a table that hides them.
func TestRowTargetsOfTask(t *testing.T) {
	table, err := datasettest.Library(t).Load(t.Context(), "tail")
	if err != nil {
		t.Fatal(err)
	}
	table.Info.Copies = &dataset.Copies{AnyColumn: true}
	on, truth, err := task.FromTable(table, split.Published, 0, task.TrainRows)
	if err != nil {
		t.Fatal(err)
	}
	seen := tableOf(on)
	if err := seen.check(); err != nil {
		t.Fatal(err)
	}
	y := slices.Concat(on.Y[:on.Train-on.Copies], on.Y[on.Train:], truth.Y)
	for i := range seen.Rows() {
		j := seen.RowTargets[i]
		row, copied := seen.Values[3*i:3*i+3], slices.Clone(seen.Values[3*(i+seen.Rows()):][:3])
		if float64(copied[j]) != y[i] {
			t.Fatalf("row %d: the copy has %v in column %d, want %v", i, copied, j, y[i])
		}
		if i >= seen.Train+seen.Val {
			copied[j] = 0
		}
		if !slices.Equal(row, copied) {
			t.Fatalf("row %d is %v, want %v", i, row, copied)
		}
	}
	params := map[string]any{"dim_hidden": 4, "heads": 2, "layers": 2, "dropout": 0.0, "p_feature": 0.0, "semi_supervised": false, "batch_size": 20, "steps": 5}
	if f := fitOn(t, on, params, 1); len(f.method) != on.Val+on.Test || len(f.model) != on.Test {
		t.Errorf("%d and %d predictions", len(f.method), len(f.model))
	} else {
		// Batches are drawn anew by the model: of rows that attend to others predictions differ a little.
		for i, want := range f.model {
			if got := f.method[on.Val+i]; !(math.Abs(got-want) <= 0.2) {
				t.Errorf("test row %d: the method predicts %v, its model %v", i, got, want)
			}
		}
		from, to := valMode.part(seen)
		rows, err := f.trainer.engine.predict(t.Context(), f.trainer.best, valMode, f.trainer.rng("prediction", int(valMode)), from, to)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			if got, want := f.method[i], row[seen.RowTargets[from+i]]; got != want {
				t.Errorf("validation row %d: the method predicts %v, want %v as in its target's column", i, got, want)
			}
		}
	}
	for name, change := range map[string]map[string]any{"p_feature: 0.15, want 0": {"semi_supervised": false}, "semi_supervised: true, want false": {"p_feature": 0.0}} {
		if _, err := Method().Resolve(change, on.Info); err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}
