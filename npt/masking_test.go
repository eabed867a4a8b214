package npt

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// testTable makes a table with a continuous target in the second column, and a signal that can be learnt.
func testTable(train, val, test int, missing bool) *Table {
	t := &Table{
		Columns: []Column{{Name: "a"}, {Name: "y", Target: true}, {Name: "b", Categories: 3}, {Name: "c"}},
		Train:   train, Val: val, Test: test,
	}
	rng := newRand(7)
	for i := range t.Rows() {
		a, b, c := rng.NormFloat64(), rng.IntN(3), rng.NormFloat64()
		row := make([]float32, 6)
		row[0], row[1], row[2+b], row[5] = float32(a), float32(0.7*a+0.5*float64(b-1)), 1, float32(c)
		flags := make([]bool, 4)
		if missing && i%5 == 0 {
			flags[0], row[0] = true, 0
		}
		t.Values = append(t.Values, row...)
		if missing {
			t.Missing = append(t.Missing, flags...)
		}
	}
	return t
}

func TestRandomisedShare(t *testing.T) {
	for drawn, want := range map[int]int{0: 0, 1: 1, 2: 0, 3: 2, 10: 2, 100: 11, 1000: 101} {
		if got := randomisedOf(drawn); got != want {
			t.Errorf("of %d drawn entries %d are randomised, want %d", drawn, got, want)
		}
	}
}

func TestMaskedShare(t *testing.T) {
	const n, p = 20000, 0.15
	codes := slices.Repeat([]code{featureCandidate}, n)
	maskSome(newRand(1), codes, featureCandidate, n, p)
	number := map[code]int{}
	for _, c := range codes {
		number[c]++
	}
	drawn := number[masked] + number[randomised]
	if sd := math.Sqrt(n * p * (1 - p)); math.Abs(float64(drawn)-n*p) > 4*sd {
		t.Errorf("%d of %d drawn, want about %v", drawn, n, n*p)
	}
	if number[randomised] != randomisedOf(drawn) || number[visible] != n-drawn {
		t.Errorf("codes %v", number)
	}
}

// deviceMasks has the device draw masks for a number of passes. wanted is what the host says of each.
func deviceMasks(t *testing.T, backend compute.Backend, table *Table, c Config, passes int) (masks [][]code, wanted []maskDraw) {
	t.Helper()
	c.Hidden, c.Heads = 2, 1
	e, err := newEngine(newNetwork(c, table.Columns), table, backend)
	if err != nil {
		t.Fatal(err)
	}
	for i := range passes {
		wanted = append(wanted, newMaskDraw(newRand(uint64(i)), &c, e.codesOf(trainMode).candidates))
	}
	drawn, err := e.drawMasks(wanted)
	if err != nil {
		t.Fatal(err)
	}
	return masksOf(t, drawn), wanted
}

// masksOf copies the masks of passes from the device.
func masksOf(t *testing.T, codes *tensors.Tensor) (masks [][]code) {
	t.Helper()
	if err := tensors.ConstFlatData(codes, func(flat []code) {
		masks = slices.Collect(slices.Chunk(slices.Clone(flat), len(flat)/codes.Shape().Dimensions[0]))
	}); err != nil {
		t.Fatal(err)
	}
	return masks
}

// The device masks as many of the candidates as it is told to, and none but these.
func TestDeviceMasks(t *testing.T) { onCompleteBackends(t, testDeviceMasks) }

