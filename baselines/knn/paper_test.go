package knn

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"nptbench/baselines/internal/papertest"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// The k-NN grids of the paper, Tables 23 to 25. Algorithm and leaf size matter to scikit-learn's ties alone.
var (
	small      = []int{2, 5, 7, 10, 20, 30, 40, 50, 75, 100}
	medium     = []int{2, 5, 7, 10, 25, 50, 100, 250, 500, 1000}
	algorithms = []string{"ball_tree", "kd_tree", "brute"}
	both       = []string{"uniform", "distance"}
	smallGrid  = grid(small, both, []string{"auto"}, []int{30}, []int{1, 2}, "first")
	smallTies  = grid(small, both, algorithms, []int{10, 30, 50, 100}, []int{1, 2}, "scikit-learn")
	mediumGrid = grid(medium, both[1:], []string{"auto"}, []int{30}, []int{2}, "first")
	mediumTies = grid(medium, both[1:], []string{"auto"}, []int{30}, []int{2}, "scikit-learn")
	forestTies = grid([]int{2, 3, 4, 5, 7, 10, 12, 15, 20, 25}, both[1:], []string{"auto"}, []int{30}, []int{2}, "scikit-learn")
)

func grid(ks []int, weights, algorithms []string, leafSizes, ps []int, ties string) (configs []method.Config) {
	for _, k := range ks {
		for _, w := range weights {
			for _, a := range algorithms {
				for _, l := range leafSizes {
					for _, p := range ps {
						c := config(k, w, p).With("algorithm", a).With("leaf_size", l).With("ties", ties)
						configs = append(configs, c)
					}
				}
			}
		}
	}
	return configs
}

// Under the published protocol exact k-NN gives the paper's numbers to the printed digit. On Yacht, whose distances are
// small integers, and on Poker Hand that takes scikit-learn's ties; on Concrete they move the fourth digit.
func TestPaper(t *testing.T) {
	type metrics map[string]string
	tests := []struct {
		dataset  string
		protocol split.Protocol
		grid     []method.Config
		long     bool
		want     metrics
	}{
		{"boston-housing", split.Published, smallGrid, false, metrics{"rmse": "4.2746"}},
		{"boston-housing", split.Corrected, smallGrid, false, metrics{"rmse": "3.7741"}},
		{"concrete", split.Published, smallGrid, false, metrics{"rmse": "8.5086"}},
		{"concrete", split.Published, smallTies, true, metrics{"rmse": "8.5089"}},
		{"yacht", split.Published, smallGrid, false, metrics{"rmse": "11.8768"}},
		{"yacht", split.Published, smallTies, false, metrics{"rmse": "12.0187"}},
		{"breast-cancer", split.Published, smallGrid, false,
			metrics{"accuracy": "95.2600", "nll": "0.4660", "auroc": "0.9803"}},
		{"protein", split.Published, mediumGrid, false, metrics{"rmse": "3.7702"}},
		{"protein", split.Published, mediumTies, false, metrics{"rmse": "3.7702"}},
		{"kick", split.Published, mediumTies, true, metrics{"accuracy": "87.71", "nll": "0.3329", "auroc": "0.7469"}},
		{"poker-hand", split.Published, mediumGrid, true, metrics{"accuracy": "50.33", "nll": "0.9781"}},
		{"poker-hand", split.Published, mediumTies, true, metrics{"accuracy": "50.38", "nll": "0.9770"}},
		{"income", split.Published, mediumTies, true, metrics{"accuracy": "94.80", "nll": "0.139", "auroc": "0.932"}},
		{"forest-cover", split.Published, forestTies, true, metrics{"accuracy": "90.67", "nll": "0.274"}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s/%s/%s", tt.dataset, tt.protocol, tt.grid[0].String("ties")), func(t *testing.T) {
			if tt.long && os.Getenv("NPT_LONG_TESTS") == "" {
				t.Skip("takes minutes; NPT_LONG_TESTS=1 runs it")
			}
			table := papertest.Load(t, tt.dataset)
			sum := map[string]float64{}
			for fold := range table.Info.RunFolds {
				tk, truth := papertest.Fold(t, table, tt.protocol, fold)
				for name, v := range best(t, tk, truth, tt.grid) {
					sum[name] += v / float64(table.Info.RunFolds)
				}
			}
			for name, want := range tt.want {
				_, decimals, _ := strings.Cut(want, ".")
				if got := fmt.Sprintf("%.*f", len(decimals), sum[name]); got != want {
					t.Errorf("mean test %s is %s (%v), want %s", name, got, sum[name], want)
				}
			}
		})
	}
}

// best runs a grid, selects by validation loss, the first of equal ones, and returns the test metrics.
func best(t *testing.T, tk *task.Task, truth *task.Truth, grid []method.Config) map[string]float64 {
	t.Helper()
	results := make([]method.Result, len(grid))
	for p := 1; p <= 2; p++ {
		var batch []method.Config
		var place []int
		for i, c := range grid {
			if c.Int("p") == p {
				batch, place = append(batch, c), append(place, i)
			}
		}
		start := time.Now()
		for i, r := range runAll(t, tk, batch) {
			results[place[i]] = r
		}
		if took := time.Since(start); took > time.Second {
			t.Logf("%s, p = %d: %.1f s", tk.Info.Name, p, took.Seconds())
		}
	}
	chosen, lowest := 0, math.Inf(1)
	for i, r := range results {
		if loss := loss(tk, r); loss < lowest {
			chosen, lowest = i, loss
		}
	}
	return scores(tk, truth, results[chosen])
}

func loss(tk *task.Task, r method.Result) float64 {
	if tk.Info.Problem.Classification() {
		nll, _ := metric.LogLoss(r.Val, tk.Labels[tk.Train:], tk.Info.Classes)
		return nll
	}
	mse, _ := metric.MeanSquaredError(r.Val, tk.Y[tk.Train:])
	return mse
}

func scores(tk *task.Task, truth *task.Truth, r method.Result) map[string]float64 {
	if tk.Info.Problem == dataset.Regression {
		mse, _ := metric.MeanSquaredError(r.Test, truth.Y)
		return map[string]float64{"rmse": math.Sqrt(mse) * tk.TargetStd}
	}
	s := map[string]float64{}
	s["accuracy"], _ = metric.PercentCorrect(r.Test, truth.Labels, tk.Info.Classes)
	s["nll"], _ = metric.LogLoss(r.Test, truth.Labels, tk.Info.Classes)
	if tk.Info.Problem == dataset.Binary {
		positive := make([]float64, tk.Test)
		for i := range positive {
			positive[i] = r.Test[2*i+1]
		}
		s["auroc"], _ = metric.AreaUnderROC(positive, truth.Labels)
	}
	return s
}
