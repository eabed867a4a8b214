package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/results"
)

func TestPrintsAs(t *testing.T) {
	tests := []struct {
		x, printed float64
		decimals   int
		want       bool
	}{
		{4.2746, 4.27, 2, true},
		{4.2651, 4.27, 2, true},
		{4.2649, 4.27, 2, false},
		{4.2751, 4.27, 2, false},
		{4.275, 4.27, 2, true}, // halfway: can be rounded to either
		{4.275, 4.28, 2, true},
		{0.98034, 0.980, 3, true},
		{0.9806, 0.980, 3, false},
		{95.26000000000001, 95.26, 2, true},
		{87.71, 87.7, 1, true},
		{87.76, 87.7, 1, false},
		{190.4, 190, 0, true},
		{190.6, 190, 0, false},
		{-0.004, 0, 2, true},
	}
	for _, tt := range tests {
		if got := printsAs(tt.x, tt.printed, tt.decimals); got != tt.want {
			t.Errorf("printsAs(%v, %v, %d) = %v", tt.x, tt.printed, tt.decimals, got)
		}
	}
}

// foldsEntry runs a regression method with one setting on ten folds and returns its RMSE entry.
func foldsEntry(t *testing.T, method string, values []float64, change func(*fixture)) *Number {
	t.Helper()
	f := newFixture()
	f.expect("boston-housing", published, method, 1)
	for fold, x := range values {
		f.ok("boston-housing", published, method, fold, 0, mse(0.1), rmse(x))
	}
	if change != nil {
		change(f)
	}
	return collect(t, f).Numbers[0]
}

func TestStatisticsOverFolds(t *testing.T) {
	// numpy.std of these, ddof 1 and 0, over sqrt(10).
	values := []float64{3.1, 4.5, 2.2, 5.0, 3.3, 4.1, 2.9, 6.2, 3.8, 4.4}
	e := foldsEntry(t, "xgboost", values, nil)
	for name, pair := range map[string][2]float64{
		"mean": {e.Mean, 3.95}, "stderr": {e.StdErr, 0.3655285366576884}, "ddof 0": {e.StdErr0, 0.34677081768799406},
		"stddev": {e.StdDev(), 1.1559027256266468},
	} {
		if !(math.Abs(pair[0]-pair[1]) <= 1e-12) {
			t.Errorf("%s %v, want %v", name, pair[0], pair[1])
		}
	}
	if e.N != 10 || !math.IsNaN(e.RowStdErr) {
		t.Errorf("n %d, over rows %v", e.N, e.RowStdErr)
	}
}

// The paper has 4.27 ± 0.37 for k-NN and 2.92 ± 0.15 for NPT on Boston Housing.
func TestVerdictsOverFolds(t *testing.T) {
	tests := []struct {
		name, method string
		mean, sd     float64 // population deviation over ten folds
		verdict      Verdict
		spread       bool
	}{
		{"the paper's", "knn", 4.2746, 1.17, Reproduced, true},
		{"another spread", "knn", 4.2746, 1.0, Reproduced, false},
		{"one s.e.", "knn", 4.27 + 0.5, 1.17, Differs, true},
		{"two s.e.", "knn", 4.27 - 1.0, 1.17, Differs, true},
		{"far off", "knn", 4.27 + 1.2, 1.17, Differs, true},
		{"constant", "knn", 4.2, 0, Differs, false},
		{"with a seed", "tabnet", 3.8, 0, NotGraded, false},
		// NPT's printed error has ddof 1: 0.45/3 = 0.15, while with ddof 0 it would be 0.142.
		{"npt", "npt", 2.92, 0.45, Reproduced, true},
		{"npt with ddof 0", "npt", 2.92, 0.15 * math.Sqrt(10), Reproduced, false},
	}
	for _, tt := range tests {
		e := foldsEntry(t, tt.method, spread(tt.mean, tt.sd), func(f *fixture) { f.searchAsPaper("boston-housing", tt.method) })
		if e.Verdict != tt.verdict || e.SpreadReproduced != tt.spread || !math.IsNaN(e.Z) {
			t.Errorf("%s: %q, z %v, spread %v; want %q, none, %v", tt.name, e.Verdict, e.Z, e.SpreadReproduced, tt.verdict, tt.spread)
		}
	}
}

// What is measured on the model of a single split has the error over its test rows as its own, and is complete with that split.
func TestErrorOverRows(t *testing.T) {
	g := &Group{Info: dataset.Info{Name: "yacht", RunFolds: 10}, Protocol: published, Settings: 1,
		Series: &Series{Method: &method.Method{Name: "npt"}, Measure: measure.All()[0]}}
	f := g.newFold(0)
	f.OK, f.Chosen = 1, &results.Record{Test: results.Metrics{"rmse_change": -20, "rmse_change_se": 1.5}}
	g.Folds = []*Fold{f}
	if n := g.number(metric.Metric{Name: "rmse_change"}); n.Mean != -20 || n.StdErr != 1.5 || n.RowStdErr != 1.5 || !n.Complete() {
		t.Errorf("%v ± %v, over rows ± %v, complete %v", n.Mean, n.StdErr, n.RowStdErr, n.Complete())
	}
}

