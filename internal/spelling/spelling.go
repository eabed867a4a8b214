// Package spelling is for messages: it finds the name that a user most likely meant, and spells numbers.
package spelling

import (
	"fmt"
	"strconv"
	"strings"
)

// Count returns "1 row" or "2,000 rows".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(n) + " " + noun + "s"
}

// Thousands writes a number with commas: 11,000,000.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Nearest returns the candidate that begins with name, if only one does, else the only one that has it somewhere, or else the one with
// the smallest edit distance to it, or "" when none is close: more than a third of the longer name, and at least two letters, would have
// to change.
func Nearest(name string, candidates []string) string {
	for _, has := range []func(s, part string) bool{strings.HasPrefix, strings.Contains} {
		best, found := "", 0
		for _, c := range candidates {
			if len(name) >= 3 && has(strings.ToLower(c), strings.ToLower(name)) {
				best, found = c, found+1
			}
		}
		if found == 1 {
			return best
		}
	}
	best, bestDistance := "", -1
	for _, c := range candidates {
		d := distance(strings.ToLower(name), strings.ToLower(c))
		if limit := max(2, max(len(name), len(c))/3); d <= limit && d < len(c) && (bestDistance < 0 || d < bestDistance) {
			best, bestDistance = c, d
		}
	}
	return best
}

// Hint returns ` (did you mean "x"?)` for the nearest candidate, else the list of all when there are some, and not many.
func Hint(name string, candidates []string) string {
	if n := Nearest(name, candidates); n != "" {
		return fmt.Sprintf(" (did you mean %q?)", n)
	}
	if 0 < len(candidates) && len(candidates) <= 20 {
		return "; known: " + strings.Join(candidates, ", ")
	}
	return ""
}

// distance counts the insertions, deletions, substitutions and swaps of neighbours that turn a into b.
func distance(a, b string) int {
	before, previous := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(previous[j]+1, row[j-1]+1, previous[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, previous = previous, row
	}
	return previous[len(b)]
}
