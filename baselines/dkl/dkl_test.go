package dkl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"

	"nptbench/internal/dataset"
	"nptbench/internal/machine"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/task"
)

// wave makes a task of three features, of which the target is a smooth function, with noise of deviation 0.1.
func wave(train int) *task.Task {
	rng := rand.New(rand.NewPCG(1, 2))
	t := &task.Task{Train: train, Val: 40, Test: 60, Width: 3, TargetStd: 1, Threads: 1, Info: dataset.Info{Columns: 4, Rows: train + 100}}
	for i := range t.Rows() {
		x := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		for _, v := range x {
			t.X = append(t.X, float32(v))
		}
		if i < t.Train+t.Val {
			t.Y = append(t.Y, truth(x)+0.1*rng.NormFloat64())
		}
	}
	return t
}

func truth(x []float64) float64 { return math.Sin(2*x[0]) + x[1]/2 }

func config(t *testing.T, given map[string]any) method.Config {
	t.Helper()
	all := map[string]any{"hidden_layer_sizes": []int{20}, "features": 3, "inducing_points": 30, "batch_size": 32, "learning_rate": 0.02, "max_epochs": 30}
	maps.Copy(all, given)
	c, err := Method.Resolve(all, dataset.Info{Columns: 4})
	if err != nil {
		t.Fatal(err)
	}
	return Method.Canonical(c, dataset.Regression)
}

func fit(t *testing.T, data *task.Task, batch ...method.Config) []method.Result {
	t.Helper()
	results := make([]method.Result, len(batch))
	before := slices.Clone(data.X)
	if err := Method.Run(t.Context(), data, batch, func(r method.Result) { results[r.Index] = r }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before, data.X) {
		t.Error("the task was modified")
	}
	for _, r := range results {
		if r.Err != nil || len(r.Val) != data.Val || len(r.Test) != data.Test {
			t.Fatalf("%d and %d predictions, error %v", len(r.Val), len(r.Test), r.Err)
		}
	}
	return results
}

// All three predictions come from one training and find a smooth function.
func TestLearns(t *testing.T) {
	data := wave(300)
	var batch []method.Config
	for _, p := range []string{inducing, exact, interpolation} {
		batch = append(batch, config(t, map[string]any{"prediction": p, "neighbours": 1000}))
	}
	results := fit(t, data, batch...)
	for i, r := range results {
		sum := 0.0
		for j, p := range r.Test {
			x := data.Row(data.Train + data.Val + j)
			d := p - truth([]float64{float64(x[0]), float64(x[1]), float64(x[2])})
			sum += d * d
		}
		rmse := math.Sqrt(sum / float64(data.Test))
		t.Logf("%s: RMSE %.3f, %v", batch[i].String("prediction"), rmse, r.Details)
		if !(rmse <= 0.2) {
			t.Errorf("%s: RMSE %.3f, where the mean has 0.8", batch[i].String("prediction"), rmse)
		}
	}
	alone := fit(t, data, batch[1])[0]
	if !slices.Equal(alone.Test, results[1].Test) {
		t.Error("a configuration alone gives something else than together with others")
	}
	data.Seed++
	if other := fit(t, data, batch[1])[0]; slices.Equal(other.Test, alone.Test) {
		t.Error("another seed predicts the same")
	}
}

