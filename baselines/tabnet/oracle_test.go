package tabnet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"testing"

	"gonum.org/v1/gonum/stat"

	"nptbench/baselines/internal/papertest"
	"nptbench/internal/backends"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/internal/vectors"
)

// libraryPython is an interpreter with what testdata/requirements.txt lists.
const libraryPython = "NPT_TABNET_PYTHON"

func needLibrary(t *testing.T) string {
	t.Helper()
	if os.Getenv("NPT_LONG_TESTS") == "" || os.Getenv(libraryPython) == "" {
		t.Skipf("set NPT_LONG_TESTS=1 and %s to an interpreter with pytorch-tabnet, as make check-tabnet does", libraryPython)
	}
	return os.Getenv(libraryPython)
}

// A libraryRun is what oracle.py steps writes.
type libraryRun struct {
	Config      libraryConfig
	X           [][]float64
	Y           []float64
	Before      goldenTensors
	Batches     [][]int32
	Epochs      []int
	Losses      []float64
	Predictions [][]float64
}

// A libraryConfig is a table and settings by the library's names.
type libraryConfig struct {
	Numeric      int     `json:"numeric"`
	Categories   []int   `json:"categories"`
	Classes      int     `json:"classes"`
	Decision     int     `json:"n_d"`
	Attention    int     `json:"n_a"`
	Steps        int     `json:"n_steps"`
	Gamma        float64 `json:"gamma"`
	Shared       int     `json:"n_shared"`
	Independent  int     `json:"n_independent"`
	Momentum     float64 `json:"momentum"`
	BatchSize    int     `json:"batch_size"`
	VirtualBatch int     `json:"virtual_batch_size"`
	Sparsity     float64 `json:"lambda_sparse"`
	LR           float64 `json:"lr"`
	DecayStep    int     `json:"sched_step"`
	Decay        float64 `json:"sched_gamma"`
	DropLast     bool    `json:"drop_last"`
	MaxEpochs    int     `json:"max_epochs"`
	Patience     int     `json:"patience"`
}

func (l *libraryConfig) config() config {
	return config{
		Decision: l.Decision, Attention: l.Attention, Steps: l.Steps, Gamma: l.Gamma, Shared: l.Shared, Independent: l.Independent,
		VirtualBatch: l.VirtualBatch, Momentum: l.Momentum, Sparsity: l.Sparsity, BatchSize: l.BatchSize, DropLast: true,
		LR: l.LR, DecayStep: l.DecayStep, Decay: l.Decay, Clip: 1, Double: true,
	}
}

// table has all rows as training rows, and the last one once more for validation.
func (r *libraryRun) table() *table {
	t := &table{columns: columns{Numeric: r.Config.Numeric, Categories: r.Config.Categories, Classes: r.Config.Classes}, Train: len(r.X), Val: 1}
	last := len(r.X) - 1
	for i := range t.rows() {
		row := r.X[min(i, last)]
		for _, x := range row[:t.Numeric] {
			t.Numbers = append(t.Numbers, float32(x))
		}
		for _, x := range row[t.Numeric:] {
			t.Codes = append(t.Codes, int32(x))
		}
		if y := r.Y[min(i, last)]; t.Classes > 0 {
			t.Labels = append(t.Labels, uint16(y))
		} else {
			t.Targets = append(t.Targets, y)
		}
	}
	return t
}

// With the library's data, weights and batches 50 steps have the library's losses, and end with its predictions.
func TestFiftySteps(t *testing.T) {
	for _, name := range []string{"steps-number", "steps-classes"} {
		t.Run(name, func(t *testing.T) {
			var r libraryRun
			vectors.Read(t, "testdata/"+name+".json.gz", &r)
			r.check(t, 1e-7)
		})
	}
}

// The same for many random settings, tables and weights, where small virtual batches make rounding errors grow more.
func TestLibrarySteps(t *testing.T) {
	python := needLibrary(t)
	for seed := 100; seed < 120; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			out, err := exec.Command(python, "testdata/oracle.py", "steps", fmt.Sprint(seed)).Output()
			if err != nil {
				t.Fatal(err)
			}
			var r libraryRun
			if err := json.Unmarshal(out, &r); err != nil {
				t.Fatal(err)
			}
			r.check(t, 1e-5)
		})
	}
}

