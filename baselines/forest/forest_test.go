package forest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// noisy makes a table with a signal in it: targets depend on two features, labels too.
func noisy(rows int, classification bool) Data {
	rng := rand.New(rand.NewPCG(11, 12))
	d := Data{Width: 6}
	for i := range rows {
		x := []float32{
			float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.IntN(5)),
			float32(i % 2), float32(i % 3 / 2), float32(rng.NormFloat64()),
		}
		d.X = append(d.X, x...)
		signal := 2*float64(x[0]) + float64(x[2]*x[3]) + 0.3*rng.NormFloat64()
		if classification {
			d.Classes = 3
			d.Labels = append(d.Labels, uint16(max(0, min(2, math.Floor(signal+1)))))
		} else {
			d.Y = append(d.Y, signal)
		}
	}
	return d
}

func fit(t testing.TB, d Data, o Options) *Forest {
	t.Helper()
	f, err := Fit(context.Background(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var criteriaNames = []string{Gini, Entropy, MSE, MAE}

func classifies(criterion string) bool { return criterion == Gini || criterion == Entropy }

// A tree depends on the seed and its number only: not on the number of threads, and not on the forest's size.
func TestTreesAreReproducible(t *testing.T) {
	for _, criterion := range criteriaNames {
		d := noisy(300, classifies(criterion))
		o := Options{Criterion: criterion, Trees: 12, MaxFeatures: 2, Seed: 7}
		one := fit(t, d, o).Predict(d.X, 1)
		o.Threads = 5
		five := fit(t, d, o)
		if !slices.Equal(one, five.Predict(d.X, 3)) {
			t.Errorf("%s: predictions depend on the number of threads", criterion)
		}
		o.Trees = 5
		prefix := &Forest{Width: d.Width, Outputs: five.Outputs, trees: five.trees[:5]}
		if !slices.Equal(prefix.Predict(d.X, 1), fit(t, d, o).Predict(d.X, 1)) {
			t.Errorf("%s: five trees are not the first five of twelve", criterion)
		}
		o.Seed++
		if slices.Equal(prefix.Predict(d.X, 1), fit(t, d, o).Predict(d.X, 1)) {
			t.Errorf("%s: the seed has no effect", criterion)
		}
	}
}

// The order of the rows and of the columns' sorting may not matter to a tree on all rows.
func TestPresortingChangesNothing(t *testing.T) {
	for _, criterion := range criteriaNames {
		d := noisy(500, classifies(criterion))
		n, err := newBuilder(t.Context(), &d, Options{Criterion: criterion, Trees: 1, MaxFeatures: d.Width, Seed: 3})
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
		n, err := newBuilder(t.Context(), &d, Options{Criterion: criterion, Trees: 1, MaxFeatures: 3, Seed: 3})
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

func TestPredictIsTheMeanOfTheTrees(t *testing.T) {
	for _, criterion := range criteriaNames {
		d := noisy(1500, classifies(criterion))
		f := fit(t, d, Options{Criterion: criterion, Trees: 7, MaxFeatures: 3})
		got := f.Predict(d.X, 2)
		for row := range 1500 {
			want := make([]float64, f.Outputs)
			for i := range f.trees {
				at := int32(0)
				tr := &f.trees[i]
				for tr.nodes[at].feature >= 0 {
					n := tr.nodes[at]
					at = n.child
					if !(d.X[row*d.Width+int(n.feature)] <= n.threshold) {
						at++
					}
				}
				for k := range want {
					want[k] += tr.values[int(tr.nodes[at].child)+k]
				}
			}
			for k := range want {
				if want[k] /= 7; got[row*f.Outputs+k] != want[k] {
					t.Fatalf("%s, row %d: %v, want %v", criterion, row, got[row*f.Outputs:(row+1)*f.Outputs], want)
				}
			}
		}
	}
}

func TestForestLearns(t *testing.T) {
	d := noisy(2000, false)
	train, test := d, d.X[1000*d.Width:]
	train.X, train.Y = d.X[:1000*d.Width], d.Y[:1000]
	for _, criterion := range []string{MSE, MAE} {
		squares := 0.0
		for i, p := range fit(t, train, Options{Criterion: criterion, Trees: 50, MaxFeatures: 6, Threads: 2}).Predict(test, 2) {
			squares += (p - d.Y[1000+i]) * (p - d.Y[1000+i])
		}
		if rmse := math.Sqrt(squares / 1000); rmse > 0.45 { // the noise is 0.3, the target's deviation 2.4
			t.Errorf("%s: test RMSE %v", criterion, rmse)
		}
	}
}

// One row, two rows, equal rows with different targets, constant columns, a class that does not occur, huge targets.
func TestEdges(t *testing.T) {
	for name, c := range map[string]struct {
		data Data
		want map[string][]float64 // by criterion: mean prediction over trees for the first row, on all rows
	}{
		"one row, regression": {Data{X: []float32{5}, Width: 1, Y: []float64{2.5}}, map[string][]float64{MSE: {2.5}, MAE: {2.5}}},
		"one row, classes":    {Data{X: []float32{5}, Width: 1, Labels: []uint16{2}, Classes: 4}, map[string][]float64{Gini: {0, 0, 1, 0}, Entropy: {0, 0, 1, 0}}},
		"two rows":            {Data{X: []float32{5, 6}, Width: 1, Y: []float64{2, 3}}, map[string][]float64{MSE: {2}, MAE: {2}}},
		"two equal rows":      {Data{X: []float32{5, 5}, Width: 1, Y: []float64{2, 3}}, map[string][]float64{MSE: {2.5}, MAE: {2.5}}},
		"equal rows": {Data{X: []float32{5, 1, 5, 1, 5, 1}, Width: 2, Labels: []uint16{0, 2, 2}, Classes: 3},
			map[string][]float64{Gini: {1. / 3, 0, 2. / 3}, Entropy: {1. / 3, 0, 2. / 3}}},
		"equal rows, regression": {Data{X: []float32{5, 1, 5, 1, 5, 1}, Width: 2, Y: []float64{1, 2, 9}}, map[string][]float64{MSE: {4}, MAE: {2}}},
		"huge targets":           {Data{X: []float32{1, 2, 3}, Width: 1, Y: []float64{5e307, -5e307, 0}}, map[string][]float64{MSE: {5e307}, MAE: {5e307}}},
		"tiny targets":           {Data{X: []float32{1, 2, 3}, Width: 1, Y: []float64{5e-324, 1e-323, 0}}, map[string][]float64{MSE: {5e-324}, MAE: {5e-324}}},
		"equal targets":          {Data{X: []float32{1, 2, 3}, Width: 1, Y: []float64{7, 7, 7}}, map[string][]float64{MSE: {7}, MAE: {7}}},
		"huge values":            {Data{X: []float32{-3e38, 3e38, 0}, Width: 1, Y: []float64{1, 2, 3}}, map[string][]float64{MSE: {1}, MAE: {1}}},
	} {
		for criterion, want := range c.want {
			o := Options{Criterion: criterion, Trees: 3, MaxFeatures: 5, AllRows: true}
			if got := fit(t, c.data, o).Predict(c.data.X[:c.data.Width], 1); !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, want %v", name, criterion, got, want)
			}
			o.AllRows = false
			for _, v := range fit(t, c.data, o).Predict(c.data.X, 4) {
				if v-v != 0 {
					t.Errorf("%s, %s: predicts %v", name, criterion, v)
				}
			}
		}
	}
}

func TestPredictNothing(t *testing.T) {
	f := fit(t, noisy(20, true), Options{Criterion: Gini, Trees: 2, MaxFeatures: 1})
	if got := f.Predict(nil, 2); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	good := Data{X: []float32{1, 2, 3, 4}, Width: 2, Y: []float64{1, 2}}
	options := Options{Criterion: MSE, Trees: 1, MaxFeatures: 1}
	for want, change := range map[string]func(*Data, *Options){
		"training row 1, column 0 is NaN":         func(d *Data, _ *Options) { d.X = []float32{1, 2, nan, 4} },
		"training row 0, column 1 is +Inf":        func(d *Data, _ *Options) { d.X = []float32{1, inf, 3, 4} },
		"target of training row 1 is NaN":         func(d *Data, _ *Options) { d.Y = []float64{1, math.NaN()} },
		"no training rows":                        func(d *Data, _ *Options) { d.X, d.Y = nil, nil },
		"3 feature values for 2 rows":             func(d *Data, _ *Options) { d.X = d.X[:3] },
		"0 feature columns":                       func(d *Data, _ *Options) { d.X, d.Width = nil, 0 },
		`criterion "squared_error"`:               func(_ *Data, o *Options) { o.Criterion = "squared_error" },
		"criterion gini does not fit the targets": func(_ *Data, o *Options) { o.Criterion = Gini },
		"label of training row 0 is 5": func(d *Data, o *Options) {
			d.Y, d.Labels, d.Classes, o.Criterion = nil, []uint16{5, 1}, 5, Entropy
		},
		"0 trees":             func(_ *Data, o *Options) { o.Trees = 0 },
		"0 features per node": func(_ *Data, o *Options) { o.MaxFeatures = 0 },
	} {
		d, o := good, options
		change(&d, &o)
		_, err := Fit(context.Background(), d, o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error is %v, want one line with %q", err, want)
		}
	}
}

func TestFitStops(t *testing.T) {
	d := noisy(50_000, true)
	ctx, cancel := context.WithCancel(context.Background())
	var cancelled time.Time
	time.AfterFunc(300*time.Millisecond, func() { cancelled = time.Now(); cancel() })
	_, err := Fit(ctx, d, Options{Criterion: Entropy, Trees: 1000, MaxFeatures: 6, Threads: 2})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error is %v", err)
	}
	if took := time.Since(cancelled); took > 2*time.Second {
		t.Errorf("stopped after %v", took)
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
		if got := maxFeatures(c.rule, c.width); got != c.want {
			t.Errorf("%s of %d is %d, want %d", c.rule, c.width, got, c.want)
		}
	}
}

// What is allocated is a small multiple of the data: codes, keys and members of every row, and the trees.
func TestMemory(t *testing.T) {
	const rows, width = 100_000, 28
	rng := rand.New(rand.NewPCG(1, 2))
	d := Data{X: make([]float32, rows*width), Width: width, Labels: make([]uint16, rows), Classes: 2}
	for i := range d.X {
		d.X[i] = rng.Float32()
	}
	for i := range d.Labels {
		if d.X[i*width]+d.X[i*width+1]+0.2*rng.Float32() > 1.1 {
			d.Labels[i] = 1
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fit(t, d, Options{Criterion: Gini, Trees: 2, MaxFeatures: 4, Threads: 1})
	runtime.ReadMemStats(&after)
	allocated, data := after.TotalAlloc-before.TotalAlloc, uint64(4*len(d.X))
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
		d := Data{X: x, Width: 2, Labels: labels, Classes: 3}
		f, err := Fit(t.Context(), d, Options{Criterion: Gini, Trees: 200, MaxFeatures: maxFeatures, AllRows: true})
		if err != nil {
			t.Fatal(err)
		}
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
