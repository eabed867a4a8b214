package knn

import (
	"math"
	"slices"
)

// A neighbour is a training row and its distance.
type neighbour struct {
	distance float64
	row      int32
}

// less reports whether a is nearer than b: of those at the same distance, the row that comes first.
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
	s.worst = s.list[0]
	for _, n := range s.list {
		if less(s.worst, n) {
			s.worst = n
		}
	}
}

// sorted returns the neighbours found, at most k, nearest first.
func (s *nearest) sorted() []neighbour {
	if len(s.list) > s.k {
		s.cut()
	}
	quicksort(s.list)
	return s.list
}

// selectSmallest moves the k smallest of the list to its front, in any order (Hoare's quickselect).
func selectSmallest(list []neighbour, k int) {
	for 0 < k && k < len(list) {
		if left, right := partition(list); k <= left {
			list = list[:left]
		} else if k >= right {
			list, k = list[right:], k-right
		} else {
			return
		}
	}
}

// quicksort is several times as fast as slices.SortFunc here, since less is inlined.
func quicksort(list []neighbour) {
	for len(list) > 12 {
		left, right := partition(list)
		if left < len(list)-right {
			quicksort(list[:left])
			list = list[right:]
		} else {
			quicksort(list[right:])
			list = list[:left]
		}
	}
	for i := 1; i < len(list); i++ {
		n, j := list[i], i
		for ; j > 0 && less(n, list[j-1]); j-- {
			list[j] = list[j-1]
		}
		list[j] = n
	}
}

// partition reorders a list of at least one so that nothing in list[:left] is greater than the rest, and nothing in
// list[right:] less; right is left or left+1.
func partition(list []neighbour) (left, right int) {
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
	return j + 1, i
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
