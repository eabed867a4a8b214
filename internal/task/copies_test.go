package task

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
)

func copied(c dataset.Copies) (*Task, *Truth) {
	t := &Task{
		Info: dataset.Info{Name: "toy", Copies: &c}, Train: 2, Val: 1, Test: 1, Width: 2, Features: make([]Feature, 2),
		X: []float32{1, 2, 3, 4, 5, 6, 7, 8}, Y: []float64{10, 20, 30},
	}
	truth := &Truth{Y: []float64{40}}
	addCopies(t, truth, &c)
	return t, truth
}

// Every row has its copy among the training rows, with its target; the rows themselves stay as they were.
func TestCopies(t *testing.T) {
	for _, c := range []dataset.Copies{{}, {Add: 1}} {
		got, truth := copied(c)
		if got.Train != 6 || got.Copies != 4 || got.Val != 1 || got.Test != 1 {
			t.Errorf("%d training rows with %d copies, %d, %d", got.Train, got.Copies, got.Val, got.Test)
		}
		if want := []float32{1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8}; !slices.Equal(got.X, want) {
			t.Errorf("features %v", got.X)
		}
		a := c.Add
		if want := []float64{10, 20, 10 + a, 20 + a, 30 + a, 40 + a, 30}; !slices.Equal(got.Y, want) || truth.Y[0] != 40 {
			t.Errorf("targets %v, of the test row %v", got.Y, truth.Y)
		}
	}
}

// Random features are N(1, 1), differ between a row and its copy, and are the same each time.
func TestRandomFeaturesOfCopies(t *testing.T) {
	got, _ := copied(dataset.Copies{RandomFeatures: 1})
	again, _ := copied(dataset.Copies{RandomFeatures: 1})
	if !slices.Equal(got.X, again.X) {
		t.Error("not the same each time")
	}
	if x := got.X[1]; x != 1.2462877 { // fixed for ever: others would be other data under the same name
		t.Errorf("the first random feature is %v, want 1.2462877", x)
	}
	seen := map[float32]bool{}
	for i := range got.Rows() {
		row := got.Row(i)
		if i < 2 && row[0] != got.Row(i + 2)[0] {
			t.Errorf("feature 0 of row %d is %v, of its copy %v", i, row[0], got.Row(i + 2)[0])
		}
		if seen[row[1]] {
			t.Errorf("random feature %v of row %d is that of another", row[1], i)
		}
		seen[row[1]] = true
	}
	const rows = 20_000 // half of them copies
	c := dataset.Copies{RandomFeatures: 1}
	many := &Task{Train: rows / 2, Width: 1, Features: make([]Feature, 1), X: make([]float32, rows/2), Y: make([]float64, rows/2)}
	addCopies(many, &Truth{}, &c)
	var x []float64
	for _, v := range many.X {
		x = append(x, float64(v))
	}
	mean, sd := stat.MeanStdDev(x, nil)
	if tolerance := 4 / math.Sqrt(rows); len(x) != rows || !(math.Abs(mean-1) <= tolerance) || !(math.Abs(sd-1) <= tolerance) {
		t.Errorf("%d random features have mean %v and standard deviation %v, want 1 and 1", len(x), mean, sd)
	}
}

// As the paper's code makes them, random features are those of copies alone, and flagged there.
func TestFlaggedFeaturesOfCopies(t *testing.T) {
	got, _ := copied(dataset.Copies{RandomFeatures: 1, Flagged: true})
	if own := slices.Concat(got.X[:4], got.X[12:]); !slices.Equal(own, []float32{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("rows themselves are %v", own)
	}
	for i := range got.Rows() {
		copied, row := i >= 2 && i < 6, got.Row(i)
		if copied && (row[0] != float32(2*i-3) || row[1] == float32(2*i-2)) {
			t.Errorf("row %d, a copy, is %v", i, row)
		}
		if flags := got.Missing[2*i : 2*i+2]; flags[0] || flags[1] != copied {
			t.Errorf("row %d is flagged %v", i, flags)
		}
	}
}

// Each fold has random features of its own.
func TestCopiesOfFolds(t *testing.T) {
	x := func(fold int) []float32 {
		c := dataset.Copies{RandomFeatures: 1}
		got := &Task{Info: dataset.Info{Name: "toy", Copies: &c}, Fold: fold, Train: 2, Val: 1, Test: 1, Width: 1, Features: make([]Feature, 1),
			X: make([]float32, 4), Y: []float64{1, 2, 3}}
		addCopies(got, &Truth{Y: []float64{4}}, &c)
		return got.X
	}
	if slices.Equal(x(0), x(1)) {
		t.Error("two folds have the same random features")
	}
}

// Copies are the last of the training rows, also of those that are selected.
func TestSelectCopies(t *testing.T) {
	got, _ := copied(dataset.Copies{})
	if s := got.Select([]int{1, 2, 6, 7}); s.Train != 2 || s.Copies != 1 {
		t.Errorf("%d training rows, %d copies", s.Train, s.Copies)
	}
}
