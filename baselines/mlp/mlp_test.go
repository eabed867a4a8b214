package mlp

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/machine"
	"nptbench/internal/method"
	"nptbench/internal/subprocess"
	"nptbench/internal/task"
)

// noise makes a task of random numbers: rows training rows and ten rows each for validation and test. A regression target
// is the first feature, a class the interval that it lies in.
func noise(classes, rows, width int) *task.Task {
	rng := rand.New(rand.NewPCG(uint64(rows), uint64(width)))
	t := &task.Task{Train: rows, Val: 10, Test: 10, Width: width, TargetStd: 1, Threads: 1}
	if classes > 0 {
		t.Info = dataset.Info{Problem: dataset.MultiClass, Classes: classes}
	}
	if classes == 2 {
		t.Info.Problem = dataset.Binary
	}
	for i := range t.Rows() {
		for range width {
			t.X = append(t.X, float32(rng.NormFloat64()))
		}
		x := float64(t.X[i*width])
		if i >= rows+10 {
			continue
		} else if classes == 0 {
			t.Y = append(t.Y, x)
		} else {
			t.Labels = append(t.Labels, uint16(min(float64(classes)*(0.5+0.5*math.Erf(x)), float64(classes-1))))
		}
	}
	return t
}

// one runs a single configuration of a small network and checks what every prediction has to fulfil.
func one(t *testing.T, data *task.Task, given map[string]any) method.Result {
	t.Helper()
	all := map[string]any{"hidden_layer_sizes": []int{10}, "learning_rate_init": 0.01, "batch_size": 32}
	maps.Copy(all, given)
	var got []method.Result
	before := slices.Clone(data.X)
	err := Method.Run(context.Background(), data, []method.Config{config(t, data.Info, all)}, func(r method.Result) { got = append(got, r) })
	if err != nil || len(got) != 1 {
		t.Fatalf("error %v, %d results", err, len(got))
	}
	if !slices.Equal(before, data.X) {
		t.Error("the task was modified")
	}
	r := got[0]
	if r.Err != nil {
		return r
	}
	k := data.Outputs()
	for _, part := range []struct {
		p    method.Prediction
		rows int
	}{{r.Val, data.Val}, {r.Test, data.Test}} {
		if len(part.p) != part.rows*k {
			t.Fatalf("%d predictions for %d rows", len(part.p), part.rows)
		}
		for i := range part.rows {
			sum := 0.0
			for _, x := range part.p[i*k : (i+1)*k] {
				sum += x
			}
			if math.IsNaN(sum) || k > 1 && math.Abs(sum-1) > 1e-6 {
				t.Errorf("row %d: prediction %v", i, part.p[i*k:(i+1)*k])
			}
		}
	}
	return r
}

func TestLearns(t *testing.T) {
	data := noise(0, 500, 3)
	r := one(t, data, nil)
	var sse float64
	for i, y := range data.Y[data.Train:] {
		sse += (r.Val[i] - y) * (r.Val[i] - y)
	}
	if mse := sse / float64(data.Val); mse > 0.02 {
		t.Errorf("the mean squared error of the identity is %v", mse)
	}
	for _, classes := range []int{2, 4} {
		data := noise(classes, 500, 3)
		r := one(t, data, nil)
		right := 0
		for i, c := range data.Labels[data.Train:] {
			row := r.Val[i*classes : (i+1)*classes]
			if row[c] == slices.Max(row) {
				right++
			}
		}
		if right < 8 {
			t.Errorf("%d of 10 rows of %d classes are right", right, classes)
		}
	}
}

