package knn

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nptbench/internal/method"
	"nptbench/internal/task"
)

// randomTask makes rows of features with the given widths, 0 for continuous ones. Numbers are small multiples of 1/4,
// so that distances are exact in whatever order they are summed, and ties abound.
func randomTask(rng *rand.Rand, n, train int, widths []int, missing float64) *task.Task {
	x := make([][]float32, n)
	y := make([]float64, n)
	for i := range x {
		y[i] = rng.NormFloat64()
		for _, w := range widths {
			switch gap := rng.Float64() < missing; {
			case w == 0 && gap:
				x[i] = append(x[i], 0)
			case w == 0:
				x[i] = append(x[i], float32(math.Round(rng.NormFloat64()*8)/4))
			default:
				onehot := make([]float32, w)
				if !gap {
					onehot[rng.IntN(w)] = 1
				}
				x[i] = append(x[i], onehot...)
			}
		}
	}
	return newTask(x, widths, train, (n-train)/2, 0, y)
}

// bruteForce sorts the training rows by their distance in the encoded columns, without any of the search's ideas.
func bruteForce(t *task.Task, query, p int) []neighbour {
	all := make([]neighbour, t.Train)
	for i := range all {
		sum := 0.0
		for j, v := range t.Row(i) {
			d := math.Abs(float64(v) - float64(t.Row(query)[j]))
			if p == 2 {
				d *= d
			}
			sum += d
		}
		all[i] = neighbour{sum, int32(i)}
	}
	slices.SortFunc(all, compare)
	return all
}

func TestSearchIsExact(t *testing.T) {
	tests := []struct {
		name     string
		n, train int
		widths   []int
		missing  float64
	}{
		{"one block", 40, 30, []int{0, 0}, 0},
		{"two blocks", 80, 33, []int{0, 3}, 0},
		{"one node", 1100, 1024, []int{0, 4, 0}, 0.1},
		{"two nodes", 1100, 1025, []int{5, 0}, 0},
		{"three levels", 34000, 33960, []int{0, 0, 3}, 0.05},
		{"many categories", 2000, 1900, []int{600, 0, 2}, 0.05},
		{"categories only", 3000, 2900, []int{4, 13, 4, 13}, 0},
		{"many features", 1500, 1400, slices.Repeat([]int{2, 0}, 40), 0.02},
		{"more differences than a byte can count", 300, 200, slices.Repeat([]int{7}, 300), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tk := randomTask(rand.New(rand.NewPCG(1, 2)), tt.n, tt.train, tt.widths, tt.missing)
			for _, p := range []int{1, 2} {
				checkSearch(t, tk, p, []int{1, 3, 20, min(tt.train, 2000)})
			}
		})
	}
}

func checkSearch(t *testing.T, tk *task.Task, p int, ks []int) {
	t.Helper()
	r, err := newRows(context.Background(), tk, p, 2)
	if err != nil {
		t.Fatal(err)
	}
	x, err := newIndex(context.Background(), r, tk.Train, 2)
	if err != nil {
		t.Fatal(err)
	}
	for from := tk.Train; from < tk.Rows(); from += fanout {
		var group []int32
		var want [][]neighbour
		for i := from; i < min(from+fanout, tk.Rows()); i++ {
			group = append(group, int32(i))
			want = append(want, bruteForce(tk, i, p))
		}
		for _, k := range ks {
			s := newSearch(x, k)
			s.run(group)
			for i := range group {
				if got := s.found[i].sorted(); !slices.Equal(got, want[i][:k]) {
					t.Fatalf("p %d, k %d, row %d: neighbours %v, want %v", p, k, group[i], got, want[i][:k])
				}
			}
		}
	}
}

func compare(a, b neighbour) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.row, b.row))
}

func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		list := make([]neighbour, 1+rng.IntN(100))
		for i := range list {
			list[i] = neighbour{float64(rng.IntN(6)), int32(i)}
		}
		want := slices.Clone(list)
		slices.SortFunc(want, compare)
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		k := 1 + rng.IntN(len(list))
		selectSmallest(list, k)
		if quicksort(list[:k]); !slices.Equal(list[:k], want[:k]) {
			t.Fatalf("the %d smallest are %v, want %v", k, list[:k], want[:k])
		}
		if quicksort(list); !slices.Equal(list, want) {
			t.Fatalf("sorted %v, want %v", list, want)
		}
	}
}

func TestThreadsDoNotMatter(t *testing.T) {
	tk := randomTask(rand.New(rand.NewPCG(5, 6)), 5000, 4000, []int{0, 3, 0, 2}, 0.01)
	batch := []method.Config{config(4, "uniform", 2), config(50, "distance", 2)}
	tk.Threads = 1
	want := runAll(t, tk, batch)
	for _, threads := range []int{0, 2, 7} {
		tk.Threads = threads
		for i, r := range runAll(t, tk, batch) {
			if !slices.Equal(r.Test, want[i].Test) || !slices.Equal(r.Val, want[i].Val) {
				t.Errorf("%d threads: other predictions for %v", threads, batch[i])
			}
		}
	}
}
