package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

func loadTask(t *testing.T, name string) (*task.Task, *task.Truth) {
	t.Helper()
	on, truth, err := new(task.Loader).Load(t.Context(), datasettest.Library(t), task.Spec{Dataset: name, Protocol: split.Published})
	if err != nil {
		t.Fatal(err)
	}
	return on, truth
}

// A corrupted batch has the same entries in each of its columns, in another order, and one row as it was. Targets stay, and what is
// missing moves with its value.
func TestPermuted(t *testing.T) {
	for _, name := range []string{"waves", "gaps"} {
		batch, _ := loadTask(t, name)
		for i := range batch.X { // every row is another
			if batch.Missing == nil {
				batch.X[i] = float32(i)
			}
		}
		before := slices.Clone(batch.X)
		keep := batch.Rows() - 2
		out := permuted(batch, keep, rand.New(rand.NewPCG(1, 2)))
		if !slices.Equal(batch.X, before) || &out.X[0] == &batch.X[0] {
			t.Fatal("the batch itself was changed")
		}
		if !slices.Equal(out.Row(keep), batch.Row(keep)) || !slices.Equal(out.Y, batch.Y) || !slices.Equal(out.Labels, batch.Labels) {
			t.Errorf("%s: the row itself, or targets, are others", name)
		}
		d := len(batch.Features)
		orders := map[string]bool{}
		for j, f := range batch.Features {
			entries := func(b *task.Task) (all []string, order string) {
				for i := range b.Rows() {
					missing := b.Missing != nil && b.Missing[i*d+j]
					entry := string(appendNumbers(nil, b.Row(i)[f.Offset:f.Offset+f.Width], missing))
					all, order = append(all, entry), order+entry
				}
				return all, order
			}
			was, _ := entries(batch)
			is, order := entries(out)
			moved := 0
			for i := range was {
				if was[i] != is[i] {
					moved++
				}
			}
			slices.Sort(was)
			slices.Sort(is)
			if !slices.Equal(was, is) {
				t.Errorf("%s: feature %s has other entries", name, f.Name)
			}
			if batch.Missing == nil && moved < batch.Rows()*9/10 {
				t.Errorf("%s: feature %s: only %d entries have moved", name, f.Name, moved)
			}
			orders[order] = true
		}
		if len(orders) != d {
			t.Errorf("%s: features are permuted alike", name)
		}
	}
}

// measured is a metric of an outcome, which has to be there: one that is not would read as 0.
func measured(t *testing.T, o *Outcome, name string) float64 {
	t.Helper()
	x, ok := o.Metrics[name]
	if !ok {
		t.Errorf("there is no %s among %v", name, o.Metrics)
	}
	return x
}

