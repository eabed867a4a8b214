package stats

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Cliques joins methods between which a test found no difference, for the bars of a critical-difference diagram: the longest runs
// of methods, best first, in the order of mean ranks, of which no two differ. hidden are pairs that do not differ and that no bar can
// join, because a method between them differs from one of both.
func Cliques(meanRanks []float64, differ func(i, j int) bool) (cliques [][]int, hidden [][2]int) {
	order := make([]int, len(meanRanks))
	floats.ArgsortStable(slices.Clone(meanRanks), order)
	reached := 0 // end of the last run
	for first := range order {
		end := first + 1
		for end < len(order) && !slices.ContainsFunc(order[first:end], func(i int) bool { return differ(i, order[end]) }) {
			end++
		}
		if end-first > 1 && end > reached {
			cliques = append(cliques, slices.Clone(order[first:end]))
		}
		reached = end
		for _, j := range order[end:] {
			if !differ(order[first], j) {
				hidden = append(hidden, [2]int{order[first], j})
			}
		}
	}
	return cliques, hidden
}