// The error of a change over folds allows for training rows in common, once; its standard deviation does not.
func TestErrorOfAChangeOverFolds(t *testing.T) {
	g := &Group{Info: dataset.Info{Name: "yacht", RunFolds: 10}, Protocol: published, Settings: 1,
		Series: &Series{Method: &method.Method{Name: "npt"}, Measure: measure.All()[0]}}
	for fold := range 10 {
		f := g.newFold(fold)
		f.OK, f.Chosen = 1, &results.Record{Rows: [3]int{80, 10, 10}, Test: results.Metrics{"rmse_change": float64(fold)}}
		g.Folds = append(g.Folds, f)
	}
	const deviation = 3.0276503540974917 // of 0 to 9
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-12 }
	for change, factor := range map[bool]float64{false: 1, true: 1.5} { // the root of 1 + 10 folds · 10/80
		n := g.number(metric.Metric{Name: "rmse_change", Change: change})
		if plain := deviation / math.Sqrt(10); !near(n.StdErr, factor*plain) || !near(n.anyStdErr(), 1.5*plain) || !near(n.StdDev(), deviation) {
			t.Errorf("change %v: errors %v and %v, deviation %v", change, n.StdErr, n.anyStdErr(), n.StdDev())
		}
	}
}

// What was chosen among another number of settings than the paper's is not compared with its number, not even where the digits are the same,
// and says so wherever it stands: the random forest's 24 settings on Boston Housing give 3.78 in the paper.
func TestOtherSearches(t *testing.T) {
	const note = "Chosen among 3 settings per fold; the paper chose among 24"
	for _, c := range []struct {
		settings, distinct int // distinct: of the paper's
		rmse               float64
		want               Verdict
		note               string
		caveat             bool
	}{
		{24, 0, 4, NotExcluded, "", false},
		{24, 0, 3.78, Reproduced, "", false},
		{3, 3, 4, NotExcluded, note + ", of which so many differ.", false},
		{3, 0, 4, NotComparable, note + ".", true},
		{3, 12, 4, NotComparable, note + ".", true},
		{3, 12, 3.78, NotComparable, note + ".", true},
		{25, 0, 4, NotComparable, "Chosen among 25 settings per fold; the paper chose among 24.", true},
	} {
		f := newFixture()
		f.expect("boston-housing", published, "random-forest", c.settings)
		for seed, change := range []float64{0, 0.1, -0.1} {
			for fold := range 10 {
				for setting := range c.settings {
					f.ok("boston-housing", published, "random-forest", fold, setting, mse(1), rmse(c.rmse+change)).Seed = 42 + uint64(seed)
				}
			}
		}
		s := collect(t, f)
		s.Groups[slices.IndexFunc(s.Groups, func(g *Group) bool { return g.Settings > 0 })].distinct = c.distinct
		n := s.number("boston-housing", published, "random-forest", metric.RMSE)
		n.judge()
		var overview, table Table
		n.besidePaper(&overview, nil)
		n.Notes = n.notes()
		n.verdictCell(&table, nil)
		if n.Verdict != c.want || slices.Contains(overview.Notes, c.note) != c.caveat || (c.note != "") != slices.Contains(table.Notes, c.note) {
			t.Errorf("%+v: %s with %q, in an overview %q", c, n.Verdict, table.Notes, overview.Notes)
		}
		compared := c.want != NotComparable
		if _, _, verdicts := s.falsePositives(); (verdicts[NotExcluded]+verdicts[Differs] > 0) != compared {
			t.Errorf("%+v: held against other methods' numbers %v", c, verdicts)
		}
		if worth := s.worth(); strings.Contains(worth, " % would be called not excluded.") != compared ||
			strings.HasPrefix(worth, "What a verdict is worth: held against the paper's number for another method, ") != compared {
			t.Errorf("%+v: %s", c, worth)
		}
	}
}

// That corruption turns no test row right or wrong, as in the paper on Breast Cancer, is not clear: nor would it with a method that reads one
// row at a time.
func TestNoRowTurns(t *testing.T) {
	for stdErr, want := range map[float64]Verdict{0: NotClear, 0.001: Reproduced} {
		g := &Group{Info: dataset.Info{Name: "breast-cancer", RunFolds: 10}, Protocol: published, Settings: 1,
			Series: &Series{Method: &method.Method{Name: "npt"}, Measure: measure.All()[0]}}
		f := g.newFold(0)
		f.OK, g.Folds = 1, []*Fold{f}
		n := &Number{Group: g, Metric: metric.Metric{Name: "accuracy_change"}, N: 1, StdErr: stdErr, HasPaper: true}
		if n.judge(); n.Verdict != want {
			t.Errorf("± %v: %s", stdErr, n.Verdict)
		}
	}
}

