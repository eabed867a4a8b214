package gbdt

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// A gardener grows random trees. Thresholds come from a few numbers, not all of them float32.
type gardener struct {
	*rand.Rand
	features, borders int
	decisions         []uint8
}

func (g *gardener) threshold() float64 { return float64(g.IntN(g.borders)-g.borders/2) / 3 }

// tree grows one of the given depth; oblivious trees ask the same question at each depth, others stop at random.
func (g *gardener) tree(depth int, oblivious bool) tree {
	var t tree
	questions := make([]border, depth)
	for i := range questions {
		questions[i] = border{int32(g.IntN(g.features)), float32(g.threshold())}
	}
	var grow func(left int) int32
	grow = func(left int) int32 {
		if left == 0 || !oblivious && left < depth && g.IntN(6) == 0 {
			return t.addLeaf(g.NormFloat64())
		}
		feature, threshold := int32(g.IntN(g.features)), g.threshold()
		if oblivious {
			feature, threshold = questions[left-1].feature, float64(questions[left-1].threshold)
		}
		node := t.addSplit(feature, threshold, g.decisions[g.IntN(len(g.decisions))])
		l, r := grow(left-1), grow(left-1)
		t.left[node], t.right[node] = l, r
		return node
	}
	grow(depth)
	return t
}

// rows have features on the thresholds, next to them and far from them.
func (g *gardener) rows(n int, nan bool) []float32 {
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

// Forests of all forms give the numbers of leaves, bit by bit: tables of one question to twelve, trees that are walked,
// single leaves, all mixed; rows that fill no word and no block; missing values.
func TestCompiledEqualsLeaves(t *testing.T) {
	all := []uint8{0, missingLeft, nanIsMissing, nanIsMissing | missingLeft, zeroIsMissing, zeroIsMissing | missingLeft}
	for _, c := range []struct {
		name      string
		depths    []int
		oblivious bool
		features  int
		borders   int
		outputs   int
		nan       bool
		decisions []uint8
	}{
		{"tables", []int{0, 1, 2, 3}, false, 3, 9, 1, false, all[:4]},
		{"oblivious", []int{1, 3, 7, 8, 9, 10, 11, 12}, true, 5, 99, 1, false, all[:4]},
		{"walks", []int{5, 9, 13}, false, 4, 99, 1, false, all[:4]},
		{"mixed", []int{0, 2, 3, 4, 6, 9, 3, 3}, false, 2, 19, 3, false, all[:4]},
		{"one feature", []int{3, 8}, false, 1, 40, 1, false, all[:4]},
		{"many borders", []int{3}, false, 1, 1 << 20, 1, false, all[:4]},
		{"missing", []int{2, 3, 6}, false, 3, 9, 2, true, all[:4]},
		{"zeros missing", []int{2, 3, 6}, false, 3, 9, 1, true, all},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &gardener{rand.New(rand.NewPCG(5, uint64(len(c.name)))), c.features, c.borders, c.decisions}
			e := &ensemble{features: c.features, outputs: c.outputs}
			if c.outputs > 1 {
				e.link = softmax
			}
			for range 70 {
				depth := c.depths[g.IntN(len(c.depths))]
				for range c.outputs {
					e.trees = append(e.trees, g.tree(depth, c.oblivious))
				}
			}
			text := e.text()
			m, err := ParseModel(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, rows := range []int{1, 103, 255, 514} {
				sameAsLeaves(t, m, text, g.rows(rows, c.nan), []int{70, 1, 65})
			}
		})
	}
}

// A feature with more borders than bins has its trees walked.
func TestManyBorders(t *testing.T) {
	e := &ensemble{features: 1, outputs: 1}
	for i := range maxBins + 5 {
		var b tree
		b.addSplit(0, float64(i), 0)
		b.left[0], b.right[0] = b.addLeaf(0), b.addLeaf(1)
		e.trees = append(e.trees, b)
	}
	m := newModel(e, Origin{})
	x := make([]float32, worthCompiling)
	for i := range x {
		x[i] = float32(i * 100)
	}
	raw, err := m.rawScores(context.Background(), x, []int{len(e.trees)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range raw[0] { // as many borders as lie below
		if want := min(float64(i*100), maxBins+5); v != want {
			t.Fatalf("row %d: %v, want %v", i, v, want)
		}
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

func BenchmarkPredict(b *testing.B) {
	for _, depth := range []int{3, 5, 10} {
		for _, oblivious := range []bool{true, false} {
			b.Run(fmt.Sprint("depth="+strconv.Itoa(depth), "/oblivious=", oblivious), func(b *testing.B) {
				g := &gardener{rand.New(rand.NewPCG(1, 2)), 9, 250, []uint8{nanIsMissing}}
				e := &ensemble{features: g.features, outputs: 1}
				for range 1000 {
					e.trees = append(e.trees, g.tree(depth, oblivious))
				}
				m, x := newModel(e, Origin{}), g.rows(9146, false)
				m.compiled()
				for b.Loop() {
					if _, err := m.rawScores(context.Background(), x, []int{1000}, 1); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
