package gbdt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// The first n trees of a large fit are the fit of n trees: this is why one fit serves all tree counts.
func TestPrefixEqualsSeparateFit(t *testing.T) {
	counts := []int{1, 7, 20, 60}
	for _, m := range all {
		for _, k := range kinds {
			t.Run(fmt.Sprint(m.Name, "/", k.kind), func(t *testing.T) {
				needPython(t, m)
				on := awkwardTask(k.kind, k.classes, 300, 50, 100)
				together := fitAll(t, m, on, 0.3, 5, counts...)
				for i, n := range counts {
					alone := fitAll(t, m, on, 0.3, 5, n)[0]
					for j, want := range alone.Test {
						if got := together[i].Test[j]; !(math.Abs(got-want) <= 1e-14) {
							t.Fatalf("%d trees: number %d is %v from the fit of %d trees, %v from its own fit", n, j, got, counts[len(counts)-1], want)
						}
					}
				}
				t.Log(together[3].Details, together[3].Fit)
			})
		}
	}
}

// A class that no training row has gets probability 0, and the others keep their places.
func TestMissingClass(t *testing.T) {
	for _, m := range all {
		for _, missing := range [][]uint16{{2}, {0, 3}} {
			t.Run(fmt.Sprint(m.Name, "/", missing), func(t *testing.T) {
				needPython(t, m)
				on := awkwardTask(dataset.MultiClass, 4, 300, 50, 100)
				for i, l := range on.Labels {
					for _, class := range missing {
						if l == class {
							on.Labels[i] = 1
						}
					}
				}
				right := 0
				p := fitAll(t, m, on, 0.3, 3, 30)[0].Val
				for r := range on.Val {
					row := p[4*r : 4*r+4]
					sum, best := 0.0, 0
					for class, v := range row {
						sum += v
						if v > row[best] {
							best = class
						}
					}
					for _, class := range missing {
						if row[class] != 0 {
							t.Fatalf("row %d: %v", r, row)
						}
					}
					if !(math.Abs(sum-1) <= 1e-12) {
						t.Fatalf("row %d: probabilities add to %v", r, sum)
					}
					if uint16(best) == on.Labels[on.Train+r] {
						right++
					}
				}
				if right < 35 {
					t.Errorf("%d of 50 validation rows right", right)
				}
			})
		}
	}
}

func TestOneClass(t *testing.T) {
	on := awkwardTask(dataset.Binary, 2, 20, 5, 5)
	clear(on.Labels)
	err := XGBoost.Run(context.Background(), on, []method.Config{resolve(t, XGBoost, on.Info, 0.1, 3, 10)}, nil)
	if err == nil || err.Error() != "all 20 training rows are of one class, want at least two" {
		t.Error(err)
	}
}

// A folder for models that cannot be written to costs no result.
func TestModelsCannotBeWritten(t *testing.T) {
	m := XGBoost
	needPython(t, m)
	on := awkwardTask(dataset.Regression, 0, 50, 5, 5)
	want := fitAll(t, m, on, 0.1, 3, 10)[0]
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	on.ModelDir = filepath.Join(file, "models")
	got := fitAll(t, m, on, 0.1, 3, 10)[0]
	if warning, _ := got.Details[method.Warning].(string); !slices.Equal(got.Test, want.Test) || !strings.HasPrefix(warning, "the model cannot be kept: ") {
		t.Errorf("warning %q, or other predictions", warning)
	}
}

// A full disk, or a quota used up, ends the run; a model that cannot be kept for another reason costs nothing.
func TestModelOnFullDisk(t *testing.T) {
	on := &task.Task{Info: dataset.Info{Name: "x", Problem: dataset.Regression}, Test: 1, Width: 2, X: []float32{0, 5}, ModelDir: "models"}
	answer := &fitAnswer{arrays: map[string][]byte{"model": []byte(twoTrees)}}
	for fault, ends := range map[error]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EROFS: false} {
		f := &fit{lib: &lightgbm, task: on, save: func(file string, _ []byte) error { return &fs.PathError{Op: "write", Path: file, Err: fault} }}
		if _, err := f.load(answer); errors.Is(err, fault) != ends || errors.Is(f.unkept, fault) == ends {
			t.Errorf("%v: error %v, warning %v", fault, err, f.unkept)
		}
	}
}