// Table 12 prints standard deviations: XGBoost has 12.3 ± 7.6 on Boston Housing.
func TestVerdictOfStandardDeviations(t *testing.T) {
	f := newFixture()
	f.expect("boston-housing", published, "xgboost", 1)
	for fold, x := range spread(12.3, 7.6) {
		f.ok("boston-housing", published, "xgboost", fold, 0, mse(0.1), results.Metrics{"rmse": 3, "mse": x})
	}
	f.searchAsPaper("boston-housing", "xgboost")
	e := collect(t, f).Numbers[1]
	if e.Metric != metric.MSE || e.Verdict != Reproduced || !e.SpreadReproduced {
		t.Errorf("%s: %q, spread %v", e.Metric.Name, e.Verdict, e.SpreadReproduced)
	}
}

func TestIncompleteEntries(t *testing.T) {
	ten := spread(4.27, 1)
	tests := []struct {
		name    string
		values  []float64
		change  func(*fixture)
		verdict Verdict
		n       int
		note    string
	}{
		{"nothing", nil, nil, NotRun, 0, ""},
		{"some folds", ten[:4], nil, Partial, 4, "4 of 10 folds complete; records of 4 of 10 cells."},
		{"a failed fold", ten[:9], func(f *fixture) {
			f.failed("boston-housing", published, "knn", 9, 0, "timeout", "no result\nafter 60 s")
		}, FailedCell, 9, "1 of 10 cells failed: 1 timeout (no result after 60 s)."},
		{"all failed", nil, func(f *fixture) {
			for fold := range 10 {
				f.failed("boston-housing", published, "knn", fold, 0, "crash", "boom")
			}
		}, FailedCell, 0, "No setting has a result on folds 0 to 9."},
		{"settings to do", ten, func(f *fixture) {
			f.expected[0].settings = 2
		}, Partial, 0, "0 of 10 folds complete; records of 10 of 20 cells."},
		{"fewer folds planned", ten[:3], func(f *fixture) {
			f.folds = "3"
		}, Partial, 3, "The sweep has folds 0 to 2, not folds 0 to 9."},
		{"undefined metric", ten, func(f *fixture) {
			delete(f.records[4].Test, "rmse")
		}, Undefined, 9, "RMSE is not defined on the test rows of fold 4."},
		{"not a number", ten, func(f *fixture) {
			f.records[4].Test["rmse"] = math.NaN()
		}, Undefined, 9, "RMSE is not defined on the test rows of fold 4."},
	}
	for _, tt := range tests {
		e := foldsEntry(t, "knn", tt.values, tt.change)
		if e.Verdict != tt.verdict || e.N != tt.n || e.HasDifference() {
			t.Errorf("%s: %q over %d folds, difference %v; want %q over %d", tt.name, e.Verdict, e.N, e.HasDifference(), tt.verdict, tt.n)
		}
		if tt.note != "" && !slices.Contains(e.Notes, tt.note) {
			t.Errorf("%s: notes %q lack %q", tt.name, e.Notes, tt.note)
		}
	}
}

