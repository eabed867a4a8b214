package npt

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/seed"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
)

// copiesTable has 40 rows of three features and a target, and their copies.
func copiesTable() *Table {
	t := &Table{Columns: []Column{{}, {}, {}, {Target: true}}, Train: 20, Val: 10, Test: 10, Copies: true}
	for i := range 2 * t.Rows() {
		row := i % t.Rows()
		for j := range 3 {
			t.Values = append(t.Values, float32(math.Sin(float64(7*row+3*j))))
		}
		t.Values = append(t.Values, float32(math.Cos(float64(11*row))))
	}
	for i := t.Train + t.Val; i < t.Rows(); i++ {
		t.Values[4*i+3] = float32(math.NaN()) // nobody may look at it
	}
	return t
}

func copiesConfig() Config {
	c := DefaultConfig()
	c.Hidden, c.Layers, c.Heads, c.Dropout, c.FeatureMask, c.TargetMask = 4, 2, 2, 0, 0, 1
	c.SemiSupervised, c.BatchSize, c.Steps, c.EvalEvery, c.LR = false, 8, 20, 2, 0.01
	return c
}

// A batch has rows of the pass's own part, each together with its copy, and a pass has all of them.
func TestPairBatches(t *testing.T) {
	table, c := copiesTable(), copiesConfig()
	for i, m := range []mode{trainMode, valMode, testMode, trainMode, valMode, testMode} {
		c.BatchSize = 8 - i/3
		var all []int32
		for _, batch := range dealBatches(rand.New(rand.NewPCG(1, 2)), table, &c, m) {
			rows, copies := batch[:len(batch)/2], slices.Clone(batch[len(batch)/2:])
			for i := range copies {
				copies[i] -= int32(table.Rows())
			}
			if len(batch) > c.BatchSize || !slices.Equal(rows, copies) {
				t.Errorf("mode %d: batch %v", m, batch)
			}
			all = append(all, rows...)
		}
		slices.Sort(all)
		if !slices.Equal(all, rowsBetween(m.part(table))) {
			t.Errorf("mode %d: rows %v", m, all)
		}
	}
}

// The target of a copy has an effect on the prediction of its row, that of a test row none.
func TestCopiesAreSeen(t *testing.T) {
	table := copiesTable()
	tr := newTestTrainer(t, table, copiesConfig())
	train(t, tr)
	m := modelOf(t, tr)
	predict := func() float64 {
		rows, err := m.Predict(t.Context(), table)
		if err != nil || len(rows) != table.Test {
			t.Fatal(len(rows), err)
		}
		return rows[3][0]
	}
	before, row := predict(), table.Train+table.Val+3
	table.Values[4*row+3] = 5
	if after := predict(); after != before {
		t.Errorf("the target of the row itself changes %v to %v", before, after)
	}
	table.Values[4*(row+table.Rows())+3] += 1
	if after := predict(); after == before {
		t.Error("the target of the copy has no effect")
	}
}

