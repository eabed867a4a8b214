package gbdt

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// A generator makes random trees and rows. Thresholds come from a few numbers, not all of them float32.
type generator struct {
	*rand.Rand
	features, thresholds int
	decisions            []uint8
}

func (g *generator) threshold() float64 { return float64(g.IntN(g.thresholds)-g.thresholds/2) / 3 }

// tree makes one of at most the given depth.
func (g *generator) tree(depth int) tree {
	var t tree
	var grow func(left int) int32
	grow = func(left int) int32 {
		if left == 0 || left < depth && g.IntN(6) == 0 {
			return t.addLeaf(g.NormFloat64())
		}
		node := t.addSplit(int32(g.IntN(g.features)), g.threshold(), g.decisions[g.IntN(len(g.decisions))])
		l, r := grow(left-1), grow(left-1)
		t.left[node], t.right[node] = l, r
		return node
	}
	grow(depth)
	return t
}

// rows have features on the thresholds, next to them and far from them.
func (g *generator) rows(n int, nan bool) []float32 {
	x := make([]float32, n*g.features)
	for i := range x {
		x[i] = float32(g.threshold())
		switch g.IntN(5) {
		case 0:
			x[i] = math.Nextafter32(x[i], 1e30)
		case 1:
			x[i] = math.Nextafter32(x[i], -1e30)
		case 2:
			x[i] = []float32{0, float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, 1e-40, -1e-36}[g.IntN(6)]
		case 3:
			if nan {
				x[i] = float32(math.NaN())
			}
		}
	}
	return x
}

// Random ensembles give the numbers of leaves, bit by bit: single leaves and deep trees, one score a row and several, a row,
// a block of rows and a few more, missing values of every kind.
func TestPredictionEqualsLeaves(t *testing.T) {
	decisions := []uint8{0, missingLeft, nanIsMissing, nanIsMissing | missingLeft, zeroIsMissing, zeroIsMissing | missingLeft}
	for _, c := range []struct {
		name      string
		depths    []int
		features  int
		outputs   int
		nan       bool
		decisions []uint8
	}{
		{"shallow", []int{0, 1, 2, 3}, 3, 1, false, decisions[:4]},
		{"deep", []int{5, 9, 13}, 4, 1, false, decisions[:4]},
		{"classes", []int{0, 2, 3, 6, 9}, 2, 3, false, decisions[:4]},
		{"missing", []int{2, 3, 6}, 3, 2, true, decisions[:4]},
		{"zeros missing", []int{2, 3, 6}, 3, 1, true, decisions},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &generator{rand.New(rand.NewPCG(5, uint64(len(c.name)))), c.features, 29, c.decisions}
			written := &Model{Features: c.features, Outputs: c.outputs}
			if c.outputs > 1 {
				written.link = softmax
			}
			for range 70 * c.outputs {
				written.trees = append(written.trees, g.tree(c.depths[g.IntN(len(c.depths))]))
			}
			text := written.text()
			m, err := parseModel(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, rows := range []int{1, blockRows, 2*blockRows + 3} {
				sameAsLeaves(t, m, text, g.rows(rows, c.nan), []int{70, 1, 65})
			}
		})
	}
}

// Categorical splits, which only models from elsewhere have, go where LightGBM sends them.
func TestCategoricalSplits(t *testing.T) {
	needPython(t, LightGBM)
	p, err := findPython()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(p.path, "-c", `import lightgbm, numpy as np
rng = np.random.default_rng(3)
x = np.c_[rng.integers(0, 70, 900), rng.integers(0, 3, 900), rng.normal(size=900)].astype("f4")
y = np.sin(x[:, 0] * 7) + x[:, 1] + x[:, 2]
model = lightgbm.LGBMRegressor(n_estimators=30, min_child_samples=3, cat_smooth=1, min_data_per_group=5, n_jobs=1)
model.fit(x, y, categorical_feature=[0, 1])
model.booster_.save_model("model.txt")
x[::7, 0], x[1::7, 0], x[2::7, 0], x[3::7, 1], x[4::7, 2], x[5::7, 0] = np.nan, 1000, -3, np.nan, np.nan, -.5
x.tofile("x")
model.predict(x, num_threads=1).tofile("y")`)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m, err := LoadModel(filepath.Join(dir, "model.txt"))
	if err != nil {
		t.Fatal(err)
	}
	x, want := numbersIn[float32](t, filepath.Join(dir, "x")), numbersIn[float64](t, filepath.Join(dir, "y"))
	got, err := m.Predict(context.Background(), x, []int{30}, 1)
	if err != nil {
		t.Fatal(err)
	}
	sets := 0
	for i := range m.trees {
		sets += len(m.trees[i].categories)
	}
	if sets == 0 {
		t.Error("the model has no categorical split")
	}
	sameNumbers(t, "predictions", got[0], want, &lightgbm, 30, linkRounding)
}

func numbersIn[T number](t *testing.T, file string) []T {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	numbers := make([]T, len(content)/len(toBytes(make([]T, 1))))
	copy(toBytes(numbers), content)
	return numbers
}

// BenchmarkPredict predicts as many rows as Protein's validation and test rows by 1,000 trees, on one thread.
func BenchmarkPredict(b *testing.B) {
	for _, depth := range []int{3, 5, 10} {
		b.Run("depth="+strconv.Itoa(depth), func(b *testing.B) {
			g := &generator{rand.New(rand.NewPCG(1, 2)), 9, 250, []uint8{nanIsMissing}}
			m := &Model{Features: g.features, Outputs: 1}
			for range 1000 {
				m.trees = append(m.trees, g.tree(depth))
			}
			x := g.rows(9146, false)
			for b.Loop() {
				if _, err := m.rawScores(b.Context(), x, []int{1000}, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