// The footnote of a mean over some folds says of how many, and why others are missing that have records.
func TestFoldsNote(t *testing.T) {
	ten := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	n := foldsEntry(t, "knn", ten, func(f *fixture) {
		delete(f.records[4].Test, "rmse")
		delete(f.records[9].Test, "rmse")
	})
	want := []string{"Over 8 of 10 folds.", "RMSE is not defined on the test rows of folds 4, 9."}
	if got := n.foldsNote(); !slices.Equal(got, want) {
		t.Errorf("notes %q", got)
	}
	for want, folds := range map[string][]int{"fold 3": {3}, "folds 3, 4": {4, 3}, "folds 0 to 2": {0, 1, 2}, "folds 0, 2 to 5, 7, 8": {8, 7, 5, 4, 3, 2, 0}} {
		if got := foldList(folds); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestFailuresAreNamed(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "mlp", 9)
	f.ok("protein", published, "mlp", 0, 0, mse(0.1), rmse(3.62))
	for setting := 1; setting < 6; setting++ {
		f.failed("protein", published, "mlp", 0, setting, "timeout", strings.Repeat("long ", 100))
	}
	f.failed("protein", published, "mlp", 0, 6, "memory", "5 GiB needed")
	f.failed("protein", published, "mlp", 0, 7, "memory", "6 GiB needed")
	f.failed("protein", published, "mlp", 0, 8, "", "")
	f.records[8].Failure = nil
	f.searchAsPaper("protein", "mlp")
	e := collect(t, f).Numbers[0]
	if e.Verdict != Reproduced {
		t.Errorf("verdict %q: a setting that failed is not the method's result", e.Verdict)
	}
	want := "8 of 270 cells failed: 1 error (the record does not say why), 2 memory (the first of 2 messages: 5 GiB needed), 5 timeout (long"
	if !strings.HasPrefix(e.Notes[0], want) || len(e.Notes[0]) > 300 {
		t.Errorf("note %q, want %q...", e.Notes[0], want)
	}
	overview := &Table{}
	if e.besidePaper(overview, nil); !slices.ContainsFunc(overview.Notes, func(note string) bool { return strings.HasPrefix(note, want) }) {
		t.Errorf("an overview has the footnotes %q, want %q...", overview.Notes, want)
	}
}

// k-NN on the first 100,000 of Poker Hand's test rows: 50.38 and 0.9776 beside the paper's 50.4 and 0.975.
func TestVerdictOnAPartOfTheTestRows(t *testing.T) {
	tests := []struct {
		name    string
		metrics results.Metrics
		rows    [3]int
		subset  string
		want    [2]Verdict // accuracy, nll
	}{
		{"first 100,000 rows", results.Metrics{"accuracy": 50.38, "accuracy_se": 0.158, "nll": 0.9776, "nll_se": 0.0016},
			[3]int{21883, 3127, 100000}, "the first 100,000 of the 1,000,000 test rows", [2]Verdict{ReproducedOnPart, ReproducedOnPart}},
		{"too far", results.Metrics{"accuracy": 51, "accuracy_se": 0.158, "nll": 0.979, "nll_se": 0.0016},
			[3]int{21883, 3127, 100000}, "the first 100,000 of the 1,000,000 test rows", [2]Verdict{Differs, Differs}},
		{"all test rows", results.Metrics{"accuracy": 50.38, "accuracy_se": 0.05, "nll": 0.9776, "nll_se": 0.0016},
			[3]int{21883, 3127, 1000000}, "", [2]Verdict{Reproduced, Differs}},
		{"no error known", results.Metrics{"accuracy": 50.38, "nll": 0.9776},
			[3]int{21883, 3127, 100000}, "the first 100,000 of the 1,000,000 test rows", [2]Verdict{ReproducedOnPart, Differs}},
		{"other training rows", results.Metrics{"accuracy": 50.4, "accuracy_se": 0.158, "nll": 0.975, "nll_se": 0.0016},
			[3]int{2000, 3127, 100000}, "105,127 rows", [2]Verdict{NotComparable, NotComparable}},
		{"other validation rows", results.Metrics{"accuracy": 50.4, "accuracy_se": 0.158, "nll": 0.975, "nll_se": 0.0016},
			[3]int{21883, 3000, 100000}, "others", [2]Verdict{NotComparable, NotComparable}},
		{"as many other test rows", results.Metrics{"accuracy": 50.4, "accuracy_se": 0.05, "nll": 0.975, "nll_se": 0.0016},
			[3]int{21883, 3127, 1000000}, "others", [2]Verdict{NotComparable, NotComparable}},
	}
	for _, tt := range tests {
		f := newFixture()
		f.expect("poker-hand", published, "knn", 40)
		for setting := range 40 {
			rec := f.ok("poker-hand", published, "knn", 0, setting, results.Metrics{"nll": 1}, tt.metrics)
			rec.Rows, rec.Subset = tt.rows, tt.subset
		}
		entries := collect(t, f).Numbers
		for i, e := range entries {
			if e.Verdict != tt.want[i] {
				t.Errorf("%s: %s %q, want %q", tt.name, e.Metric.Name, e.Verdict, tt.want[i])
			}
			if tt.subset != "" && !strings.Contains(strings.Join(e.Notes, " "), tt.subset) {
				t.Errorf("%s: notes %q do not name the subset", tt.name, e.Notes)
			}
		}
		if tt.name == "first 100,000 rows" {
			want := []string{"Poker Hand: the first 100,000 of the 1,000,000 test rows.",
				"On Poker Hand's test rows here the NLL has a standard error of 0.0016; the difference from the paper is 0.0026."}
			if !slices.Equal(entries[1].Notes, want) {
				t.Errorf("notes %q, want %q", entries[1].Notes, want)
			}
		}
	}
}

func TestCorrectedIsNotJudged(t *testing.T) {
	f := newFixture()
	f.expect("boston-housing", corrected, "knn", 1)
	for fold, x := range spread(4.27, 1.17) {
		f.ok("boston-housing", corrected, "knn", fold, 0, mse(0.1), rmse(x))
	}
	if e := collect(t, f).Numbers[0]; e.Verdict != NotJudged || e.SpreadReproduced {
		t.Errorf("%q, spread %v", e.Verdict, e.SpreadReproduced)
	}
}

func TestMethodsAndDataSetsWithoutAPaper(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "golearn-knn", 1)
	f.ok("protein", published, "golearn-knn", 0, 0, mse(0.1), rmse(3.77))
	if e := collect(t, f).Numbers[0]; e.Verdict != NoPaper || e.HasDifference() {
		t.Errorf("%q", e.Verdict)
	}
}

