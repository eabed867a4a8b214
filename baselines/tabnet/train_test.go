package tabnet

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/backends"
	"nptbench/internal/checkpoint"
	"nptbench/internal/machine"
	"nptbench/internal/method"
)

// waves is a table whose target depends on one of four numbers and on a category.
func waves(rng *rand.Rand, train int) *table {
	t := &table{columns: columns{Numeric: 4, Categories: []int{3}}, Train: train, Val: 40, Test: 30}
	for i := range t.rows() {
		var x [4]float32
		for j := range x {
			x[j] = float32(rng.NormFloat64())
		}
		code := rng.IntN(3)
		t.Numbers, t.Codes = append(t.Numbers, x[:]...), append(t.Codes, int32(code))
		if i < t.Train+t.Val {
			t.Targets = append(t.Targets, math.Sin(2*float64(x[2]))+float64(code)-1)
		}
	}
	return t
}

func smallConfig() config {
	c := defaults
	c.Decision, c.Attention, c.Steps, c.BatchSize, c.VirtualBatch, c.Decay = 4, 4, 2, 32, 8, 0.95
	return c
}

// train trains a network until one stop.
func train(ctx context.Context, t *table, c config, at stop, backend compute.Backend) (m *model, err error) {
	tr, err := newTraining(t, c, backend)
	if err != nil {
		return nil, err
	}
	err = tr.run(ctx, []stop{at}, func(_ int, of *model) error {
		m = of
		return nil
	})
	return m, err
}

