package gbdt

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// A large one-hot table goes to XGBoost without its zeros. The same table with 2 for 1 goes as it is: the trees must be the
// same.
func TestXGBoostOneHotTables(t *testing.T) {
	needPython(t, XGBoost)
	for _, k := range kinds {
		sparse := oneHotTask(k.kind, k.classes)
		dense := *sparse
		dense.X = slices.Clone(sparse.X)
		for i := range dense.X {
			if i%dense.Width >= 2 {
				dense.X[i] *= 2
			}
		}
		for _, on := range []*task.Task{sparse, &dense} {
			f, err := xgboost.newFit(on, []method.Config{resolve(t, XGBoost, on.Info, 0.3, 2, 1)})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := trainers.fit(context.Background(), f.request())
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			if on == sparse {
				want = 100
			}
			if ones := bytes.Count(answer.bytes("ones"), []byte{1}); ones != want {
				t.Fatalf("%v: %d columns without their zeros, want %d", k.kind, ones, want)
			}
		}
		counts := []int{1, 7}
		ours, theirs := fitAll(t, XGBoost, sparse, 0.3, 6, counts...), fitAll(t, XGBoost, &dense, 0.3, 6, counts...)
		for i := range counts {
			if !slices.Equal(ours[i].Val, theirs[i].Val) || !slices.Equal(ours[i].Test, theirs[i].Test) {
				t.Errorf("%v, %d trees: the predictions differ", k.kind, counts[i])
			}
		}
		if slices.Max(ours[1].Test)-slices.Min(ours[1].Test) < 0.1 {
			t.Errorf("%v: nothing was learnt", k.kind)
		}
	}
}

// oneHotTask has two columns of numbers, some missing, then 100 of a category. Test rows have values that training rows do not.
func oneHotTask(kind dataset.Problem, classes int) *task.Task {
	rng := rand.New(rand.NewPCG(3, uint64(classes)))
	t := &task.Task{
		Info:  dataset.Info{Name: "one-hot", Problem: kind, Classes: classes},
		Train: 10_000, Val: 200, Test: 200, Width: 102, Threads: 1, TargetStd: 1,
	}
	effect := make([]float64, 100)
	for i := range effect {
		effect[i] = rng.NormFloat64()
	}
	t.X = make([]float32, t.Rows()*t.Width)
	for i := range t.Rows() {
		row := t.Row(i)
		row[0], row[1] = float32(math.Round(rng.NormFloat64()*8)/8), float32(rng.NormFloat64())
		if rng.IntN(10) == 0 {
			row[1] = float32(math.NaN())
		}
		category := min(int(rng.ExpFloat64()*20), 99)
		row[2+category] = 1
		if i >= t.Train {
			switch rng.IntN(5) {
			case 0:
				row[2+category] = 0 // no category
			case 1:
				row[2+rng.IntN(100)] = float32(math.NaN())
			case 2:
				row[2+category] = 0.75
			case 3:
				row[2+category] = 0.25
			}
		}
		if i >= t.Train+t.Val {
			continue
		}
		signal := effect[category] + float64(row[0]) + rng.NormFloat64()/4
		if kind == dataset.Regression {
			t.Y = append(t.Y, signal)
		} else {
			t.Labels = append(t.Labels, uint16(min(max((signal+2)/5*float64(classes), 0), float64(classes-1))))
		}
	}
	return t
}