// A metric that is not defined on some folds has its mean and deviation over the seeds under which these are the same folds.
func TestSeedsOfAnUndefinedMetric(t *testing.T) {
	f := newFixture()
	f.Series, f.folds = []string{"setting"}, "[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]"
	f.expect("breast-cancer", published, "random-forest", 2)
	for seed, value := range map[uint64]float64{42: 0.7, 43: 0.8, 44: 0.9, 45: 0.1, 46: 0.2} {
		for fold := range 10 {
			for setting := range 2 {
				test := results.Metrics{"accuracy": 90, "auroc": value + 0.1*float64(setting*fold)}
				if fold == 2 || fold == 4 && seed != 46 || fold == 5 && seed >= 45 { // 45: one fold more; 46: another one
					delete(test, "auroc")
				}
				f.ok("breast-cancer", published, "random-forest", fold, setting, results.Metrics{"nll": 1}, test).Seed = seed
			}
		}
	}
	n := collect(t, f).number("breast-cancer", published, "random-forest", metric.AUROC)
	note := "Over 3 seeds: mean 0.8000, standard deviation 0.1000."
	if n.Verdict != Undefined || n.N != 8 || n.Complete() || !slices.Contains(n.footnotes(), note) {
		t.Errorf("%q over %d folds, notes %q, want %q", n.Verdict, n.N, n.footnotes(), note)
	}
	table := &Table{}
	if cell := n.overSeedsCell(table, nil); cell.Text != "0.8000 ± 0.1000 (3)" || !slices.Equal(table.Notes, []string{"AUROC is not defined on the test rows of folds 2, 4."}) {
		t.Errorf("over seeds %q, notes %q", cell.Text, table.Notes)
	}
	l := Layout{Where: []Where{Is("metric", "auroc"), Is("setting", "1")}, Rows: []string{"setting"}, Show: []Part{VariantChange}, Base: Is("setting", "0")}
	if change := l.facts(collect(t, f).Numbers)[0]; len(change.Seeds) != 3 {
		t.Errorf("a change has the seeds %v, want three", change.Seeds)
	}
	for _, rec := range f.records {
		if rec.setting == 1 && rec.Fold == 7 {
			delete(rec.Test, "auroc")
		}
	}
	if change := l.facts(collect(t, f).Numbers)[0]; change.N != 7 || change.Seeds != nil {
		t.Errorf("a change of numbers over other folds has the seeds %v over %d folds, want none over 7", change.Seeds, change.N)
	}
	f.folds = "[5, 4, 3]"
	if n := collect(t, f).number("breast-cancer", published, "random-forest", metric.AUROC); n.Seeds != nil {
		t.Errorf("over some of the paper's folds there are the seeds %v, want none", n.Seeds)
	}
}

