package dataset

import "strconv"

// All ten features are categorical, as the paper says; the loader that its authors released takes ranks as numbers, and
// the published numbers do not come out that way. The test file is the test set.
var pokerHand = &source{
	Info: Info{
		Name: "poker-hand", Title: "Poker Hand", Problem: MultiClass, Rows: 1025010, Target: 10, Columns: 11, Classes: 10,
		Folds: 5, RunFolds: 1, Licence: "CC BY 4.0",
	},
	columns: cards(),
	variants: []variant{{
		testAt:    25010,
		classRows: []int{513702, 433097, 48828, 21634, 3978, 2050, 1460, 236, 17, 8},
		files: []File{pokerTraining, {
			Name:     "poker-hand-testing.data",
			MaxBytes: 32 << 20,
			Rows:     1000000,
			URLs:     []string{uci + "poker/poker-hand-testing.data"},
			SHA256:   []string{"3cd75958e19dd321ed5ca3f7f154c0f6aad544aab9f37731ac545b5f66b232c7"},
			parse:    text{separator: ','}.parse,
		}},
	}, {
		subset:    "all training rows and the first 100,000 of the 1,000,000 test rows",
		rows:      125010,
		digest:    "23fd962d42658ae0daf3348f6b3df1edf370afabb7d02cd0a645b1f1a7c2ba55",
		testAt:    25010,
		classRows: []int{62593, 52784, 6079, 2611, 472, 249, 186, 24, 6, 6},
		files: []File{pokerTraining, {
			Name:     "poker-hand-testing.first100000.data",
			MaxBytes: 2353808,
			Rows:     100000,
			Manual:   "the first 100,000 lines of poker-hand-testing.data",
			SHA256:   []string{"bc1d45565c473c62ee42e0c307a669c969c51ecaaec3fa0d54588cb202f37b31"},
			Gzip:     []string{"e0fd87941991601c3d96ec0f08ec21ea80108bed08eaa5d289fc66f91a44bbf1"},
			parse:    text{separator: ','}.parse,
		}},
	}},
}

var pokerTraining = File{
	Name:     "poker-hand-training-true.data",
	MaxBytes: 613694,
	Rows:     25010,
	URLs:     []string{uci + "poker/poker-hand-training-true.data"},
	SHA256:   []string{"37becdf87d5f8cbf2b91d6471e965a25b86cb4a6d878c0f94a4025969fca464f"},
	Gzip:     []string{"8c92702b683d87e35f6f66af8a0369e425fb57b3405f3a30e3adc5372e36cbbb"},
	parse:    text{separator: ','}.parse,
}

// cards describes five cards by suit and rank (the ace is 1), and the hand that they make.
func cards() []columnSpec {
	var specs []columnSpec
	for card := 1; card <= 5; card++ {
		specs = append(specs, levels("S"+strconv.Itoa(card), numerals(1, 5)...), levels("C"+strconv.Itoa(card), numerals(1, 14)...))
	}
	return append(specs, levels("hand", numerals(0, 10)...))
}

// numerals returns the numbers from first to end-1 as text.
func numerals(first, end int) []string {
	var texts []string
	for i := first; i < end; i++ {
		texts = append(texts, strconv.Itoa(i))
	}
	return texts
}