func TestDependsOnSeedAndConfigurationOnly(t *testing.T) {
	data := noise(3, 100, 5)
	var batch []method.Config
	for _, alpha := range []float64{0, 0.01, 0.1, 1, 2} {
		batch = append(batch, config(t, data.Info, map[string]any{"hidden_layer_sizes": []int{9, 17}, "alpha": alpha}))
	}
	results := func(seed uint64, batch []method.Config) []method.Prediction {
		data := *data
		data.Seed = seed
		out := make([]method.Prediction, len(batch))
		if err := Method.Run(context.Background(), &data, batch, func(r method.Result) { out[r.Index] = r.Test }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := results(7, batch)
	if alone := results(7, batch[3:4]); !slices.Equal(alone[0], want[3]) {
		t.Error("a configuration alone predicts otherwise than in a batch")
	}
	if other := results(8, batch[:1]); slices.Equal(other[0], want[0]) {
		t.Error("another seed predicts the same")
	}
	if other := results(7, []method.Config{batch[0].With("alpha", 1e-20)}); slices.Equal(other[0], want[0]) {
		t.Error("another configuration begins with the same weights")
	}
}

// Fits are those of earlier versions, with every kernel.
func TestStaysTheSame(t *testing.T) {
	r := one(t, noise(0, 50, 3), nil)
	if epochs, first := r.Details["epochs"], r.Val[0]; epochs != 41 || !(math.Abs(first+0.345553) <= 1e-4) {
		t.Errorf("%v epochs, the first prediction is %v, want 41 and -0.345553", epochs, first)
	}
}

// TestCanonical counts the distinct configurations of the paper's three grids (Tables 20 to 22).
func TestCanonical(t *testing.T) {
	info := dataset.Info{Problem: dataset.Regression}
	schedules := []string{"constant", "invscaling", "adaptive"}
	distinct := map[string]bool{}
	settings := 0
	for _, c := range smallGrid(t, info) {
		for _, s := range schedules {
			settings++
			distinct[Method.Canonical(c.With("learning_rate", s), info.Problem).JSON()] = true
		}
	}
	if settings != 11340 || len(distinct) != 3780 {
		t.Errorf("%d settings, %d distinct, want 11340 and 3780", settings, len(distinct))
	}
}

func TestParameters(t *testing.T) {
	tests := []struct {
		given map[string]any
		want  string // in the error; empty: none
	}{
		{map[string]any{}, ""},
		{map[string]any{"hidden_layer_sizes": []any{500, 500, 500}, "alpha": 0, "learning_rate": "adaptive"}, ""},
		{map[string]any{"hidden_layer_sizes": []any{0}}, "hidden_layer_sizes"},
		{map[string]any{"hidden_layer_sizes": []any{}}, "hidden_layer_sizes"},
		{map[string]any{"alpha": -1}, "alpha"},
		{map[string]any{"batch_size": 0}, "batch_size"},
		{map[string]any{"learning_rate": "cosine"}, "learning_rate"},
		{map[string]any{"learning_rate_init": 0}, "learning_rate_init"},
		{map[string]any{"learning_rate_init": -1}, "learning_rate_init"},
		{map[string]any{"hidden_layers": []any{5}}, "no such parameter"},
	}
	for _, tt := range tests {
		_, err := Method.Resolve(tt.given, dataset.Info{})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: error %v", tt.given, err)
		}
	}
}

// A network that the memory cannot hold is refused before it takes any.
func TestNoMemory(t *testing.T) {
	const bytes = 16 * 4e9
	if free := machine.FreeMemory(); free == 0 || float64(free) > bytes {
		t.Skip("the memory that is free is not known, or very large")
	}
	data := noise(0, 20, 1)
	r := fit(t.Context(), data, config(t, data.Info, map[string]any{"hidden_layer_sizes": slices.Repeat([]int{10_000}, 41)}))
	if !errors.Is(r.Err, method.ErrMemory) || !strings.Contains(r.Err.Error(), " weights, whose training takes at least ") {
		t.Errorf("%v: want an error for want of memory", r.Err)
	}
}

// TestEpochs has a target that does not vary: the score is 0 from the first epoch on, and eleven more do not improve it.
func TestEpochs(t *testing.T) {
	data := noise(0, 200, 4)
	clear(data.Y)
	r := one(t, data, nil)
	if r.Details["epochs"] != 12 || r.Details["best_epoch"] != 1 || r.Details["held_out_score"] != 0.0 {
		t.Errorf("details are %v", r.Details)
	}
}

// After training the network has the weights of the best epoch, whose score is that of all held-out rows, here more than are predicted at once.
func TestBestEpoch(t *testing.T) {
	data := noise(0, 3000, 3)
	for i := range data.Y {
		data.Y[i] += float64(i % 7) // which nothing tells, so that the last epochs are not the best
	}
	out, c := newOutput(data), config(t, data.Info, map[string]any{"hidden_layer_sizes": []int{10}, "learning_rate_init": 0.01})
	m, err := train(t.Context(), data, c, out, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	_, held := holdOut(data.Train, nil, rand.New(rand.NewPCG(1, 1)))
	predicted, err := m.predict(t.Context(), data, 0, data.Train)
	if err != nil {
		t.Fatal(err)
	}
	misses := 0.0
	for _, r := range held {
		misses += math.Pow(predicted[r]-data.Y[r], 2)
	}
	if got := out.score(misses, held); !(math.Abs(got-m.bestScore) <= 1e-6) || m.bestEpoch == m.epochs {
		t.Errorf("the score is %v, in epoch %d of %d it was %v", got, m.bestEpoch, m.epochs, m.bestScore)
	}
}

func TestSmallTables(t *testing.T) {
	for _, rows := range []int{2, 3, 9, 10, 11, 19, 20, 21} {
		for _, classes := range []int{0, 2, 5} {
			if r := one(t, noise(classes, rows, 3), nil); r.Err != nil {
				t.Errorf("%d rows, %d classes: %v", rows, classes, r.Err)
			}
		}
	}
	for _, rows := range []int{0, 1} {
		data := noise(0, rows, 3)
		err := Method.Run(context.Background(), data, []method.Config{config(t, data.Info, nil)}, func(method.Result) {
			t.Error("a result was reported")
		})
		if err == nil || !strings.Contains(err.Error(), "at least 2") {
			t.Errorf("%d rows: error %v", rows, err)
		}
	}
}

func TestAbsentClasses(t *testing.T) {
	data := noise(4, 120, 3)
	replace := func(with func(c uint16) uint16) {
		for i := range data.Train {
			data.Labels[i] = with(data.Labels[i])
		}
	}
	share := func(p method.Prediction, class int) (sum float64) {
		for i := class; i < len(p); i += 4 {
			sum += p[i]
		}
		return sum
	}
	for _, tt := range []struct {
		with   func(c uint16) uint16
		absent []int
	}{
		{func(c uint16) uint16 { return max(c, 1) }, []int{0}},
		{func(c uint16) uint16 { return c/2*2 + 1 }, []int{0, 2}},
		{func(uint16) uint16 { return 2 }, []int{0, 1, 3}},
	} {
		replace(tt.with)
		r := one(t, data, nil)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		for c := range 4 {
			if absent := slices.Contains(tt.absent, c); (share(r.Test, c) == 0) != absent {
				t.Errorf("class %d, absent %v, gets %v in sum", c, absent, share(r.Test, c))
			}
		}
	}
}

func TestAwkwardFeatures(t *testing.T) {
	for _, classes := range []int{0, 2, 3} {
		data := noise(classes, 100, 4)
		for i := range data.Rows() {
			data.X[i*4+1] = 7 // constant
			data.X[i*4+2] = 0
		}
		if r := one(t, data, nil); r.Err != nil {
			t.Errorf("constant columns, %d classes: %v", classes, r.Err)
		}
		for i := range data.Rows() {
			data.X[i*4+1] = 3e38
		}
		r := one(t, data, nil)
		if !errors.Is(r.Err, method.ErrDiverged) || strings.Contains(r.Err.Error(), "\n") {
			t.Errorf("huge values, %d classes: error %v", classes, r.Err)
		}
	}
}

func TestCancel(t *testing.T) {
	data := noise(0, 50_000, 30)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	before := subprocess.OwnTime()
	c := config(t, data.Info, map[string]any{"hidden_layer_sizes": []int{500, 500, 500}})
	err := Method.Run(ctx, data, []method.Config{c, c.With("alpha", 1.0)}, func(method.Result) { t.Error("a result was reported") })
	if took := subprocess.OwnTime() - before; !errors.Is(err, context.DeadlineExceeded) || took > time.Second {
		t.Errorf("error %v after %v of the processor's time", err, took)
	}
}

func TestHoldOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, tt := range []struct {
		n, ones  int // ones < 0: not stratified
		held     int
		heldOnes []int // what may occur
	}{
		{n: 2, ones: -1, held: 1},
		{n: 10, ones: -1, held: 1},
		{n: 11, ones: -1, held: 2},
		{n: 398, ones: 148, held: 40, heldOnes: []int{15}},
		{n: 100, ones: 45, held: 10, heldOnes: []int{5}}, // half a row each but for rounding
		{n: 100, ones: 50, held: 10, heldOnes: []int{5}},
		{n: 98, ones: 49, held: 10, heldOnes: []int{5}},
		{n: 100, ones: 2, held: 10, heldOnes: []int{0}},
		{n: 100, ones: 1, held: 10, heldOnes: []int{0, 1}}, // scikit-learn refuses
		{n: 10, ones: 5, held: 1, heldOnes: []int{0, 1}},   // likewise
	} {
		var strata []uint16
		if tt.ones >= 0 {
			strata = make([]uint16, tt.n)
			for i := range tt.ones {
				strata[i] = 1
			}
		}
		seen := map[int]bool{}
		for range 200 {
			train, held := holdOut(tt.n, strata, rng)
			all := slices.Sorted(slices.Values(slices.Concat(train, held)))
			if len(held) != tt.held || len(all) != tt.n || all[0] != 0 || int(all[tt.n-1]) != tt.n-1 || len(slices.Compact(all)) != tt.n {
				t.Fatalf("%+v: %d rows are held, %d trained on", tt, len(held), len(train))
			}
			count := 0
			for _, r := range held {
				if strata != nil && strata[r] == 1 {
					count++
				}
			}
			seen[count] = true
		}
		if strata == nil {
			continue
		}
		for count := range seen {
			if !slices.Contains(tt.heldOnes, count) {
				t.Errorf("%+v: %d of class 1 were held", tt, count)
			}
		}
		if len(seen) != len(tt.heldOnes) {
			t.Errorf("%+v: %v of class 1 were held in 200 draws", tt, seen)
		}
	}
}

// Of groups a tenth is held out, all rows of each. Where there are no two groups, nothing is drawn: rows are free.
func TestHoldOutGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for count, want := range map[int]int{2: 1, 10: 1, 11: 2} {
		groups, ever := make([]uint16, 60), map[uint16]bool{}
		for i := range groups {
			groups[i] = uint16(3 * (i % count)) // validation and test rows have others
		}
		for range 200 {
			train, held := holdOutGroups(groups, func(row int32) float64 { return float64(row) }, rng)
			of := map[uint16]bool{}
			for _, r := range held {
				of[groups[r]], ever[groups[r]] = true, true
			}
			if len(of) != want || len(train)+len(held) != len(groups) || slices.ContainsFunc(train, func(r int32) bool { return of[groups[r]] }) {
				t.Fatalf("%d groups: held are rows %d, trained on %d", count, held, train)
			}
		}
		if len(ever) != count {
			t.Errorf("%d of %d groups are ever held", len(ever), count)
		}
	}
	same, as := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1))
	for _, groups := range [][]uint16{nil, {5, 5, 5}} {
		if train, held := holdOutGroups(groups, nil, same); train != nil || held != nil {
			t.Errorf("%d: held are rows %d, trained on %d", groups, held, train)
		}
	}
	if same.Uint64() != as.Uint64() {
		t.Error("something was drawn")
	}
	// Groups of two rows, of which the last three have another target than the rest: held are two targets, or of at most half of the groups.
	for count, least := range map[int]int{10: 2, 40: 4} {
		groups, varied := make([]uint16, 2*count), 0
		for i := range groups {
			groups[i] = uint16(i / 2)
		}
		for range 200 {
			rare := func(row int32) float64 { return float64(max(0, int(groups[row])-count+4)) }
			train, held := holdOutGroups(groups, rare, rng)
			vary := slices.ContainsFunc(held, func(row int32) bool { return rare(row) != rare(held[0]) })
			if len(train)+len(held) != len(groups) || len(held) > len(train) || vary && len(held) < 2*least || !vary && len(held) != count/5 {
				t.Fatalf("%d groups: held are rows %d, trained on %d", count, held, train)
			}
			if vary {
				varied++
			}
		}
		if varied < 150 { // of ten groups 92 % have another one among the first half, of forty 88 %
			t.Errorf("%d groups: targets vary in %d of 200 draws", count, varied)
		}
	}
}