// Records of the same cells under other seeds say what a rerun would change. For three means the interval of one more is
// t(0.975, 2) = 4.3027 times sqrt(4/3) standard deviations wide on each side (Student's tables).
func TestVerdictsOverSeeds(t *testing.T) {
	tests := []struct {
		name    string
		means   []float64 // by seed, first the sweep's; the random forest has 3.78 in the paper
		verdict Verdict
		seeds   int
	}{
		{"one seed", []float64{4.01}, NotGraded, 1},
		{"two seeds", []float64{4.01, 4.11}, NotGraded, 2},
		{"near", []float64{3.97, 4.02, 4.07}, NotExcluded, 3},            // 0.24 away; sd 0.05: 0.2484, and 0.005 of rounding
		{"within rounding", []float64{3.98, 4.03, 4.08}, NotExcluded, 3}, // 0.25 away
		{"far", []float64{3.99, 4.04, 4.09}, Differs, 3},                 // 0.26 away
		{"no spread", []float64{4.01, 4.01, 4.01}, Differs, 3},
		{"the first one prints as the paper's", []float64{3.78, 5, 6}, Reproduced, 3},
	}
	for _, tt := range tests {
		f := newFixture()
		f.expect("boston-housing", published, "random-forest", 2)
		for seed, mean := range tt.means {
			for fold := range 10 {
				f.ok("boston-housing", published, "random-forest", fold, 0, mse(0.2), rmse(9)).Seed = 42 + uint64(seed)
				f.ok("boston-housing", published, "random-forest", fold, 1, mse(0.1), rmse(mean)).Seed = 42 + uint64(seed)
			}
		}
		f.searchAsPaper("boston-housing", "random-forest")
		s := collect(t, f)
		n := s.number("boston-housing", published, "random-forest", metric.RMSE)
		if n.Verdict != tt.verdict || len(n.Seeds) != tt.seeds || !(math.Abs(n.Mean-tt.means[0]) <= 1e-9) || s.Records != 240 || s.OtherSeeds != 240*(tt.seeds-1) {
			t.Errorf("%s: %q with %d seeds, mean %v; %d and %d records", tt.name, n.Verdict, len(n.Seeds), n.Mean, s.Records, s.OtherSeeds)
		}
		if note := "Over 3 seeds: mean 4.020, standard deviation 0.050."; tt.name == "near" && !slices.Contains(n.footnotes(), note) {
			t.Errorf("notes %q, want %q: as many decimals of both", n.footnotes(), note)
		}
		if cell, want := n.overSeedsCell(nil, nil), "4.020 ± 0.050 (3)"; tt.name == "near" && cell.Text != want || (tt.seeds > 1) != (cell.Text != none) {
			t.Errorf("%s: over seeds %q", tt.name, cell.Text)
		}
		var out bytes.Buffer
		if err := s.writeCells(&out); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&out).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]float64{"seeds": 3, "seeds_mean": 4.02, "seeds_stddev": 0.05} {
			if got, err := strconv.ParseFloat(column(lines[:2], name), 64); tt.name == "near" && !(math.Abs(got-want) <= 1e-9) {
				t.Errorf("cells.csv has %s %v (%v), want %v", name, got, err, want)
			}
		}
	}
	f := newFixture() // a seed that lacks a setting of a fold says nothing yet
	f.expect("boston-housing", published, "random-forest", 1)
	for _, seed := range []uint64{42, 43, 44} {
		for fold := range 10 {
			f.ok("boston-housing", published, "random-forest", fold, 0, mse(0.2), rmse(5)).Seed = seed
		}
	}
	f.records = f.records[:29]
	f.searchAsPaper("boston-housing", "random-forest")
	n := collect(t, f).Numbers[0]
	if notes := n.footnotes(); len(n.Seeds) != 2 || n.Verdict != NotGraded || len(notes) > len(n.Notes)+1 {
		t.Errorf("%d seeds, %q, %q", len(n.Seeds), n.Verdict, notes)
	}
	f.failed("boston-housing", published, "random-forest", 9, 0, "crash", "no").Seed = 44
	if notes := collect(t, f).Numbers[0].footnotes(); !slices.Contains(notes, "Left out, since cells failed: seed 44: 1 crash (no).") {
		t.Errorf("a seed that failed is not seen: %q", notes)
	}
	f = newFixture() // of seed 44 a setting of a fold failed, and validation chooses among the others
	f.expect("boston-housing", published, "random-forest", 2)
	for _, seed := range []uint64{42, 43, 44} {
		for fold := range 10 {
			f.ok("boston-housing", published, "random-forest", fold, 0, mse(0.2), rmse(5)).Seed = seed
			if seed == 44 && fold == 9 {
				f.failed("boston-housing", published, "random-forest", fold, 1, "crash", "no").Seed = seed
			} else {
				f.ok("boston-housing", published, "random-forest", fold, 1, mse(0.1), rmse(4)).Seed = seed
			}
		}
	}
	n = collect(t, f).Numbers[0]
	if notes := n.footnotes(); len(n.Seeds) != 3 || !slices.Contains(notes, "Chosen among the others, since cells failed: seed 44: 1 crash (no).") {
		t.Errorf("%d seeds, failures of one that counts are not seen: %q", len(n.Seeds), notes)
	}
}

// A network smaller than published does not reproduce the paper's number, whatever it comes to, and says nothing about how often the same
// number is taken for another one.
func TestSmallNetworksAreNotComparable(t *testing.T) {
	for layers, want := range map[string]Verdict{"layers: 8": Reproduced, "layers: 2": NotComparable} {
		f := newFixture()
		f.params["npt"] = layers
		f.expect("protein", published, "npt", 1)
		f.ok("protein", published, "npt", 0, 0, mse(0.1), rmse(3.41))
		s := collect(t, f)
		pairs, parts, _ := s.falsePositives()
		if n := s.Numbers[0]; n.Verdict != want || n.Difference() != 0 || (pairs+parts > 0) != (want == Reproduced) {
			t.Errorf("%s: %q, %d pairs", layers, n.Verdict, pairs+parts)
		}
	}
}

