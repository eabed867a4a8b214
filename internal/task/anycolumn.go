package task

import (
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/seed"
)

// drawTargets makes the target of a regression task a feature like the others, called name, and one feature of each row its target:
// that entry is hidden from the row, and its standardised value is what is to be predicted. The draw is made once for a data set
// and fold, and every feature is equally likely. All features are continuous, and no entries are missing.
func drawTargets(t *Task, truth *Truth, name string) {
	place, width := t.Info.Target, t.Width+1
	t.Features = slices.Insert(t.Features, place, Feature{Name: name, Type: dataset.Continuous, Width: 1})
	for j := range t.Features {
		t.Features[j].Offset = j
	}
	known, y := len(t.Y), slices.Concat(t.Y, truth.Y)
	x, missing, targets := make([]float32, 0, len(y)*width), make([]bool, len(y)*width), make([]int, len(y))
	rng := seed.Rand(0, "target columns", t.Info.Name, t.Fold)
	for i := range y {
		x = append(x, slices.Insert(slices.Clone(t.Row(i)), place, float32(y[i]))...)
		targets[i] = rng.IntN(width)
		at := i*width + targets[i]
		y[i], x[at], missing[at] = float64(x[at]), 0, true
	}
	t.X, t.Width, t.Missing, t.TargetFeatures = x, width, missing, targets
	t.Y, truth.Y = slices.Clip(slices.Clone(y[:known])), slices.Clone(y[known:])
	t.TargetMean, t.TargetStd = 0, 1
}