func appendNumbers(b []byte, x []float32, missing bool) []byte {
	for _, v := range x {
		u := math.Float32bits(v)
		b = append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	if missing {
		return append(b, 1)
	}
	return append(b, 0)
}

// A watcher is a model that notes what it is shown. It predicts the sum of a row, plus others times the mean of the first feature
// over the rows of its batch.
type watcher struct {
	task   *task.Task
	others float64
	shown  []*task.Task
}

func (w *watcher) Batches() [][]int { return Refit(&method.Method{}, w.task, nil).Batches() }

func (w *watcher) Predict(_ context.Context, batches []*task.Task) (all []method.Prediction, err error) {
	for _, b := range batches {
		w.shown = append(w.shown, b)
		mean := 0.0
		for i := range b.Rows() {
			mean += float64(b.Row(i)[0]) * float64(i) / float64(b.Rows())
		}
		p := make(method.Prediction, b.Test)
		for i := range p {
			for _, x := range b.Row(b.Train + b.Val + i) {
				p[i] += float64(x)
			}
			p[i] += w.others * mean
		}
		all = append(all, p)
	}
	return all, nil
}

// What does not look at other rows does not change by a bit, and what does gets worse or better by as much as its metrics say. No
// target of a test row is shown.
func TestCorrupt(t *testing.T) {
	usual := numbersAtOnce
	for _, others := range []float64{0, 0.1} {
		on, truth := loadTask(t, "waves")
		model := &watcher{task: on, others: others}
		checked := false
		s := &Subject{Task: on, Truth: truth, Model: model, Seed: 5, Check: func(p method.Prediction) error {
			checked = true
			clean, err := model.Predict(t.Context(), []*task.Task{on})
			if !slices.Equal(clean[0], p) {
				t.Error("what is checked are not the clean predictions")
			}
			return err
		}}
		out, err := corruption.Run(t.Context(), s, method.Config{"rows": 0})
		if err != nil || !checked {
			t.Fatal(err, checked)
		}
		changed, change := measured(t, out, "changed_rows"), measured(t, out, "rmse_change")
		if others == 0 && (changed != 0 || change != 0 || measured(t, out, "clean_rmse") != measured(t, out, "corrupted_rmse")) || others > 0 && changed != 100 {
			t.Errorf("others weigh %v: %v", others, out.Metrics)
		}
		// The metrics follow from the table.
		target, clean, corrupted := out.Table.Column("target"), out.Table.Column("clean"), out.Table.Column("corrupted")
		var before, after float64
		for i := range target {
			before += (clean[i] - target[i]) * (clean[i] - target[i])
			after += (corrupted[i] - target[i]) * (corrupted[i] - target[i])
		}
		want := -100 * (math.Sqrt(after) - math.Sqrt(before)) / math.Sqrt(before)
		if !(math.Abs(change-want) <= 1e-3) || len(target) != on.Test {
			t.Errorf("the RMSE changes by %v %%, by the table's %d rows by %v %%", change, len(target), want)
		}
		for _, b := range model.shown {
			if len(b.Y) != b.Train+b.Val {
				t.Fatalf("%d targets for %d training and %d validation rows", len(b.Y), b.Train, b.Val)
			}
		}
		if n := len(model.shown); n != on.Test+2 {
			t.Errorf("%d batches, want one for each of %d test rows, the clean one, and that of the check", n, on.Test)
		}
		// A row's corruption is the same however many others there are.
		some, err := corruption.Run(t.Context(), s, method.Config{"rows": 3})
		if want := []float64{corrupted[0], corrupted[on.Test/3], corrupted[2*on.Test/3]}; err != nil || !slices.Equal(some.Table.Column("corrupted"), want) {
			t.Errorf("%v; three rows alone: %v, among all %v", err, some.Table.Column("corrupted"), want)
		}
		// And however many batches there is room for at a time.
		numbersAtOnce = 3 * len(on.X)
		three, err := corruption.Run(t.Context(), s, method.Config{"rows": 0})
		numbersAtOnce = usual
		if err != nil || !slices.Equal(three.Table.Column("corrupted"), corrupted) {
			t.Errorf("%v; three batches at a time: %v, all: %v", err, three.Table.Column("corrupted"), corrupted)
		}
	}
}

// A failing model answers so many calls, fails at the next one, and answers again.
type failing struct {
	method.Model
	calls int
}

var errFailing = errors.New("the model fails")

func (f *failing) Predict(ctx context.Context, batches []*task.Task) ([]method.Prediction, error) {
	if f.calls--; f.calls == -1 {
		return nil, errFailing
	}
	return f.Model.Predict(ctx, batches)
}

// A model that fails, whether at once or later, is an error of what is measured on it.
func TestModelsThatFail(t *testing.T) {
	for _, c := range []struct {
		measure *Measurement
		calls   int // one for the clean predictions; of deletion another for the first row with all others
		copies  *dataset.Copies
	}{{corruption, 0, nil}, {corruption, 1, nil}, {deletion, 0, nil}, {deletion, 1, nil}, {deletion, 2, nil}, {predictions, 0, nil},
		{intervention, 0, &dataset.Copies{}}, {intervention, 2, &dataset.Copies{}}} {
		on, truth := lookupTask(t, c.copies)
		var model method.Model = &smoother{task: on}
		if c.copies != nil {
			model = &finder{&smoother{task: on}, 1} // with two batches
		}
		s := &Subject{Task: on, Truth: truth, Model: &failing{model, c.calls}, Check: func(method.Prediction) error { return nil }}
		with, err := c.measure.Resolve(map[string]any{"rows": 3}, on.Info)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := c.measure.Run(t.Context(), s, with); !errors.Is(err, errFailing) {
			t.Errorf("%s after %d calls: %v, %v", c.measure.Name, c.calls, out, err)
		}
	}
}

// A broken model answers so many calls, and then with a number that is none.
type broken struct {
	method.Model
	calls int
	value float64
}

func (b *broken) BatchesOf(int) ([][]int, error) { return b.Batches(), nil }

func (b *broken) Predict(ctx context.Context, batches []*task.Task) ([]method.Prediction, error) {
	all, err := b.Model.Predict(ctx, batches)
	if b.calls--; b.calls < 0 {
		last := all[len(all)-1]
		last[len(last)-1] = b.value
	}
	return all, err
}

// What is predicted has to be finite, of classes, too: the most probable one of NaN would be the first, and no table of a record has NaN.
func TestPredictionsAreFinite(t *testing.T) {
	for _, c := range []struct {
		measure *Measurement
		calls   int // answered: one for the clean predictions, or two by a model with two batches
		data    string
	}{{predictions, 0, "waves"}, {corruption, 1, "waves"}, {corruption, 1, "circles"}, {deletion, 2, "waves"}, {batchSize, 1, "waves"}, {batchSize, 1, "circles"}, {intervention, 2, ""}} {
		for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			on, truth := lookupTask(t, &dataset.Copies{})
			var model method.Model = &finder{&smoother{task: on}, 1}
			if c.data != "" {
				on, truth = loadTask(t, c.data)
				model = &smoother{task: on}
			}
			if c.data == "circles" {
				model = &rowReader{on}
			}
			with, err := c.measure.Resolve(nil, on.Info)
			if err != nil {
				t.Fatal(err)
			}
			s := &Subject{Task: on, Truth: truth, Model: &broken{model, c.calls, value}, Check: func(method.Prediction) error { return nil }}
			want := fmt.Sprintf("the model predicts %v for test row ", value)
			if out, err := c.measure.Run(t.Context(), s, with); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s on %s: %v, %v, want %s", c.measure.Name, c.data, out, err, want)
			}
		}
	}
}

