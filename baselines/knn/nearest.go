package knn

import (
	"cmp"
	"math"
	"slices"
)

// A neighbour is a training row and its distance.
type neighbour struct {
	distance float64
	row      int32
}

// compare orders neighbours by distance, and by row number where that is the same.
func compare(a, b neighbour) int {
	if c := cmp.Compare(a.distance, b.distance); c != 0 {
		return c
	}
	return cmp.Compare(a.row, b.row)
}

func less(a, b neighbour) bool {
	return a.distance < b.distance || a.distance == b.distance && a.row < b.row
}

// nearest collects the k nearest of the neighbours it is given. They are kept in a list of up to 2k that is cut back to
// k when it is full, which costs constant time per neighbour, where a heap costs log k.
type nearest struct {
	k     int
	list  []neighbour
	worst neighbour // who is not less than this one is not among the k nearest
}

func (s *nearest) reset(k int) {
	s.k = k
	s.list = slices.Grow(s.list[:0], 2*k)
	s.worst = neighbour{distance: math.Inf(1)}
}

func (s *nearest) add(n neighbour) {
	if !less(n, s.worst) {
		return
	}
	s.list = append(s.list, n)
	if len(s.list) == 2*s.k {
		s.cut()
	}
}

func (s *nearest) cut() {
	selectSmallest(s.list, s.k)
	s.list = s.list[:s.k]
	s.worst = slices.MaxFunc(s.list, compare)
}

// sorted returns the neighbours found, at most k, nearest first.
func (s *nearest) sorted() []neighbour {
	if len(s.list) > s.k {
		s.cut()
	}
	slices.SortFunc(s.list, compare)
	return s.list
}

// selectSmallest moves the k smallest of the list to its front, in any order (Hoare's quickselect).
func selectSmallest(list []neighbour, k int) {
	for len(list) > 1 && k > 0 && k < len(list) {
		pivot := median(list[0], list[len(list)/2], list[len(list)-1])
		i, j := 0, len(list)-1
		for i <= j {
			for less(list[i], pivot) {
				i++
			}
			for less(pivot, list[j]) {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i++
				j--
			}
		}
		switch { // list[:j+1] <= pivot <= list[i:], and what lies between equals the pivot
		case k <= j:
			list = list[:j+1]
		case k >= i:
			list, k = list[i:], k-i
		default:
			return
		}
	}
}

func median(a, b, c neighbour) neighbour {
	if less(b, a) {
		a, b = b, a
	}
	if less(c, b) {
		b = c
	}
	if less(b, a) {
		return a
	}
	return b
}
