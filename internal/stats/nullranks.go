package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// Over few data sets rank tests need no approximation: under the null hypothesis every order of the methods is as likely on each, and the
// orders can be gone through, or drawn from. Of the approximations χ² finds too little there, and that of Nemenyi's test does not know that
// sums of ranks are whole numbers.

// fewDataSets reports whether there are so few that tests of ranks go through orders.
func fewDataSets(n int) bool { return n <= 20 }

const (
	maxPermutations = 1_000_000 // that are gone through
	maxSamples      = 200_000   // else: a probability of 0.05 is then off by 0.0005 (one standard error)
	minSamples      = 20_000    // where a draw takes long
	manySamples     = 20        // times as many, where a probability of Nemenyi's test is so near to 0.05 that these cannot tell
)

// nullRankSums calls use with the sums of columns, for every order of the rows' ranks, or for random ones where these are many: tail is the
// probability of what count of these sums show, never 0 of random ones, of which there are times as many as usual.
func nullRankSums(ranks [][]float64, times int, use func(sums []float64)) (tail func(count int) float64) {
	n, k := len(ranks), len(ranks[0])
	orders := 1.0 // of all rows but the first, which may stay
	for range n - 1 {
		for i := 2; i <= k && orders <= maxPermutations; i++ {
			orders *= float64(i)
		}
	}
	if orders <= maxPermutations {
		permutations(ranks[1:], ranks[0], use)
		return func(count int) float64 { return float64(count) / orders }
	}
	draws := times * min(max(40_000_000/(n*k), minSamples), maxSamples)
	rng := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	row, sums := make([]float64, k), make([]float64, k)
	for range draws {
		clear(sums)
		for _, of := range ranks {
			copy(row, of)
			rng.Shuffle(k, func(i, j int) { row[i], row[j] = row[j], row[i] })
			for j, r := range row {
				sums[j] += r
			}
		}
		use(sums)
	}
	return func(count int) float64 { return float64(count+1) / float64(draws+1) } // the order that there is counts, too
}

// permutations goes through all orders of all rows, and gives their sums with those before.
func permutations(rows [][]float64, before []float64, use func(sums []float64)) {
	if len(rows) == 0 {
		use(before)
		return
	}
	row, sums := slices.Clone(rows[0]), make([]float64, len(before))
	var permute func(at int)
	permute = func(at int) {
		if at == len(row) {
			for j, r := range row {
				sums[j] = before[j] + r
			}
			permutations(rows[1:], sums, use)
			return
		}
		for i := at; i < len(row); i++ {
			row[at], row[i] = row[i], row[at]
			permute(at + 1)
			row[at], row[i] = row[i], row[at]
		}
	}
	permute(0)
}

// A rankRange has, for every difference d of two rank sums of k methods over n data sets, the probability that the largest and the smallest
// of them are so far apart, from d = 0 to n(k-1).
type rankRange []float64

var rankRanges sync.Map // by [2]int{k, n}

func rankRangeOf(k, n int) rankRange {
	if known, ok := rankRanges.Load([2]int{k, n}); ok {
		return known.(rankRange)
	}
	of := newRankRange(k, n, 1)
	if slices.ContainsFunc(of, func(p float64) bool { return math.Abs(p-0.05) < 0.002 }) {
		of = newRankRange(k, n, manySamples)
	}
	rankRanges.Store([2]int{k, n}, of)
	return of
}

func newRankRange(k, n, times int) rankRange {
	row := make([]float64, k)
	for j := range row {
		row[j] = float64(j + 1)
	}
	counts := make([]int, n*(k-1)+1)
	tail := nullRankSums(slices.Repeat([][]float64{row}, n), times, func(sums []float64) {
		counts[int(slices.Max(sums)-slices.Min(sums))]++
	})
	of := make(rankRange, len(counts))
	for d, sum := len(counts)-1, 0; d >= 0; d-- {
		sum += counts[d]
		of[d] = tail(sum)
	}
	for d := 1; d < len(of); d++ {
		if counts[d] == 0 { // not seen: as likely as the next smaller one that is
			of[d] = of[d-1]
		}
	}
	return of
}

// byPermutation is the probability of rank sums whose squared distances from equal ones add up to as much.
func byPermutation(ranks [][]float64, between float64) float64 {
	mean, asFar := float64(len(ranks)*(len(ranks[0])+1))/2, 0
	tail := nullRankSums(ranks, 1, func(sums []float64) {
		squares := 0.0
		for _, s := range sums {
			squares += (s - mean) * (s - mean)
		}
		if squares >= between-1e-9 {
			asFar++
		}
	})
	return tail(asFar)
}