// What is missing in a copy is not looked at, unless the table says that it has a value all the same: then M is 1 and the value is in sight.
func TestFlaggedFeaturesOfCopiesAreSeen(t *testing.T) {
	for _, isFlagged := range []bool{false, true} {
		table := copiesTable()
		table.Missing, table.Flagged = make([]bool, len(table.Values)), isFlagged
		row := table.Train + table.Val + 3
		entry := 4*(row+table.Rows()) + 1
		table.Missing[entry] = true
		tr := newTestTrainer(t, table, copiesConfig())
		train(t, tr)
		m := modelOf(t, tr)
		var predicted [3]float64
		for i, change := range []func(){func() {}, func() { table.Values[entry] += 2 }, func() { table.Missing[entry] = false }} {
			change()
			rows, err := m.Predict(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			predicted[i] = rows[3][0]
		}
		if seen := predicted[1] != predicted[0]; seen != isFlagged {
			t.Errorf("flagged %v: the value of a missing feature of the copy has an effect: %v", isFlagged, seen)
		}
		if predicted[2] == predicted[1] {
			t.Errorf("flagged %v: that it is missing has none", isFlagged)
		}
		if codes, _ := modeCodes(table, &m.net.Config, testMode); codes[entry] != visible {
			t.Errorf("flagged %v: code %d without being missing", isFlagged, codes[entry])
		}
	}
}

// The random features of a task's copies, where they are flagged, are in the table, with that code.
func TestTableOfFlaggedCopies(t *testing.T) {
	table, err := datasettest.Library(t).Load(t.Context(), "waves")
	if err != nil {
		t.Fatal(err)
	}
	for _, isFlagged := range []bool{false, true} {
		table.Info.Copies = &dataset.Copies{RandomFeatures: 1, Flagged: isFlagged}
		on, _, err := task.FromTable(table, split.Corrected, 0, task.AllRows)
		if err != nil {
			t.Fatal(err)
		}
		c, seen := copiesConfig(), tableOf(on)
		codes, _ := modeCodes(seen, &c, testMode)
		first, last, want := seen.Rows(), on.Info.Target-1, visible // the first copy, its last feature
		if isFlagged {
			want = flagged
		}
		value := seen.Values[first*seen.Channels()+targetOffset(on, 0)-1]
		if got := codes[first*len(seen.Columns)+last]; got != want || value == seen.Values[targetOffset(on, 0)-1] || value == 0 {
			t.Errorf("flagged %v: a random feature of a copy has code %d and value %v, want code %d", isFlagged, got, value, want)
		}
	}
}

// Nothing is predicted for copies, not even where a batch is padded.
func TestCopiesHaveNoPredictions(t *testing.T) {
	for _, rowUnit := range []int{1, 8} {
		table, c := copiesTable(), copiesConfig()
		c.BatchSize = 6 // three rows and their copies, two rows of padding
		n := newNetwork(c, table.Columns)
		n.rowUnit = rowUnit
		e, err := newEngine(n, table, testBackend(t))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := e.predict(t.Context(), e.newState().weights, testMode, newRand(1), 0, e.table.Rows())
		if err != nil {
			t.Fatal(err)
		}
		from, to := testMode.part(table)
		for i, row := range rows {
			if want := i >= from && i < to; (row != nil) != want {
				t.Errorf("multiples of %d rows: a prediction for row %d is there: %v, want %v", rowUnit, i, row != nil, want)
			}
		}
	}
}

// Losses and gradient are those of a network that predicts copies, too.
func TestCopiesAreNotPredicted(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"base":        func(*Config) {},
		"features":    func(c *Config) { c.FeatureMask = 0.3 },
		"three ABD":   func(c *Config) { c.Layers = 5 },
		"without ABD": func(c *Config) { c.NoABD = true },
		"self only":   func(c *Config) { c.SelfOnly = true },
		"without ABA": func(c *Config) { c.NoABA = true },
		"norm keys":   func(c *Config) { c.LayerNormKeys = true },
		"recompute":   func(c *Config) { c.Recompute = true },
	} {
		for _, rowUnit := range []int{1, 8} {
			table, c, both := copiesTable(), copiesConfig(), [2][][]float64{}
			c.Precision = Float64
			change(&c)
			for i, copies := range []bool{false, true} {
				n := newNetwork(c, table.Columns)
				n.rowUnit = rowUnit
				e, err := newEngine(n, table, testBackend(t))
				if err != nil {
					t.Fatal(err)
				}
				n.copies = copies
				rows := pairBatches(newRand(2), table, trainMode, 4)[0]
				codes := drawMask(newRand(3), table, &c, trainMode)
				args := append(e.batchArgs(rows, tensors.FromFlatDataAndDimensions(codes, table.stored(), 4)), e.randomState(0))
				args = withTensors(args, e.newState().weights)
				exec, err := graph.NewExec(e.backend, func(in []*graph.Node) []*graph.Node {
					b := n.batch(in[0], in[1], in[2])
					grads, sums := n.gradients(b, in[3], graph.Scalar(in[0].Graph(), n.master(), 0.4), in[4:])
					return append(grads, sums)
				})
				if err != nil {
					t.Fatal(err)
				}
				out, err := exec.Call(args...)
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range out {
					both[i] = append(both[i], toFloats(t, o))
				}
			}
			for i, want := range both[0] {
				closeTo(t, name, both[1][i], want, 1e-12)
			}
		}
	}
}