// With the paper's numbers in place of ours, other methods' are called reproduced where they print alike.
func TestFalsePositives(t *testing.T) {
	f := newFixture()
	alike, pairs, notGraded := 0, 0, 0
	for _, a := range results.PaperMethods {
		f.expect("protein", published, a.Name, 1)
		ours, _ := results.Paper("protein", a.Name, "rmse")
		f.ok("protein", published, a.Name, 0, 0, mse(0.1), results.Metrics{"rmse": ours.Mean})
		for _, b := range results.PaperMethods {
			if theirs, _ := results.Paper("protein", b.Name, "rmse"); a != b {
				pairs++
				switch {
				case ours.Printed == theirs.Printed:
					alike++
				case a.Name != "knn" && a.Name != "xgboost": // which differ without a seed
					notGraded++
				}
			}
		}
	}
	for _, m := range results.PaperMethods {
		f.searchAsPaper("protein", m.Name)
	}
	got, parts, verdicts := collect(t, f).falsePositives()
	if parts != 0 || got != pairs || pairs != 72 || verdicts[Reproduced] != alike || verdicts[NotGraded] != notGraded || verdicts[Differs] != 0 {
		t.Errorf("%d pairs with %v, want %d of %d alike, %d not graded", got, verdicts, alike, pairs, notGraded)
	}
}

// On a part of the test rows the interval has two of their standard errors in it, too: the random forest has 71.5 on Poker Hand in the
// paper, seeds with a deviation of 0.1 have 0.497 on each side, and with an error of 0.2 over rows hypot(0.497, 0.4) = 0.638.
func TestNotExcludedOnAPartOfTheTestRows(t *testing.T) {
	paper, _ := results.Paper("poker-hand", "random-forest", "accuracy")
	for _, c := range []struct {
		off, rowError float64
		want          Verdict
	}{{0.68, 0.2, NotExcluded}, {0.70, 0.2, Differs}, {0.68, math.NaN(), Differs}, {0.54, math.NaN(), NotExcluded}} {
		f := newFixture()
		f.expect("poker-hand", published, "random-forest", 1)
		for seed, change := range []float64{0, 0.1, -0.1} {
			test := results.Metrics{"accuracy": paper.Mean + c.off + change, "nll": 1}
			if !math.IsNaN(c.rowError) {
				test["accuracy_se"] = c.rowError
			}
			rec := f.ok("poker-hand", published, "random-forest", 0, 0, results.Metrics{"nll": 1}, test)
			rec.Rows, rec.Subset, rec.Seed = [3]int{21883, 3127, 100000}, "a part", 42+uint64(seed)
		}
		f.searchAsPaper("poker-hand", "random-forest")
		if n := collect(t, f).number("poker-hand", published, "random-forest", metric.Accuracy); n.Verdict != c.want {
			t.Errorf("%+v: %s", c, n.Verdict)
		}
	}
}

// A footnote has as many digits as its table.
func TestDigitsOfNotes(t *testing.T) {
	f := newFixture()
	f.expect("poker-hand", published, "knn", 1)
	rec := f.ok("poker-hand", published, "knn", 0, 0, results.Metrics{"nll": 1}, results.Metrics{"accuracy": 50, "nll": 1.0667, "nll_se": 0.01234})
	rec.Rows, rec.Subset = [3]int{21883, 3127, 100000}, "a part"
	n := collect(t, f).number("poker-hand", published, "knn", metric.NLL)
	if want := "On Poker Hand's test rows here the NLL has a standard error of 0.0123; the difference from the paper is 0.0917."; !slices.Contains(n.Notes, want) ||
		n.differenceCell(nil, nil).Text != "+0.0917 (+9.4 %)" {
		t.Errorf("%q beside %s", n.Notes, n.differenceCell(nil, nil).Text)
	}
}

func TestTwoSeedsAreNoted(t *testing.T) {
	if notes := (&Number{Metric: metric.RMSE, Seeds: []float64{4.5, 4.6}}).footnotes(); len(notes) != 1 {
		t.Errorf("%q", notes)
	}
}

// A network is as published or smaller on each data set by itself.
func TestSizeByDataSet(t *testing.T) {
	f := newFixture()
	f.grids = map[string]string{"boston-housing npt": "layers: [8], setting: [0, 1, 2, 3, 4, 5, 6, 7]", "yacht npt": "layers: [2]"}
	f.expect("boston-housing", published, "npt", 1)
	f.expect("yacht", published, "npt", 1)
	for fold := range 10 {
		f.ok("boston-housing", published, "npt", fold, 0, mse(0.1), rmse(2.92))
		f.ok("yacht", published, "npt", fold, 0, mse(0.1), rmse(1.27))
	}
	f.searchAsPaper("boston-housing", "npt")
	s := collect(t, f)
	if n := s.number("boston-housing", published, "npt", metric.RMSE); n.Verdict != Reproduced {
		t.Errorf("the published network: %s, %q", n.Verdict, n.Notes)
	}
	if n := s.number("yacht", published, "npt", metric.RMSE); n.Verdict != NotComparable || !slices.Contains(n.Notes, "Chosen among 1 setting per fold; the paper chose among 8.") {
		t.Errorf("a smaller one: %s, %q", n.Verdict, n.Notes)
	}
}

