package forest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"nptbench/internal/subprocess"
)

// noisy makes a table with a signal in it: targets depend on two features, labels too.
func noisy(rows int, classification bool) data {
	rng := rand.New(rand.NewPCG(11, 12))
	d := data{width: 6}
	for i := range rows {
		x := []float32{
			float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.IntN(5)),
			float32(i % 2), float32(i % 3 / 2), float32(rng.NormFloat64()),
		}
		d.x = append(d.x, x...)
		signal := 2*float64(x[0]) + float64(x[2]*x[3]) + 0.3*rng.NormFloat64()
		if classification {
			d.classes = 3
			d.labels = append(d.labels, uint16(max(0, min(2, math.Floor(signal+1)))))
		} else {
			d.y = append(d.y, signal)
		}
	}
	return d
}

// A forest is one that was grown at once, whose trees are kept.
type forest struct {
	width, outputs int
	trees          []tree
}

func fit(t testing.TB, d data, o options, trees int) *forest {
	t.Helper()
	b, err := newBuilder(t.Context(), &d, o)
	if err != nil {
		t.Fatal(err)
	}
	f := &forest{width: d.width, outputs: b.outputs}
	if f.trees, err = b.grow(t.Context(), 0, trees); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *forest) predict(x []float32, threads int) []float64 {
	s := newSum(x, f.width, f.outputs)
	s.add(context.Background(), f.trees, threads)
	return s.mean(len(f.trees))
}

var criteriaNames = []string{Gini, Entropy, MSE, MAE}

func classifies(criterion string) bool { return criterion == Gini || criterion == Entropy }

// A tree depends on the seed and its number only: not on the number of threads, and not on the forest's size.
func TestTreesAreReproducible(t *testing.T) {
	for _, criterion := range criteriaNames {
		d := noisy(300, classifies(criterion))
		o := options{criterion: criterion, maxFeatures: 2, seed: 7}
		one := fit(t, d, o, 12).predict(d.x, 1)
		o.threads = 5
		five := fit(t, d, o, 12)
		if !slices.Equal(one, five.predict(d.x, 3)) {
			t.Errorf("%s: predictions depend on the number of threads", criterion)
		}
		prefix := &forest{width: d.width, outputs: five.outputs, trees: five.trees[:5]}
		if !slices.Equal(prefix.predict(d.x, 1), fit(t, d, o, 5).predict(d.x, 1)) {
			t.Errorf("%s: five trees are not the first five of twelve", criterion)
		}
		o.seed++
		if slices.Equal(prefix.predict(d.x, 1), fit(t, d, o, 5).predict(d.x, 1)) {
			t.Errorf("%s: the seed has no effect", criterion)
		}
	}
}

