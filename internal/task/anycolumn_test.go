package task

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/split"
)

// anyColumn makes a task of a table of continuous columns, of which any can be the target.
func anyColumn(t *testing.T, table *dataset.Table) (*Task, *Truth) {
	t.Helper()
	of := *table
	of.Info.Copies = &dataset.Copies{AnyColumn: true}
	got, truth, err := FromTable(&of, split.Published, 0, TrainRows)
	if err != nil {
		t.Fatal(err)
	}
	return got, truth
}

func tail(t *testing.T) *dataset.Table {
	t.Helper()
	table, err := datasettest.Library(t).Load(t.Context(), "tail")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// original is the row of a task without copies that a row is, or is a copy of.
func original(t *Task, row int) int {
	switch own := t.Train - t.Copies; {
	case row < own:
		return row
	case row < t.Train:
		return row - own
	}
	return row - t.Copies
}

// Every row has all columns of the table but one, which is its target; a row and its copy have the same one.
func TestAnyColumn(t *testing.T) {
	table := tail(t)
	plain, plainTruth, err := FromTable(table, split.Published, 0, TrainRows)
	if err != nil {
		t.Fatal(err)
	}
	got, truth := anyColumn(t, table)
	n := plain.Rows()
	if got.Copies != n || got.Train != plain.Train+n || got.Val != plain.Val || got.Test != plain.Test || got.Width != 3 ||
		len(got.TargetFeatures) != 2*n || len(got.Y) != got.Train+got.Val || len(truth.Y) != got.Test {
		t.Fatalf("%d copies of %d rows, %d wide, %d targets of %d, %d", got.Copies, n, got.Width, len(got.Y), len(got.TargetFeatures), len(truth.Y))
	}
	if got.Features[2].Name != "sum" || got.TargetMean != 0 || got.TargetStd != 1 {
		t.Errorf("features %v, targets of mean %v and deviation %v", got.Features, got.TargetMean, got.TargetStd)
	}
	y, whole := slices.Concat(got.Y, truth.Y), slices.Concat(plain.Y, plainTruth.Y)
	for i := range got.Rows() {
		of := original(got, i)
		row := append(slices.Clone(plain.Row(of)), float32(whole[of]))
		target := got.TargetFeatures[i]
		if copied := got.TargetFeatures[got.Train-n+of]; copied != target || y[i] != float64(row[target]) {
			t.Fatalf("row %d: target %v in column %d, of the copy %d; the row is %v", i, y[i], target, copied, row)
		}
		row[target] = 0
		hidden := make([]bool, 3)
		hidden[target] = true
		if !slices.Equal(got.Row(i), row) || !slices.Equal(got.Missing[3*i:3*i+3], hidden) {
			t.Fatalf("row %d: %v, missing %v; want %v, missing %v", i, got.Row(i), got.Missing[3*i:3*i+3], row, hidden)
		}
	}
	if again, againTruth := anyColumn(t, table); !reflect.DeepEqual(again, got) || !reflect.DeepEqual(againTruth, truth) {
		t.Error("not the same each time")
	}
	if want := []int{2, 2, 0, 2, 0, 2, 0, 2}; !slices.Equal(got.TargetFeatures[:8], want) { // fixed for ever, as those of copies are
		t.Errorf("the first rows have the targets %v, want %v", got.TargetFeatures[:8], want)
	}
}

// What is hidden in a test row reaches a method as the target of its copy, and in no other way.
func TestHiddenEntriesDoNotLeak(t *testing.T) {
	table := tail(t)
	before, truth := anyColumn(t, table)
	rows, err := split.Make(split.RuleOf(table), split.Published, 0)
	if err != nil {
		t.Fatal(err)
	}
	for at := range before.Test {
		i := before.Train + before.Val + at
		column, row := &table.Columns[before.TargetFeatures[i]], int(rows.Test[at])
		value := column.Float(row)
		set := func(v float64) {
			if column.F32 != nil {
				column.F32[row] = float32(v)
			} else {
				column.F64[row] = v
			}
		}
		set(value + 1000)
		after, moved := anyColumn(t, table)
		set(value)
		copied := before.Train - before.Copies + original(before, i)
		if moved.Y[at] == truth.Y[at] || after.Y[copied] != moved.Y[at] {
			t.Fatalf("test row %d: target %v, of its copy %v", at, moved.Y[at], after.Y[copied])
		}
		after.Y[copied] = before.Y[copied]
		if !reflect.DeepEqual(after, before) {
			t.Fatalf("the hidden entry of test row %d is seen elsewhere than in its copy", at)
		}
	}
}

// All columns are equally likely, and another fold has another draw.
func TestDrawnColumnsAreUniform(t *testing.T) {
	const rows, columns = 20_000, 10
	draw := func(fold int) []int {
		task := &Task{Info: dataset.Info{Name: "toy", Target: 4}, Fold: fold, Train: rows, Width: columns - 1, X: make([]float32, rows*(columns-1)), Y: make([]float64, rows)}
		task.Features = make([]Feature, columns-1)
		drawTargets(task, &Truth{}, "target")
		return task.TargetFeatures
	}
	first, same, number := draw(0), 0, make([]float64, columns)
	for i, j := range draw(1) {
		number[first[i]]++
		if j == first[i] {
			same++
		}
	}
	chi2 := 0.0
	for _, n := range number {
		chi2 += math.Pow(n-rows/columns, 2) / (rows / columns)
	}
	if chi2 > 27.9 { // one in a thousand, with nine degrees of freedom
		t.Errorf("columns are drawn %v times", number)
	}
	if sd := math.Sqrt(rows * 0.1 * 0.9); math.Abs(float64(same)-rows/columns) > 4*sd {
		t.Errorf("two folds agree in %d of %d rows", same, rows)
	}
}

// Selected rows keep their target columns.
func TestSelectAnyColumn(t *testing.T) {
	on, _ := anyColumn(t, tail(t))
	rows := []int{1, on.Train - 1, on.Train, on.Rows() - 1}
	some := on.Select(rows)
	for i, row := range rows {
		if some.TargetFeatures[i] != on.TargetFeatures[row] || some.Missing[3*i+some.TargetFeatures[i]] != true {
			t.Errorf("row %d: column %d, want %d", row, some.TargetFeatures[i], on.TargetFeatures[row])
		}
	}
}