// A fit's seed is the sweep's and the fold's, in the 31 bits that libraries take.
func TestSeed(t *testing.T) {
	for _, c := range []struct {
		sweep uint64
		fold  int
		want  int
	}{{42, 0, 42}, {42, 9, 51}, {43, 9, 52}, {1 << 31, 1, 1}, {math.MaxUint64, 0, math.MaxInt32}} {
		if got := Seed(c.sweep, c.fold); got != c.want {
			t.Errorf("seed %d of sweep %d and fold %d, want %d", got, c.sweep, c.fold, c.want)
		}
	}
}

// A library is asked for what the configurations say, under the seed of the sweep and the fold.
func TestRequest(t *testing.T) {
	on := awkwardTask(dataset.Regression, 0, 20, 5, 5)
	on.SweepSeed, on.Fold, on.Digest = 42, 3, "1f"
	f, err := catboost.newFit(on, []method.Config{resolve(t, CatBoost, on.Info, 0.125, 7, 10), resolve(t, CatBoost, on.Info, 0.125, 7, 20)})
	if err != nil {
		t.Fatal(err)
	}
	r, want := f.request(), map[string]any{"learning_rate": 0.125, "max_depth": 7, "n_estimators": 20}
	if !maps.Equal(r.Params, want) || !slices.Equal(r.Counts, []int{10}) || r.Seed != 45 {
		t.Errorf("parameters %v, other numbers of trees %d, seed %d, want %v, 10 and 45", r.Params, r.Counts, r.Seed, want)
	}
	if f.origin.DataDigest != "1f" {
		t.Errorf("the model says it was fitted on table %q", f.origin.DataDigest)
	}
}

// Under another seed a deterministic method has the same model. Every other one differs: that of LightGBM, which draws from large tables
// alone, in its text, which has the seeds.
func TestDeterministic(t *testing.T) {
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			needPython(t, m)
			for _, kind := range kinds {
				on := awkwardTask(kind.kind, kind.classes, 2000, 50, 50)
				var models [2]*Model
				for i := range models {
					on.SweepSeed = uint64(42 + i)
					f, err := libraryOf(t, m.Name).newFit(on, []method.Config{resolve(t, m, on.Info, 0.3, 5, 20)})
					if err != nil {
						t.Fatal(err)
					}
					answer, err := trainers.fit(t.Context(), f.request())
					if err != nil {
						t.Fatal(err)
					}
					if models[i], err = f.lib.read(answer, on.Width, f.link()); err != nil {
						t.Fatal(err)
					}
				}
				if same := reflect.DeepEqual(models[0], models[1]); same != m.Deterministic {
					t.Errorf("%v: the same under another seed: %t, want %t", kind.kind, same, m.Deterministic)
				}
			}
		})
	}
}

// A kept model predicts what its fit predicted, without Python.
func TestSavedModel(t *testing.T) {
	for _, m := range all {
		for _, k := range kinds {
			t.Run(fmt.Sprint(m.Name, "/", k.kind), func(t *testing.T) {
				needPython(t, m)
				on := awkwardTask(k.kind, k.classes, 200, 30, 40)
				on.ModelDir, on.SweepSeed, on.Fold = filepath.Join(t.TempDir(), "models"), 42, 3
				results := fitAll(t, m, on, 0.3, 4, 10, 20)
				files, err := filepath.Glob(filepath.Join(on.ModelDir, "awkward-*-"+m.Name+"-*.txt.gz"))
				if err != nil || len(files) != 1 {
					t.Fatalf("files %v, %v", files, err)
				}
				model, err := LoadModel(files[0])
				if err != nil {
					t.Fatal(err)
				}
				if o := model.Origin; o.Method != m.Name || o.Dataset != "awkward" || o.MaxDepth != 4 || o.Iterations != 20 || !slices.Equal(o.Counts, []int{10, 20}) || o.Seed != 45 {
					t.Errorf("origin %+v", o)
				}
				val, test, err := model.PredictTask(context.Background(), on, []int{10, 20})
				if err != nil {
					t.Fatal(err)
				}
				for i, r := range results {
					if !slices.Equal(val[i], r.Val) || !slices.Equal(test[i], r.Test) {
						t.Errorf("%d: other predictions", i)
					}
				}
			})
		}
	}
}

