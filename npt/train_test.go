package npt

import (
	"cmp"
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

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/backends"
	"nptbench/internal/dataset"
	"nptbench/internal/machine"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

func newTestTrainer(t *testing.T, table *Table, c Config) *Trainer {
	t.Helper()
	if c.Precision == BFloat16 {
		return newTestTrainerOn(t, completeBackend(t), table, c)
	}
	return newTestTrainerOn(t, testBackend(t), table, c)
}

func newTestTrainerOn(t *testing.T, b compute.Backend, table *Table, c Config) *Trainer {
	t.Helper()
	tr, err := NewTrainer(table, c, b)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func train(t *testing.T, tr *Trainer) {
	t.Helper()
	if err := tr.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func modelOf(t *testing.T, tr *Trainer) *Model {
	t.Helper()
	m, err := tr.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func allWeights(t *testing.T, tr *Trainer) []float64 {
	t.Helper()
	var out []float64
	for _, set := range tr.sets() {
		for _, w := range *set.tensors {
			out = append(out, toFloats(t, w)...)
		}
	}
	return out
}

func TestTrainingLearns(t *testing.T) {
	table := testTable(60, 20, 20, true)
	c := smallConfig()
	c.Steps, c.LR, c.Precision, c.EvalEvery, c.Dropout = 120, 1e-2, Float32, 5, 0
	tr := newTestTrainer(t, table, c)
	var first, last Progress
	tr.Progress = func(p Progress) {
		if first.Step == 0 && !math.IsNaN(p.Validation) {
			first = p
		}
		last = p
	}
	train(t, tr)
	if !(last.Best < 0.5*first.Validation) {
		t.Errorf("validation loss went from %v to %v only", first.Validation, last.Best)
	}
	if c := tr.calls; c.first <= 0 || c.firstSteps == 0 || c.firstSteps+c.restSteps != 120 {
		t.Errorf("%d steps in a first call of %v, and %d after", c.firstSteps, c.first, c.restSteps)
	}
	if last.Step != 120 || last.Pass != 120 || last.RowsPerSecond <= 0 || last.Left != 0 || last.BestStep == 0 {
		t.Errorf("progress %+v", last)
	}
}

// Single precision learns what double precision learns; half precision, with weights and moments in single, nearly.
func TestPrecisionsAgree(t *testing.T) {
	table := testTable(60, 20, 20, false)
	loss := map[Precision]float64{}
	for _, p := range []Precision{Float64, Float32, BFloat16} {
		c := smallConfig()
		c.Layers, c.Steps, c.LR, c.Precision, c.EvalEvery, c.Dropout = 2, 60, 1e-2, p, 5, 0
		tr := newTestTrainer(t, table, c)
		train(t, tr)
		loss[p] = tr.bestLoss
	}
	t.Logf("validation losses %v", loss)
	if !(math.Abs(loss[Float32]/loss[Float64]-1) <= 0.01) || loss[BFloat16] > 3*loss[Float32] || loss[Float64] > 0.1 {
		t.Errorf("validation losses %v", loss)
	}
}

func TestDivergenceIsAnError(t *testing.T) {
	table := testTable(10, 4, 4, false)
	table.Values[1] = 1e30 // whose square is no number in single precision
	c := smallConfig()
	c.Precision = Float32
	err := newTestTrainer(t, table, c).Train(context.Background())
	if !errors.Is(err, ErrDiverged) {
		t.Errorf("error %v, want ErrDiverged", err)
	}
	// The harness must know it too, to record its kind.
	tk := testTask(0, dataset.Regression)
	tk.Y[3] = 1e30
	m := Method()
	var failed error
	err = m.Run(context.Background(), tk, []method.Config{quickConfig(t, m, tk.Info, nil)}, func(r method.Result) { failed = r.Err })
	if err != nil || !errors.Is(failed, method.ErrDiverged) {
		t.Errorf("the method fails with %v, its result with %v", err, failed)
	}
}

func TestOutOfMemoryIsAnError(t *testing.T) {
	backend := openTestBackend(t, backends.CPU, 1)
	exec, err := graph.NewExec(backend, func(x *graph.Node) *graph.Node {
		return graph.BroadcastToDims(x, 1<<24, 1<<24) // a pebibyte
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = backends.Call(backend, exec, []any{float32(1)})
	if !errors.Is(err, ErrMemory) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want ErrMemory in one line", err)
	}
}

// A network that the memory cannot hold is refused before it takes any.
func TestNoMemoryForWeights(t *testing.T) {
	c := smallConfig()
	c.Hidden = 4000
	_, err := NewTrainer(testTable(10, 4, 4, false), c, testBackend(t))
	if free := machine.FreeMemory(); backends.HasDevice(testBackend(t)) || free == 0 || free > weightBytes*7e9 {
		t.Skip("this processor is not what trains, or has hundreds of gigabytes free")
	}
	if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "weights, whose training takes at least ") {
		t.Error(err)
	}
}

// A batch may be larger than any table.
func TestLargestBatch(t *testing.T) {
	c := smallConfig()
	c.BatchSize = math.MaxInt
	table := testTable(10, 4, 4, false)
	if n := batchCount(table, &c, trainMode); n != 1 {
		t.Errorf("%d batches", n)
	}
}

func TestImpossibleSettings(t *testing.T) {
	table := testTable(10, 4, 4, false)
	for want, change := range map[string]func(*Config){
		"Hidden: 1000004, want": func(c *Config) { c.Hidden = 1_000_004 },
		"Hidden: 1000000, with": func(c *Config) { c.Hidden = 1_000_000 },
		"Heads":                 func(c *Config) { c.Heads = 3 },
		"Layers":                func(c *Config) { c.Layers = 5 },
		"TargetMask":            func(c *Config) { c.TargetMask = 0 },
		"Schedule":              func(c *Config) { c.Schedule = "linear" },
		"Precision":             func(c *Config) { c.Precision = "int8" },
		"LR":                    func(c *Config) { c.LR = math.NaN() },
		"BatchSize":             func(c *Config) { c.BatchSize = 1 },
		"Tradeoff":              func(c *Config) { c.Anneal = false },

		"Layers: 102, want an even number from 2 to 100": func(c *Config) { c.Layers = 102 },

		"Hidden: 100000, with 4 columns and 4 layers, makes ": func(c *Config) { c.Hidden = 100_000 },

		"Warmup: 0.04 of 20 steps is none": func(c *Config) { c.Schedule, c.Warmup = CosineCyclic, 0.04 },
		"LR: 9e-08, want at least 1e-07":   func(c *Config) { c.Schedule, c.LR = Polynomial, 9e-8 },

		"Repeat: 9223372036854775807, want 1 to 1000000000": func(c *Config) { c.Repeat = math.MaxInt },
		"Steps: 1000000001, want 1 to 1000000000":           func(c *Config) { c.Steps = 1_000_000_001 },

		"Dropout":     func(c *Config) { c.Dropout = math.NaN() },
		"Clip":        func(c *Config) { c.Clip = math.Inf(1) },
		"WeightDecay": func(c *Config) { c.WeightDecay = math.NaN() },
	} {
		c := smallConfig()
		change(&c)
		if _, err := NewTrainer(table, c, testBackend(t)); err == nil || !strings.HasPrefix(err.Error(), "npt: "+want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	for _, s := range []Schedule{CosineCyclic, Polynomial} { // of one step of warm-up, and of the lowest rate
		c := smallConfig()
		c.Schedule, c.Warmup, c.LR = s, 0.05, minimalRate
		if _, err := NewTrainer(table, c, testBackend(t)); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	if _, err := NewTrainer(nil, smallConfig(), testBackend(t)); err == nil || err.Error() != "npt: there is no table" {
		t.Error(err)
	}
	negative := testTable(10, 4, 4, false)
	negative.Columns[0].Categories = -1
	if _, err := NewTrainer(negative, smallConfig(), testBackend(t)); err == nil || !strings.Contains(err.Error(), "column 0 (a): -1 categories, want 0") {
		t.Errorf("a negative number of categories: %v", err)
	}
	for want, damage := range map[string]func(*Table){
		"row 3, column 1 (y): NaN, want a number, or a flag in Missing": func(t *Table) { t.Values[3*6+1] = float32(math.NaN()) },
		"3 among the 3 channels of a categorical column, want 0 or 1":   func(t *Table) { t.Values[2] = 3 },
		"3 categories, want one": func(t *Table) { copy(t.Values[2:5], []float32{1, 1, 1}) },
		"0 categories, want one": func(t *Table) { clear(t.Values[2:5]) },
		"all targets of the 10 training rows are missing": func(t *Table) {
			t.Missing = make([]bool, t.Rows()*len(t.Columns))
			for i := range t.Train {
				t.Missing[i*len(t.Columns)+1] = true
			}
		},
	} {
		table := testTable(10, 4, 4, false)
		damage(table)
		if _, err := NewTrainer(table, smallConfig(), testBackend(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	c := smallConfig()
	c.EvalEvery, c.BatchSize = math.MaxInt, 9
	if _, err := NewTrainer(testTable(10, 4, 4, false), c, testBackend(t)); err != nil {
		t.Errorf("evaluations that never come: %v", err)
	}
	table.Train = 0
	if _, err := NewTrainer(table, smallConfig(), testBackend(t)); err == nil {
		t.Error("a table without training rows is accepted")
	}
}

// Batches of any pass hold rows of context, but where no row is told of another.
func TestBatchesWithoutContext(t *testing.T) {
	config := func(change func(*Config)) Config {
		c := smallConfig()
		c.SemiSupervised, c.BatchSize = false, 3
		change(&c)
		return c
	}
	for _, v := range []struct {
		train, val, test int
		change           func(*Config)
		want             string
	}{
		{4, 2, 13, func(c *Config) {}, "3 rows make 7 batches, of which some would hold none of the 6 rows of context"},
		{4, 2, 12, func(c *Config) {}, ""},
		{4, 9, 2, func(c *Config) {}, "3 rows make 5 batches, of which some would hold none of the 4 rows of context"},
		{4, 2, 12, func(c *Config) { c.SemiSupervised = true }, "3 rows make 6 batches, of which some would hold none of the 4 rows of context"},
		{4, 2, 13, func(c *Config) { c.NoABD = true }, ""},
		{4, 2, 13, func(c *Config) { c.SelfOnly = true }, ""},
		{4, 2, 13, func(c *Config) { c.BatchSize = 0 }, ""},
	} {
		_, err := NewTrainer(testTable(v.train, v.val, v.test, false), config(v.change), testBackend(t))
		if v.want == "" && err != nil || v.want != "" && (err == nil || !strings.Contains(err.Error(), "BatchSize: "+v.want)) {
			t.Errorf("error %v, want %q", err, v.want)
		}
	}
	m := modelOf(t, newTestTrainer(t, testTable(4, 2, 4, false), config(func(*Config) {})))
	if _, err := m.Predict(t.Context(), testTable(4, 2, 12, false)); err != nil {
		t.Errorf("12 rows: %v", err)
	}
	if _, err := m.Predict(t.Context(), testTable(4, 2, 13, false)); err == nil || !strings.Contains(err.Error(), "fewer rows to predict") {
		t.Errorf("13 rows: %v", err)
	}
}

// A NaN that is not flagged would spread from one row to the predictions of all.
func TestPredictSaysNaN(t *testing.T) {
	table := testTable(20, 5, 5, false)
	m := modelOf(t, newTestTrainer(t, table, smallConfig()))
	table.Values[29*6] = float32(math.NaN())
	if rows, err := m.Predict(context.Background(), table); err == nil {
		t.Errorf("predicts %v", rows)
	}
}

// A finite value that is too large for the network is an error, too.
func TestPredictSaysTooLarge(t *testing.T) {
	table, c := testTable(20, 5, 5, false), smallConfig()
	c.Precision = Float32
	m := modelOf(t, newTestTrainer(t, table, c))
	table.Values[29*6] = 3e38
	if rows, err := m.Predict(context.Background(), table); err == nil || !strings.Contains(err.Error(), "predictions are not finite") {
		t.Errorf("predicts %v, error %v", rows, err)
	}
}

// What no machine has the memory for is an error, and not the end of the process.
func TestMemoryOfManyRows(t *testing.T) {
	if machine.FreeMemory() == 0 {
		t.Skip("no telling how much memory is free")
	}
	c := smallConfig()
	c.Layers, c.Precision, c.SemiSupervised, c.Steps = 2, Float32, false, 1
	rows := make([]float32, 2*400_000)
	for i := range rows {
		rows[i] = float32(i%7) - 3
	}
	table := &Table{Columns: []Column{{Name: "x"}, {Name: "y", Target: true}}, Values: rows, Train: len(rows) / 2}
	trainer, err := NewTrainer(table, c, openTestBackend(t, backends.Fused, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := trainer.Train(t.Context()); !errors.Is(err, ErrMemory) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want that memory ran out", err)
	}
}

// Which rows the statistics of features are of: all that training sees, as coded, or the training rows, as the paper has it.
func TestStatistics(t *testing.T) {
	m := Method()
	for _, c := range []struct {
		params map[string]any
		want   task.Statistics
	}{
		{nil, task.AllRows},
		{map[string]any{"train_statistics": true}, task.TrainRows},
		{map[string]any{"semi_supervised": false}, task.TrainRows},
		{map[string]any{"semi_supervised": false, "train_statistics": true}, task.TrainRows},
	} {
		config, err := m.Resolve(c.params, dataset.Info{})
		if err != nil {
			t.Fatal(err)
		}
		config = m.Canonical(config, dataset.Regression)
		if got := m.Statistics(config); got != c.want {
			t.Errorf("%v: statistics %v, want %v", c.params, got, c.want)
		}
		if !config.Bool("semi_supervised") && config.Has("train_statistics") {
			t.Errorf("%v: a parameter without effect stays", c.params)
		}
	}
}

// Columns that changed places are not taken for each other.
func TestPredictWantsTheColumns(t *testing.T) {
	table := testTable(20, 5, 5, false)
	m := modelOf(t, newTestTrainer(t, table, smallConfig()))
	other := *table
	other.Columns = slices.Clone(table.Columns)
	other.Columns[0].Name, other.Columns[3].Name = "c", "a"
	if _, err := m.Predict(t.Context(), &other); err == nil || err.Error() != `npt: column 0 of the table is "c", want "a" as in training` {
		t.Errorf("error %v", err)
	}
	other.Columns[0].Name, other.Columns[3].Name = "", ""
	if _, err := m.Predict(t.Context(), &other); err != nil {
		t.Errorf("columns without names: %v", err)
	}
}

// Of evaluations with the same loss the first one counts.
func TestTheFirstOfEqualLosses(t *testing.T) {
	c := smallConfig()
	c.Layers, c.Steps, c.LR, c.EvalEvery = 2, 6, 1e-300, 2 // too little to move a weight
	tr := newTestTrainer(t, testTable(20, 5, 5, false), c)
	train(t, tr)
	if loss, step := tr.bestLoss, tr.bestStep; step != 2 || loss != tr.valLoss {
		t.Errorf("the best step is %d with a loss of %v, want 2 with %v as in the end", step, loss, tr.valLoss)
	}
}

// What the first call takes longer is taken for compiling.
func TestTimesInDetails(t *testing.T) {
	tr := newTestTrainer(t, testTable(20, 5, 5, false), smallConfig())
	tr.calls = callTimes{first: 3 * time.Second, firstSteps: 2, rest: 10 * time.Second, restSteps: 20}
	if d := tr.details(); d["steps_per_second"] != 2.0 || d["compile_seconds"] != 2.0 {
		t.Errorf("%v, want 2 steps per second and 2 seconds of compiling", d)
	}
}

// The last pass is finished, and progress knows that from the beginning.
func TestProgressOfWholePasses(t *testing.T) {
	c := smallConfig()
	c.Layers, c.Steps, c.BatchSize, c.Repeat = 2, 13, 10, 2 // three batches a pass
	tr := newTestTrainer(t, testTable(20, 5, 5, false), c)
	var last Progress
	tr.Progress = func(p Progress) {
		if last = p; p.Steps != 18 {
			t.Errorf("%s", p)
		}
	}
	train(t, tr)
	if last.Step != 18 {
		t.Errorf("ends with %s", last)
	}
}

// Without a label to validate with, the latest weights count, and no validation loss is told.
func TestNoValidationLabels(t *testing.T) {
	table := testTable(20, 5, 5, false)
	table.Missing = make([]bool, table.Rows()*4)
	for i := 20; i < 25; i++ {
		table.Missing[i*4+1] = true
	}
	c := smallConfig()
	c.Layers, c.Steps = 2, 5
	tr := newTestTrainer(t, table, c)
	tr.Progress = func(p Progress) {
		if finite(p.Validation) || finite(p.Best) || strings.Contains(p.String(), "validation") {
			t.Errorf("%s; losses %v and %v", p, p.Validation, p.Best)
		}
	}
	if err := tr.Train(context.Background()); err != nil || tr.bestStep != 5 {
		t.Errorf("error %v, the best step is %d, want 5", err, tr.bestStep)
	}
	m, tk := Method(), testTask(0, dataset.Regression)
	tk.Train, tk.Val = tk.Train+tk.Val, 0
	err := m.Run(t.Context(), tk, []method.Config{quickConfig(t, m, tk.Info, nil)}, func(r method.Result) {
		if loss, told := r.Details["validation_loss"]; told || r.Err != nil {
			t.Errorf("validation loss %v, error %v", loss, r.Err)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestModelSaveLoadPredict(t *testing.T) {
	table := testTable(20, 5, 7, true)
	ctx := context.Background()
	for _, precision := range []Precision{Float32, Float64, BFloat16} {
		c := smallConfig()
		c.Precision, c.Steps = precision, 3
		tr := newTestTrainer(t, table, c)
		if err := tr.Train(ctx); err != nil {
			t.Fatal(err)
		}
		m := modelOf(t, tr)
		path := filepath.Join(t.TempDir(), "model")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		loaded, err := LoadModel(path, tr.engine.backend)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Predict(ctx, table)
		if err != nil {
			t.Fatal(err)
		}
		got, err := loaded.Predict(ctx, table)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 7 || len(got[0]) != 1 || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: the loaded model predicts %v, want %v", precision, got, want)
		}
	}
}

// A heldContext says when it is asked for its error, and has none once it may go on.
type heldContext struct {
	context.Context
	asked, goOn chan struct{}
}

func (c heldContext) Err() error {
	c.asked <- struct{}{}
	<-c.goOn
	return nil
}

// Close waits for what is being computed, which gives what it gives without; what is asked after that is an error.
func TestCloseWaits(t *testing.T) {
	table := testTable(20, 5, 5, true)
	tr := newTestTrainer(t, table, smallConfig())
	for name, compute := range map[string]func(*Model, context.Context) (any, error){
		"Predict":   func(m *Model, ctx context.Context) (any, error) { return m.Predict(ctx, table) },
		"Attention": func(m *Model, ctx context.Context) (any, error) { return m.Attention(ctx, table, 0) },
	} {
		m := modelOf(t, tr)
		want, err := compute(m, t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx := heldContext{t.Context(), make(chan struct{}, 1), make(chan struct{})}
		computed, closed := make(chan struct{}), make(chan struct{})
		go func() {
			if got, err := compute(m, ctx); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s while the model is closed: error %v, or other numbers", name, err)
			}
			close(computed)
		}()
		<-ctx.asked
		go func() {
			m.Close()
			close(closed)
		}()
		select {
		case <-closed:
			t.Errorf("%s: the model is closed before the end", name)
		case <-time.After(50 * time.Millisecond):
		}
		close(ctx.goOn)
		<-computed
		<-closed
		if _, err := compute(m, t.Context()); err != errModelClosed {
			t.Errorf("%s of a closed model: error %v", name, err)
		}
	}
}

// However many sizes of tables a model is asked for, programs of the last few are kept, and it predicts the same again.
func TestFewProgramsAreKept(t *testing.T) {
	m := modelOf(t, newTestTrainer(t, testTable(20, 5, 7, true), smallConfig()))
	var first [][]float64
	for _, tests := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1} {
		got, err := m.Predict(context.Background(), testTable(20, 5, tests, true))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		} else if tests == 1 && !slices.Equal(got[0], first[0]) {
			t.Errorf("predicts %v, and at first %v", got, first)
		}
		if len(programs) > programsKept {
			t.Fatalf("%d programs are kept, want at most %d", len(programs), programsKept)
		}
		if last := programs[len(programs)-1]; last.rows != 25+tests {
			t.Fatalf("the last program is for tables of %d rows, want %d", last.rows, 25+tests)
		}
	}
}

// A pass over a part without rows has no batches where these are of the part alone and its copies, whatever their size.
func TestNoRowsNoBatches(t *testing.T) {
	table := testTable(20, 5, 0, false)
	table.Copies = true
	for _, size := range []int{0, 1, 4} {
		if got := evaluationBatches(newRand(1), table, &Config{BatchSize: size}, testMode); len(got) != 0 {
			t.Errorf("BatchSize %d: batches %v of no test rows", size, got)
		}
	}
}

func TestImpute(t *testing.T) {
	table := testTable(20, 5, 5, true)
	m := modelOf(t, newTestTrainer(t, table, smallConfig()))
	full, err := m.Impute(context.Background(), table)
	if err != nil {
		t.Fatal(err)
	}
	for i := range table.Rows() {
		for at := range 6 {
			changed := full.Values[i*6+at] != table.Values[i*6+at]
			if missing := at == 0 && table.missing(i, 0); changed != missing {
				t.Fatalf("row %d, channel %d: changed %v, missing %v", i, at, changed, missing)
			}
		}
	}
	if slices.Contains(full.Missing, true) || !slices.Contains(table.Missing, true) {
		t.Error("the flags of missing entries are wrong")
	}
	for want, change := range map[string]func(*Config){
		"FeatureMask: 0, with a Tradeoff of 1:":    func(c *Config) { c.FeatureMask = 0 },
		"FeatureMask: 0.15, with a Tradeoff of 0:": func(c *Config) { c.Tradeoff = 0 },
	} {
		c := smallConfig()
		change(&c)
		if _, err := modelOf(t, newTestTrainer(t, table, c)).Impute(t.Context(), table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Batches without a row that is asked for are not computed.
func TestBatchesOfTheAsked(t *testing.T) {
	c := smallConfig()
	c.Layers, c.Steps, c.BatchSize = 2, 1, 10
	tr := newTestTrainer(t, testTable(60, 20, 20, false), c)
	train(t, tr)
	rows, err := modelOf(t, tr).Predict(&endsAfter{t.Context(), 1}, testTable(98, 1, 1, false)) // asked once for each batch
	if err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
}

// Networks share programs where their tables have as many rows, whatever else of a training differs.
func TestSharedPrograms(t *testing.T) {
	c := smallConfig()
	first := newTestTrainer(t, testTable(12, 4, 4, false), c)
	c.LR, c.Seed = 1e-3, c.Seed+1
	same, other := newTestTrainer(t, testTable(10, 5, 5, false), c), newTestTrainer(t, testTable(13, 4, 4, false), c)
	if first.engine.steps != same.engine.steps || first.engine.steps == other.engine.steps {
		t.Error("tables of 20 rows have two programs, or share theirs with one of 21")
	}
}

// Two targets of different kinds are learnt and predicted together.
func TestTwoTargets(t *testing.T) {
	table := testTable(60, 20, 20, false)
	table.Columns[2].Target = true // the class, beside the number
	c := smallConfig()
	c.Steps, c.Precision, c.TargetMask, c.EvalEvery = 10, Float32, 0.5, 5
	tr := newTestTrainer(t, table, c)
	train(t, tr)
	rows, err := modelOf(t, tr).Predict(context.Background(), table)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if len(row) != 4 || !(math.Abs(row[1]+row[2]+row[3]-1) <= 1e-5) {
			t.Fatalf("a row is predicted as %v, want a number and three probabilities", row)
		}
	}
}

func TestAttentionWeights(t *testing.T) {
	table := testTable(12, 4, 4, false)
	m := modelOf(t, newTestTrainer(t, table, smallConfig()))
	all, err := m.Attention(context.Background(), table, 1, 0, 3, 2)
	if err != nil || len(all) != 4 {
		t.Fatal(err, len(all))
	}
	for i, layer := range []int{1, 0, 3, 2} {
		a := all[i]
		want := Attention{Groups: 1, Heads: 2, Sequence: 20}
		if layer%2 == 1 {
			want = Attention{Groups: 20, Heads: 2, Sequence: 4}
		}
		if a.Groups != want.Groups || a.Heads != want.Heads || a.Sequence != want.Sequence {
			t.Fatalf("layer %d: %d groups, %d heads, sequence %d", layer, a.Groups, a.Heads, a.Sequence)
		}
		for at := 0; at < len(a.Weights); at += a.Sequence {
			sum := 0.0
			for _, w := range a.Weights[at : at+a.Sequence] {
				sum += w
			}
			if !(math.Abs(sum-1) <= 1e-12) {
				t.Fatalf("layer %d: weights sum to %v", layer, sum)
			}
		}
	}
	if one, err := m.Attention(context.Background(), table, 2); err != nil || !reflect.DeepEqual(one, all[3:]) {
		t.Errorf("error %v, or other weights of layer 2 alone", err)
	}
	for _, layers := range [][]int{{0, 4}, nil} {
		if _, err := m.Attention(context.Background(), table, layers...); err == nil {
			t.Errorf("layers %v are accepted", layers)
		}
	}
}

// testTask has its target in the given place, and its two features on either side of it.
func testTask(target int, kind dataset.Problem) *task.Task {
	t := &task.Task{
		Info:  dataset.Info{Name: "toy", Problem: kind, Target: target, Columns: 3, Classes: 2},
		Train: 24, Val: 8, Test: 8, Width: 3, TargetStd: 1, Seed: 5, Threads: 1, Backend: cmp.Or(os.Getenv(compute.ConfigEnvVar), backends.Processor),
		Features: []task.Feature{
			{Name: "a", Type: dataset.Continuous, Offset: 0, Width: 1},
			{Name: "b", Type: dataset.Categorical, Offset: 1, Width: 2},
		},
	}
	rng := newRand(2)
	for range t.Rows() {
		x := float32(rng.NormFloat64())
		t.X = append(t.X, x, 1, 0)
		if len(t.Y)+len(t.Labels) == t.Train+t.Val {
			continue
		}
		if kind.Classification() {
			label := uint16(0)
			if x > 0 {
				label = 1
			}
			t.Labels = append(t.Labels, label)
		} else {
			t.Y = append(t.Y, float64(x))
		}
	}
	t.X[1], t.X[2] = 0, 1
	return t
}

func quickConfig(t *testing.T, m *method.Method, info dataset.Info, more map[string]any) method.Config {
	t.Helper()
	given := map[string]any{"dim_hidden": 8, "heads": 2, "layers": 2, "steps": 10, "lr": 0.01}
	maps.Copy(given, more)
	c, err := m.Resolve(given, info)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMethod(t *testing.T) {
	m := Method()
	for _, kind := range []dataset.Problem{dataset.Regression, dataset.Binary} {
		for target := range 3 {
			tk := testTask(target, kind)
			var first method.Result
			for repeat := range 2 {
				calls := 0
				err := m.Run(context.Background(), tk, []method.Config{quickConfig(t, m, tk.Info, nil)}, func(r method.Result) {
					calls++
					if r.Err != nil {
						t.Fatal(r.Err)
					}
					if len(r.Val) != tk.Val*tk.Outputs() || len(r.Test) != tk.Test*tk.Outputs() {
						t.Fatalf("%d and %d predictions", len(r.Val), len(r.Test))
					}
					if compiling, ok := r.Details["compile_seconds"].(float64); !ok || compiling > r.Fit.Seconds() {
						t.Errorf("of %v %v s went into compiling", r.Fit, r.Details["compile_seconds"])
					}
					for i := 0; kind.Classification() && i < len(r.Test); i += 2 {
						if !(math.Abs(r.Test[i]+r.Test[i+1]-1) <= 1e-5) {
							t.Fatalf("probabilities %v and %v", r.Test[i], r.Test[i+1])
						}
					}
					if repeat == 0 {
						first = r
					} else if !slices.Equal(r.Val, first.Val) || !slices.Equal(r.Test, first.Test) {
						t.Error("the same seed gives other predictions")
					}
				})
				if err != nil || calls != 1 {
					t.Fatalf("error %v, %d results", err, calls)
				}
			}
		}
	}
}

func TestTableOf(t *testing.T) {
	tk := testTask(1, dataset.Binary)
	tk.Missing = make([]bool, tk.Rows()*2)
	tk.Missing[3*2+1] = true
	table := tableOf(tk)
	if err := table.check(); err != nil {
		t.Fatal(err)
	}
	want := []Column{{Name: "a"}, {Name: "target", Categories: 2, Target: true}, {Name: "b", Categories: 2}}
	if !slices.Equal(table.Columns, want) {
		t.Errorf("columns %v", table.Columns)
	}
	for i := range tk.Rows() {
		row := table.Values[i*5 : (i+1)*5]
		label := []float32{0, 0}
		if i < tk.Train+tk.Val {
			label[tk.Labels[i]] = 1
		}
		if row[0] != tk.X[i*3] || !slices.Equal(row[1:3], label) || !slices.Equal(row[3:], tk.X[i*3+1:i*3+3]) {
			t.Fatalf("row %d is %v", i, row)
		}
		if table.missing(i, 2) != (i == 3) || table.missing(i, 0) || table.missing(i, 1) {
			t.Fatalf("flags of row %d are wrong", i)
		}
	}
}

func TestMethodChecks(t *testing.T) {
	m := Method()
	info := dataset.Info{Problem: dataset.Regression}
	for _, v := range []struct {
		given map[string]any
		want  string
	}{
		{map[string]any{"dim_hidden": 10, "heads": 4}, "heads: 4 does not divide dim_hidden, which is 10"},
		{map[string]any{"layers": 3}, "layers: 3, want an even number from 2 to 100"},
		{map[string]any{"p_target": 0.0}, "p_target: 0, want a share above 0"},
		{map[string]any{"aba": false, "abd": false}, "abd: there are no layers"},
		{map[string]any{"abd": false, "self_only": true}, "self_only: true, want false: there are no ABD layers"},
		{map[string]any{"schedule": "cosine"}, "schedule:"},
		{map[string]any{"learning_rate": 0.1}, "learning_rate:"},
	} {
		if _, err := m.Resolve(v.given, info); err == nil || !strings.HasPrefix(err.Error(), v.want) {
			t.Errorf("%v: error %v, want %q", v.given, err, v.want)
		}
	}
	for params, sees := range map[string]bool{"": true, "aba": true, "abd": false, "self_only": false} {
		given := map[string]any{}
		if params != "" {
			given[params] = params == "self_only"
		}
		if err := m.CheckAttention(quickConfig(t, m, info, given)); (err == nil) != sees || err != nil && !strings.HasPrefix(err.Error(), params+": ") {
			t.Errorf("%v: rows attend to each other: %v", given, err)
		}
	}
	// Every field but Seed and Recompute has a parameter, which changes that field alone.
	config := quickConfig(t, m, info, nil)
	before := reflect.ValueOf(configOf(config))
	for field := range before.Type().Fields() {
		name := parameterNames.Replace(field.Name)
		if name == "Seed" || name == "Recompute" {
			continue
		}
		p := m.Param(name)
		if p == nil {
			t.Errorf("%s: no parameter is called %s", field.Name, name)
			continue
		}
		other := map[method.Type]any{method.Int: 77, method.Float: 0.77, method.Bool: p.Default != true, method.Choice: "another"}[p.Type]
		after := reflect.ValueOf(configOf(config.With(name, other)))
		for f := range before.Type().Fields() {
			if changed := !after.FieldByIndex(f.Index).Equal(before.FieldByIndex(f.Index)); changed != (f.Name == field.Name) {
				t.Errorf("%s: %v changes %s: %v, want %v", name, other, f.Name, changed, !changed)
			}
		}
	}
	for _, v := range []struct {
		kind    dataset.Problem
		a, b    map[string]any
		differs bool
	}{
		{dataset.Regression, map[string]any{"p_feature": 0.0, "tradeoff": 0.3}, map[string]any{"p_feature": 0.0, "tradeoff": 0.7}, false},
		{dataset.Regression, map[string]any{"tradeoff": 0.3}, map[string]any{"tradeoff": 0.7}, true},
		{dataset.Regression, map[string]any{"warmup": 0.4}, map[string]any{"warmup": 0.1}, false},
		{dataset.Regression, map[string]any{"schedule": string(CosineCyclic), "warmup": 0.4}, map[string]any{"schedule": string(CosineCyclic), "warmup": 0.1}, true},
		{dataset.Regression, map[string]any{"schedule": string(Polynomial), "warmup": 0.4}, map[string]any{"schedule": string(Polynomial), "warmup": 0.1}, true},
		{dataset.Regression, map[string]any{"flat_share": 0.4}, map[string]any{"flat_share": 0.5}, true},
		{dataset.Regression, map[string]any{"schedule": "constant", "flat_share": 0.4}, map[string]any{"schedule": "constant"}, false},
		{dataset.Regression, map[string]any{"batch_size": 8, "class_balancing": true}, map[string]any{"batch_size": 8}, false},
		{dataset.Binary, map[string]any{"batch_size": 8, "class_balancing": true}, map[string]any{"batch_size": 8}, true},
		{dataset.Binary, map[string]any{"class_balancing": true}, nil, false},
	} {
		info := dataset.Info{Problem: v.kind}
		a, b := m.Canonical(quickConfig(t, m, info, v.a), v.kind), m.Canonical(quickConfig(t, m, info, v.b), v.kind)
		if differs := a.JSON() != b.JSON(); differs != v.differs {
			t.Errorf("%v, %v and %v: other configurations %v, want %v", v.kind, v.a, v.b, differs, v.differs)
		}
	}
}

func TestCancel(t *testing.T) {
	m := Method()
	tk := testTask(0, dataset.Regression)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	err := m.Run(ctx, tk, []method.Config{quickConfig(t, m, tk.Info, map[string]any{"steps": 1000000})}, func(method.Result) {
		t.Error("a cancelled training reports a result")
	})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}

// A validation loss that is no number ends the training, too: 1.5e19 has a square in single precision, and the sum of four is none.
func TestDivergenceOfValidation(t *testing.T) {
	table := testTable(10, 4, 4, false)
	for i, at := 10, 10*table.Channels(); i < 14; i++ {
		for _, c := range table.Columns {
			if c.Target {
				table.Values[at] = 1.5e19
			}
			at += c.width()
		}
	}
	c := smallConfig()
	c.Precision = Float32
	if err := newTestTrainer(t, table, c).Train(t.Context()); !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "validation loss") {
		t.Errorf("error %v, want ErrDiverged", err)
	}
}