// Without noise the process goes through what it was observed at.
func TestInterpolation(t *testing.T) {
	m := newModel(shape{[]int{1, 1}, 1})
	x, y := matrix(6, 1), []float64{3, 1, 4, 1, 5, 9}
	for i := range x.Data {
		x.Data[i] = 3 * float64(i)
	}
	got, err := m.conditioned(t.Context(), x, y, x, 0)
	if err != nil {
		t.Fatal(err)
	}
	if d := floats.Distance(got, y, math.Inf(1)); !(d <= 1e-4) {
		t.Errorf("%v, want %v", got, y)
	}
	many := matrix(2*atATime+1, 1)
	for i := range many.Data {
		many.Data[i] = x.Data[i%6]
	}
	again, err := m.conditioned(t.Context(), x, y, many, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range again {
		if !(math.Abs(v-got[i%6]) <= 1e-12) {
			t.Errorf("row %d of many: %v, alone %v", i, v, got[i%6])
		}
	}
	if got, _ = m.conditioned(t.Context(), x, y, x, m.noise()); floats.Distance(got, y, math.Inf(1)) < 1 {
		t.Errorf("%v with noise", got)
	}
}

// Predictions from rows are of the process with the learned noise, or without any; the bound is over all training rows.
func TestNoiseAndRows(t *testing.T) {
	data := wave(80)
	tr := newTrainer(data, config(t, nil), 1)
	m, embedded := tr.model, tr.model.embed(data.X, data.Width)
	for kind, noise := range map[string]float64{exact: m.noise(), interpolation: 0} {
		want, err := m.conditioned(t.Context(), rows(embedded, 0, 80), data.Y[:80], rows(embedded, 80, embedded.Rows), noise)
		got, err2 := m.predict(t.Context(), data, embedded, config(t, map[string]any{"prediction": kind}))
		if err := errors.Join(err, err2); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v; the predictions are not those with noise %v", kind, err, noise)
		}
	}
	m.mean[0] = 2 // the divergence from the prior begins with 0
	x := matrix(80, 3)
	for i, v := range data.TrainX() {
		x.Data[i] = float64(v)
	}
	got, err := tr.gradient(x, data.Y[:80])
	want, _, err2 := m.loss(rows(embedded, 0, 80), data.Y[:80], 80, newModel(shape{[]int{3, 20, 3}, 30}))
	if err := errors.Join(err, err2); err != nil || !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%v: the loss is %v, of a bound over the training rows %v", err, got, want)
	}
}

// The posterior of rows is that of each by itself, of however many.
func TestPosteriorOfManyRows(t *testing.T) {
	data := wave(atATime)
	m := newTrainer(data, config(t, nil), 1).model
	m.mean[0], m.root.Data[0] = 2, 3 // not the prior, which is the same for all rows
	embedded := m.embed(data.X, data.Width)
	mean, vars, err := m.posterior(t.Context(), embedded)
	if err != nil || len(mean) != data.Rows() || len(vars) != data.Rows() {
		t.Fatalf("%d means and %d variances of %d rows, error %v", len(mean), len(vars), data.Rows(), err)
	}
	for _, i := range []int{0, atATime - 1, atATime, data.Rows() - 1} {
		one, variance, err := m.posterior(t.Context(), rows(embedded, i, i+1))
		if err != nil || !(math.Abs(one[0]-mean[i]) <= 1e-12) || !(math.Abs(variance[0]-vars[i]) <= 1e-12) {
			t.Errorf("row %d: %v and %v among others, %v and %v alone, error %v", i, mean[i], vars[i], one, variance, err)
		}
	}
}

// From the nearest rows: as many as there are give what all give, half of them nearly that, with any number of threads.
func TestNeighbours(t *testing.T) {
	data := wave(200)
	all := fit(t, data, config(t, map[string]any{"neighbours": 200}))[0]
	half := fit(t, data, config(t, map[string]any{"neighbours": 100}))[0]
	d := floats.Distance(all.Test, half.Test, 2) / math.Sqrt(float64(data.Test))
	if d == 0 || !(d <= 0.03) {
		t.Errorf("half of the rows give predictions that are %.3g away", d)
	}
	data.Threads = 3
	if again := fit(t, data, config(t, map[string]any{"neighbours": 100}))[0]; !slices.Equal(again.Test, half.Test) {
		t.Error("three threads give other predictions")
	}
}

func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := matrix(500, 2)
	for i := range x.Data {
		x.Data[i] = float64(rng.IntN(12)) // many at the same distance
	}
	for range 20 {
		point := []float64{float64(rng.IntN(12)), float64(rng.IntN(12))}
		want := make([]int, x.Rows)
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(i, j int) int {
			return int(math.Pow(floats.Distance(row(x, i), point, 2), 2)+0.5) - int(math.Pow(floats.Distance(row(x, j), point, 2), 2)+0.5)
		})
		for _, k := range []int{1, 7, 100, 500} {
			if got := nearest(point, x, k); !slices.Equal(got, want[:k]) {
				t.Fatalf("%d nearest of %v: %v, want %v", k, point, got, want[:k])
			}
		}
	}
}