// on predicts rows from to to of a table.
func (m *model) on(t *testing.T, table *table, from, to int) []float64 {
	t.Helper()
	d := m.program.net.upload(table)
	defer d.free()
	predicted, err := m.predict(t.Context(), d, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return predicted
}

// A training learns, and returns the model of the lowest validation loss.
func TestTrainLearns(t *testing.T) {
	table := waves(rand.New(rand.NewPCG(1, 1)), 300)
	m, err := train(t.Context(), table, smallConfig(), stop{MaxEpochs: 80, Patience: 80}, testBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	if m.Loss > 0.2 || m.BestEpoch < 1 || m.BestEpoch > 80 || m.Epochs != 80 {
		t.Errorf("validation loss %v in epoch %d of %d, want below 0.2 of a variance of 1.1", m.Loss, m.BestEpoch, m.Epochs)
	}
	if loss := table.loss(m.on(t, table, table.Train, table.Train+table.Val), table.Train, table.Train+table.Val); !(math.Abs(loss-m.Loss) <= 1e-6) {
		t.Errorf("the model that is returned has validation loss %v, not %v", loss, m.Loss)
	}
}

// What a training gives at a stop does not depend on the other stops, and its early stopping is the library's: with the patience
// p it ends p epochs after the best one.
func TestStops(t *testing.T) {
	table, backend := waves(rand.New(rand.NewPCG(1, 2)), 100), testBackend(t)
	stops := []stop{{200, 4}, {200, 15}, {7, 100}, {60, 100}}
	tr, err := newTraining(table, smallConfig(), backend)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.free()
	var losses []float64
	tr.progress = func(p progress) { losses = append(losses, p.Loss) }
	together, predictions := make([]model, len(stops)), make([][]float64, len(stops))
	err = tr.run(t.Context(), stops, func(i int, m *model) error {
		together[i] = *m
		predictions[i] = m.on(t, table, 0, table.rows())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range stops {
		alone, err := train(t.Context(), table, smallConfig(), s, backend)
		if err != nil {
			t.Fatal(err)
		}
		predicted := alone.on(t, table, 0, table.rows())
		m := together[i]
		if !reflect.DeepEqual(predicted, predictions[i]) || m.Epochs != alone.Epochs || m.BestEpoch != alone.BestEpoch {
			t.Errorf("%v: epoch %d of %d with other stops, %d of %d alone", s, m.BestEpoch, m.Epochs, alone.BestEpoch, alone.Epochs)
		}
		best, epochs := 0, 0
		for epochs < s.MaxEpochs && epochs-max(best, 1) < s.Patience {
			if losses[epochs] < losses[max(best, 1)-1] || best == 0 {
				best = epochs + 1
			}
			epochs++
		}
		if m.BestEpoch != best || m.Epochs != epochs {
			t.Errorf("%v: epoch %d of %d, want %d of %d", s, m.BestEpoch, m.Epochs, best, epochs)
		}
	}
}

// A training that was interrupted ends with the numbers that it would have ended with, and does not go on from a checkpoint of
// another table.
func TestCheckpoint(t *testing.T) {
	data, backend, path := waves(rand.New(rand.NewPCG(1, 3)), 100), testBackend(t), filepath.Join(t.TempDir(), "a", "b.tabnet")
	end := stop{MaxEpochs: 20, Patience: 20}
	whole, err := train(t.Context(), data, smallConfig(), end, backend)
	if err != nil {
		t.Fatal(err)
	}
	want := whole.on(t, data, 0, data.rows())
	start := func(on *table) *training {
		tr, err := newTraining(on, smallConfig(), backend)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	first := start(data)
	first.checkpoint = checkpoint.Periodic{Path: path, Every: time.Nanosecond}
	first.checkpoint.Start()
	ctx, cancel := context.WithCancel(t.Context())
	first.progress = func(p progress) {
		if p.Epochs == 9 {
			cancel()
		}
	}
	if err := first.run(ctx, []stop{end}, nil); !errors.Is(err, context.Canceled) || first.checkpoint.Err != nil {
		t.Fatal(err, first.checkpoint.Err)
	}
	second := start(data)
	if err := second.load(path, []stop{end}); err != nil {
		t.Fatal(err)
	}
	if second.at.Epochs != 9 || second.elapsed() < second.earlier || second.earlier == 0 {
		t.Errorf("goes on from epoch %d after %v", second.at.Epochs, second.earlier)
	}
	err = second.run(t.Context(), []stop{end}, func(_ int, m *model) error {
		if !reflect.DeepEqual(m.on(t, data, 0, data.rows()), want) {
			t.Error("an interrupted training predicts other numbers")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	other := *data
	other.digests[1] = "another split"
	if err := start(&other).load(path, []stop{end}); err == nil || !strings.Contains(err.Error(), "another training") {
		t.Errorf("another table: %v", err)
	}
}

// An epoch has the rest of the rows as a batch of its own, or leaves it out; a batch that is too large has all rows either way.
func TestDropLast(t *testing.T) {
	for _, c := range []struct {
		batch int
		drop  bool
		steps int
	}{{32, false, 3}, {32, true, 2}, {35, true, 2}, {100, true, 1}, {100, false, 1}} {
		config := smallConfig()
		config.BatchSize, config.DropLast = c.batch, c.drop
		tr, err := newTraining(waves(rand.New(rand.NewPCG(1, 1)), 70), config, testBackend(t))
		if err != nil {
			t.Fatal(err)
		}
		for epoch := 1; epoch <= 2; epoch++ {
			if _, err := tr.epoch(t.Context()); err != nil {
				t.Fatal(err)
			}
			if tr.at.Steps != epoch*c.steps {
				t.Errorf("%+v: %d steps in %d epochs", c, tr.at.Steps, epoch)
			}
		}
		tr.free()
	}
}

// Every epoch has its own order of rows and its own learning rate.
func TestEpochs(t *testing.T) {
	weightsAfter := func(epoch int, decay float64) []float64 { // an epoch of a new training
		c := smallConfig()
		c.DecayStep, c.Decay = 1, decay
		tr, err := newTraining(waves(rand.New(rand.NewPCG(1, 1)), 70), c, testBackend(t))
		if err != nil {
			t.Fatal(err)
		}
		defer tr.free()
		tr.at.Epochs = epoch
		if _, err := tr.epoch(t.Context()); err != nil {
			t.Fatal(err)
		}
		weights, err := backends.Floats(tr.state.weights)
		if err != nil {
			t.Fatal(err)
		}
		return weights
	}
	first := weightsAfter(0, 1)
	if slices.Equal(first, weightsAfter(1, 1)) {
		t.Error("two epochs have the same order of rows")
	}
	if !slices.Equal(weightsAfter(0, 0), first) {
		t.Error("the learning rate falls before the first epoch")
	}
	if !slices.Equal(weightsAfter(1, 0), weightsAfter(2, 0)) {
		t.Error("weights move at the learning rate 0")
	}
}

// Losses that are no numbers end a training with an error where nothing was best.
func TestDivergence(t *testing.T) {
	table, c := waves(rand.New(rand.NewPCG(1, 4)), 64), smallConfig()
	c.LR, c.Clip = 1e38, 0
	if _, err := train(t.Context(), table, c, stop{50, 50}, testBackend(t)); !errors.Is(err, method.ErrDiverged) {
		t.Errorf("error %v", err)
	}
}

// Batches are cut as by PyTorch's chunk, and what has no variance is refused.
func TestVirtualBatches(t *testing.T) {
	for _, c := range []struct{ batch, virtual, count, size, rest int }{
		{16, 4, 4, 4, 0}, {23, 4, 5, 4, 3}, {118, 118, 1, 118, 0}, {353, 128, 2, 118, 117}, {97, 4, 24, 4, 1}, {10, 128, 1, 10, 0},
	} {
		if count, size, rest := virtualBatches(c.batch, c.virtual); count != c.count || size != c.size || rest != c.rest {
			t.Errorf("%d by %d: %d of %d and %d", c.batch, c.virtual, count, size, rest)
		}
	}
	c := smallConfig()
	c.BatchSize, c.VirtualBatch = 16, 4
	if err := c.checkBatches(353); err == nil || !strings.HasPrefix(err.Error(), "batch_size: 16 leaves one of the 353 training rows as a batch of its own") {
		t.Errorf("error %v", err)
	}
	c.VirtualBatch = 2
	if err := c.checkBatches(357); err == nil || !strings.HasPrefix(err.Error(), "virtual_batch_size: 2 cuts a batch of 5 of the 357") {
		t.Errorf("error %v", err)
	}
	c.VirtualBatch, c.DropLast = 4, true
	if err := c.checkBatches(353); err != nil {
		t.Error(err)
	}
}

// A rest of a batch is normalised like the others: by itself, and as the last in the running statistics.
func TestRestIsNormalised(t *testing.T) {
	c := smallConfig()
	c.VirtualBatch, c.Momentum, c.Double = 3, 0.3, true
	n := newNetwork(c, columns{Numeric: 2})
	x := [][]float64{{1, 2}, {3, 5}, {4, 4}, {9, 1}, {2, 8}}
	out, err := graph.CallOnceN(testBackend(t), func(x *graph.Node) []*graph.Node {
		g := x.Graph()
		f := n.forward(constant(g, n.params.Size(), 1), constant(g, n.statistics.Size(), 0), true)
		y := f.normalise("step0.mask", x, c.VirtualBatch)
		return []*graph.Node{y, f.mix(constant(g, 4, 0), f.seen, c.Momentum)}
	}, x)
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	running := make([]float64, 4)
	for _, rows := range [][][]float64{x[:3], x[3:]} {
		y := make([]float64, 2*len(rows))
		for j := range 2 {
			mean, squares := 0.0, 0.0
			for _, row := range rows {
				mean += row[j] / float64(len(rows))
			}
			for _, row := range rows {
				squares += (row[j] - mean) * (row[j] - mean)
			}
			for i, row := range rows {
				y[2*i+j] = 1 + (row[j]-mean)/math.Sqrt(squares/float64(len(rows))+1e-5)
			}
			running[j] += c.Momentum * (mean - running[j])
			running[2+j] += c.Momentum * (squares/float64(len(rows)-1) - running[2+j])
		}
		want = append(want, y...)
	}
	compare(t, "rows", out[0], want)
	compare(t, "running statistics", out[1], running)
}

func constant(g *graph.Graph, size int, x float64) *graph.Node {
	values := make([]float64, size)
	for i := range values {
		values[i] = x
	}
	return graph.Const(g, values)
}

// A training makes the same numbers on GoMLX's own backend, embeddings and their gradients included.
func TestBackendsAgree(t *testing.T) {
	table, c := waves(rand.New(rand.NewPCG(1, 5)), 64), smallConfig()
	c.Double = true
	var want []float64
	for _, name := range []string{backends.Go, backends.Processor} {
		b, err := backends.Open(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		m, err := train(t.Context(), table, c, stop{3, 3}, b)
		if err != nil {
			t.Fatal(err)
		}
		got := m.on(t, table, 0, table.rows())
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-9) {
				t.Fatalf("%s: row %d: %v, not %v", name, i, got[i], want[i])
			}
		}
		want = got
	}
}

// A network that the memory cannot hold is refused before it takes any.
func TestNoMemory(t *testing.T) {
	c := smallConfig()
	c.Decision, c.Attention, c.Independent = 8192, 8192, 10
	const bytes = (drawnBytes + tensorBytes) * 5e9
	if free := machine.FreeMemory(); free == 0 || float64(free) > bytes {
		t.Skip("the memory that is free is not known, or very large")
	}
	_, err := newTraining(waves(rand.New(rand.NewPCG(1, 2)), 60), c, testBackend(t))
	if !errors.Is(err, method.ErrMemory) || !strings.Contains(err.Error(), "weights, whose training takes at least ") {
		t.Error(err)
	}
}

// The time of a training that goes on has nothing in it of what was done with its earlier stops.
func TestTimeIsTheTrainings(t *testing.T) {
	const pause = 200 * time.Millisecond
	c := smallConfig()
	data := waves(rand.New(rand.NewPCG(1, 2)), 60)
	tr, err := newTraining(data, c, testBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.free()
	began := time.Now()
	err = tr.run(t.Context(), []stop{{MaxEpochs: 1, Patience: 9}, {MaxEpochs: 2, Patience: 9}}, func(int, *model) error {
		time.Sleep(pause)
		return nil
	})
	if took := tr.elapsed(); err != nil || took+2*pause > time.Since(began) {
		t.Errorf("a training of %v, error %v, in %v with two pauses of %v", took, err, time.Since(began), pause)
	}
}
