package npt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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

// Every entry is as likely to be masked, and to be randomised, as any other.
func TestMaskIsUniform(t *testing.T) {
	const n, p, repeats = 20, 0.3, 20000
	rng := newRand(9)
	var taken, random [n]int
	for range repeats {
		codes := slices.Repeat([]code{featureCandidate}, n)
		maskSome(rng, codes, featureCandidate, n, p)
		for i, c := range codes {
			if c != visible {
				taken[i]++
			}
			if c == randomised {
				random[i]++
			}
		}
	}
	for what, counts := range map[string][n]int{"masked or randomised": taken, "randomised": random} {
		mean := 0.0
		for _, k := range counts {
			mean += float64(k) / n
		}
		for i, k := range counts {
			if math.Abs(float64(k)-mean) > 5*math.Sqrt(mean) {
				t.Errorf("entry %d was %s %d times, the mean is %.0f", i, what, k, mean)
			}
		}
	}
}

// Which targets are seen, hidden, and asked for, in every kind of pass.
func TestTargetVisibility(t *testing.T) {
	table := testTable(40, 10, 10, false)
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
		case i < 40 && got == hidden:
			t.Fatalf("training target %d is hidden", i)
		case i < 40 && got != visible:
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