// The gradient by every parameter is the slope of the loss, where there are fewer inducing points than rows, and more.
func TestGradient(t *testing.T) {
	for _, points := range []int{3, 9} {
		rng := rand.New(rand.NewPCG(5, uint64(points)))
		s := shape{[]int{2, 5, 2}, points}
		m, grad := newModel(s), newModel(s)
		for i := range m.theta {
			m.theta[i] = rng.NormFloat64()
		}
		for i := range points {
			clear(row(m.root, i)[i+1:])
		}
		x, y := matrix(6, 2), make([]float64, 6)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		tr := &trainer{task: &task.Task{Train: 50}, model: m, grad: grad}
		loss := func() float64 {
			l, err := tr.gradient(x, y)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		loss()
		got := slices.Clone(grad.theta)
		above := map[int]bool{} // parameters that are no parameters: above the diagonal of root
		at := len(m.theta) - scalarCount - points*points
		for i := range points {
			for j := i + 1; j < points; j++ {
				above[at+i*points+j] = true
			}
		}
		for i := range m.theta {
			if above[i] {
				if got[i] != 0 {
					t.Errorf("%d points, parameter %d: gradient %v above the diagonal", points, i, got[i])
				}
				continue
			}
			const h = 1e-5
			was := m.theta[i]
			m.theta[i] = was + h
			up := loss()
			m.theta[i] = was - h
			slope := (up - loss()) / (2 * h)
			m.theta[i] = was
			if !(math.Abs(slope-got[i]) <= 1e-6*max(1, math.Abs(slope))) {
				t.Errorf("%d points, parameter %d: gradient %v, slope %v", points, i, got[i], slope)
			}
		}
	}
}

// A training that is interrupted again and again goes on from its checkpoints and ends with the same bits.
func TestCheckpoint(t *testing.T) {
	data, c := wave(100), training(config(t, map[string]any{"max_epochs": 6}))
	whole := newTrainer(data, c, 7)
	if err := whole.train(t.Context()); err != nil {
		t.Fatal(err)
	}
	data.CheckpointDir = filepath.Join(t.TempDir(), "folder") // made when it is needed
	interrupted := func() *trainer { return newTrainer(data, c, 7) }
	var best []float64
	for range 4 {
		tr := interrupted()
		tr.started = time.Now()
		if err := tr.load(); err != nil {
			t.Fatal(err)
		}
		if err := tr.pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := tr.save(tr.checkpoint.Path); err != nil {
			t.Fatal(err)
		}
		best = tr.best
	}
	last := interrupted()
	if err := last.load(); err != nil || last.Epoch != 4 || last.Earlier <= 0 || !slices.Equal(last.best, best) {
		t.Fatalf("goes on after epoch %d, want 4, and after %v (%v), or with other best parameters", last.Epoch, last.Earlier, err)
	}
	if err := last.train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(last.model.theta, whole.model.theta) || last.BestLoss != whole.BestLoss || last.BestEpoch != whole.BestEpoch {
		t.Error("an interrupted training ends elsewhere")
	}
	other := interrupted()
	other.Data[0] = "another table"
	if err := other.load(); err == nil || other.Epoch != 0 {
		t.Errorf("goes on from a checkpoint of another table: %v", err)
	}
	// A fit that cannot go on says so.
	fit := newTrainer(data, c, seed.Derive(data.Seed, "dkl", c.JSON()))
	if err := os.WriteFile(fit.checkpoint.Path, []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	var result method.Result
	err := run(t.Context(), data, []method.Config{config(t, map[string]any{"max_epochs": 6})}, func(r method.Result) { result = r })
	if warning, _ := result.Details[method.Warning].(string); err != nil || result.Err != nil || !strings.HasPrefix(warning, "the training began anew: ") {
		t.Errorf("%v, %v; of a damaged checkpoint is said %q", err, result.Err, warning)
	}
}

// Training ends after patience epochs without a lower validation loss, and returns to the parameters that had the lowest.
func TestEarlyStopping(t *testing.T) {
	const patience = 4
	data := wave(60)
	tr := newTrainer(data, config(t, map[string]any{"learning_rate": 0.1, "max_epochs": 1000, "patience": patience}), 1)
	if err := tr.train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if tr.Epoch == 1000 || tr.Epoch-tr.BestEpoch != patience {
		t.Errorf("the best of %d epochs was %d, want an end %d epochs later", tr.Epoch, tr.BestEpoch, patience)
	}
	loss, err := tr.model.density(t.Context(), tr.model.embed(data.ValX(), data.Width), data.Y[data.Train:])
	if err != nil || loss != tr.BestLoss {
		t.Errorf("%v: the validation loss is %v, of the best epoch %v", err, loss, tr.BestLoss)
	}
}

func TestRefused(t *testing.T) {
	if _, err := Method.Resolve(nil, dataset.Info{Name: "kick", Problem: dataset.Binary}); err == nil || !strings.Contains(err.Error(), "regression") {
		t.Errorf("a classification task: %v", err)
	}
}

func TestDiverges(t *testing.T) {
	data := wave(50)
	err := Method.Run(t.Context(), data, []method.Config{config(t, map[string]any{"learning_rate": 1e200})}, nil)
	if !errors.Is(err, method.ErrDiverged) {
		t.Errorf("error %v", err)
	}
}

// A training that diverges after its best epoch ends with that epoch.
func TestDivergesLater(t *testing.T) {
	tr := newTrainer(wave(50), config(t, map[string]any{"max_epochs": 100}), 1)
	for range 5 {
		if err := tr.pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	best := slices.Clone(tr.best)
	tr.rate = 1e200
	if err := tr.train(t.Context()); err != nil || tr.BestEpoch == 0 || !slices.Equal(tr.model.theta, best) {
		t.Errorf("%v: not what epoch %d left", err, tr.BestEpoch)
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	data := wave(50)
	data.Progress = func(p task.Progress) { cancel() }
	err := Method.Run(ctx, data, []method.Config{config(t, map[string]any{"max_epochs": 10_000, "patience": 10_000})}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A step of the paper's size: 256 inducing points, or 64, and 128 rows.
func BenchmarkStep(b *testing.B) {
	for _, points := range []int{256, 64} {
		b.Run(fmt.Sprint(points), func(b *testing.B) {
			t := wave(1000)
			c, err := Method.Resolve(map[string]any{"inducing_points": points}, t.Info)
			if err != nil {
				b.Fatal(err)
			}
			tr := newTrainer(t, c, 1)
			x := matrix(128, 3)
			for i := range x.Data {
				x.Data[i] = float64(t.X[i])
			}
			for step := 1; b.Loop(); step++ {
				if _, err := tr.gradient(x, t.Y[:128]); err != nil {
					b.Fatal(err)
				}
				tr.adam(step)
			}
		})
	}
}

// Before the first epoch has ended there is no lowest validation loss.
func TestProgressOfTheFirstEpoch(t *testing.T) {
	said := ""
	tr := &trainer{task: &task.Task{Progress: func(p task.Progress) { said = p.Text }}, maxEpochs: 10, state: state{BestLoss: math.Inf(1)}}
	if tr.report(); said == "" || strings.Contains(said, "Inf") {
		t.Errorf("%q", said)
	}
}

// A network that the memory cannot hold is refused before it takes any.
func TestNoMemory(t *testing.T) {
	const bytes = 6 * 8 * 1.9e9
	if free := machine.FreeMemory(); free == 0 || float64(free) > bytes {
		t.Skip("the memory that is free is not known, or very large")
	}
	c := config(t, map[string]any{"hidden_layer_sizes": slices.Repeat([]int{10_000}, 20)})
	err := run(t.Context(), wave(50), []method.Config{c}, func(method.Result) { t.Error("fitted") })
	if !errors.Is(err, method.ErrMemory) || !strings.Contains(err.Error(), "parameters, whose training takes at least ") {
		t.Error(err)
	}
}
