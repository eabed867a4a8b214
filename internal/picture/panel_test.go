package picture

import "testing"

// A word that is longer than a line of a title is cut, so that the plot has its place.
func TestWrapped(t *testing.T) {
	for title, want := range map[string]string{
		"NPT, 8 layers": "NPT, 8 layers",
		"gradient-boosting-of-the-ordered-kind, 8 layers": "gradient-boosting-of-th\ne-ordered-kind, 8\nlayers",
		"ÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜ":                        "ÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖ\nÜ",
	} {
		if got := wrapped(title); got != want {
			t.Errorf("%q became %q, want %q", title, got, want)
		}
	}
}