func TestCopiesRefused(t *testing.T) {
	c := copiesConfig()
	c.SemiSupervised = true
	if _, err := NewTrainer(copiesTable(), c, testBackend(t)); err == nil {
		t.Error("a semi-supervised training with copies")
	}
	table := copiesTable()
	table.Values = table.Values[:len(table.Values)/2]
	if err := table.check(); err == nil {
		t.Error("a table without the copies that it says it has")
	}
	c = copiesConfig()
	c.FeatureMask = 0.15
	tr := newTestTrainer(t, copiesTable(), c)
	if _, err := modelOf(t, tr).Impute(t.Context(), copiesTable()); err == nil || !strings.Contains(err.Error(), "npt: Copies: true, want false") {
		t.Error(err)
	}
}

// With random features 978 rows of Protein have the other six in common with a row of another target, and 88 have all nine. Where two of
// these are in one batch nobody can tell their copies apart, and the mean of their targets is the best answer: the seed, which deals the
// batches, bounds the correlation of a network. "go test -v" prints the bounds beside what is published, and the correlation on rows
// without such another one. experiments/LOOKUP.md has that it is above 0.9999 for all twelve networks, and the bounds below 0.99999. The three
// largest errors are printed, too, each with the row of the same batch that is nearest by the features that are not random, in standard
// deviations: where an error is above 4, the network has read that row.
func TestCopiesThatCannotBeToldApart(t *testing.T) {
	library := datasettest.Real(t, "lookup")
	paper := map[string]float64{"lookup": 0.34, "lookup-random": 0.24, "lookup-add-one": 0.46, "lookup-random-add-one": 0.75} // Table 3
	var trained []*results.Record
	predicted := map[string]*results.Table{}
	run := func(r *results.Record) string { return fmt.Sprintf("%s, seed %d", r.Dataset, r.Seed) }
	for r, err := range results.Read(t.Context(), "../results/published/lookup-cpu.jsonl.gz") {
		if err != nil {
			t.Fatal(err)
		}
		if r.Method == "npt" && r.Measure == "" {
			trained = append(trained, r)
		}
		if r.Measure == "predictions" {
			predicted[run(r)] = r.Table
		}
	}

	bounds, apartFrom, large := map[string]string{}, []int(nil), 0
	for _, r := range trained {
		table, err := library.Load(t.Context(), r.Dataset)
		if err != nil {
			t.Fatal(err)
		}
		on, truth, err := task.FromTable(table, r.Protocol, r.Fold, task.AllRows)
		if err != nil {
			t.Fatal(err)
		}
		features := func(row int) string { return fmt.Sprint(lookedUp(on, row)) }

		targets := map[string][]float64{} // of all rows, as their copies have them
		for row := on.Train - on.Copies; row < on.Train; row++ {
			targets[features(row)] = append(targets[features(row)], on.Y[row])
		}
		alike := 0
		for _, y := range targets {
			if slices.Min(y) != slices.Max(y) {
				alike += len(y)
			}
		}
		if want := map[int]int{0: 88, 3: 978}[on.Info.Copies.RandomFeatures]; alike != want {
			t.Errorf("%s: %d rows cannot be told from a row of another target, want %d", r.Dataset, alike, want)
		}

		given := map[string]any{}
		if err := json.Unmarshal([]byte(r.Config), &given); err != nil {
			t.Fatal(err)
		}
		c, err := Method().Resolve(given, on.Info)
		if err != nil {
			t.Fatal(err)
		}
		on.Seed = seed.Derive(r.Seed, r.Dataset, r.Protocol, r.Fold)
		model := &keptModel{Model: &Model{net: &network{Config: trainingConfig(on, c)}}, task: on, table: tableOf(on)}
		measured := predicted[run(r)]
		if measured == nil {
			t.Fatalf("%s: no predictions", run(r))
		}
		predictions := measured.Column("prediction")
		var best, want, apart, wantApart []float64 // apart are predictions for rows without another of the same features in their batch
		for _, rows := range model.Batches() {
			of := map[string][]float64{}
			tests := rows[len(rows)/2:] // after their copies, which are training rows
			for _, row := range tests {
				of[features(row)] = append(of[features(row)], truth.Y[row-on.Train-on.Val])
			}
			for _, row := range tests {
				i := row - on.Train - on.Val
				best, want = append(best, stat.Mean(of[features(row)], nil)), append(want, truth.Y[i])
				if len(of[features(row)]) == 1 {
					apart, wantApart = append(apart, predictions[i]), append(wantApart, truth.Y[i])
				}
			}
		}
		bound, got, run := stat.Correlation(best, want, nil), r.Test["correlation"], run(r)
		alone := stat.Correlation(apart, wantApart, nil)
		t.Logf("%s: r = %.5f, at best %.5f; of the %d rows that can be told apart %.5f", run, got, bound, len(apart), alone)
		if len(best) != on.Test || got > bound+1e-5 {
			t.Errorf("%s: %d rows, r = %v of at most %v", run, len(best), got, bound)
		}
		if alone <= 0.9999 {
			t.Errorf("%s: r = %v on rows that can be told apart", run, alone)
		}
		apartFrom = append(apartFrom, len(apart))
		if rmse := r.Test["rmse"]; bound < 0.99999 {
			bounds[run] = fmt.Sprintf("%.5f", bound)
		} else if got <= 0.9999 || rmse >= paper[r.Dataset]/2 {
			t.Errorf("%s: r = %v, RMSE %v, want above 0.9999 and less than half of the paper's %v", run, got, rmse, paper[r.Dataset])
		}
		large += largestErrors(t, on, measured, model.Batches())
	}
	said := map[string]string{"lookup, seed 42": "0.99977", "lookup-random, seed 43": "0.99979"}
	if len(trained) != 12 || !maps.Equal(bounds, said) || large != 9 || slices.Min(apartFrom) != 9122 || slices.Max(apartFrom) != 9144 {
		t.Errorf("%d trainings, bounds %v, %d errors above 4, %v rows that can be told apart", len(trained), bounds, large, apartFrom)
	}
}