func testDeviceMasks(t *testing.T, backend compute.Backend) {
	table := testTable(23, 9, 8, true)
	for name, change := range map[string]func(*Config){
		"base":                func(*Config) {},
		"p_target 0.5":        func(c *Config) { c.TargetMask = 0.5 },
		"not semi-supervised": func(c *Config) { c.SemiSupervised, c.TargetMask = false, 0.3 },
		"no features":         func(c *Config) { c.FeatureMask, c.TargetMask = 0, 0.1 },
		"all features":        func(c *Config) { c.FeatureMask = 1 },
		"few":                 func(c *Config) { c.FeatureMask, c.TargetMask = 0.01, 0.05 },
	} {
		c := DefaultConfig()
		change(&c)
		before, candidates := modeCodes(table, &c, trainMode)
		masks, wanted := deviceMasks(t, backend, table, c, 12)
		for pass, codes := range masks {
			var drawn, random [2]int
			for i, got := range codes {
				kind := slices.Index(candidateKinds[:], before[i])
				switch {
				case kind < 0 && got != before[i]:
					t.Fatalf("%s: entry %d, no candidate, has code %d, want %d", name, i, got, before[i])
				case kind < 0:
				case got == randomised:
					random[kind]++
					drawn[kind]++
				case got == masked:
					drawn[kind]++
				case got != visible:
					t.Fatalf("%s: candidate %d has code %d", name, i, got)
				}
			}
			want := wanted[pass].numbers
			if got := [4]int32{int32(drawn[0]), int32(random[0]), int32(drawn[1]), int32(random[1])}; got != want {
				t.Errorf("%s: of %d candidates %v are drawn and randomised, want %v", name, candidates, got, want)
			}
			if c.FeatureMask == 1 && drawn[0] != candidates[0] {
				t.Errorf("%s: %d of %d are drawn", name, drawn[0], candidates[0])
			}
		}
	}
}

// The numbers that the host says follow the shares, and are those that it masks itself.
func TestNumbersOfMaskDraws(t *testing.T) {
	c := DefaultConfig()
	c.TargetMask = 0.5
	const n, repeats = 1000, 2000
	var sum, squares [2]float64
	for i := range repeats {
		numbers := newMaskDraw(newRand(uint64(i)), &c, [2]int{n, n}).numbers
		for kind := range sum {
			drawn := numbers[2*kind]
			if random := numbers[2*kind+1]; random != int32(randomisedOf(int(drawn))) {
				t.Fatalf("of %d drawn %d are randomised", drawn, random)
			}
			sum[kind] += float64(drawn)
			squares[kind] += float64(drawn) * float64(drawn)
		}
	}
	for kind, p := range c.maskShares() {
		mean, variance := sum[kind]/repeats, n*p*(1-p)
		if math.Abs(mean-n*p) > 0.5+5*math.Sqrt(variance/repeats) { // numbers are cut off to integers
			t.Errorf("share %v: %v of %d are drawn in the mean", p, mean, n)
		}
		if got := squares[kind]/repeats - mean*mean; math.Abs(got/variance-1) > 5*math.Sqrt(2.0/repeats) {
			t.Errorf("share %v: variance %v, want %v", p, got, variance)
		}
	}
}

// Every entry is as likely to be drawn, and to be randomised, as any other, and so is every pair of entries, within a pass and
// from one pass to the next, of one kind or two, whoever draws.
func TestMasksAreUniform(t *testing.T) {
	const n, passes = 24, 2000
	table := &Table{Columns: []Column{{}, {Target: true}}, Values: make([]float32, 2*n), Train: n}
	c := DefaultConfig()
	c.FeatureMask, c.TargetMask = 0.3, 0.4
	var host [][]code
	for i := range passes {
		host = append(host, drawMask(newRand(uint64(i)), table, &c, trainMode))
	}
	t.Run("host", func(t *testing.T) { checkUniform(t, host) })
	onCompleteBackends(t, func(t *testing.T, backend compute.Backend) {
		masks, _ := deviceMasks(t, backend, table, c, passes)
		checkUniform(t, masks)
	})
}

