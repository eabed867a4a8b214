package mlp

import (
	"math"
	"math/rand/v2"
	"slices"
)

// heldShare is the share of the training rows that early stopping holds out: scikit-learn's validation_fraction.
const heldShare = 0.1

// holdOut draws the rows that early stopping holds out, ceil(n/10) of n, from those that are trained on, at random.
//
// With strata, one of two classes per row, both parts get the classes in proportion, rounded at random where remainders
// are equal. scikit-learn stratifies for two classes only, and stops with an error when a class has one row or when fewer
// than two rows are held out; here the draw is then a plain one.
func holdOut(n int, strata []uint16, rng *rand.Rand) (train, held []int32) {
	count := int(math.Ceil(heldShare * float64(n)))
	order := make([]int32, n)
	for i, p := range rng.Perm(n) {
		order[i] = int32(p)
	}
	if strata == nil {
		return order[count:], order[:count]
	}
	var size [2]int
	for _, c := range strata {
		size[c]++
	}
	if min(size[0], size[1], count, n-count) < 2 {
		return order[count:], order[:count]
	}
	quota := [2]int{}
	quota[0] = trainShare(size, n-count, rng)
	quota[1] = n - count - quota[0]
	for _, r := range order {
		if c := strata[r]; quota[c] > 0 {
			quota[c]--
			train = append(train, r)
		} else {
			held = append(held, r)
		}
	}
	return train, held
}

// holdOutGroups is holdOut of whole groups, ceil(n/10) of n: a network that is stopped by rows of groups that it trains on stops too late.
// Where these have but one target, which tells little of a network, they are more, up to half, until there is another one.
// It returns nothing, and draws nothing, where there are no two groups.
func holdOutGroups(groups []uint16, target func(row int32) float64, rng *rand.Rand) (train, held []int32) {
	of := slices.Compact(slices.Sorted(slices.Values(groups)))
	if len(of) < 2 {
		return nil, nil
	}
	order := rng.Perm(len(of))
	parts := func(count int) (train, held []int32, vary bool) {
		out := map[uint16]bool{}
		for _, i := range order[:count] {
			out[of[i]] = true
		}
		for row, group := range groups {
			if out[group] {
				held = append(held, int32(row))
			} else {
				train = append(train, int32(row))
			}
		}
		return train, held, slices.ContainsFunc(held, func(row int32) bool { return target(row) != target(held[0]) })
	}
	tenth := int(math.Ceil(heldShare * float64(len(of))))
	for count := tenth; count <= len(of)/2; count++ {
		if train, held, vary := parts(count); vary {
			return train, held
		}
	}
	train, held, _ = parts(tenth)
	return train, held
}

// trainShare returns how many of n training rows belong to the first of two classes of the given sizes: the proportional numbers rounded
// down, and the row that is left to the class with the larger remainder as floating-point numbers have it, by a coin when they are equal.
func trainShare(size [2]int, n int, rng *rand.Rand) int {
	exact := func(class int) float64 { return float64(size[class]) / float64(size[0]+size[1]) * float64(n) }
	low, remainder := math.Modf(exact(0))
	otherLow, other := math.Modf(exact(1))
	if left := n - int(low) - int(otherLow); left > 0 && (remainder > other || remainder == other && rng.IntN(2) == 1) {
		return int(low) + 1
	}
	return int(low)
}