// How a node's rows come to be sorted by a column does not matter.
func TestPresortingChangesNothing(t *testing.T) {
	for _, criterion := range criteriaNames {
		d := noisy(500, classifies(criterion))
		n, err := newBuilder(t.Context(), &d, options{criterion: criterion, maxFeatures: d.width, seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		with, without := n.newGrower(), n.newGrower()
		if with.presorted == nil {
			t.Fatal("not presorted, though all features are drawn")
		}
		without.presorted = nil
		a, b := with.grow(context.Background(), 0), without.grow(context.Background(), 0)
		if !slices.Equal(a.nodes, b.nodes) || !slices.Equal(a.values, b.values) {
			t.Errorf("%s: trees differ", criterion)
		}
	}
}

// A grower that is used again may not remember anything.
func TestGrowerIsReusable(t *testing.T) {
	for _, criterion := range criteriaNames {
		d := awkward(rand.New(rand.NewPCG(1, 1)), 200, criterion)
		n, err := newBuilder(t.Context(), &d, options{criterion: criterion, maxFeatures: 3, seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		used := n.newGrower()
		used.grow(context.Background(), 0)
		a, b := used.grow(context.Background(), 1), n.newGrower().grow(context.Background(), 1)
		if !slices.Equal(a.nodes, b.nodes) || !slices.Equal(a.values, b.values) {
			t.Errorf("%s: trees differ", criterion)
		}
	}
}

// leaf is what a leaf predicts.
func (t *tree) leaf(n node, outputs int) []float64 {
	if n.child >= 0 {
		return t.values[n.child:][:outputs]
	}
	pure := make([]float64, outputs)
	pure[^n.child] = 1
	return pure
}

func TestPredictIsTheMeanOfTheTrees(t *testing.T) {
	for _, criterion := range criteriaNames {
		d := noisy(1500, classifies(criterion))
		f := fit(t, d, options{criterion: criterion, maxFeatures: 3}, 7)
		got := f.predict(d.x, 2)
		for row := range 1500 {
			want := make([]float64, f.outputs)
			for i := range f.trees {
				at := int32(0)
				tr := &f.trees[i]
				for tr.nodes[at].feature >= 0 {
					n := tr.nodes[at]
					at = n.child
					if !(d.x[row*d.width+int(n.feature)] <= n.threshold) {
						at++
					}
				}
				for k, share := range tr.leaf(tr.nodes[at], f.outputs) {
					want[k] += share
				}
			}
			for k := range want {
				if want[k] /= 7; got[row*f.outputs+k] != want[k] {
					t.Fatalf("%s, row %d: %v, want %v", criterion, row, got[row*f.outputs:(row+1)*f.outputs], want)
				}
			}
		}
	}
}

// A tree takes memory for leaves of several classes alone, however many classes there are.
func TestPureLeavesTakeNoValues(t *testing.T) {
	const classes = 3_000
	d := data{x: make([]float32, classes), labels: make([]uint16, classes), width: 1, classes: classes}
	for i := range d.x {
		d.x[i], d.labels[i] = float32(i), uint16(i)
	}
	f := fit(t, d, options{criterion: Gini, maxFeatures: 1}, 1)
	if n := len(f.trees[0].values); n != 0 {
		t.Errorf("%d values, want none", n)
	}
}

func TestForestLearns(t *testing.T) {
	d := noisy(2000, false)
	train, test := d, d.x[1000*d.width:]
	train.x, train.y = d.x[:1000*d.width], d.y[:1000]
	for _, criterion := range []string{MSE, MAE} {
		squares := 0.0
		for i, p := range fit(t, train, options{criterion: criterion, maxFeatures: 6, threads: 2}, 50).predict(test, 2) {
			squares += (p - d.y[1000+i]) * (p - d.y[1000+i])
		}
		if rmse := math.Sqrt(squares / 1000); !(rmse <= 0.45) { // the noise is 0.3, the target's deviation 2.4
			t.Errorf("%s: test RMSE %v", criterion, rmse)
		}
	}
}

// One row, two rows, equal rows with different targets, constant columns, a class that does not occur, huge targets.
func TestEdges(t *testing.T) {
	for name, c := range map[string]struct {
		data data
		want map[string][]float64 // by criterion: mean prediction over trees for the first row, on all rows
	}{
		"one row, regression": {data{x: []float32{5}, width: 1, y: []float64{2.5}}, map[string][]float64{MSE: {2.5}, MAE: {2.5}}},
		"one row, classes":    {data{x: []float32{5}, width: 1, labels: []uint16{2}, classes: 4}, map[string][]float64{Gini: {0, 0, 1, 0}, Entropy: {0, 0, 1, 0}}},
		"two rows":            {data{x: []float32{5, 6}, width: 1, y: []float64{2, 3}}, map[string][]float64{MSE: {2}, MAE: {2}}},
		"two equal rows":      {data{x: []float32{5, 5}, width: 1, y: []float64{2, 3}}, map[string][]float64{MSE: {2.5}, MAE: {2.5}}},
		"equal rows": {data{x: []float32{5, 1, 5, 1, 5, 1}, width: 2, labels: []uint16{0, 2, 2}, classes: 3},
			map[string][]float64{Gini: {1. / 3, 0, 2. / 3}, Entropy: {1. / 3, 0, 2. / 3}}},
		"equal rows, regression": {data{x: []float32{5, 1, 5, 1, 5, 1}, width: 2, y: []float64{1, 2, 9}}, map[string][]float64{MSE: {4}, MAE: {2}}},
		"huge targets":           {data{x: []float32{1, 2, 3}, width: 1, y: []float64{5e307, -5e307, 0}}, map[string][]float64{MSE: {5e307}, MAE: {5e307}}},
		"tiny targets":           {data{x: []float32{1, 2, 3}, width: 1, y: []float64{5e-324, 1e-323, 0}}, map[string][]float64{MSE: {5e-324}, MAE: {5e-324}}},
		"equal targets":          {data{x: []float32{1, 2, 3}, width: 1, y: []float64{7, 7, 7}}, map[string][]float64{MSE: {7}, MAE: {7}}},
		"huge values":            {data{x: []float32{-3e38, 3e38, 0}, width: 1, y: []float64{1, 2, 3}}, map[string][]float64{MSE: {1}, MAE: {1}}},
	} {
		for criterion, want := range c.want {
			o := options{criterion: criterion, maxFeatures: 5, allRows: true}
			if got := fit(t, c.data, o, 3).predict(c.data.x[:c.data.width], 1); !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, want %v", name, criterion, got, want)
			}
			o.allRows = false
			for _, v := range fit(t, c.data, o, 3).predict(c.data.x, 4) {
				if v-v != 0 {
					t.Errorf("%s, %s: predicts %v", name, criterion, v)
				}
			}
		}
	}
}

func TestPredictNothing(t *testing.T) {
	f := fit(t, noisy(20, true), options{criterion: Gini, maxFeatures: 1}, 2)
	if got := f.predict(nil, 2); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestGrowStops(t *testing.T) {
	d := noisy(50_000, true)
	ctx, cancel := context.WithCancel(context.Background())
	var before time.Duration // when it was cancelled
	time.AfterFunc(300*time.Millisecond, func() { before = subprocess.OwnTime(); cancel() })
	b, err := newBuilder(ctx, &d, options{criterion: Entropy, maxFeatures: 6, threads: 2})
	if err == nil {
		_, err = b.grow(ctx, 0, 1000)
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error is %v", err)
	}
	if took := subprocess.OwnTime() - before; took > 2*time.Second {
		t.Errorf("stopped after %v of the processor's time", took)
	}
}

func TestMaxFeaturesRules(t *testing.T) {
	for _, c := range []struct {
		rule        string
		width, want int
	}{
		{"auto", 9, 9}, {"sqrt", 9, 3}, {"sqrt", 15, 3}, {"sqrt", 1, 1}, {"log2", 1, 1}, {"log2", 9, 3}, {"log2", 8, 3},
		{"log2", 2437, 11}, {"sqrt", 2437, 49}, {"log2", 1 << 20, 20},
	} {
		if got := MaxFeatures(c.rule, c.width); got != c.want {
			t.Errorf("%s of %d is %d, want %d", c.rule, c.width, got, c.want)
		}
	}
}

// What is allocated is a small multiple of the data: codes, keys and members of every row, and the trees.
func TestMemory(t *testing.T) {
	const rows, width = 100_000, 28
	rng := rand.New(rand.NewPCG(1, 2))
	d := data{x: make([]float32, rows*width), width: width, labels: make([]uint16, rows), classes: 2}
	for i := range d.x {
		d.x[i] = rng.Float32()
	}
	for i := range d.labels {
		if d.x[i*width]+d.x[i*width+1]+0.2*rng.Float32() > 1.1 {
			d.labels[i] = 1
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fit(t, d, options{criterion: Gini, maxFeatures: 4, threads: 1}, 2)
	runtime.ReadMemStats(&after)
	allocated, data := after.TotalAlloc-before.TotalAlloc, uint64(4*len(d.x))
	if allocated > 6*data {
		t.Errorf("%d bytes allocated for data of %d bytes", allocated, data)
	}
	t.Logf("%.1f times the data", float64(allocated)/float64(data))
}

// Values that are each too close to the next one for a split make a column that is not constant, as in scikit-learn: a
// node that draws nothing else is a leaf, and below a node there may be gaps that are wide enough. The numbers of nodes
// are those of DecisionTreeClassifier.
func TestRunOfCloseValues(t *testing.T) {
	const gap = 0.8e-7
	grow := func(maxFeatures int, x []float32, labels []uint16) (sizes map[int]int) {
		d := data{x: x, width: 2, labels: labels, classes: 3}
		f := fit(t, d, options{criterion: Gini, maxFeatures: maxFeatures, allRows: true}, 200)
		sizes = map[int]int{}
		for i := range f.trees {
			sizes[len(f.trees[i].nodes)]++
		}
		return sizes
	}
	if sizes := grow(2, []float32{0, 0, gap, 1, 2 * gap, 0}, []uint16{0, 1, 2}); sizes[5] != 200 {
		t.Errorf("a wider gap below the root: numbers of nodes %v, want 5", sizes)
	}
	if sizes := grow(1, []float32{0, 0, gap, 1, 2 * gap, 2}, []uint16{0, 1, 1}); min(sizes[1], sizes[3]) < 70 {
		t.Errorf("one column drawn: numbers of nodes %v, want 1 and 3 equally often", sizes)
	}
}

// Rows that the bins of long columns do not tell apart are told apart by another column, also where a node draws it last.
func TestBinsAreConstant(t *testing.T) {
	const rows, width = 2 * maxCodes, 21
	d := data{width: width, classes: 2, x: make([]float32, rows*width), labels: make([]uint16, rows)}
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range rows {
		for j := range width - 1 {
			d.x[i*width+j] = float32(i) // two rows in a bin
		}
		d.x[i*width+width-1] = float32(i % 2)
		d.labels[i] = uint16(rng.IntN(2))
	}
	p := fit(t, d, options{criterion: Gini, maxFeatures: 1, allRows: true, threads: 1}, 1).predict(d.x, 1)
	for i, label := range d.labels {
		if p[2*i+int(label)] != 1 {
			t.Fatalf("row %d has its class with a probability of %v, want 1", i, p[2*i+int(label)])
		}
	}
}

// Bins of a long column are told apart, however close their edges are: a node's rows in them are further apart.
func TestBinsAreNotClose(t *testing.T) {
	const rows = 3 * maxCodes
	d := data{width: 2, classes: 2, labels: make([]uint16, rows)}
	rng := rand.New(rand.NewPCG(9, 10))
	for i := range rows {
		d.x = append(d.x, 0.5+float32(i)*0x1p-24, float32(i%3)) // three rows in a bin, neighbouring numbers, told apart by the other column
		d.labels[i] = uint16(rng.IntN(2))
	}
	p := fit(t, d, options{criterion: Gini, maxFeatures: 1, allRows: true, threads: 1}, 1).predict(d.x, 1)
	for i, label := range d.labels {
		if p[2*i+int(label)] != 1 {
			t.Fatalf("row %d has its class with a probability of %v, want 1", i, p[2*i+int(label)])
		}
	}
}

// Products are rounded before they are added, on every processor: three times a third is one.
func TestProductsAreNotFused(t *testing.T) {
	c := newMSE([]float64{-1, 1 / 3.0}, []int64{-3, 1}, 1)
	c.cells[0], c.sum, c.weight = numberSum{sum: 1, weight: 3}, 4, 12
	if got := c.pick(&bundle{}, 0, nil); got != 0 {
		t.Errorf("reduction %v, want 0", got)
	}
	c.begin([]uint16{1, 3})
	var values []float64
	if c.leaf([]int32{0, 1}, &values); values[0] != 0 {
		t.Errorf("mean %v, want 0", values[0])
	}
}