// checkUniform looks at masks of two columns.
func checkUniform(t *testing.T, masks [][]code) {
	t.Helper()
	// even compares counts of things that are equally likely with their mean.
	even := func(what string, counts []float64) {
		t.Helper()
		mean, chi2 := 0.0, 0.0
		for _, k := range counts {
			mean += k / float64(len(counts))
		}
		for i, k := range counts {
			chi2 += (k - mean) * (k - mean) / mean
			if math.Abs(k-mean) > 5*math.Sqrt(mean) {
				t.Errorf("%s: %v times for number %d, %.0f in the mean", what, k, i, mean)
			}
		}
		// The numbers drawn are given, so counts vary less than those of independent events; not more.
		if free := float64(len(counts) - 1); chi2 > free+5*math.Sqrt(2*free) {
			t.Errorf("%s: chi-square %.1f with %.0f degrees of freedom", what, chi2, free)
		}
	}
	n := len(masks[0]) / 2
	for column, name := range []string{"feature", "target"} {
		taken := func(pass, i int) bool { return masks[pass][2*i+column] != visible }
		drawn, random := make([]float64, n), make([]float64, n)
		pairs, randomPairs := make([]float64, n*(n-1)/2), make([]float64, n*(n-1))
		next, other := make([]float64, n*n), make([]float64, n*n)
		for pass := range masks {
			for i := range n {
				if !taken(pass, i) {
					continue
				}
				drawn[i]++
				for j := range i {
					if taken(pass, j) {
						pairs[i*(i-1)/2+j]++
					}
				}
				for j := range n {
					if pass > 0 && taken(pass-1, j) {
						next[i*n+j]++
					}
					if masks[pass][2*j+1-column] != visible {
						other[i*n+j]++
					}
				}
				if masks[pass][2*i+column] == randomised {
					random[i]++
					at := i * (n - 1)
					for j := range n {
						if j == i {
							continue
						}
						if taken(pass, j) {
							randomPairs[at]++
						}
						at++
					}
				}
			}
		}
		even(name+" drawn", drawn)
		even(name+" randomised", random)
		even(name+"s drawn together", pairs)
		even(name+" randomised with another that is drawn", randomPairs)
		even(name+" drawn after another", next)
		even(name+" drawn with one of the other kind", other)
	}
}

// Neighbours, and the same entries of two passes, of a table with thousands of entries are drawn independently of each other.
func TestDeviceMasksOfManyEntries(t *testing.T) { onCompleteBackends(t, testDeviceMasksOfManyEntries) }

func testDeviceMasksOfManyEntries(t *testing.T, backend compute.Backend) {
	const rows, p = 3000, 0.15
	table := &Table{Columns: []Column{{}, {}, {Target: true}}, Values: make([]float32, 3*rows), Train: rows}
	masks, _ := deviceMasks(t, backend, table, DefaultConfig(), 4)
	taken := func(pass, i int) float64 { // feature i
		if c := masks[pass%len(masks)][i/2*3+i%2]; c == visible {
			return 0
		}
		return 1
	}
	for pass := range masks {
		both := func(other, offset int) (number float64) {
			for i := range 2*rows - offset {
				number += taken(pass, i) * taken(other, i+offset)
			}
			return number
		}
		check := func(what string, got, share float64) {
			t.Helper()
			if sd := math.Sqrt(2 * rows * share * (1 - share)); math.Abs(got-2*rows*share) > 5*sd {
				t.Errorf("%s: %v of %d, want %v ± %.0f", what, got, 2*rows, 2*rows*share, sd)
			}
		}
		check("drawn", both(pass, 0), p)
		for _, offset := range []int{1, 2, 4, 256} {
			check("drawn with its neighbour", both(pass, offset), p*p)
		}
		check("drawn in two passes", both(pass+1, 0), p*p)
		check("drawn in two passes, next to each other", both(pass+1, 1), p*p)
	}
}

// The mask of a pass is the same wherever a training begins, and another one than that of every other pass.
func TestDeviceMasksResume(t *testing.T) {
	table := testTable(20, 5, 5, false)
	c := smallConfig()
	c.TargetMask = 0.5
	masks := func(order ...int) map[int][]code {
		tr := newTestTrainerOn(t, completeBackend(t), table, c)
		tr.engine.passes = 3
		of := map[int][]code{}
		for _, pass := range order {
			place, err := tr.loadMasks(pass, nil)
			if err != nil {
				t.Fatal(err)
			}
			of[pass] = masksOf(t, tr.masks.codes)[place]
		}
		return of
	}
	want := masks(0, 1, 2, 3, 4, 5, 6)
	for _, order := range [][]int{{2, 3, 4, 5, 6}, {5}, {6, 0, 4, 3}} {
		for pass, codes := range masks(order...) {
			if !slices.Equal(codes, want[pass]) {
				t.Errorf("the mask of pass %d is another one in %v", pass, order)
			}
		}
	}
	for pass := range 6 {
		if slices.Equal(want[pass], want[pass+1]) {
			t.Errorf("passes %d and %d have the same mask", pass, pass+1)
		}
	}
}

