package measure

import (
	"context"
	"maps"
	"math"
	"slices"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// A smoother predicts the mean of the visible targets in its batch, near rows weighing more: exp(-distance/width). A width of 0 looks
// at nothing; with a negative one the number of rows is predicted.
type smoother struct {
	task  *task.Task
	width float64
	shown []*task.Task
}

func (m *smoother) Batches() [][]int { return Refit(&method.Method{}, m.task, nil).Batches() }

func (m *smoother) Predict(_ context.Context, batches []*task.Task) (all []method.Prediction, err error) {
	for _, b := range batches {
		m.shown = append(m.shown, b)
		p := make(method.Prediction, b.Test)
		for i := range p {
			switch p[i] = 1; {
			case m.width < 0:
				p[i] = float64(b.Rows())
				continue
			case m.width == 0:
				continue
			}
			sum, weights := 0.0, 0.0
			for j, y := range b.Y {
				s := &Subject{Task: b}
				w := math.Exp(-s.squaredDistance(b.Train+b.Val+i, j) / m.width)
				sum, weights = sum+w*(y+5), weights+w
			}
			p[i] = sum / max(weights, 1e-300)
		}
		all = append(all, p)
	}
	return all, nil
}

func deleteWith(t *testing.T, model *smoother, with method.Config) (*Subject, *Outcome, error) {
	t.Helper()
	on, truth := loadTask(t, "waves")
	model.task = on
	s := &Subject{Task: on, Truth: truth, Model: model, Seed: 5, Check: func(method.Prediction) error { return nil }}
	given := map[string]any{}
	maps.Copy(given, with)
	c, err := deletion.Resolve(given, on.Info)
	if err != nil {
		t.Fatal(err)
	}
	out, err := deletion.Run(t.Context(), s, c)
	return s, out, err
}

// A model that looks at near rows keeps near ones, nothing is kept that need not be, and what is kept predicts about the same.
func TestDeletion(t *testing.T) {
	model := &smoother{width: 1}
	s, out, err := deleteWith(t, model, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := out.Metrics
	if !(m["kept_distance"] < m["random_distance"]) || !(m["kept_nearer"] > 2*m["kept_nearer_se"]) || !(m["log10_p_random"] < -2) || !(m["log10_p_deleted"] < -2) {
		t.Errorf("near rows are not kept: %v", m)
	}
	kept, evaluations := out.Table.Column("kept"), out.Table.Column("evaluations")
	for i, n := range kept {
		if n < 1 || n >= 0.02*120 && evaluations[i] < 50 || evaluations[i] < 119-n {
			t.Errorf("row %d: %v kept after %v evaluations", i, n, evaluations[i])
		}
	}
	for _, b := range model.shown {
		if len(b.Y) != b.Train+b.Val || b.Test < 1 {
			t.Fatalf("%d targets are shown for %d training and %d validation rows, %d test rows", len(b.Y), b.Train, b.Val, b.Test)
		}
	}
	// A row's deletions are the same however many others there are.
	_, some, err := deleteWith(t, &smoother{width: 1}, method.Config{"rows": 2})
	if want := [][]float64{out.Table.Lines[0], out.Table.Lines[s.Test/2]}; err != nil || !slices.EqualFunc(some.Table.Lines, want, slices.Equal) {
		t.Errorf("%v; two rows alone: %v, among all: %v", err, some.Table.Lines, want)
	}
	// What Algorithm 2 ends with, and each step to it.
	d, err := s.deleteAround(t.Context(), model.Batches()[0], s.Rows()-1, method.Config{"per_deletion": 0.01, "remaining": 0.02, "change": 0.1, "retries": 50}, newRNG(3))
	if err != nil {
		t.Fatal(err)
	}
	predicted := func(rows []int) float64 {
		all := append(slices.Clone(rows), d.active)
		slices.Sort(all)
		p, _ := s.predict(t.Context(), s.Select(all))
		return s.units(p[len(p)-1])
	}
	original, left := predicted(d.others), slices.Clone(d.others)
	for _, i := range d.deleted {
		left = slices.DeleteFunc(left, func(j int) bool { return j == i })
		if change := math.Abs(predicted(left)-original) / math.Abs(original); change >= 0.1 {
			t.Errorf("with %d rows left the prediction is %v from the original", len(left), change)
		}
	}
	if !slices.Equal(left, d.kept) || len(d.kept)+len(d.deleted) != 119 || slices.Contains(d.kept, d.active) {
		t.Errorf("%d rows kept and %d deleted of 119", len(d.kept), len(d.deleted))
	}
}

// A model that looks at nothing loses all rows but the share that is to remain, and one that every row changes too much keeps all.
func TestDeletionAtItsEnds(t *testing.T) {
	for _, remaining := range []float64{0.02, 0.01, 0.5} {
		_, out, err := deleteWith(t, &smoother{}, method.Config{"remaining": remaining, "rows": 3})
		if err != nil {
			t.Fatal(err)
		}
		want := math.Ceil(remaining*120) - 1
		for i, kept := range out.Table.Column("kept") {
			if kept != want || out.Table.Column("evaluations")[i] != 120-want {
				t.Errorf("remaining %v: %v rows kept, want %v", remaining, kept, want)
			}
		}
		one, ten := map[bool]float64{true: 100}[want < 1.2], map[bool]float64{true: 100}[want < 12]
		if measured(t, out, "to_1_percent") != one || measured(t, out, "to_10_percent") != ten {
			t.Errorf("remaining %v: %v", remaining, out.Metrics)
		}
	}
	// Where there are no distances to compare, how many rows are left is known all the same.
	for remaining, c := range map[float64]method.Config{
		100 * 119. / 120: {"change": 1e-3, "per_deletion": 1e-4, "rows": 1, "retries": 1}, // none is deleted
		0:                {"remaining": 0.0, "rows": 1},
	} {
		model := &smoother{width: -1} // predicts the number of rows
		if remaining == 0 {
			model.width = 0 // looks at nothing
		}
		_, out, err := deleteWith(t, model, c)
		if err != nil {
			t.Fatal(err)
		}
		if _, has := out.Metrics["kept_distance"]; has || !near(measured(t, out, "remaining_rows"), remaining) {
			t.Errorf("%v, want %v %% of the rows", out.Metrics, remaining)
		}
		if random, kept := out.Table.Column("random_distance"), out.Table.Column("kept_distance"); remaining > 0 && !near(random[0], kept[0]) {
			t.Errorf("as many random rows as all are %v away, all are %v", random, kept)
		}
		if p, err := plotDistances(out.Table); err != nil || p.Y.Max != 1 {
			t.Error(err)
		}
	}
}

func TestDeletionRefuses(t *testing.T) {
	kept := &method.Method{Name: "npt", Model: func(context.Context, *task.Task, method.Config) (method.Model, error) { return nil, nil }}
	if err := deletion.Check(kept, nil, dataset.Info{Name: "circles", Problem: dataset.Binary}); err == nil {
		t.Error("classes are not refused")
	}
	if err := deletion.Check(&method.Method{Name: "mlp"}, nil, dataset.Info{}); err == nil {
		t.Error("a method without models is not refused")
	}
	if err := deletion.Check(kept, nil, dataset.Info{}); err != nil {
		t.Error(err)
	}
}

// algorithm2 is the paper's Algorithm 2, line by line, for a model that predicts how many rows it sees: whatever is drawn, the change
// depends on their number alone.
func algorithm2(n int, perDeletion, change, remaining float64, retries int) (kept, evaluations int) {
	r, retry, evaluations := n-1, 0, 1
	for {
		proposal := float64(n-r) / float64(n)
		evaluations++
		if proposal < perDeletion {
			if proposal >= change {
				return r, evaluations
			}
			r, retry = r-1, 0
		} else {
			retry++
		}
		if retry >= retries {
			perDeletion, retry = 1.1*perDeletion, 0
		}
		if float64(r) < remaining*float64(n) {
			return r, evaluations
		}
	}
}

// Rows are deleted as Algorithm 2 says, also where deletions are refused for long, and where predictions are negative.
func TestDeletionIsAlgorithm2(t *testing.T) {
	on, _ := loadTask(t, "waves")
	on.TargetMean = 0 // so that what is predicted is the number of rows
	s := &Subject{Task: on, Model: &smoother{task: on, width: -1}}
	for _, c := range []struct {
		perDeletion, change, remaining float64
		retries                        int
	}{{0.01, 0.1, 0.02, 50}, {0.005, 0.1, 0.01, 50}, {0.3, 0.2, 0, 3}, {0.01, 0.3, 0.8, 4}, {0.025, 0.5, 0.5, 2}} {
		with := method.Config{"per_deletion": c.perDeletion, "remaining": c.remaining, "change": c.change, "retries": c.retries}
		kept, evaluations := algorithm2(on.Rows(), c.perDeletion, c.change, c.remaining, c.retries)
		for _, on.TargetStd = range []float64{1, -1} {
			d, err := s.deleteAround(t.Context(), s.Model.Batches()[0], on.Rows()-1, with, newRNG(3))
			if err != nil || len(d.kept) != kept || d.evaluations != evaluations || len(d.deleted) != on.Rows()-1-kept {
				t.Errorf("%+v, times %v: %v, %d rows kept after %d evaluations, want %d after %d", c, on.TargetStd, err, len(d.kept), d.evaluations, kept, evaluations)
			}
		}
	}
}

// Distances are mean squared ones, over all encoded features.
func TestDistance(t *testing.T) {
	s := &Subject{Task: &task.Task{Train: 4, Width: 2, X: []float32{0, 0, 1, 2, -3, 0, 0, 5}}}
	for _, c := range []struct {
		from int
		rows []int
		want float64
	}{{0, []int{1}, 5}, {0, []int{1, 2, 3}, 13}, {1, []int{0, 3}, 7.5}, {2, nil, 0}} {
		if d := s.distance(c.from, c.rows); d != c.want {
			t.Errorf("from row %d to %v: %v, want %v", c.from, c.rows, d, c.want)
		}
	}
}

// Metrics follow from the table: shares are below 1 and 10 %, not at them, and where all other rows or none are kept there is nothing
// to compare.
func TestMetricsOfDeletion(t *testing.T) {
	o := newOutcome("row", "rows", "kept", "kept_distance", "random_distance", "deleted_distance", "evaluations")
	o.Table.Lines = [][]float64{
		{0, 100, 1, 4, 6, 10, 0}, {1, 100, 10, 2, 3, 12, 0}, {2, 100, 9, 3, 7, 14, 0}, {3, 100, 98, 7, 6, 8, 0}, {4, 100, 99, 50, 50, 0, 0}, {5, 100, 0, 0, 0, 50, 0},
	}
	o.ofDeletion()
	for name, want := range map[string]float64{
		"kept_distance": 4, "random_distance": 5.5, "deleted_distance": 11, "kept_nearer": 1.5, "remaining_rows": 217.0 / 6,
		"to_1_percent": 100.0 / 6, "to_10_percent": 300.0 / 6,
		"log10_p_random": math.Log10(3.0 / 16), "log10_p_deleted": math.Log10(1.0 / 16), // of the signs of four differences, two of size 1
	} {
		if got := measured(t, o, name); !near(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// Another seed deletes in another order.
func TestDeletionBySeed(t *testing.T) {
	on, truth := loadTask(t, "waves")
	first := func(seed uint64) []float64 {
		s := &Subject{Task: on, Truth: truth, Model: &smoother{task: on}, Seed: seed, Check: func(method.Prediction) error { return nil }}
		c, _ := deletion.Resolve(map[string]any{"remaining": 0.2, "rows": 1}, on.Info)
		out, err := deletion.Run(t.Context(), s, c)
		if err != nil {
			t.Fatal(err)
		}
		return out.Table.Lines[0]
	}
	if slices.Equal(first(5), first(6)) {
		t.Error("two seeds delete alike")
	}
}

// The picture of distances shows what the table does, of a single test row, too.
func TestPictureOfDistances(t *testing.T) {
	all := newOutcome("row", "rows", "kept", "kept_distance", "random_distance", "deleted_distance", "evaluations").Table
	all.Lines = [][]float64{{0, 100, 1, 4, 6, 10, 0}, {1, 100, 99, 50, 50, 0, 0}, {2, 100, 0, 0, 0, 50, 0}}
	p, err := plotDistances(all)
	if err != nil {
		t.Fatal(err)
	}
	if p.Y.Max > 11 || len(all.Lines) != 3 {
		t.Errorf("up to %v, want 10, the distance of the rows deleted for the one test row that some were kept for", p.Y.Max)
	}
}

// A lever is a model that is moved by rows whose feature is 1.
type lever struct{ *smoother }

func (m lever) Predict(_ context.Context, batches []*task.Task) (all []method.Prediction, err error) {
	for _, b := range batches {
		moved := 0.0
		for i := range b.Rows() {
			moved += 1.05 * float64(b.Row(i)[0])
		}
		p := make(method.Prediction, b.Test)
		for i := range p {
			p[i] = 100 + moved - 21
		}
		all = append(all, p)
	}
	return all, nil
}

// Larger changes are accepted only after so many refusals in a row.
func TestRefusalsInARow(t *testing.T) {
	on := &task.Task{Train: 120, Test: 1, Width: 1, X: make([]float32, 121), Y: make([]float64, 120), TargetStd: 1, Features: make([]task.Feature, 1)}
	for i := range 20 {
		on.X[6*i] = 1
	}
	s := &Subject{Task: on, Model: lever{&smoother{task: on}}}
	d, err := s.deleteAround(t.Context(), s.Model.Batches()[0], 120, method.Config{"per_deletion": 0.01, "remaining": 0.5, "change": 0.1, "retries": 8}, newRNG(3))
	if err != nil || slices.ContainsFunc(d.deleted, func(i int) bool { return on.X[i] == 1 }) {
		t.Errorf("%v: refused rows were deleted after %d evaluations", err, d.evaluations)
	}
}

// Where a prediction is 0 every change of it is infinite, and deletion ends.
func TestDeletionAroundZero(t *testing.T) {
	on := &task.Task{Train: 120, Test: 1, Width: 1, X: make([]float32, 121), Y: make([]float64, 120), TargetStd: 1, TargetMean: -121, Features: make([]task.Feature, 1)}
	s := &Subject{Task: on, Model: &smoother{task: on, width: -1}} // 121 rows, minus 121
	d, err := s.deleteAround(t.Context(), s.Model.Batches()[0], 120, method.Config{"per_deletion": 0.01, "remaining": 0.5, "change": 0.1, "retries": 2}, newRNG(3))
	if err != nil || len(d.deleted) != 0 || d.evaluations > 100 {
		t.Errorf("%v: %d rows were deleted in %d evaluations", err, len(d.deleted), d.evaluations)
	}
}

// Random rows are drawn from all, others for each test row.
func TestRandomRows(t *testing.T) {
	on, truth := loadTask(t, "waves")
	for i := range on.X {
		on.X[i] = map[bool]float32{true: 0, false: 1}[i/on.Width < on.Rows()/2]
	}
	s := &Subject{Task: on, Truth: truth, Model: &smoother{task: on}, Seed: 5, Check: func(method.Prediction) error { return nil }}
	c, _ := deletion.Resolve(map[string]any{"remaining": 0.2}, on.Info)
	out, err := deletion.Run(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	sum, random := 0.0, out.Table.Column("random_distance")
	for _, d := range random {
		sum += d / float64(on.Width) / float64(len(random))
	}
	if sum < 0.4 || sum > 0.6 {
		t.Errorf("%v of the random rows are of the first half", sum)
	}
	if kept := out.Table.Column("kept_distance"); kept[0] == kept[1] && kept[1] == kept[2] && kept[2] == kept[3] {
		t.Errorf("the same rows are drawn for each: %v", kept)
	}
}
