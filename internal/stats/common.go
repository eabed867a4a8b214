package stats

import "slices"

// CompleteBlocks chooses the methods that are ranked, and the data sets on which: all of the one have finished all of the other. It begins with the
// methods that have finished anything, leaves out again and again the one that has finished the fewest data sets, the last of several, and
// takes the choice that compares the most: pairs of methods times data sets, of which there must be at least some number.
func CompleteBlocks[M, D any](methods []M, datasets []D, least int, finished func(M, D) bool) (ranked []M, on []D) {
	sets := func(methods ...M) (sets []D) {
		for _, d := range datasets {
			if !slices.ContainsFunc(methods, func(m M) bool { return !finished(m, d) }) {
				sets = append(sets, d)
			}
		}
		return sets
	}
	left := slices.DeleteFunc(slices.Clone(methods), func(m M) bool { return len(sets(m)) == 0 })
	for most := 0; len(left) > 1; {
		all := sets(left...)
		if n := len(left) * (len(left) - 1) / 2 * len(all); n > most && len(all) >= least {
			most, ranked, on = n, slices.Clone(left), all
		}
		fewest := 0
		for i, m := range left {
			if len(sets(m)) <= len(sets(left[fewest])) {
				fewest = i
			}
		}
		left = slices.Delete(left, fewest, fewest+1)
	}
	return ranked, on
}
