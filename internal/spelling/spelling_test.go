package spelling

import "testing"

func TestNearest(t *testing.T) {
	sets := []string{"yacht", "boston-housing", "breast-cancer", "poker-hand", "forest-cover", "kick"}
	for given, want := range map[string]string{
		"yatch": "yacht", "boston": "boston-housing", "Boston-Housing": "boston-housing", "brest-cancer": "breast-cancer",
		"kik": "kick", "pokerhand": "poker-hand", "": "", "mnist": "", "b": "", "forestcover": "forest-cover", "cover": "forest-cover",
	} {
		if got := Nearest(given, sets); got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"abc", "abd", 1}, {"abc", "acb", 1}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows", 1000: "1,000 rows"} {
		if got := Count(n, "row"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 11340: "11,340", 11000000: "11,000,000", -1234: "-1,234", -999: "-999"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