// A network that can tell groups apart, and nothing else, does well on rows of groups that it trains on; it is to be stopped by others.
func TestStopsByOtherGroups(t *testing.T) {
	const groups, rows = 20, 400
	data := &task.Task{Train: rows, Val: 10, Test: 10, Width: groups, TargetStd: 1, Threads: 1}
	data.X = make([]float32, data.Rows()*groups)
	for i := range data.Rows() {
		data.X[i*groups+i%groups] = 1
		if i < rows+10 {
			data.Y = append(data.Y, float64(2*(i*i%groups%2)-1))
		}
		if i < rows {
			data.Groups = append(data.Groups, uint16(i%groups))
		}
	}
	kept := one(t, data, nil).Details["held_out_score"].(float64)
	data.Groups = nil
	if free := one(t, data, nil).Details["held_out_score"].(float64); !(free > 0.9) || !(kept < 0.5) {
		t.Errorf("the score by held-out rows is %v, by held-out groups %v", free, kept)
	}
}

// Groups that are held out have rows of two classes, also where one of these is in few groups: a network that knows nothing, here of features
// that are all 0, does not score all of them.
func TestGroupsOfClasses(t *testing.T) {
	data := noise(2, 60, 3)
	clear(data.X)
	for i := range data.Train {
		data.Groups, data.Labels[i] = append(data.Groups, uint16(i%10)), 0
		if i%10 < 3 {
			data.Labels[i] = 1
		}
	}
	for data.Seed = range 5 {
		if r := one(t, data, nil); r.Err != nil || r.Details["held_out_score"] == 1.0 {
			t.Errorf("seed %d: %v, %v", data.Seed, r.Err, r.Details)
		}
	}
}