// What predicts from training rows, or may, and cannot be given others is not asked what other rows are worth to it: the answer would be
// nothing, whatever it looks at.
func TestCorruptionRefuses(t *testing.T) {
	on, _ := loadTask(t, "waves")
	for want, m := range map[string]*method.Method{
		"": {},
		"a program's predictions may be made from training rows, and it keeps no model that could be given others": {Command: &method.Command{}},
		"it predicts from parameters and from training rows, and a fit to others has other parameters":             {Semiparametric: true},
	} {
		for _, lazy := range []bool{false, true} {
			got := ""
			if m.Lazy = lazy; lazy {
				want = ""
			}
			if err := corruption.Check(m, nil, on.Info); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("lazy %v: %q, want %q", lazy, got, want)
			}
		}
	}
}

// A refitted model is fitted once on the clean training rows, and a lazy one on those of each batch.
func TestRefit(t *testing.T) {
	on, _ := loadTask(t, "waves")
	batch := on.Select(Refit(&method.Method{}, on, nil).Batches()[0])
	corrupted := permuted(batch, batch.Rows()-1, rand.New(rand.NewPCG(1, 2)))
	for _, lazy := range []bool{false, true} {
		fits := 0
		m := &method.Method{Name: "sum", Lazy: lazy, Run: func(_ context.Context, t *task.Task, _ []method.Config, done func(method.Result)) error {
			fits++
			mean := 0.0 // of the first half of the training rows
			for i := range t.Train / 2 {
				mean += float64(t.Row(i)[3])
			}
			p := make(method.Prediction, t.Test)
			for i := range p {
				p[i] = mean + float64(t.Row(t.Train + t.Val + i)[3])
			}
			done(method.Result{Test: p})
			return nil
		}}
		out, err := Refit(m, on, method.Config{}).Predict(t.Context(), []*task.Task{batch, corrupted})
		if err != nil || len(out) != 2 || len(out[0]) != on.Test || len(out[1]) != on.Test {
			t.Fatal(err, len(out))
		}
		last := on.Test - 1
		if same := out[0][last] == out[1][last]; same == lazy || out[0][0] == out[1][0] || (fits == 2) != lazy {
			t.Errorf("lazy %v: %v and %v after %d fits", lazy, out[0][last], out[1][last], fits)
		}
	}
}

