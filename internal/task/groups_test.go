package task

import (
	"fmt"
	"slices"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/split"
)

// A task has the groups of its training rows alone, also when rows are selected; without groups it has none.
func TestGroups(t *testing.T) {
	dir, rows := t.TempDir(), "patient,x,y\n"
	for i := range 60 {
		rows += fmt.Sprintf("%d,%d,%d\n", i%12, i%12, i)
	}
	const declaration = "rows: 60\ncolumns: {patient: skip, x: number, y: number}\ntarget: y\n"
	datasettest.Write(t, dir, "kept", declaration+"split: {folds: 10, groups: patient}\n", rows)
	datasettest.Write(t, dir, "free", declaration+"split: {folds: 10}\n", rows)
	library := &dataset.Library{Dirs: []string{dir}, CacheDir: t.TempDir()}
	kept, _, err := new(Loader).Load(t.Context(), library, Spec{Dataset: "kept", Protocol: split.Corrected, Fold: 3})
	if err != nil || len(kept.Groups) != kept.Train {
		t.Fatalf("%v, %d groups of %d training rows", err, len(kept.Groups), kept.Train)
	}
	for i, group := range kept.Groups { // a patient has one x, and no other patient has it
		for j, other := range kept.Groups[:i] {
			if (group == other) != (kept.Row(i)[0] == kept.Row(j)[0]) {
				t.Errorf("rows %d and %d have groups %d and %d, x %v and %v", i, j, group, other, kept.Row(i), kept.Row(j))
			}
		}
	}
	if s := kept.Select([]int{2, 5, kept.Train, kept.Train + kept.Val}); !slices.Equal(s.Groups, []uint16{kept.Groups[2], kept.Groups[5]}) {
		t.Errorf("of training rows 2 and 5 of %d: %d", kept.Groups, s.Groups)
	}
	if free, _, err := new(Loader).Load(t.Context(), library, Spec{Dataset: "free", Protocol: split.Corrected}); err != nil || free.Groups != nil {
		t.Errorf("%v, groups %d", err, free.Groups)
	}
}