// Which targets are seen, hidden, and asked for, in every kind of pass: none that are missing.
func TestTargetVisibility(t *testing.T) {
	table := testTable(40, 10, 10, false)
	table.Missing = make([]bool, 60*4)
	table.Missing[3*4+1], table.Missing[45*4+1] = true, true
	for _, v := range []struct {
		mode
		pTarget          float64
		train, val, test code
	}{
		{trainMode, 1, masked, hidden, hidden},
		{valMode, 1, hidden, masked, hidden},
		{testMode, 1, hidden, hidden, masked},
		{valMode, 0.5, visible, masked, hidden},
		{testMode, 0.5, visible, visible, masked},
	} {
		c := DefaultConfig()
		c.TargetMask = v.pTarget
		codes := drawMask(newRand(1), table, &c, v.mode)
		for i := range table.Rows() {
			want := v.train
			if i >= 40 {
				want = v.val
			}
			if i >= 50 {
				want = v.test
			}
			if table.missing(i, 1) {
				want = hidden
			}
			if got := codes[i*4+1]; got != want {
				t.Fatalf("mode %d, p_target %v, row %d: code %d, want %d", v.mode, v.pTarget, i, got, want)
			}
			if v.mode != trainMode && (codes[i*4] != visible || codes[i*4+2] != visible) {
				t.Fatalf("mode %d masks features", v.mode)
			}
		}
	}
	c := DefaultConfig()
	c.TargetMask = 0.5
	codes := drawMask(newRand(1), table, &c, trainMode)
	asked := 0
	for i := range table.Rows() {
		switch got := codes[i*4+1]; {
		case i >= 40 && got != hidden:
			t.Fatalf("target of row %d has code %d in training", i, got)
		case i < 40 && (got == hidden) != table.missing(i, 1):
			t.Fatalf("training target %d has code %d", i, got)
		case i < 40 && got != visible && got != hidden:
			asked++
		}
	}
	if asked < 8 || asked > 32 {
		t.Errorf("%d of 40 training targets are asked for, want about half", asked)
	}
}

func TestFeaturesMaskedInWhichRows(t *testing.T) {
	table := testTable(40, 10, 10, true)
	c := DefaultConfig()
	c.FeatureMask = 1
	for _, semi := range []bool{true, false} {
		c.SemiSupervised = semi
		codes := drawMask(newRand(1), table, &c, trainMode)
		for i := range table.Rows() {
			for _, j := range []int{0, 2, 3} {
				got := codes[i*4+j]
				want := got == masked || got == randomised
				if table.missing(i, j) {
					want = got == hidden
				}
				if i >= 40 && !semi {
					want = got == visible
				}
				if !want {
					t.Fatalf("semi-supervised %v: entry (%d, %d) has code %d", semi, i, j, got)
				}
			}
		}
	}
}

// The sizes of the published batches, from the official batching code.
func TestBatchComposition(t *testing.T) {
	for _, v := range []struct {
		name                  string
		train, val, test, max int
		batches               int
		rows, tr, va, te      [2]int
	}{
		{"protein", 32011, 4573, 9146, 2048, 23, [2]int{1988, 1989}, [2]int{1391, 1392}, [2]int{198, 199}, [2]int{397, 398}},
		{"kick", 51087, 7299, 14597, 4096, 18, [2]int{4054, 4055}, [2]int{2838, 2839}, [2]int{405, 406}, [2]int{810, 811}},
		{"income", 174582, 24941, 99762, 2048, 147, [2]int{2035, 2036}, [2]int{1187, 1188}, [2]int{169, 170}, [2]int{678, 679}},
		{"mnist", 52500, 7500, 10000, 512, 137, [2]int{510, 511}, [2]int{383, 384}, [2]int{54, 55}, [2]int{72, 73}},
		{"boston-housing", 353, 102, 51, 0, 1, [2]int{506, 506}, [2]int{353, 353}, [2]int{102, 102}, [2]int{51, 51}},
	} {
		table := &Table{Columns: []Column{{Target: true}}, Train: v.train, Val: v.val, Test: v.test}
		c := DefaultConfig()
		c.BatchSize = v.max
		batches := dealBatches(newRand(3), table, &c, trainMode)
		if len(batches) != v.batches {
			t.Errorf("%s: %d batches, want %d", v.name, len(batches), v.batches)
		}
		seen := make([]bool, table.Rows())
		low, high := [4]int{1 << 30, 1 << 30, 1 << 30, 1 << 30}, [4]int{}
		for _, b := range batches {
			n := [4]int{len(b)}
			for _, r := range b {
				if seen[r] {
					t.Fatalf("%s: row %d is in two batches", v.name, r)
				}
				seen[r] = true
				switch {
				case int(r) < v.train:
					n[1]++
				case int(r) < v.train+v.val:
					n[2]++
				default:
					n[3]++
				}
			}
			for i := range n {
				low[i], high[i] = min(low[i], n[i]), max(high[i], n[i])
			}
		}
		if slices.Contains(seen, false) {
			t.Errorf("%s: not every row is in a batch", v.name)
		}
		for i, want := range [][2]int{v.rows, v.tr, v.va, v.te} {
			if low[i] != want[0] || high[i] != want[1] {
				t.Errorf("%s: part %d has %d to %d rows, want %v", v.name, i, low[i], high[i], want)
			}
		}
	}
}

