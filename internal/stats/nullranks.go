package stats

import (
	"math"
	"math/rand/v2"
	"sync"
)

// With few data sets the usual approximations of rank tests are far off: for nine methods on four data sets they halve or double
// probabilities near 0.05. There the null hypothesis, that on each data set every order of the methods is as likely, is drawn from.

// nullDraws is how often orders are drawn: a probability of 0.05 is then off by 0.0005 (one standard error).
const nullDraws = 200_000

// fewRanks reports whether k methods on n data sets are drawn from; with more, approximations are good.
func fewRanks(k, n int) bool { return k*n <= 200 }

// drawRankSums draws the order of each row of ranks, many times, and calls use with the sums of columns.
func drawRankSums(ranks [][]float64, use func(sums []float64)) {
	rng := rand.New(rand.NewPCG(uint64(len(ranks)), uint64(len(ranks[0]))))
	row, sums := make([]float64, len(ranks[0])), make([]float64, len(ranks[0]))
	for range nullDraws {
		clear(sums)
		for _, of := range ranks {
			copy(row, of)
			for i := len(row) - 1; i > 0; i-- {
				j := rng.IntN(i + 1)
				row[i], row[j] = row[j], row[i]
			}
			for j, r := range row {
				sums[j] += r
			}
		}
		use(sums)
	}
}

// A rankRange has, for every difference d of two rank sums of k methods over n data sets, the probability that the largest and the smallest
// of them are so far apart, from d = 0 to n(k-1).
type rankRange []float64

var rankRanges sync.Map // by [2]int{k, n}

func rankRangeOf(k, n int) rankRange {
	if known, ok := rankRanges.Load([2]int{k, n}); ok {
		return known.(rankRange)
	}
	row := make([]float64, k)
	for j := range row {
		row[j] = float64(j + 1)
	}
	ranks := make([][]float64, n)
	for i := range ranks {
		ranks[i] = row
	}
	tail := make(rankRange, n*(k-1)+1)
	drawRankSums(ranks, func(sums []float64) {
		least, most := sums[0], sums[0]
		for _, s := range sums {
			least, most = min(least, s), max(most, s)
		}
		tail[int(most-least)]++
	})
	for d := len(tail) - 2; d >= 0; d-- {
		tail[d] += tail[d+1]
	}
	for d := range tail {
		tail[d] /= nullDraws
	}
	rankRanges.Store([2]int{k, n}, tail)
	return tail
}

// byPermutation is the probability of rank sums that are as far from equal as these, if each row's ranks can be in any order.
func byPermutation(ranks [][]float64, between float64) float64 {
	n, k := float64(len(ranks)), float64(len(ranks[0]))
	as := 1 // the order that there is, so that no p is 0
	drawRankSums(ranks, func(sums []float64) {
		squares := 0.0
		for _, s := range sums {
			d := s - n*(k+1)/2
			squares += d * d
		}
		if squares >= between-1e-9 {
			as++
		}
	})
	return float64(as) / (nullDraws + 1)
}

// Reaches reports whether a difference of mean ranks is a critical difference or more.
func Reaches(difference, critical float64) bool { return math.Abs(difference) >= critical-1e-9 }