// A fit that fails before it has a result says why, and nothing else.
func TestRefitFails(t *testing.T) {
	on, _ := loadTask(t, "waves")
	for want, run := range map[string]func(func(method.Result)) error{
		"no interpreter": func(func(method.Result)) error { return errors.New("no interpreter") },
		"diverged": func(done func(method.Result)) error {
			done(method.Result{Err: errors.New("diverged")})
			return nil
		},
		"mute returned without a result": func(func(method.Result)) error { return nil },
	} {
		m := &method.Method{Name: "mute", Run: func(_ context.Context, _ *task.Task, _ []method.Config, done func(method.Result)) error {
			return run(done)
		}}
		if _, err := Refit(m, on, nil).Predict(t.Context(), []*task.Task{on}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Each test row is predicted from its own entries and their gaps, also where a method without a model is given several batches at once.
func TestRefitKeepsGaps(t *testing.T) {
	on, _ := loadTask(t, "gaps")
	d := len(on.Features)
	gaps := func(b *task.Task, row int) (sum float64) { // of a row: the places of its missing features, from 1
		for j, missing := range b.Missing[row*d : (row+1)*d] {
			if missing {
				sum += float64(j + 1)
			}
		}
		return sum
	}
	predict := func(b *task.Task) (p method.Prediction) {
		for i := range b.Test {
			for range b.Outputs() {
				p = append(p, gaps(b, b.Train+b.Val+i))
			}
		}
		return p
	}
	m := &method.Method{Name: "gaps", Run: func(_ context.Context, t *task.Task, _ []method.Config, done func(method.Result)) error {
		done(method.Result{Test: predict(t)})
		return nil
	}}
	first, second := *on, *on
	second.Missing = slices.Clone(on.Missing)
	slices.Reverse(second.Missing[(on.Train+on.Val)*d:])
	out, err := Refit(m, on, nil).Predict(t.Context(), []*task.Task{&first, &second})
	if err != nil || len(out) != 2 || !slices.Equal(out[0], predict(&first)) || !slices.Equal(out[1], predict(&second)) || slices.Equal(out[0], out[1]) {
		t.Errorf("%v, %v, want %v and %v", err, out, predict(&first), predict(&second))
	}
}

// What a command is refitted in is a folder that the harness removes even when it is killed; another method would resume from the folder.
func TestRefitFolder(t *testing.T) {
	on, _ := loadTask(t, "waves")
	there := *on
	there.CheckpointDir = t.TempDir()
	for _, command := range []*method.Command{nil, {}} {
		got := "not run"
		m := &method.Method{Command: command, Run: func(_ context.Context, t *task.Task, _ []method.Config, done func(method.Result)) error {
			got = t.CheckpointDir
			done(method.Result{Test: make(method.Prediction, t.Test)})
			return nil
		}}
		want := ""
		if command != nil {
			want = there.CheckpointDir
		}
		if _, err := Refit(m, &there, nil).Predict(t.Context(), []*task.Task{&there}); err != nil || got != want {
			t.Errorf("%v: %v, folder %q, want %q", command, err, got, want)
		}
	}
}

// Metrics are means over rows: of n rows three are wrong before and six after.
func TestMetricsOfCorruption(t *testing.T) {
	on, truth := loadTask(t, "circles")
	s := &Subject{Task: on, Truth: truth}
	right := func(confidence float64, wrong int) (p method.Prediction) {
		for i, label := range truth.Labels {
			row := []float64{1 - confidence, 1 - confidence}
			at := label
			if i < wrong {
				at = 1 - label
			}
			row[at] = confidence
			p = append(p, row...)
		}
		return p
	}
	all := s.rows(method.Config{"rows": 0})
	o := s.compare(all, right(0.9, 3), right(0.9, 6))
	n := float64(on.Test)
	for name, want := range map[string]float64{
		"clean_accuracy": 100 - 300/n, "corrupted_accuracy": 100 - 600/n, "accuracy_change": -300 / n, "changed_rows": 300 / n,
		"accuracy_change_se": 100 * math.Sqrt(3/n*(1-3/n)/(n-1)), // of n numbers of which three are -100 and the others 0
		"nll_change":         -3 * math.Log(9) / n,               // from -ln(0.9) to -ln(0.1)
	} {
		if got := measured(t, o, name); !near(got, want) {
			t.Errorf("three more of %d rows are wrong: %s is %v, want %v", on.Test, name, got, want)
		}
	}
	if o := s.compare(all, right(0.8, 2), right(0.9, 2)); measured(t, o, "accuracy_change") != 0 || measured(t, o, "changed_rows") != 100 {
		t.Errorf("only the probabilities change: %v", o.Metrics)
	}
}

// A rowReader predicts from a row alone: the first class has the more, the larger its first feature. Its batches have every second
// test row each.
type rowReader struct{ task *task.Task }

func (r *rowReader) Batches() [][]int {
	all := make([][]int, 2)
	for i := range r.task.Rows() {
		for batch := range all {
			if i < r.task.Train+r.task.Val || i%2 == batch {
				all[batch] = append(all[batch], i)
			}
		}
	}
	return all
}

func (r *rowReader) of(row []float32) []float64 {
	first := 1 / (1 + math.Exp(-float64(row[0])))
	return []float64{first, 1 - first}
}

func (r *rowReader) Predict(_ context.Context, batches []*task.Task) (all []method.Prediction, err error) {
	for _, b := range batches {
		var p method.Prediction
		for i := range b.Test {
			p = append(p, r.of(b.Row(b.Train+b.Val+i))...)
		}
		all = append(all, p)
	}
	return all, nil
}

// Of several classes and batches, each test row has its own predictions, of all rows and of a few, which are spread over all.
func TestCorruptBatchesOfClasses(t *testing.T) {
	on, truth := loadTask(t, "circles")
	model := &rowReader{on}
	for _, rows := range []int{0, 5} {
		s := &Subject{Task: on, Truth: truth, Model: model, Seed: 5, Check: func(p method.Prediction) error {
			for i := range on.Test {
				if !slices.Equal(p[2*i:2*i+2], model.of(on.Row(on.Train+on.Val+i))) {
					t.Errorf("test row %d is predicted as another", i)
				}
			}
			return nil
		}}
		out, err := corruption.Run(t.Context(), s, method.Config{"rows": rows})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[int]int{0: on.Test, 5: 5}[rows]; len(out.Table.Lines) != want || measured(t, out, "changed_rows") != 0 || measured(t, out, "accuracy_change") != 0 {
			t.Errorf("%d lines, want %d; %v", len(out.Table.Lines), want, out.Metrics)
		}
		for i, line := range out.Table.Lines {
			row := i * on.Test / len(out.Table.Lines)
			want := model.of(on.Row(on.Train + on.Val + row))[truth.Labels[row]]
			if line[0] != float64(row) || line[1] != float64(truth.Labels[row]) || !(math.Abs(line[2]-want) <= 1e-5) || line[3] != line[2] {
				t.Errorf("%v, want row %d with probability %v", line, row, want)
			}
		}
	}
}

// Standard errors are those of the jackknife, which knows no formula.
func TestErrorsOfCorruption(t *testing.T) {
	const n, sd = 2000, 3.0
	rng := newRNG(1)
	truth, clean, corrupted := make([]float64, n), make(method.Prediction, n), make(method.Prediction, n)
	var before, after []float64
	for i := range n {
		truth[i] = rng.NormFloat64()
		e := 0.3 * rng.NormFloat64()
		clean[i], corrupted[i] = truth[i]+e, truth[i]+e+0.2*rng.NormFloat64()
		before, after = append(before, math.Pow(clean[i]-truth[i], 2)), append(after, math.Pow(corrupted[i]-truth[i], 2))
	}
	s := &Subject{Task: &task.Task{TargetMean: 5, TargetStd: sd, Test: n}, Truth: &task.Truth{Y: truth}}
	o := s.compare(s.rows(method.Config{"rows": 0}), clean, corrupted)
	sum := func(x []float64, but int) (sum float64) {
		for i, v := range x {
			if i != but {
				sum += v
			}
		}
		return sum
	}
	for name, statistic := range map[string]func(but int, rows float64) float64{
		"clean_rmse":     func(but int, rows float64) float64 { return sd * math.Sqrt(sum(before, but)/rows) },
		"corrupted_rmse": func(but int, rows float64) float64 { return sd * math.Sqrt(sum(after, but)/rows) },
		"rmse_change":    func(but int, _ float64) float64 { return 100 * (1 - math.Sqrt(sum(after, but)/sum(before, but))) }, // of nearly normal errors
	} {
		if want := statistic(-1, n); !(math.Abs(measured(t, o, name)-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s: %v, want %v", name, o.Metrics[name], want)
		}
		var left []float64
		for i := range n {
			left = append(left, statistic(i, n-1))
		}
		_, sd := stat.MeanStdDev(left, nil)
		if want := sd * (n - 1) / math.Sqrt(n); !(math.Abs(measured(t, o, name+"_se")-want) <= 0.01*want) {
			t.Errorf("%s: a standard error of %v, by the jackknife %v", name, o.Metrics[name+"_se"], want)
		}
	}
}

// Where two of 51 rows make most of either error, and clean and corrupted errors are exchanged at random, row by row, few changes are more
// than two standard errors.
func TestErrorsOfFewRows(t *testing.T) {
	const n, times = 51, 1000
	rng := newRNG(1)
	first, second := make([]float64, n), make([]float64, n) // errors
	for i := range n {
		first[i], second[i] = 0.3*rng.NormFloat64(), 0.3*rng.NormFloat64()
	}
	first[3], second[3], first[8], second[8] = 3, 3.5, 3.2, 3.6
	s := &Subject{Task: &task.Task{TargetStd: 1, Test: n}, Truth: &task.Truth{Y: make([]float64, n)}}
	clear := 0
	for range times {
		clean, corrupted := slices.Clone(first), slices.Clone(second)
		for i := range n {
			if rng.IntN(2) == 0 {
				clean[i], corrupted[i] = corrupted[i], clean[i]
			}
		}
		o := s.compare(s.rows(method.Config{"rows": 0}), clean, corrupted)
		if math.Abs(measured(t, o, "rmse_change")) > 2*measured(t, o, "rmse_change_se") {
			clear++
		}
	}
	if clear > times/20 {
		t.Errorf("%d of %d changes of nothing are more than two standard errors", clear, times)
	}
}

// Another seed permutes otherwise.
func TestCorruptionBySeed(t *testing.T) {
	on, truth := loadTask(t, "waves")
	first := func(seed uint64) float64 {
		s := &Subject{Task: on, Truth: truth, Model: &watcher{task: on, others: 0.1}, Seed: seed, Check: func(method.Prediction) error { return nil }}
		out, err := corruption.Run(t.Context(), s, method.Config{"rows": 0})
		if err != nil {
			t.Fatal(err)
		}
		return out.Table.Lines[0][3]
	}
	if first(5) == first(6) {
		t.Error("two seeds permute alike")
	}
}

// Other rows are permuted anew for each test row.
func TestPermutationsDiffer(t *testing.T) {
	on, truth := loadTask(t, "waves")
	model := &watcher{task: on}
	s := &Subject{Task: on, Truth: truth, Model: model, Seed: 5, Check: func(method.Prediction) error { return nil }}
	if _, err := corruption.Run(t.Context(), s, method.Config{"rows": 2}); err != nil {
		t.Fatal(err)
	}
	alike := 0
	for i := range on.Train {
		if slices.Equal(model.shown[1].Row(i), model.shown[2].Row(i)) {
			alike++
		}
	}
	if alike > on.Train/4 {
		t.Errorf("%d of %d rows are permuted alike for two test rows", alike, on.Train)
	}
}
