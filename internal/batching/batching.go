// Package batching cuts rows into batches of equal composition. Begin with Deal.
package batching

import "math/rand/v2"

// Deal deals the rows of strata, which it shuffles, into batches. Every batch gets its proportional share of every stratum, to
// within one row. The rows of a batch are in random order, and so are the batches.
func Deal(rng *rand.Rand, strata [][]int32, batches int) [][]int32 {
	// Position p of the strata, one after the other, belongs to batch p mod batches: this fixes how many rows of each
	// stratum a batch gets. Which rows these are is random.
	out := make([][]int32, batches)
	position := 0
	for _, stratum := range strata {
		rng.Shuffle(len(stratum), func(i, j int) { stratum[i], stratum[j] = stratum[j], stratum[i] })
		for _, row := range stratum {
			b := position % batches
			out[b] = append(out[b], row)
			position++
		}
	}
	for _, b := range out {
		rng.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
