package forest

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"nptbench/baselines/internal/papertest"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// reference is what testdata/reference.py recorded of scikit-learn's forests, by "data set criterion rule".
type reference map[string]*struct {
	Trees, Train, Test, Width int
	Score                     []float64 // by seed
	Nodes                     []float64 // by seed: mean number of nodes of a tree
}

// Forests are scikit-learn's in distribution (for mae, its trees on samples with repeated rows): over seeds, test scores and the sizes of
// trees cannot be told apart.
func TestEqualToScikitLearn(t *testing.T) {
	b, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref reference
	if err := json.Unmarshal(b, &ref); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"boston-housing", "concrete", "yacht", "breast-cancer", "protein", "kick", "poker-hand", "income", "forest-cover",
	} {
		t.Run(name, func(t *testing.T) {
			if os.Getenv("NPT_LONG_TESTS") == "" && !slices.Contains([]string{"boston-housing", "concrete", "yacht", "breast-cancer"}, name) {
				t.Skip("takes minutes; NPT_LONG_TESTS=1 runs it")
			}
			tk, truth := papertest.Fold(t, papertest.Load(t, name), split.Corrected, 0)
			for key, want := range ref {
				fields := strings.Fields(key)
				if fields[0] != name {
					continue
				}
				if want.Train != tk.Train || want.Test != tk.Test || want.Width != tk.Width {
					t.Errorf("%d and %d rows, width %d; scikit-learn had %d and %d, width %d",
						tk.Train, tk.Test, tk.Width, want.Train, want.Test, want.Width)
				}
				scores, nodes := measure(t, tk, truth, fields[1], fields[2], want.Trees, len(want.Score))
				compare(t, key+" score", scores, want.Score)
				compare(t, key+" nodes", nodes, want.Nodes)
			}
		})
	}
}

// measure does with our forests what testdata/reference.py did with scikit-learn's.
func measure(t *testing.T, tk *task.Task, truth *task.Truth, criterion, rule string, trees, seeds int) (scores, nodes []float64) {
	t.Helper()
	d := trainingRows(tk)
	o := options{criterion: criterion, maxFeatures: MaxFeatures(rule, tk.Width), threads: 2}
	n, err := newBuilder(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range seeds {
		grown, err := n.grow(t.Context(), seed*trees, (seed+1)*trees)
		if err != nil {
			t.Fatal(err)
		}
		f := forest{width: tk.Width, outputs: n.outputs, trees: grown}
		p := f.predict(tk.TestX(), 2)
		if tk.Info.Problem.Classification() {
			loss := 0.0
			for i, label := range truth.Labels {
				loss -= math.Log(max(1e-15, p[i*n.outputs+int(label)])) / float64(tk.Test)
			}
			scores = append(scores, loss)
		} else {
			mse, _ := metric.MeanSquaredError(p, truth.Y)
			scores = append(scores, math.Sqrt(mse))
		}
		size := 0.0
		for i := range grown {
			size += float64(len(grown[i].nodes)) / float64(trees)
		}
		nodes = append(nodes, size)
	}
	return scores, nodes
}

// compare fails when the two samples are not of one distribution: Kolmogorov and Smirnov's test at the level of 0.001,
// and Welch's test of the means at the same level.
func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	distance := stat.KolmogorovSmirnov(slices.Sorted(slices.Values(got)), nil, slices.Sorted(slices.Values(want)), nil)
	n, m := float64(len(got)), float64(len(want))
	critical := math.Sqrt(-math.Log(0.001/2) / 2 * (n + m) / (n * m))
	meanGot, varGot := stat.MeanVariance(got, nil)
	meanWant, varWant := stat.MeanVariance(want, nil)
	z := (meanGot - meanWant) / math.Sqrt(varGot/n+varWant/m)
	verdict := "as"
	if !(distance <= critical) || !(math.Abs(z) <= 3.4) {
		verdict = "NOT as"
		t.Fail()
	}
	t.Logf("%s: %.5g ± %.2g, %s scikit-learn's %.5g ± %.2g (z = %.2f, distance %.3f of %.3f)",
		what, meanGot, math.Sqrt(varGot), verdict, meanWant, math.Sqrt(varWant), z, distance, critical)
}
