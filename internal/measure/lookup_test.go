package measure

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/stats"
	"nptbench/internal/task"
)

func newRNG(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// A finder looks the target of the copy up in its batch, as far as share says, and has two heads: one looks at all rows alike, and one
// at the copy, or else at the nearest row.
type finder struct {
	*smoother
	share float64
}

// Batches are two, each of some test rows with their copies, or of all rows.
func (m *finder) Batches() [][]int {
	if m.task.Copies == 0 {
		return m.smoother.Batches()
	}
	var all [][]int
	first := m.task.Train + m.task.Val
	for part := range 2 {
		var copies, tests []int
		for row := first + part*m.task.Test/2; row < first+(part+1)*m.task.Test/2; row++ {
			copies, tests = append(copies, row-m.task.Copies+m.task.Train-m.task.Copies), append(tests, row)
		}
		all = append(all, append(copies, tests...))
	}
	return all
}

func (m *finder) Predict(_ context.Context, batches []*task.Task) (all []method.Prediction, err error) {
	for _, b := range batches {
		p := make(method.Prediction, b.Test)
		for i := range p {
			p[i] = m.share * (b.Y[i] - b.Info.Copies.Add)
		}
		all = append(all, p)
	}
	return all, nil
}

func (m *finder) Attention(_ context.Context, b *task.Task) ([]method.Attention, error) {
	n := b.Rows()
	a := method.Attention{Layer: 2, Heads: 2, Weights: make([]float64, 2*n*n)}
	for i := range n {
		for j := range n {
			a.Weights[i*n+j] = 1 / float64(n)
		}
		if at := i - b.Train - b.Val; b.Copies > 0 && at >= 0 {
			a.Weights[(n+i)*n+at] = 0.8 // copies come first, in the order of the rows
			a.Weights[(n+i)*n+i] = 0.2
			continue
		}
		nearest, least := 0, math.Inf(1)
		for j := range n {
			if d := (&Subject{Task: b}).squaredDistance(i, j); j != i && d < least {
				nearest, least = j, d
			}
		}
		a.Weights[(n+i)*n+nearest] = 1
	}
	return []method.Attention{a}, nil
}

func lookupTask(t *testing.T, copies *dataset.Copies) (*task.Task, *task.Truth) {
	t.Helper()
	name := "waves"
	if copies != nil && copies.AnyColumn {
		name = "tail" // numbers alone
	}
	table, err := datasettest.Library(t).Load(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	table.Info.Copies = copies
	on, truth, err := task.FromTable(table, split.Published, 0, task.AllRows)
	if err != nil {
		t.Fatal(err)
	}
	return on, truth
}

func near(x, y float64) bool { return math.Abs(x-y) < 1e-9 }

// The head that looks at copies is found, with the share of its weight on them, and of heads that look at near rows likewise.
func TestAttention(t *testing.T) {
	for _, c := range []struct {
		copies      *dataset.Copies
		share, rest float64
	}{{&dataset.Copies{}, 80, 100.0 / 12}, {&dataset.Copies{AnyColumn: true}, 80, 100.0 / 30}, {nil, 100, 1000.0 / 120}} {
		on, truth := lookupTask(t, c.copies)
		s := &Subject{Task: on, Truth: truth, Model: &finder{&smoother{task: on}, 1}, Check: func(method.Prediction) error { return nil }}
		if c.copies == nil {
			on.Info.Copies = &dataset.Copies{} // for finder.Predict
		}
		out, err := attention.Run(t.Context(), s, method.Config{"nearest": 10, "batches": 2})
		if err != nil {
			t.Fatal(err)
		}
		m := out.Metrics
		if !near(m["best_share"], c.share) || !near(m["uniform_share"], c.rest) || m["best_layer"] != 2 || m["best_head"] != 1 ||
			!near(m["above_uniform"], c.share-c.rest) || len(out.Table.Lines) != 2 {
			t.Errorf("copies %v: %v, heads %v", c.copies, m, out.Table.Lines)
		}
		if uniform := out.Table.Lines[0]; !(math.Abs(uniform[2]-uniform[4]) <= 1e-4) {
			t.Errorf("the head that looks at all rows alike has %v %%, want %v %%", uniform[2], uniform[4])
		}
	}
}

// Predictions that follow the copy's target have slope 1, whatever is added to it, and half as much when they follow half way.
func TestIntervention(t *testing.T) {
	for _, c := range []struct{ add, share float64 }{{0, 1}, {1, 1}, {1, 0.5}, {0, 0}} {
		on, truth := lookupTask(t, &dataset.Copies{Add: c.add})
		checks := 0
		s := &Subject{Task: on, Truth: truth, Model: &finder{&smoother{task: on}, c.share}, Check: func(p method.Prediction) error {
			for i, y := range truth.Y {
				if !near(p[i], c.share*y) {
					t.Fatalf("test row %d is predicted as %v, its target is %v", i, p[i], y)
				}
			}
			checks++
			return nil
		}}
		out, err := intervention.Run(t.Context(), s, method.Config{"rows": 9, "values": 4})
		if err != nil || checks != 1 {
			t.Fatal(err)
		}
		rmse, r := measured(t, out, "intervention_rmse"), out.Metrics["intervention_r"]
		if !near(measured(t, out, "slope"), c.share) || (rmse < 1e-9) != (c.share == 1) || c.share > 0 && !near(r, 1) || len(out.Table.Lines) != 36 {
			t.Errorf("%+v: %v, %d lines", c, out.Metrics, len(out.Table.Lines))
		}
		low, high := slices.Min(on.Y[:on.Train-on.Copies]), slices.Max(on.Y[:on.Train-on.Copies])
		copied, follow, predicted := out.Table.Column("copy"), out.Table.Column("follow"), out.Table.Column("prediction")
		squares := 0.0
		for i := range follow {
			to := s.units(low + (high-low)*float64(i%4)/3) // the four values are spaced evenly over the range of the targets
			if !(math.Abs(follow[i]-to) <= 1e-5*math.Abs(to)+1e-5) || !(math.Abs(copied[i]-follow[i]-c.add*on.TargetStd) <= 1e-4) {
				t.Errorf("%+v, line %d: to follow is %v, want %v, by a copy at %v", c, i, follow[i], to, copied[i])
			}
			squares += math.Pow(follow[i]-predicted[i], 2) / float64(len(follow))
		}
		if !(math.Abs(rmse-math.Sqrt(squares)) <= 1e-4) {
			t.Errorf("%+v: RMSE %v, by the table %v", c, rmse, math.Sqrt(squares))
		}
	}
}

// What makes a measurement of attention impossible is refused, whether it is the method or the configuration.
func TestAttentionRefuses(t *testing.T) {
	m, blind := &method.Method{Name: "mlp"}, errors.New("self_only: true, want false")
	if err := attention.Check(m, nil, dataset.Info{}); err == nil || err.Error() != "mlp has no attention" {
		t.Error(err)
	}
	m.CheckAttention = func(c method.Config) error { return map[bool]error{true: blind}[c.Has("self_only")] }
	for _, c := range []method.Config{{}, {"self_only": true}} {
		if err := attention.Check(m, c, dataset.Info{}); (err == blind) != c.Has("self_only") {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// Where rows have no copies there is nothing to move.
func TestInterventionRefuses(t *testing.T) {
	for _, copies := range []*dataset.Copies{nil, {}} {
		if err := intervention.Check(&method.Method{Lazy: true}, nil, dataset.Info{Copies: copies}); (err == nil) != (copies != nil) {
			t.Errorf("copies %v: %v", copies, err)
		}
	}
}

// The best head is chosen on every second test row, and measured on the others.
func TestBestHead(t *testing.T) {
	on, truth := lookupTask(t, &dataset.Copies{})
	s := &Subject{Task: on, Truth: truth, Model: &moody{finder{&smoother{task: on}, 1}}, Check: func(method.Prediction) error { return nil }}
	out, err := attention.Run(t.Context(), s, method.Config{"nearest": 10, "batches": 2})
	if err != nil {
		t.Fatal(err)
	}
	var all []float64 // shares of the head, for the test rows of both batches
	for i := range on.Test {
		all = append(all, 100*moods[i%(on.Test/2)%4])
	}
	share, se := stats.MeanStdErr(everySecond(all, 1))
	if measured(t, out, "best_head") != 0 || !near(measured(t, out, "best_share"), share) || !near(measured(t, out, "best_share_se"), se) ||
		!near(measured(t, out, "above_uniform_se"), se) { // the uniform share is that of batches of one size
		t.Errorf("%v, want the head that has 90 %% on the rows that it is chosen by, and %v ± %v %% on the others", out.Metrics, share, se)
	}
	if _, se := stats.MeanStdErr(all); !(math.Abs(out.Table.Column("share_se")[1]-se) <= 1e-4) {
		t.Errorf("standard errors of the heads are %v, want %v of the second", out.Table.Column("share_se"), se)
	}
	for i, row := range out.Table.Grid { // of the first batch: from test rows to the copies of all of them
		for j, x := range row {
			want := -9.0 // no weight
			if i == j {
				want = math.Log10(moods[i%4])
			}
			if !(math.Abs(x-want) <= 1e-3) {
				t.Errorf("the picture has %v at (%d, %d), want %v", x, i, j, want)
			}
		}
	}
}

// Batches without test rows, as there are where batches are small, are not looked at.
func TestAttentionSkipsBatchesWithoutTestRows(t *testing.T) {
	on, truth := lookupTask(t, &dataset.Copies{})
	s := &Subject{Task: on, Truth: truth, Model: &hesitant{finder{&smoother{task: on}, 1}}, Check: func(method.Prediction) error { return nil }}
	out, err := attention.Run(t.Context(), s, method.Config{"nearest": 10, "batches": 1})
	if err != nil {
		t.Fatal(err)
	}
	if m := out.Metrics; m["best_head"] != 1 || !near(m["best_share"], 80) || len(out.Table.Grid) != on.Test/2 {
		t.Errorf("%v, %d rows in the picture", m, len(out.Table.Grid))
	}
}

// A head is chosen on some test rows and measured on others: a single one is too few.
func TestAttentionOfOneRow(t *testing.T) {
	on, truth := lookupTask(t, &dataset.Copies{})
	s := &Subject{Task: on, Truth: truth, Model: &lone{finder{&smoother{task: on}, 1}}, Check: func(method.Prediction) error { return nil }}
	_, err := attention.Run(t.Context(), s, method.Config{"nearest": 10, "batches": 1})
	if want := "the batches that were looked at have 1 test row, want two at least: raise batches"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A lone finder has one test row with its copy.
type lone struct{ finder }

func (m *lone) Batches() [][]int {
	first := m.finder.Batches()[0]
	return [][]int{{first[0], first[len(first)/2]}}
}

// A hesitant finder has batches of training rows alone before the others.
type hesitant struct{ finder }

func (m *hesitant) Batches() [][]int { return append([][]int{{0, 1}, {2, 3}}, m.finder.Batches()...) }

// A moody finder has a head that is better than the other for every second test row and worse for the others.
type moody struct{ finder }

var moods = []float64{0.9, 0.1, 0.9, 0.3}

func (m *moody) Attention(_ context.Context, b *task.Task) ([]method.Attention, error) {
	n := b.Rows()
	a := method.Attention{Layer: 2, Heads: 2, Weights: make([]float64, 2*n*n)}
	for i := range b.Test {
		at := b.Train + b.Val + i
		a.Weights[at*n+i] = moods[i%4]
		a.Weights[(n+at)*n+i] = 0.5
	}
	b2 := method.Attention{Layer: 0, Heads: 1, Weights: make([]float64, n*n)}
	return []method.Attention{b2, a}, nil
}

// Where there are no copies the picture has all rows by their distance from the first test row.
func TestPictureByDistance(t *testing.T) {
	s := &Subject{Task: &task.Task{Train: 3, Test: 1, Width: 1, X: []float32{9, 1, 4, 0}}}
	a := method.Attention{Heads: 2, Weights: make([]float64, 32)}
	for i := range 16 {
		a.Weights[16+i] = math.Pow10(-i % 9)
	}
	order := []int{3, 1, 2, 0}
	for i, row := range s.picture([]int{0, 1, 2, 3}, a, 1) {
		for j, x := range row {
			if want := float64(-(order[i]*4 + order[j]) % 9); !near(x, want) {
				t.Errorf("at (%d, %d): %v, want %v", i, j, x, want)
			}
		}
	}
}

// A square of a picture is the mean of what comes into it.
func TestShrink(t *testing.T) {
	grid := shrink(2*gridSide, func(i, j int) float64 {
		if i == 3 && j == 6 {
			return 4e-3
		}
		return 0
	})
	if len(grid) != gridSide || len(grid[0]) != gridSide || !near(grid[1][3], -3) || !near(grid[3][1], -9) || !near(grid[1][2], -9) {
		t.Errorf("%d x %d: %v %v", len(grid), len(grid[0]), grid[1][:5], grid[3][:5])
	}
}

// An offset follows the targets and is wrong by as much for all values of a row.
type offset struct{ *finder }

func (o offset) Predict(ctx context.Context, batches []*task.Task) ([]method.Prediction, error) {
	all, err := o.finder.Predict(ctx, batches)
	for _, p := range all {
		for i := range p {
			p[i] += float64(i % 5)
		}
	}
	return all, err
}

// Further values of the same rows make the error of the RMSE no smaller where the predictions of a row err alike. Of the squares 0, 1, 4, 9
// and 16 the mean is 6, with a standard error of sqrt(174/4/5); the RMSE, its root, moves by 1/(2*sqrt(6)) of that.
func TestErrorsOfAnIntervention(t *testing.T) {
	on, truth := lookupTask(t, &dataset.Copies{})
	want := on.TargetStd * math.Sqrt(174./20) / (2 * math.Sqrt(6))
	for _, values := range []int{2, 20} {
		s := &Subject{Task: on, Truth: truth, Model: offset{&finder{&smoother{task: on}, 1}}, Check: func(method.Prediction) error { return nil }}
		out, err := intervention.Run(t.Context(), s, method.Config{"rows": 5, "values": values})
		if err != nil {
			t.Fatal(err)
		}
		if se := out.Metrics["intervention_rmse_se"]; !near(se, want) {
			t.Errorf("%d values a row: a standard error of %v, want %v", values, se, want)
		}
	}
}

// Of the targets in the middle the range is smaller.
func TestInterventionInTheMiddle(t *testing.T) {
	on, truth := lookupTask(t, &dataset.Copies{})
	s := &Subject{Task: on, Truth: truth, Model: &finder{&smoother{task: on}, 1}, Check: func(method.Prediction) error { return nil }}
	out, err := intervention.Run(t.Context(), s, method.Config{"rows": 1, "values": 2, "share": 0.5})
	if err != nil {
		t.Fatal(err)
	}
	low, high, inside := out.Table.Column("follow")[0], out.Table.Column("follow")[1], 0
	targets := on.Y[:on.Train-on.Copies]
	for _, y := range targets {
		if y := s.units(y); y > low-1e-4 && y < high+1e-4 {
			inside++
		}
	}
	if share := float64(inside) / float64(len(targets)); math.Abs(share-0.5) > 2/float64(len(targets)) {
		t.Errorf("%.3f of the targets are between %v and %v, want half", share, low, high)
	}
}

// Where rows differ in the column that is their target, the copy of each is moved over the range of that column.
func TestInterventionOnAnyColumn(t *testing.T) {
	on, truth := lookupTask(t, &dataset.Copies{AnyColumn: true})
	s := &Subject{Task: on, Truth: truth, Model: &finder{&smoother{task: on}, 1}, Check: func(method.Prediction) error { return nil }}
	out, err := intervention.Run(t.Context(), s, method.Config{"rows": 30, "values": 2})
	if err != nil {
		t.Fatal(err)
	}
	if !near(out.Metrics["slope"], 1) || len(out.Table.Lines) != 60 {
		t.Fatalf("%v, %d lines", out.Metrics, len(out.Table.Lines))
	}
	rows, follow, columns := out.Table.Column("row"), out.Table.Column("follow"), out.Table.Column("column")
	for i := 0; i < len(rows); i += 2 {
		column := on.TargetFeatures[on.Train+on.Val+int(rows[i])]
		if columns[i] != float64(column) || columns[i+1] != float64(column) {
			t.Errorf("test row %v: column %v and %v, want %d", rows[i], columns[i], columns[i+1], column)
		}
		var known []float64
		for k, y := range on.Y[:on.Train-on.Copies] {
			if on.TargetFeatures[k] == column {
				known = append(known, y)
			}
		}
		if !(math.Abs(follow[i]-slices.Min(known)) <= 1e-4) || !(math.Abs(follow[i+1]-slices.Max(known)) <= 1e-4) {
			t.Errorf("test row %v: moved from %v to %v, want the range of column %d", rows[i], follow[i], follow[i+1], column)
		}
	}
}