// The paper's own width depends on the data set.
func TestWidthByDataSet(t *testing.T) {
	for width, want := range map[int]string{32: "NPT, e = 32", 128: "NPT"} {
		f := newFixture()
		f.grids = map[string]string{"npt": fmt.Sprintf("dim_hidden: [%d], setting: [0, 1, 2, 3, 4, 5, 6, 7]", width)}
		f.expect("boston-housing", published, "npt", 1)
		f.expect("breast-cancer", published, "npt", 1)
		for fold := range 10 {
			f.ok("boston-housing", published, "npt", fold, 0, mse(0.1), rmse(2.92))
			f.ok("breast-cancer", published, "npt", fold, 0, results.Metrics{"nll": 0.1}, results.Metrics{"auroc": 0.997})
		}
		f.searchAsPaper("boston-housing", "npt")
		f.searchAsPaper("breast-cancer", "npt")
		s := collect(t, f)
		if n := s.number("boston-housing", published, "npt", metric.RMSE); n.Group.title() != want || (n.Verdict == Reproduced) != (width == 128) {
			t.Errorf("e = %d on Boston Housing: %q is %s", width, n.Group.title(), n.Verdict)
		}
		if n := s.number("breast-cancer", published, "npt", metric.AUROC); n.Group.title() != "NPT" || n.Verdict != Reproduced {
			t.Errorf("e = %d on Breast Cancer: %q is %s", width, n.Group.title(), n.Verdict)
		}
	}
}

// The paper's number of a single split is of fold 0: one over another fold, or over more, is not compared with it.
func TestOtherFolds(t *testing.T) {
	for folds, note := range map[string]string{"[1]": "The sweep has fold 1, not fold 0.", "3": "The sweep has folds 0 to 2, not fold 0."} {
		f := newFixture()
		f.folds = folds
		f.expect("protein", published, "knn", 1)
		for fold := range 3 {
			f.ok("protein", published, "knn", fold, 0, mse(0.1), rmse(3.77))
		}
		n := collect(t, f).number("protein", published, "knn", metric.RMSE)
		if n.Verdict != Partial || n.HasDifference() || !slices.Contains(n.Notes, note) || !slices.Contains(n.foldsNote(), note) {
			t.Errorf("folds %s: %s, difference %v, %q, %q", folds, n.Verdict, n.HasDifference(), n.Notes, n.foldsNote())
		}
	}
}

// On copies all of the paper's methods but NPT have these alone, and ours the training rows, too.
func TestCopiesAloneAreOtherTrainingRows(t *testing.T) {
	f := newFixture()
	for _, m := range []string{"knn", "npt", "mlp"} {
		f.expect("lookup", published, m, 1)
		f.ok("lookup", published, m, 0, 0, mse(1), results.Metrics{"rmse": 3.62, "rmse_se": 0.1})
	}
	s := collect(t, f)
	for m, want := range map[string]Verdict{"knn": NotComparable, "npt": NotGraded, "mlp": NoPaper} {
		n := s.number("lookup", published, m, metric.RMSE)
		var overview Table
		n.besidePaper(&overview, nil)
		note := []string{"By the training rows and the copies; the paper's k-NN has the copies alone."}
		if n.Verdict != want || m == "knn" && !slices.Equal(n.Notes, note) || (m == "knn") != slices.Equal(overview.Notes, note) {
			t.Errorf("%s: %s with %q, in an overview %q", m, n.Verdict, n.Notes, overview.Notes)
		}
	}
	if pairs, _, _ := s.falsePositives(); pairs != 1 { // of NPT with the paper's k-NN
		t.Errorf("%d pairs", pairs)
	}
}

// What a verdict is worth is counted over the numbers that verdicts are counted of.
func TestWorthWithoutMSE(t *testing.T) {
	f := newFixture()
	f.expect("boston-housing", published, "xgboost", 1)
	for fold, x := range spread(3, 1) {
		f.ok("boston-housing", published, "xgboost", fold, 0, mse(0.1), results.Metrics{"rmse": x, "mse": x * x})
	}
	f.searchAsPaper("boston-housing", "xgboost")
	if pairs, _, _ := collect(t, f).falsePositives(); pairs != len(results.PaperMethods)-1 {
		t.Errorf("%d pairs", pairs)
	}
}