func (r *libraryRun) check(t *testing.T, tolerance float64) {
	table, c := r.table(), r.Config.config()
	tr, err := newTraining(table, c, testBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.free()
	params, running := r.Before.of(t, &c, &tr.net.params), r.Before.of(t, &c, &tr.net.statistics)
	tr.state.weights, tr.state.running = tr.net.array(params, len(params)), tr.net.array(running, len(running))
	var losses []float64
	for i, batch := range r.Batches {
		loss, err := tr.step(batch, c.learningRate(r.Epochs[i]))
		if err != nil {
			t.Fatal(err)
		}
		of, err := backends.Floats(loss)
		if err != nil {
			t.Fatal(err)
		}
		losses = append(losses, of[0])
	}
	within(t, "first ten losses", 1e-9, losses[:10], r.Losses[:10])
	within(t, "losses", tolerance, losses, r.Losses)
	m := &model{program: tr.program, weights: tr.state.weights, running: tr.state.running}
	within(t, "predictions", tolerance, m.on(t, table, 0, table.Train), flat(r.Predictions))
}

// within holds numbers against others: 50 steps make differences in the last digits grow.
func within(t *testing.T, what string, tolerance float64, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	worst := 0.0
	for i := range got {
		if d := math.Abs(got[i]-want[i]) / max(1, math.Abs(want[i])); d > worst || math.IsNaN(d) {
			worst = d
		}
	}
	if t.Logf("%s: at most %.1e away", what, worst); !(worst <= tolerance) {
		t.Errorf("%s: %.2e away from the library's", what, worst)
	}
}

// Over seeds, the errors on a fold's test rows are as the library's: means within 3.4 standard errors of their difference, which chance exceeds
// in one of 200 such tests of three data sets.
func TestLibraryDistribution(t *testing.T) {
	python := needLibrary(t)
	seeds := 20
	if s := os.Getenv("NPT_TABNET_SEEDS"); s != "" {
		fmt.Sscan(s, &seeds)
	}
	for _, name := range []string{"boston-housing", "concrete", "breast-cancer"} {
		t.Run(name, func(t *testing.T) {
			tk, truth := papertest.Fold(t, papertest.Load(t, name), split.Published, 0)
			c := libraryConfig{Decision: 8, Attention: 8, Steps: 3, Gamma: 1.3, Shared: 2, Independent: 2, Momentum: 0.02, BatchSize: 128,
				VirtualBatch: 16, Sparsity: 1e-4, LR: 0.02, DecayStep: 10, Decay: 0.95, DropLast: true, MaxEpochs: 3000, Patience: 30}
			ours, theirs := ourErrors(t, tk, truth, c, seeds), libraryErrors(t, python, tk, truth, c, seeds)
			m1, sd1 := stat.MeanStdDev(ours, nil)
			m2, sd2 := stat.MeanStdDev(theirs, nil)
			se1, se2 := stat.StdErr(sd1, float64(seeds)), stat.StdErr(sd2, float64(seeds))
			z := (m1 - m2) / math.Hypot(se1, se2)
			t.Logf("%d seeds: %.4f ± %.4f, the library %.4f ± %.4f: %.2f standard errors", seeds, m1, se1, m2, se2, z)
			if !(math.Abs(z) <= 3.4) {
				t.Errorf("test errors are %.4f ± %.4f, the library's %.4f ± %.4f", m1, se1, m2, se2)
			}
		})
	}
}

// ourErrors are the RMSE on the standardised scale, or the cross-entropy, of test rows.
func ourErrors(t *testing.T, tk *task.Task, truth *task.Truth, l libraryConfig, seeds int) (errors []float64) {
	table, backend := tableOf(tk), testBackend(t)
	for seed := range seeds {
		c := l.config()
		c.Seed, c.Double = uint64(seed), false
		m, err := train(t.Context(), table, c, stop{l.MaxEpochs, l.Patience}, backend)
		if err != nil {
			t.Fatal(err)
		}
		p := m.on(t, table, table.Train+table.Val, table.rows())
		if table.Classes > 0 {
			nll, _ := metric.LogLoss(p, truth.Labels, table.Classes)
			errors = append(errors, nll)
			continue
		}
		mse, _ := metric.MeanSquaredError(p, truth.Y)
		errors = append(errors, math.Sqrt(mse))
	}
	return errors
}

func libraryErrors(t *testing.T, python string, tk *task.Task, truth *task.Truth, l libraryConfig, seeds int) (errors []float64) {
	table := tableOf(tk)
	l.Numeric, l.Categories, l.Classes = table.Numeric, append([]int{}, table.Categories...), table.Classes
	x, y := map[string][][]float64{}, map[string][]float64{}
	for i := range table.rows() {
		part, targets, labels, at := "train", table.Targets, table.Labels, i
		switch {
		case i >= table.Train+table.Val:
			part, targets, labels, at = "test", truth.Y, truth.Labels, i-table.Train-table.Val
		case i >= table.Train:
			part = "val"
		}
		var row []float64
		for _, v := range table.Numbers[i*table.Numeric : (i+1)*table.Numeric] {
			row = append(row, float64(v))
		}
		for _, code := range table.Codes[i*len(table.Categories) : (i+1)*len(table.Categories)] {
			row = append(row, float64(code))
		}
		x[part] = append(x[part], row)
		if table.Classes > 0 {
			y[part] = append(y[part], float64(labels[at]))
		} else {
			y[part] = append(y[part], targets[at])
		}
	}
	var numbers []int
	for seed := range seeds {
		numbers = append(numbers, seed)
	}
	in, err := json.Marshal(map[string]any{"config": l, "x": x, "y": y, "seeds": numbers})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/oracle.py", "fit")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var r struct{ Metric float64 }
		if err := decoder.Decode(&r); err != nil {
			t.Fatal(err)
		}
		errors = append(errors, r.Metric)
	}
	return errors
}
