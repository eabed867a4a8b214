package knn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"nptbench/baselines/internal/papertest"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// BenchmarkRun measures whole runs on two threads, index included. "ns/row" is the time per row predicted.
func BenchmarkRun(b *testing.B) {
	numbers := func(n int) []int { return make([]int, n) }
	tests := []struct {
		name   string
		train  int
		widths []int
	}{
		{"9 numbers", 32000, numbers(9)},
		{"28 numbers", 100000, numbers(28)},
		{"10 categories", 22000, []int{4, 13, 4, 13, 4, 13, 4, 13, 4, 13}},
		{"14 numbers and 18 categories", 50000, append(numbers(14), slices.Repeat([]int{2, 12, 3}, 6)...)},
	}
	for _, tt := range tests {
		tk := randomTask(rand.New(rand.NewPCG(1, 2)), tt.train+2000, tt.train, tt.widths, 0)
		for _, k := range []int{5, 25, 1000} {
			b.Run(fmt.Sprintf("%s/k=%d", tt.name, k), func(b *testing.B) { benchmark(b, tk, k) })
		}
	}
}

// BenchmarkPaper measures whole runs on the paper's tables, with the largest k of its grids.
func BenchmarkPaper(b *testing.B) {
	for _, tt := range []struct {
		dataset string
		k       int
	}{{"protein", 1000}, {"kick", 1000}, {"poker-hand", 1000}, {"income", 1000}, {"forest-cover", 25}} {
		b.Run(tt.dataset, func(b *testing.B) {
			tk, _ := papertest.Fold(b, papertest.Load(b, tt.dataset), split.Published, 0)
			benchmark(b, tk, tt.k)
		})
	}
}

func benchmark(b *testing.B, tk *task.Task, k int) {
	batch := []method.Config{config(k, "distance", 2)}
	var fit, predict time.Duration
	for b.Loop() {
		err := Method.Run(context.Background(), tk, batch, func(r method.Result) {
			fit += r.Fit
			predict += r.Predict
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	runs := float64(b.N)
	b.ReportMetric(fit.Seconds()/runs, "fit-s/op")
	b.ReportMetric(float64(predict.Nanoseconds())/runs/float64(tk.Val+tk.Test), "ns/row")
}
