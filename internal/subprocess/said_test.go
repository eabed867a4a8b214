package subprocess

import (
	"io"
	"strings"
	"testing"
)

func TestSaid(t *testing.T) {
	for _, c := range []struct {
		head, tail int
		writes     []string
		want       string
	}{
		{3, 2, []string{"ab"}, "ab"},
		{3, 2, []string{"ab", "cde"}, "abcde"},
		{3, 2, []string{"ab", "cdef"}, "abc … ef"},
		{3, 2, []string{"abcdef", "gh"}, "abc … gh"},
		{3, 0, []string{"ab", "cd", "e"}, "abc"},
		{0, 3, []string{"ab", "cd", "ef"}, "def"},
		{2, 0, []string{"aö"}, "a"}, // a half of a letter
		{3, 2, []string{" \n"}, ""},
	} {
		s := &Said{Head: c.head, Tail: c.tail}
		for _, w := range c.writes {
			if n, err := io.WriteString(s, w); n != len(w) || err != nil {
				t.Errorf("%q: %d, %v", w, n, err)
			}
		}
		if got := s.String(); got != c.want {
			t.Errorf("%d and %d bytes of %q: %q, want %q", c.head, c.tail, c.writes, got, c.want)
		}
		if s.Forget(); s.String() != "" {
			t.Errorf("%q is not forgotten", s)
		}
		if io.WriteString(s, "abc"[:min(3, c.head+c.tail)]); strings.Contains(s.String(), "…") {
			t.Errorf("%q remembers a cut", s)
		}
	}
}
