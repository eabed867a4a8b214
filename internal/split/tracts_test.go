package split

import (
	"slices"
	"testing"
)

// Two neighbouring rows of Boston Housing with the largest target make most of the error of published fold 3. They are test rows together
// in that fold alone, as npt/FOLD3.md says.
func TestTracts(t *testing.T) {
	rule := Rule{Rows: 506, Folds: 10}
	for _, p := range Protocols {
		for fold := range rule.Folds {
			s, err := Make(rule, p, fold)
			if err != nil {
				t.Fatal(err)
			}
			both := slices.Contains(s.Test, 371) && slices.Contains(s.Test, 372)
			if want := p == Published && fold == 3; both != want {
				t.Errorf("%s fold %d tests both: %v, want %v", p, fold, both, want)
			}
		}
	}
}
