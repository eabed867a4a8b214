package task

import (
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/seed"
)

// addCopies gives every row of a regression task a copy among the training rows. What is random is drawn once for a data set
// and fold.
func addCopies(t *Task, truth *Truth, c *dataset.Copies) {
	rng := seed.Rand(0, "copies", t.Info.Name, t.Fold)
	randomise := func(x []float32) []float32 {
		for row := range slices.Chunk(x, t.Width) {
			for j := t.Width - c.RandomFeatures; j < t.Width; j++ {
				row[j] = float32(1 + rng.NormFloat64())
			}
		}
		return x
	}
	copies, x := randomise(slices.Clone(t.X)), t.X
	if !c.Flagged {
		x = randomise(x)
	}
	var y []float64
	for _, v := range slices.Concat(t.Y, truth.Y) {
		y = append(y, v+c.Add)
	}
	at := t.Train * t.Width
	t.X = slices.Concat(x[:at], copies, x[at:])
	t.Y = slices.Concat(t.Y[:t.Train], y, t.Y[t.Train:])
	if t.TargetFeatures != nil {
		t.Missing = slices.Insert(t.Missing, at, t.Missing...)
		t.TargetFeatures = slices.Insert(t.TargetFeatures, t.Train, t.TargetFeatures...)
	}
	t.Copies = len(copies) / t.Width
	own, d := t.Train, len(t.Features)
	t.Train += t.Copies
	if c.Flagged {
		t.Missing = make([]bool, t.Rows()*d)
		for row := range slices.Chunk(t.Missing[own*d:t.Train*d], d) {
			for j := range c.RandomFeatures {
				row[d-1-j] = true
			}
		}
	}
}