// lookedUp has the features that a row and its copy have in common.
func lookedUp(on *task.Task, row int) []float32 {
	return on.Row(row)[:on.Width-on.Info.Copies.RandomFeatures]
}

// largestErrors prints the three largest errors, and counts those above 4, whose predictions are near the target of the nearest row in
// their batch.
func largestErrors(t *testing.T, on *task.Task, measured *results.Table, batches [][]int) (large int) {
	targets, predictions := measured.Column("target"), measured.Column("prediction")
	near, away, first := make([]int, on.Test), make([]float64, on.Test), on.Train+on.Val
	order := make([]int, on.Test)
	for _, rows := range batches {
		tests := rows[len(rows)/2:] // after their copies
		for _, row := range tests {
			i := row - first
			near[i], away[i] = nearest(on, row, tests)
			order[i] = i
		}
	}
	deviation := func(i int) float64 { return math.Abs(predictions[i] - targets[i]) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(deviation(b), deviation(a)) })
	for _, i := range order[:3] {
		t.Logf("  target %.2f, prediction %.2f; a row %.2f away has the target %.2f", targets[i], predictions[i], away[i], targets[near[i]-first])
	}
	for _, i := range order {
		if deviation(i) <= 4 {
			break
		}
		large++
		if off := math.Abs(predictions[i] - targets[near[i]-first]); off > 0.6 {
			t.Errorf("target %v, prediction %v, %v off that of the nearest row", targets[i], predictions[i], off)
		}
	}
	slices.Sort(away)
	t.Logf("  half of the rows have no other within %.2f", away[len(away)/2])
	return large
}

// nearest returns which other row is nearest by these features, and its Euclidean distance.
func nearest(on *task.Task, row int, rows []int) (near int, distance float64) {
	distance = math.Inf(1)
	for _, other := range rows {
		sum := 0.0
		for j, x := range lookedUp(on, other) {
			d := float64(x - lookedUp(on, row)[j])
			sum += d * d
		}
		if d := math.Sqrt(sum); other != row && d < distance {
			near, distance = other, d
		}
	}
	return near, distance
}