func TestClassBalancing(t *testing.T) {
	table := &Table{Columns: []Column{{Name: "y", Categories: 3, Target: true}}, Train: 900, Val: 50, Test: 50}
	for i := range table.Rows() {
		row := make([]float32, 3)
		switch { // 600, 240 and 60 of the training rows
		case i%15 < 10:
			row[0] = 1
		case i%15 < 14:
			row[1] = 1
		default:
			row[2] = 1
		}
		table.Values = append(table.Values, row...)
	}
	c := DefaultConfig()
	c.BatchSize, c.ClassBalancing = 100, true
	table, err := table.balanced(&c)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range dealBatches(newRand(5), table, &c, trainMode) {
		var n [3]int
		for _, r := range b {
			for k := range n {
				if int(r) < table.Train && table.Values[int(r)*3+k] == 1 {
					n[k]++
				}
			}
		}
		if n != [3]int{60, 24, 6} {
			t.Fatalf("a batch has %v training rows of the classes, want 60, 24 and 6", n)
		}
	}

	// What stands under the flag of a missing label is no class.
	table.Missing = make([]bool, table.Rows())
	for i := range table.Train {
		table.Missing[i] = i%15 == 3 || i%15 == 11
	}
	classes, err := table.trainClasses()
	if err != nil {
		t.Fatal(err)
	}
	var rows [4]int
	for _, class := range classes {
		rows[class]++
	}
	if want := [4]int{540, 180, 60, 120}; rows != want {
		t.Errorf("classes have %v rows, want %v (the last one: labels that are missing)", rows, want)
	}

	for _, targets := range [][]Column{{{Name: "y", Target: true}}, {{Name: "x", Categories: 3}}, {{Name: "y", Categories: 2, Target: true}, {Name: "z", Target: true}}} {
		if _, err := (&Table{Columns: targets}).balanced(&c); err == nil || !strings.Contains(err.Error(), "ClassBalancing: true, want false") {
			t.Errorf("%v: error %v", targets, err)
		}
	}
}

// A trainer has what it needs of the values.
func TestValuesAreCopied(t *testing.T) {
	table := testTable(40, 10, 20, true)
	table.Columns[1].Target, table.Columns[2].Target = false, true
	c := smallConfig()
	c.BatchSize, c.ClassBalancing, c.Steps = 16, true, 6
	train := func(reuse bool) float64 {
		mine := *table
		mine.Values = slices.Clone(table.Values)
		tr, err := NewTrainer(&mine, c, testBackend(t))
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		if reuse {
			clear(mine.Values)
		}
		if err := tr.Train(t.Context()); err != nil {
			t.Fatal(err)
		}
		return tr.bestLoss
	}
	if kept, reused := train(false), train(true); kept != reused {
		t.Errorf("loss %v, and %v where the values were overwritten", kept, reused)
	}
}

func TestNotSemiSupervisedRows(t *testing.T) {
	table := testTable(40, 10, 20, false)
	c := DefaultConfig()
	c.SemiSupervised, c.BatchSize = false, 16
	for m, want := range map[mode]int{trainMode: 40, valMode: 50, testMode: 70} {
		rows := 0
		for _, b := range dealBatches(newRand(1), table, &c, m) {
			rows += len(b)
		}
		if rows != want {
			t.Errorf("mode %d sees %d rows, want %d", m, rows, want)
		}
	}
}
