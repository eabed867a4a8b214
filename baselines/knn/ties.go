package knn

import (
	"context"
	"sort"

	"nptbench/internal/method"
	"nptbench/internal/task"
)

// Of several training rows at the distance of the k-th neighbour, those that come first count, or else those that
// scikit-learn 0.24 takes, with which the paper's numbers were made. Its searches are exact too, but which of the tied
// rows they keep depends on the order in which they meet them, and so on algorithm and leaf_size:
//
//   - ball_tree and kd_tree go through a binary tree of the rows, near halves first, and keep the first k rows they
//     find in a heap, from which a nearer row drives out one of the farthest (see binaryTree);
//   - brute takes the first k rows of NumPy's introselect over all distances (see introselect);
//   - auto is brute for more than 15 columns or k of at least half the rows, else kd_tree.
//
// Where nothing is tied with the k-th neighbour, and that is everywhere in most tables, all of them agree.

// A tieRule is one of scikit-learn's. The nil *tieRule takes the rows that come first.
type tieRule struct {
	tree *binaryTree // nil: introselect
}

// tieRules has the rules met so far. Those with the same algorithm and leaf size are the same.
type tieRules map[tieKey]*tieRule

type tieKey struct {
	algorithm string
	leafSize  int // 0: it decides nothing
}

// of returns the rule of a configuration.
func (r tieRules) of(ctx context.Context, t *task.Task, c method.Config) (*tieRule, error) {
	if c.String("ties") != "scikit-learn" {
		return nil, nil
	}
	key := tieKey{c.String("algorithm"), c.Int("leaf_size")}
	if key.algorithm == "auto" {
		key.algorithm = "kd_tree"
		if t.Width > 15 || c.Int("n_neighbors") >= t.Train/2 {
			key.algorithm = "brute"
		}
	}
	if key.algorithm == "brute" {
		key.leafSize = 0
	}
	if r[key] == nil {
		r[key] = &tieRule{}
		if key.algorithm != "brute" {
			tree, err := newBinaryTree(ctx, t, key.algorithm == "ball_tree", key.leafSize, c.Int("p"))
			if err != nil {
				return nil, err
			}
			r[key].tree = tree
		}
	}
	return r[key], nil
}

// introselect moves the k smallest to the front, for each k of an ascending list, as numpy.partition(list, k-1) does
// for one of them: quickselect from low to high with the median of three as pivot. What it does for one k it does for
// the others too, or else on one side of them, so which rows are among the first k does not depend on the other k.
// (NumPy goes on with the median of medians after 2 log2(n) pivots without success, which takes a list made for that
// purpose, and does not partition at all for the first three; see selectFew.)
func introselect(list []neighbour, low, high int, ks []int) {
	less := func(i, j int) bool { return list[i].distance < list[j].distance }
	swap := func(i, j int) { list[i], list[j] = list[j], list[i] }
	for len(ks) > 0 && low+1 < high {
		middle := low + (high-low)/2
		if less(high, middle) {
			swap(high, middle)
		}
		if less(high, low) {
			swap(high, low)
		}
		if less(low, middle) { // the median goes to low
			swap(low, middle)
		}
		swap(middle, low+1) // and the least next to it
		left, right, pivot := low+1, high, list[low].distance
		for {
			for left++; list[left].distance < pivot; left++ {
			}
			for right--; pivot < list[right].distance; right-- {
			}
			if right < left {
				break
			}
			swap(left, right)
		}
		swap(low, right)
		introselect(list, low, right-1, ks[:sort.SearchInts(ks, right+1)])
		low, ks = left, ks[sort.SearchInts(ks, left+1):]
	}
	if len(ks) > 0 && high == low+1 && less(high, low) {
		swap(high, low)
	}
}

// few is the largest k for which NumPy looks for the smallest one by one.
const few = 3

// selectFew moves the k smallest to the front, the first of equal ones first.
func selectFew(list []neighbour, k int) {
	for i := range k {
		least := i
		for j := i + 1; j < len(list); j++ {
			if list[j].distance < list[least].distance {
				least = j
			}
		}
		list[i], list[least] = list[least], list[i]
	}
}
