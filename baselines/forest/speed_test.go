package forest

import (
	"fmt"
	"testing"

	"nptbench/baselines/internal/papertest"
	"nptbench/internal/split"
	"nptbench/internal/subprocess"
)

// BenchmarkFit grows trees on the training rows of fold 0, on one thread (beside scikit-learn: baselines/bench). Times are of the
// processor, so that other work on the machine matters less. What is done once for a forest, however many trees it has, is given apart.
func BenchmarkFit(b *testing.B) {
	for _, c := range []struct {
		dataset, criterion, rule string
		trees                    int
	}{
		{"boston-housing", MSE, "auto", 50},
		{"boston-housing", MAE, "auto", 50},
		{"breast-cancer", Gini, "sqrt", 50},
		{"protein", MSE, "auto", 10},
		{"protein", MSE, "sqrt", 10},
		{"protein", MAE, "auto", 10},
		{"protein", MAE, "sqrt", 10},
		{"kick", Gini, "sqrt", 20},
		{"kick", Entropy, "sqrt", 20},
		{"poker-hand", Gini, "sqrt", 20},
		{"income", Gini, "sqrt", 10},
		{"forest-cover", Gini, "sqrt", 10},
		{"forest-cover", Entropy, "sqrt", 10},
	} {
		b.Run(fmt.Sprintf("%s/%s/%s", c.dataset, c.criterion, c.rule), func(b *testing.B) {
			tk, _ := papertest.Fold(b, papertest.Load(b, c.dataset), split.Corrected, 0)
			d := trainingRows(tk)
			o := options{criterion: c.criterion, maxFeatures: MaxFeatures(c.rule, tk.Width), threads: 1}
			start := subprocess.OwnTime()
			n, err := newBuilder(b.Context(), d, o)
			if err != nil {
				b.Fatal(err)
			}
			once := subprocess.OwnTime() - start
			start = subprocess.OwnTime()
			trees := 0
			for b.Loop() {
				if _, err := n.grow(b.Context(), trees, trees+c.trees); err != nil {
					b.Fatal(err)
				}
				trees += c.trees
			}
			b.ReportMetric(once.Seconds()*1000, "cpu-ms/forest")
			b.ReportMetric((subprocess.OwnTime()-start).Seconds()*1000/float64(trees), "cpu-ms/tree")
		})
	}
}

// BenchmarkPredict predicts the test rows of Protein by 50 trees, on one thread.
func BenchmarkPredict(b *testing.B) {
	tk, _ := papertest.Fold(b, papertest.Load(b, "protein"), split.Corrected, 0)
	f := fit(b, *trainingRows(tk), options{criterion: MSE, maxFeatures: 3, threads: 2}, 50)
	for b.Loop() {
		f.predict(tk.TestX(), 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(50*tk.Test), "ns/row/tree")
}
