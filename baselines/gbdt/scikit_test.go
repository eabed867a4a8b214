package gbdt

import (
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A large table of zeros goes to scikit-learn as a sparse matrix. With one added to every feature it has no zeros, and
// goes as it is: the trees must be the same.
func TestScikitLearnSparseTables(t *testing.T) {
	needPython(t, GradientBoosting)
	for _, k := range kinds {
		sparse := oneHotTask(k.kind, k.classes)
		for i, v := range sparse.X {
			if math.IsNaN(float64(v)) { // scikit-learn has none
				sparse.X[i] = 0
			} else if i%sparse.Width == 1 {
				sparse.X[i] = float32(math.Round(float64(v)*1024) / 1024) // exact when one is added
			}
		}
		entries := sparse.X[:sparse.Train*sparse.Width]
		zeros := 0
		for _, v := range entries {
			if v == 0 {
				zeros++
			}
		}
		if len(entries) < 1_000_000 || zeros < len(entries)*19/20 {
			t.Fatalf("%d of %d entries are zero: that is no sparse table", zeros, len(entries))
		}
		dense := *sparse
		dense.X = slices.Clone(sparse.X)
		for i := range dense.X {
			dense.X[i]++
		}
		counts := []int{1, 7}
		ours := fitAll(t, GradientBoosting, sparse, 0.3, 3, counts...)
		theirs := fitAll(t, GradientBoosting, &dense, 0.3, 3, counts...)
		for i, n := range counts {
			for _, pair := range [][2][]float64{{ours[i].Val, theirs[i].Val}, {ours[i].Test, theirs[i].Test}} {
				if d := largestDifference(pair[0], pair[1]); !(d <= 1e-9) {
					t.Errorf("%v, %d trees: predictions differ by %g", k.kind, n, d)
				}
			}
		}
		if slices.Max(ours[1].Test)-slices.Min(ours[1].Test) < 0.1 {
			t.Errorf("%v: nothing was learnt", k.kind)
		}
	}
}

func largestDifference(a, b []float64) (d float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// What scikit-learn's fit is given: a sparse matrix for tables that are large and mostly zeros, and for no others.
func TestScikitLearnTakesSparseTables(t *testing.T) {
	needPython(t, GradientBoosting)
	python, err := pythonPath()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-B", "-c", `
import numpy as np, trainer
from scipy.sparse import issparse

for rows, width, share in ((10_000, 100, 0.05), (10_000, 100, 0.06), (9_999, 100, 0.05)):
    library = trainer.ScikitLearn(False, 0, 1, {})
    library.model.fit = lambda x, y, monitor: print(issparse(x))
    x = np.zeros((rows, width), np.float32)
    x[:, :round(share * width)] = 1
    library.fit(x, x[:, 0])
`).Output()
	if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != "True False False" {
		t.Errorf("%v: %s, want True False False", err, got)
	}
}