func TestScores(t *testing.T) {
	y := linear{[]float32{1, 2, 3, 3, 3}}
	for _, tt := range []struct {
		misses float64
		held   []int32
		want   float64
	}{
		{0.5, []int32{0, 1, 2}, 0.75},
		{4, []int32{0, 1, 2}, -1},
		{0, []int32{2, 3, 4}, 1}, // a target that does not vary
		{1, []int32{2, 3, 4}, 0},
		{4, []int32{0}, -4},
	} {
		if got := y.score(tt.misses, tt.held); !(math.Abs(got-tt.want) <= 1e-12) {
			t.Errorf("R² of %v for %v is %v, want %v", tt.misses, tt.held, got, tt.want)
		}
	}
	if got := (classified{}).score(3, make([]int32, 12)); got != 0.75 {
		t.Errorf("accuracy is %v, want 0.75", got)
	}
}

// TestInitialWeights checks that weights and biases fill (-b, b) evenly, b = sqrt(6 / (in + out)), and the padding is 0.
func TestInitialWeights(t *testing.T) {
	nw := newNetwork([]int{9, 300, 200, 1}, 0, rand.New(rand.NewPCG(3, 3)))
	for i, l := range nw.layers {
		bound := math.Sqrt(6 / float64(l.in+l.out))
		squares := map[bool]float64{} // of the weights and of the biases
		for o := range l.out {
			for j, w := range l.w[o*l.ld:][:l.ld] {
				if !(math.Abs(float64(w)) <= bound) || j > l.in && w != 0 {
					t.Fatalf("layer %d, unit %d, weight %d is %v", i, o, j, w)
				}
				squares[j == l.in] += float64(w) * float64(w)
			}
		}
		n := map[bool]int{false: l.in * l.out, true: l.out}
		for bias, sum := range squares {
			if want := bound * bound / 3; n[bias] >= 200 && !(math.Abs(sum/float64(n[bias])-want) <= 0.15*want) {
				t.Errorf("layer %d, biases %v: variance %v, want %v", i, bias, sum/float64(n[bias]), want)
			}
		}
	}
}

// Improvements below the tolerance do not keep a training going: at so small a rate each epoch is better, by less than 1e-4.
func TestTolerance(t *testing.T) {
	r := one(t, noise(0, 200, 3), map[string]any{"learning_rate_init": 1e-7})
	if r.Details["epochs"] != 12 || r.Details["best_epoch"] != 12 {
		t.Errorf("%v epochs, the best was %v, want 12 and the last", r.Details["epochs"], r.Details["best_epoch"])
	}
}
