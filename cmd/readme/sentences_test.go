package main

import (
	"math"
	"os"
	"strings"
	"testing"
)

// A sentence is found over the ends of lines; one with another number is named, with what it should say, and so is a missing file.
func TestSentences(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{
		"cells.csv": "method,metric,mean,seeds,seeds_stddev\nnpt,rmse,2.345,3,0.0951\nnpt,rmse,3.5,3,0.0749\nknn,rmse,9,,\n",
		"README.md": "The error of NPT\nis 2.35 to 3.50\non these.\n\n    command\n\n<!-- output -->\n| k-NN | 9 |\n<!-- end -->\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	says := func(text string) map[string][]sentence {
		return map[string][]sentence{"README.md": {func(r *reports) string {
			if n := len(r.rows("cells.csv").where("method", "npt", "metric", "rmse")); n != 2 {
				t.Errorf("%d rows, want 2", n)
			}
			return text
		}}}
	}
	if err := checkSentences(&reports{}, says("NPT is 2.35 to 3.50 on")); err != nil {
		t.Error(err)
	}
	for _, other := range []string{"is 2.36 to 3.50", "is 2.35 to 3.5", "35 to 3.50", "| k-NN | 9 |"} { // the last stands in a table that is written
		if err := checkSentences(&reports{}, says(other)); err == nil || err.Error() != "README.md does not say what the reports give: "+other {
			t.Errorf("%s: %v", other, err)
		}
	}
	missing := map[string][]sentence{"README.md": {func(r *reports) string { r.rows("none.csv"); return "" }}}
	if err := checkSentences(&reports{}, missing); err == nil || !strings.Contains(err.Error(), "none.csv") || !strings.Contains(err.Error(), "make reports-published") {
		t.Error(err)
	}
	cells := (&reports{}).rows("cells.csv")
	if low, high := overSeeds(cells.where("method", "npt")); low != "0.075" || high != "0.095" {
		t.Errorf("deviations from %s to %s", low, high)
	}
	if low, high := cells.span("mean"); low != 2.345 || high != 9 {
		t.Errorf("numbers from %v to %v", low, high)
	}
	if x := cells.where("method", "knn").number("mean"); x != 9 {
		t.Errorf("the number of one row is %v, want 9", x)
	}
	for _, several := range []rows{cells, cells.where("method", "npt"), cells.where("method", "none")} {
		if x := several.number("mean"); !math.IsNaN(x) {
			t.Errorf("%d rows have the number %v", len(several), x)
		}
	}
}

// Without the files of reports no sentence fails in another way than by saying so.
func TestSentencesWithoutReports(t *testing.T) {
	t.Chdir(t.TempDir())
	for document, of := range sentences {
		for i, s := range of {
			r := &reports{}
			if s(r); r.err == nil {
				t.Errorf("sentence %d of %s needs no report", i, document)
			}
		}
	}
}