// A prediction of ours that is not the library's is an error, with the row.
func TestCompareFindsDifferences(t *testing.T) {
	m, err := parseModel([]byte(twoTrees))
	if err != nil {
		t.Fatal(err)
	}
	on := &task.Task{Info: dataset.Info{Name: "x"}, Train: 0, Val: 1, Test: 2, Width: 2, X: []float32{0, 0, 0, 5, 0, 1}}
	f := &fit{lib: &lightgbm, task: on, counts: []int{1, 2}, origin: Origin{Iterations: 2}}
	raw, err := m.rawScores(context.Background(), f.unseen(), f.counts, 1)
	if err != nil {
		t.Fatal(err)
	}
	right := map[string][]float64{"staged": {1, 3, 1}, "raw": {11, 13, 11}, "final": {11, 13, 11}}
	answer := func(changed string, numbers []float64) *fitAnswer {
		a := &fitAnswer{arrays: map[string][]byte{}}
		for name, content := range right {
			a.arrays[name] = toBytes(content)
		}
		a.arrays[changed] = toBytes(numbers)
		return a
	}
	if _, err := f.compare(m, raw, answer("raw", right["raw"])); err != nil {
		t.Error(err)
	}
	for name, content := range right {
		for i := range content {
			for _, wrong := range []float64{content[i] + 1e-10, math.NaN()} {
				numbers := slices.Clone(content)
				numbers[i] = wrong
				if _, err := f.compare(m, raw, answer(name, numbers)); err == nil {
					t.Errorf("%s %v for %v is no error", name, numbers, content)
				}
			}
		}
		if _, err := f.compare(m, raw, answer(name, content[1:])); err == nil {
			t.Errorf("%s: a number is missing and that is no error", name)
		}
	}
}

// A model that predicts other numbers than the library's is an error, and one whose text does is not kept.
func TestOtherNumbers(t *testing.T) {
	lib := lightgbm
	lib.read = func(a *fitAnswer, features int, link link) (*Model, error) {
		m, err := readLightGBM(a, features, link)
		if err == nil {
			err = m.addToFirstTrees([]float64{1})
		}
		return m, err
	}
	on := &task.Task{Info: dataset.Info{Name: "x", Problem: dataset.Regression}, Test: 1, Width: 2, X: []float32{0, 5}, ModelDir: "models"}
	f := &fit{lib: &lib, task: on, save: func(string, []byte) error { t.Error("the model is kept"); return nil }}
	_, err := f.load(&fitAnswer{arrays: map[string][]byte{"model": []byte(twoTrees)}})
	if err == nil || !strings.HasSuffix(err.Error(), "leaves predicts other numbers by the model's text") {
		t.Error(err)
	}
	needPython(t, LightGBM)
	on = awkwardTask(dataset.Regression, 0, 50, 5, 5)
	err = lib.run(t.Context(), on, []method.Config{resolve(t, LightGBM, on.Info, 0.1, 3, 10)}, func(method.Result) { t.Error("a result") })
	if err == nil || !strings.HasPrefix(err.Error(), "raw scores of all trees: ") {
		t.Error(err)
	}
}

// The rows that are compared are spread over all, and sums of float32 may differ by roundings alone.
func TestWhatIsCompared(t *testing.T) {
	rows := (&fit{task: &task.Task{Train: 100, Val: 400, Test: 600}}).checkedRows()
	if len(rows) != minCheckedRows || slices.Max(rows) < 900 {
		t.Errorf("rows %d of 1000", rows)
	}
	if d := float32Sum(100, 1); d > 1e-5 {
		t.Errorf("sums of 100 trees may differ by %v", d)
	}
}

// scikit-learn's sums may be ours or, as on arm64, have the learning rate's product fused with the addition.
func TestFusedSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		ours, fused, rate, largest := 0.0, 0.0, rng.Float64(), 0.0
		for n := 1; n <= 100; n++ {
			value := rng.NormFloat64()
			leaf := float64(rate * value)
			ours, fused, largest = ours+leaf, math.FMA(rate, value, fused), max(largest, math.Abs(leaf))
			if d := math.Abs(ours - fused); d > scikit.tolerance(n, max(math.Abs(fused), largest)) || d > 1e-13 {
				t.Fatalf("%d trees: %v, fused %v", n, ours, fused)
			}
		}
	}
}

// Results do not depend on the number of threads.
func TestThreads(t *testing.T) {
	for _, m := range all {
		for _, k := range kinds {
			t.Run(fmt.Sprint(m.Name, "/", k.kind), func(t *testing.T) {
				needPython(t, m)
				on := awkwardTask(k.kind, k.classes, 2000, 50, 1500)
				one := fitAll(t, m, on, 0.3, 5, 30)[0]
				on.Threads = 3
				three := fitAll(t, m, on, 0.3, 5, 30)[0]
				if !slices.Equal(one.Test, three.Test) {
					t.Error("three threads give other predictions than one")
				}
			})
		}
	}
}
